"""Took longer than the clock allows."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.wire.actions import ClockRan, Discarded, Drew

CODE = "slow_play"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a clock that has run out."""
    match moment.action:
        case ClockRan(seat=seat, clock=clock, since_ms=since_ms, limit_ms=limit_ms, periods=periods):
            over = {
                "first_discard": "the first discard",
                "turn": "this turn",
                "hand": "the hand's own time",
                "count": "the count",
            }
        case _:
            return ()
    if clock not in over:
        return ()
    says = f"{who(moment, seat)} has used up {over[clock]}: {limit_ms // 1000} s"
    says += f", and {periods} more periods have begun." if periods > 1 else "."
    return foul(moment, CODE, clock, seat, says, key=f"{clock}-{since_ms}", units=periods)


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    match moment.action:
        case Discarded(seat=raised.seat, at_ms=at_ms) if raised.kind != "serious" and at_ms < raised.at_ms:
            return "the discard came in time"
        case Drew(seat=raised.seat, at_ms=at_ms) if raised.kind == "count" and at_ms < raised.at_ms:
            return "the draw came in time"
        case _:
            return None


def follows(moment: Moment, new: Foul, others: tuple[Foul, ...]) -> Iterable[Foul]:
    """What the time fines of one hand add up to."""
    limit = moment.rules.clocks.serious_points
    if new.code != CODE or limit is None:
        return ()
    mine = {other.key: other for other in others if other.code == CODE and other.seat == new.seat}
    mine[new.key] = new
    points = 0
    for one in mine.values():
        ruling = moment.rules.ruling(CODE, one.kind)
        if ruling and ruling.fine and one.kind != "serious":
            points += ruling.fine.points * one.units
    if points <= limit:
        return ()
    says = f"{who(moment, new.seat)} has been fined {points} points for time in this hand, more than {limit}."
    missing = ("the player's explanation",)
    return foul(moment, CODE, "serious", new.seat, says, key="serious", missing=missing)


RULE = FoulRule(CODE, ("first_discard", "turn", "hand", "count", "serious"), (ClockRan,), judge, lifts, follows=follows)
