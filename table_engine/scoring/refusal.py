"""Why tiles are no win before anything is counted: too many, too few, or no winning shape."""

from __future__ import annotations

from table_engine.rules import RuleSet
from table_engine.scoring.model import Hand, NoWin
from table_engine.scoring.shapes import complete, distance
from table_engine.scoring.tally import TooManyError, tally
from table_engine.wire.phrases import phrase
from table_engine.wire.tiles import is_face


def refusal(hand: Hand, rules: RuleSet) -> NoWin | None:
    """The reason by tiles and shape, None where the tiles are a winning hand of these rules."""
    unknown = [t for t in (*hand.concealed, hand.win, *(t for m in hand.melds for t in m.tiles)) if not is_face(t)]
    if unknown:
        return NoWin("tiles", phrase("{n} tiles of the hand are not known by their faces", n=len(unknown)))
    right = rules.set.hand - 3 * len(hand.melds)
    if len(hand.concealed) != right:
        says = phrase(
            "the hand has {n} standing tiles beside the winning one; {right} are right",
            n=len(hand.concealed),
            right=right,
        )
        return NoWin("tiles", says)
    shown = (t for m in hand.melds for t in m.tiles) if rules.scoring.copies_checked else ()
    try:
        tally((*hand.concealed, hand.win, *shown))
    except TooManyError as error:
        return NoWin("tiles", phrase("the hand holds more than four tiles {tiles}", tiles=error.tiles))
    if complete((*hand.concealed, hand.win), len(hand.melds), rules.scoring.shapes):
        return None
    away = distance(hand.concealed, hand.melds, rules.scoring.shapes)
    match away:
        case 0:
            says = phrase("the hand is ready but not for {tile}", tile=hand.win)
        case 1:
            says = phrase("the hand is one tile short of ready")
        case _:
            says = phrase("the hand is {n} tiles short of ready", n=away)
    return NoWin("shape", says, away)
