"""Clocks from event times: a turn's, a hand's, the five-second count, the match's. Nothing here reads a clock; time comes
with moves and with how far the table's own time has run. Pauses and the free time after the deal are taken off.

A turn runs from the discard before it (of a call: from the discard called) to the own discard; the replacement of a kong
begins a new one (WS-F10). The dealer's first turn runs from the end of the deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from table_engine.ask import moment_after, playing_ms
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Clock,
    ClockRan,
    Discarded,
    Drew,
    HandStarted,
    TileReturned,
    TurnCorrected,
)
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat

NEVER: Final = 2**62
_TOLD_LATE_MS: Final = 2_500
"""So much later a move may be told than it took place, while fusion still weighs it."""
Spent = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Clocks:
    """All clocks of a table. Times in ms of event time."""

    match_ms: int | None = None
    """When the match began."""
    extra_ms: int = 0
    seat: Seat | None = None
    """Whose turn's clock runs."""
    since_ms: int = 0
    first: bool = False
    """It is the dealer's first turn."""
    spent: Spent = (0, 0, 0, 0)
    """What each seat has used of the hand's clock in turns that are over."""
    count: tuple[Seat, int] | None = None
    """Whom the five-second count runs against, and since when."""
    turn_told: int = 0
    """Periods over the limit that were told of this turn."""
    hand_told: Spent = (0, 0, 0, 0)
    match_told: bool = False
    due_ms: int = NEVER
    """Before this moment no clock can run out."""


def moved(clocks: Clocks, before: State, action: Action, after: State, rules: RuleSet) -> Clocks:
    """The clocks after a move."""
    match action:
        case HandStarted(dealer=dealer, at_ms=at_ms):
            new_match = after.match != before.match
            clocks = Clocks(
                match_ms=at_ms if new_match and clocks.match_ms is None else clocks.match_ms,
                extra_ms=clocks.extra_ms,
                match_told=clocks.match_told,
                seat=dealer,
                since_ms=at_ms,
                first=True,
            )
            if new_match and before.match:
                clocks = replace(clocks, match_ms=at_ms, extra_ms=0, match_told=False)
        case Discarded(seat=seat, at_ms=at_ms):
            if not before.running or before.turn.actor != seat:
                return clocks
            clocks = _turn(_finished(clocks, before, seat, at_ms, rules), after.turn.actor, at_ms)
        case Called(seat=seat):
            offer = before.turn.offer
            clocks = _turn(clocks, seat, offer.at_ms if offer and not offer.robbing else action.at_ms)
        case Drew(seat=seat, at_ms=at_ms) if before.players[seat].owed and before.players[seat].konged:
            clocks = _turn(_finished(clocks, before, seat, at_ms, rules), seat, at_ms)
        case TurnCorrected(seat=seat, at_ms=at_ms) | TileReturned(seat=seat, what="discard", at_ms=at_ms):
            clocks = _turn(clocks, seat, at_ms)
        case Drew(seat=seat) if clocks.count and clocks.count[0] == seat:
            pass
        case _ if not after.running and clocks.seat is not None:
            clocks = replace(clocks, seat=None, count=None, due_ms=NEVER)
        case _:
            return clocks
    if clocks.count and isinstance(action, Drew | Discarded | Called) and clocks.count[0] == action.seat:
        clocks = replace(clocks, count=None)
    return timed(clocks, after, rules)


def counting(clocks: Clocks, seat: Seat, at_ms: int, state: State, rules: RuleSet) -> Clocks:
    """The five-second count begins against a seat."""
    return timed(replace(clocks, count=(seat, at_ms)), state, rules)


def resumed(clocks: Clocks, state: State, at_ms: int) -> Clocks:
    """The turn's clock begins anew where play goes on."""
    return _turn(clocks, state.turn.actor, at_ms)


def timed(clocks: Clocks, state: State, rules: RuleSet) -> Clocks:
    """The clocks with the next moment at which one can run out."""
    limits = rules.clocks
    dues: list[int] = []
    seat = clocks.seat
    if seat is not None and state.running:
        period = (limits.period_s or 0) * 1000
        turn_s = limits.first_discard_s if clocks.first and limits.first_discard_s else limits.turn_s
        if turn_s and (period or not clocks.turn_told):
            dues.append(_due(clocks.since_ms, turn_s * 1000 + clocks.turn_told * period, state, rules))
        if limits.hand_s and (period or not clocks.hand_told[seat]):
            left = limits.hand_s * 1000 + clocks.hand_told[seat] * period - clocks.spent[seat]
            dues.append(_due(clocks.since_ms, left, state, rules))
    if clocks.count:
        dues.append(_due(clocks.count[1], (limits.count_s or 5) * 1000, state, rules, free=False))
    if rules.match.minutes and clocks.match_ms is not None and not clocks.match_told:
        dues.append(_due(clocks.match_ms, match_limit_ms(clocks, rules), state, rules, free=False))
    due = min(dues, default=NEVER)
    return clocks if due == clocks.due_ms else replace(clocks, due_ms=due)


