"""Replaced flowers out of order: in laps from the dealer on, all of a player's flowers at once, in play at once after the
draw; a dealer who forgot the extra tile may not replace a flower that comes with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, who
from table_engine.state import State
from table_engine.wire.actions import Drew, FlowersShown
from table_engine.wire.seats import Seat

CODE = "flower_order"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at flowers laid out, and at what is drawn for them."""
    before = moment.before
    match moment.action:
        case FlowersShown() if before.running and before.discards == 0:
            return _opening(moment, moment.action)
        case Drew(seat=seat, end="tail") if before.running and before.discards:
            player = before.players[seat]
        case _:
            return ()
    if not player.owed or player.flowered <= player.drawn:
        return ()
    # Judged at the replacement: a flower that was merely seen late has been replaced already.
    says = f"{who(moment, seat)} replaces a flower that was not drawn just now: it was kept in the hand."
    hold = moment.rules.judging.settle_ms
    tiles = player.flowers[-1:]
    return foul(moment, CODE, "kept", seat, says, key=f"kept-{before.discards}", hold_ms=hold, tiles=tiles)


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    return READ_OTHERWISE if reread(moment, raised) else None


def _opening(moment: Moment, action: FlowersShown) -> Iterable[Foul]:
    """Before the first discard."""
    after, dealer, seat = moment.after, moment.after.dealer, action.seat
    player = moment.before.players[seat]
    others = any(one != dealer for one in after.opening)
    if seat == dealer and player.drawn_from == "head" and player.drawn and others:
        says = f"{who(moment, seat)} takes the dealer's last tile after others have replaced flowers, and replaces it."
        return _raise(moment, "door", seat, says, f"door-{len(after.opening)}", action)
    if after.opening == moment.before.opening:
        return ()
    laps = _laps(after)
    lap, place = laps[-1], _place(after, seat)
    for number, (other, their) in enumerate(zip(after.opening, laps, strict=True)):
        if other == seat or (their, _place(after, other)) < (lap, place):
            continue
        if their > lap and _place(after, other) < place:
            says = f"{who(moment, other)} begins the next lap of flowers before {who(moment, seat)} has had this one."
            return _raise(moment, "lap", other, says, f"lap-{number}", action, seat)
        if their >= lap:
            says = f"{who(moment, seat)} replaces flowers after {who(moment, other)}, who comes later in the lap."
            return _raise(moment, "lap", seat, says, f"lap-{len(laps)}", action, other)
    return ()


def _laps(state: State) -> list[int]:
    """The lap each showing belongs to, from 1: a seat shows once in a lap."""
    shown: Counter[Seat] = Counter()
    laps = []
    for seat in state.opening:
        shown[seat] += 1
        laps.append(shown[seat])
    return laps


def _place(state: State, seat: Seat) -> int:
    return (seat - state.dealer) % 4


def _raise(
    moment: Moment, sort: str, seat: Seat, says: str, key: str, action: FlowersShown, other: Seat | None = None
) -> Iterable[Foul]:
    missing: tuple[str, ...] = ()
    if other is not None and moment.before.players[other if seat == action.seat else seat].owed:
        missing = ("who was first: the other player's flowers are not replaced yet",)
    hold = moment.rules.judging.settle_ms
    return foul(moment, CODE, sort, seat, says, key=key, hold_ms=hold, tiles=action.tiles, missing=missing)


RULE = FoulRule(CODE, ("lap", "door", "kept"), (FlowersShown, Drew), judge, lifts)
