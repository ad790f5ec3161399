"""Took longer than the clock allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.wire.actions import ClockRan, Discarded, Drew
from table_engine.wire.phrases import Blank, phrase

CODE = "slow_play"
_CLOCKS: Final = {
    "first_discard": phrase("the time for the first discard"),
    "turn": phrase("the time for this turn"),
    "hand": phrase("the own time in the hand"),
    "count": phrase("the count"),
}


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a clock that has run out."""
    match moment.action:
        case ClockRan(seat=seat, clock=clock, since_ms=since_ms, limit_ms=limit_ms, periods=periods):
            over = _CLOCKS.get(clock)
        case _:
            return ()
    if over is None:
        return ()
    used: dict[str, Blank] = {"seat": who(moment, seat), "clock": over, "limit": limit_ms // 1000}
    says = phrase("{seat} has used up {clock}: {limit} s.", **used)
    if periods > 1:
        says = phrase(
            "{seat} has used up {clock}: {limit} s, and {periods} more periods have begun.", **used, periods=periods
        )
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
    says = phrase(
        "{seat} has been fined {points} points for time in this hand, more than {limit}.",
        seat=who(moment, new.seat),
        points=points,
        limit=limit,
    )
    missing = (phrase("the player's explanation"),)
    return foul(moment, CODE, "serious", new.seat, says, key="serious", missing=missing)


RULE = FoulRule(CODE, ("first_discard", "turn", "hand", "count", "serious"), (ClockRan,), judge, lifts, follows=follows)
