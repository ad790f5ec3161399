"""Laid the hand down as a win that it is not, or that a standing rule forbids."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine import ask, claim
from table_engine.effects import has
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, stands, who
from table_engine.scoring import Score
from table_engine.wire.actions import WinShown
from table_engine.wire.phrases import phrase

CODE = "false_win"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a hand laid down as a win."""
    match moment.action:
        case WinShown(seat=seat, hand=hand, source=source) if moment.before.hand and seat not in moment.before.winners:
            verdict = claim.check(moment.before, moment.action, moment.rules)
        case _:
            return
    worth = verdict.outcome.total if isinstance(verdict.outcome, Score) else None
    if source == seat.upper and has(moment.before.players[seat], "touched_wall"):
        says = phrase("{seat} wins on the upper player's discard after touching the wall.", seat=who(moment, seat))
        yield from foul(moment, CODE, "effect", seat, says, hold_ms=moment.rules.judging.settle_ms, other=source)
    standing = ask.held(moment.before.players[seat]) - len(hand) - (source is None)
    if moment.rules.wins.whole_hand_only and standing > 0:
        says = phrase(
            "{seat} lays down {shown} tiles as a win and keeps {kept} standing.",
            seat=who(moment, seat),
            shown=len(hand),
            kept=standing,
        )
        hold = moment.rules.judging.settle_ms
        yield from foul(moment, CODE, "partial", seat, says, hold_ms=hold, tiles=hand, other=source)
        return
    for objection in verdict.objections:
        says = phrase(
            "{seat} lays the hand down as a win: {objection}.", seat=who(moment, seat), objection=objection.says
        )
        yield from foul(
            moment,
            CODE,
            objection.kind,
            seat,
            says,
            hold_ms=moment.rules.judging.settle_ms,
            missing=objection.missing,
            tiles=hand,
            other=source,
            worth=worth,
        )


RULE = FoulRule(
    CODE,
    (
        "not_valid",
        "one_short",
        "more_short",
        "wrong_tile",
        "no_draw",
        "effect",
        "passed",
        "exposed",
        "replacement",
        "turned_up",
        "partial",
    ),
    (WinShown,),
    judge,
    stands,
)