def ran(
    clocks: Clocks, state: State, now_ms: int, rules: RuleSet, *, quiet: bool = True
) -> tuple[Clocks, tuple[ClockRan, ...]]:
    """The clocks that ran past a limit until now. `quiet`: nothing that took place is still to be told."""
    now = now_ms if quiet else now_ms - _TOLD_LATE_MS
    if now < clocks.due_ms:
        return clocks, ()
    limits, told, seat = rules.clocks, list[ClockRan](), clocks.seat
    period = (limits.period_s or 0) * 1000
    grace = rules.judging.simultaneous_ms
    if seat is not None and state.running:
        spent = _spent(clocks, state, now, rules)
        turn_s = limits.first_discard_s if clocks.first and limits.first_discard_s else limits.turn_s
        if turn_s and (over := _periods(spent, turn_s * 1000, period, grace)) > clocks.turn_told:
            clock: Clock = "first_discard" if clocks.first and limits.first_discard_s else "turn"
            told.append(_ran(clock, seat, clocks.since_ms, spent, turn_s * 1000, over, now))
            clocks = replace(clocks, turn_told=over)
        used = clocks.spent[seat] + spent
        if limits.hand_s and (over := _periods(used, limits.hand_s * 1000, period, grace)) > clocks.hand_told[seat]:
            told.append(_ran("hand", seat, state.hand_ms, used, limits.hand_s * 1000, over, now))
            clocks = replace(clocks, hand_told=_set(clocks.hand_told, seat, over))
    if clocks.count:
        counted, since = clocks.count
        spent, limit = playing_ms(state, since, now), (limits.count_s or 5) * 1000
        if spent >= limit + grace:
            told.append(_ran("count", counted, since, spent, limit, 1, now))
            clocks = replace(clocks, count=None)
    if rules.match.minutes and clocks.match_ms is not None and not clocks.match_told:
        spent, limit = playing_ms(state, clocks.match_ms, now), match_limit_ms(clocks, rules)
        if spent >= limit:
            told.append(_ran("match", Seat.S0, clocks.match_ms, spent, limit, 1, now))
            clocks = replace(clocks, match_told=True)
    return timed(clocks, state, rules), tuple(told)


def match_limit_ms(clocks: Clocks, rules: RuleSet) -> int:
    """How long the match may last, extra time included; 0 where the rules set no limit."""
    return rules.match.minutes * 60_000 + clocks.extra_ms if rules.match.minutes else 0


def hand_used(clocks: Clocks, state: State, now_ms: int, rules: RuleSet) -> Spent:
    """What each seat has used of the hand's clock until now, the running turn included."""
    if clocks.seat is None:
        return clocks.spent
    return _set(clocks.spent, clocks.seat, clocks.spent[clocks.seat] + _spent(clocks, state, now_ms, rules))


def turn_ends_ms(clocks: Clocks, state: State, rules: RuleSet) -> int | None:
    """When the running turn's time is up; None where no clock runs."""
    limits = rules.clocks
    turn_s = limits.first_discard_s if clocks.first and limits.first_discard_s else limits.turn_s
    if clocks.seat is None or not turn_s:
        return None
    return _after(clocks.since_ms, turn_s * 1000, state, rules)


def _turn(clocks: Clocks, seat: Seat, since_ms: int) -> Clocks:
    return replace(clocks, seat=seat, since_ms=since_ms, first=False, turn_told=0)


def _finished(clocks: Clocks, state: State, seat: Seat, at_ms: int, rules: RuleSet) -> Clocks:
    if clocks.seat != seat:
        return clocks
    return replace(clocks, spent=_set(clocks.spent, seat, clocks.spent[seat] + _spent(clocks, state, at_ms, rules)))


def _spent(clocks: Clocks, state: State, until_ms: int, rules: RuleSet) -> int:
    """What the running turn has taken, free time after the deal taken off."""
    free_until = state.hand_ms + rules.clocks.free_after_deal_s * 1000
    return playing_ms(state, max(clocks.since_ms, min(free_until, until_ms)), until_ms)


def _after(since_ms: int, active_ms: int, state: State, rules: RuleSet, *, free: bool = True) -> int:
    begin = max(since_ms, state.hand_ms + rules.clocks.free_after_deal_s * 1000) if free else since_ms
    return moment_after(state, begin, active_ms)


def _due(since_ms: int, active_ms: int, state: State, rules: RuleSet, *, free: bool = True) -> int:
    return _after(since_ms, active_ms, state, rules, free=free)


def _periods(spent_ms: int, limit_ms: int, period_ms: int, grace_ms: int) -> int:
    """Begun periods over a limit. The grace is what sensors cannot tell."""
    if spent_ms < limit_ms + grace_ms:
        return 0
    return 1 if not period_ms else 1 + (spent_ms - limit_ms - grace_ms) // period_ms


def _ran(clock: Clock, seat: Seat, since_ms: int, spent_ms: int, limit_ms: int, periods: int, at_ms: int) -> ClockRan:
    return ClockRan(
        at_ms=at_ms,
        seat=seat,
        clock=clock,
        since_ms=since_ms,
        spent_ms=spent_ms,
        limit_ms=limit_ms,
        periods=periods,
    )


def _set(spent: Spent, seat: Seat, value: int) -> Spent:
    values = list(spent)
    values[seat] = value
    a, b, c, d = values
    return a, b, c, d
