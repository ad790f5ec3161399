"""The verdict on a claimed win: does it stand, what is it worth, what is wrong with it, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from table_engine import ask, scoring
from table_engine.claim.bars import Kind, Objection, bars
from table_engine.claim.circumstances import circumstances, named, shown
from table_engine.rules import RuleSet
from table_engine.scoring import Context, Hand, NoWin, Outcome, Score
from table_engine.scoring.chinese import MissingFanError
from table_engine.state import State
from table_engine.wire.actions import WinShown
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face


@dataclass(frozen=True, slots=True)
class Verdict:
    """`valid`: the win stands (None: tiles or means to tell are missing, see `says`). `outcome` is the score by the tiles
    alone, whatever else stands against the win. `objections` what is wrong, worst first. `paid`: among several winners
    this one is paid."""

    seat: Seat
    valid: bool | None
    says: Phrase
    hand: Hand
    context: Context
    outcome: Outcome | None = None
    objections: tuple[Objection, ...] = ()
    waits: tuple[Tile, ...] = ()
    paid: bool = True

    @property
    def score(self) -> Score | None:
        """The score of a win that stands and is paid."""
        return self.outcome if self.valid and self.paid and isinstance(self.outcome, Score) else None


def check(
    before: State,
    win: WinShown,
    rules: RuleSet,
    *,
    ura: tuple[Tile, ...] = (),
    sticks: int | None = None,
) -> Verdict:
    """One claimed win. `before` is the state as it was when the hand was laid down."""
    win = named(before, win)
    hand = shown(before, win, rules)
    context = circumstances(before, win, rules, ura=ura, sticks=sticks)
    return _judged(before, win.seat, hand, context, tuple(bars(before, win, rules)), rules)


def rescored(before: State, verdict: Verdict, rules: RuleSet, hand: Hand, context: Context | None = None) -> Verdict:
    """The same claim with a hand or circumstances entered or put right by a person."""
    told = context or verdict.context
    win = WinShown(seat=verdict.seat, source=told.source, tile=hand.win, hand=hand.concealed)
    return _judged(before, verdict.seat, hand, told, tuple(bars(before, win, rules)), rules)


def several(
    before: State,
    wins: Sequence[WinShown],
    rules: RuleSet,
    *,
    ura: tuple[Tile, ...] = (),
    sticks: int | None = None,
) -> tuple[Verdict, ...]:
    """All who win on one tile, in the order given: who of them is paid, and counters and sticks to the nearest."""
    verdicts = [check(before, win, rules, ura=ura, sticks=sticks) for win in wins]
    standing = [verdict for verdict in verdicts if verdict.valid]
    paid = {verdict.seat for verdict in _paid(standing, rules)}
    outcomes = iter(
        scoring.settle([(v.hand, v.context) for v in verdicts if v.valid and v.seat in paid], rules) if paid else ()
    )
    found = []
    for verdict in verdicts:
        if not verdict.valid:
            found.append(verdict)
        elif verdict.seat in paid:
            outcome = next(outcomes)
            found.append(replace(verdict, outcome=outcome, says=_valid(before, verdict, outcome, rules)))
        else:
            drawn = len(standing) == 3 and rules.wins.three == "draw"
            why = phrase("three winners draw the hand") if drawn else phrase("a nearer player wins")
            says = phrase("{verdict} Not paid: {why}.", verdict=verdict.says, why=why)
            found.append(replace(verdict, paid=False, says=says))
    return tuple(found)


def _paid(standing: Sequence[Verdict], rules: RuleSet) -> Sequence[Verdict]:
    """Who of several winners on one tile is paid (`rules.wins`)."""
    near = sorted(standing, key=lambda verdict: _steps(verdict.context))
    if len(near) < 3:
        return near[: rules.wins.several]
    return {"draw": (), "all": near, "nearest": near[:1]}[rules.wins.three]


def _steps(context: Context) -> int:
    return 0 if context.source is None else (context.winner - context.source) % 4


def _judged(
    before: State, seat: Seat, hand: Hand, context: Context, found: tuple[Objection, ...], rules: RuleSet
) -> Verdict:
    who = ask.who(before, seat, rules)
    verdict = Verdict(seat, None, Phrase(""), hand, context, None, found)
    unknown = [t for t in (*hand.concealed, hand.win, *(t for m in hand.melds for t in m.tiles)) if not is_face(t)]
    if unknown or not hand.concealed:
        says = phrase("{seat}: no tile of the hand is known; enter them to check the win.", seat=who)
        if unknown and hand.concealed:
            says = phrase(
                "{seat}: {n} tiles of the hand are not known; enter them to check the win.", seat=who, n=len(unknown)
            )
        return replace(verdict, valid=False if found else None, says=_with(says, found))
    waits: tuple[Tile, ...] = ()
    try:
        waits = scoring.waits(hand.concealed, hand.melds, rules)
        outcome = scoring.score(hand, context, rules)
    except scoring.TooManyError as error:
        says = phrase(
            "{seat}: the hand holds more than four tiles {tiles}; look at it again.", seat=who, tiles=error.tiles
        )
        return replace(verdict, says=says)
    except MissingFanError as error:
        complete = scoring.complete((*hand.concealed, hand.win), len(hand.melds), rules)
        if complete:
            says = phrase("{seat}: a winning shape; {why}.", seat=who, why=str(error))
            return replace(verdict, waits=waits, says=_with(says, found))
        outcome = NoWin("shape", phrase("not a winning shape"), scoring.distance(hand.concealed, hand.melds, rules))
    verdict = replace(verdict, outcome=outcome, waits=waits)
    if isinstance(outcome, NoWin):
        verdict = replace(verdict, objections=(*found, Objection(grade(outcome), outcome.says)))
    if verdict.objections:
        says = phrase("{seat}: no win, {objections}.", seat=who, objections=_all(verdict.objections))
        return replace(verdict, valid=False, says=says)
    return replace(verdict, valid=True, says=_valid(before, verdict, outcome, rules))


def grade(outcome: NoWin) -> Kind:
    """How far a false win is from a right one: ready but not valid (错和), one tile short of ready (诈和), or more."""
    match outcome.distance:
        case None | 0 | -1:
            return "not_valid" if outcome.why != "tiles" else "more_short"
        case 1:
            return "one_short"
        case _:
            return "more_short"


def _valid(before: State, verdict: Verdict, outcome: Outcome, rules: RuleSet) -> Phrase:
    who, win, source = ask.who(before, verdict.seat, rules), verdict.hand.win, verdict.context.source
    how = phrase("by self-draw") if source is None else phrase("from {seat}", seat=ask.who(before, source, rules))
    if not isinstance(outcome, Score):
        return phrase("{seat} wins on {tile} {how}.", seat=who, tile=win, how=how)
    return phrase("{seat} wins on {tile} {how}: {worth}.", seat=who, tile=win, how=how, worth=_worth(outcome))


def _worth(score: Score) -> Phrase:
    """What a hand counts and, where that is another number, its points."""
    worth = _count(score)
    if score.limit:
        worth = phrase("{worth} ({limit})", worth=worth, limit=_LIMITS.get(score.limit, score.limit))
    return worth if score.unit == "point" else phrase("{worth}, {points} points", worth=worth, points=score.points)


def _count(score: Score) -> Phrase:
    match score.unit:
        case "han" if score.fu:
            return phrase("{n} han {fu} fu", n=score.total, fu=score.fu)
        case "han":
            return phrase("{n} han", n=score.total)
        case "tai":
            return phrase("{n} tai", n=score.total)
        case "fan":
            return phrase("{n} fan", n=score.total)
        case "point" if score.total == 1:
            return phrase("{n} point", n=score.total)
        case "point":
            return phrase("{n} points", n=score.total)


_LIMITS: Final = {
    "mangan": phrase("mangan"),
    "haneman": phrase("haneman"),
    "baiman": phrase("baiman"),
    "sanbaiman": phrase("sanbaiman"),
    "yakuman": phrase("yakuman"),
    "kazoe sanbaiman": phrase("kazoe sanbaiman"),
    "kazoe yakuman": phrase("kazoe yakuman"),
    "kiriage mangan": phrase("kiriage mangan"),
    "capped": phrase("capped"),
    "limit": phrase("limit"),
    **{f"{n}x yakuman": phrase("{n}x yakuman", n=n) for n in range(2, 8)},
}


def _with(says: Phrase, found: tuple[Objection, ...]) -> Phrase:
    return phrase("{verdict} Against it: {objections}.", verdict=says, objections=_all(found)) if found else says


def _all(found: tuple[Objection, ...]) -> Phrase:
    return reduce(lambda one, more: phrase("{one}; {more}", one=one, more=more), (o.says for o in found))
