"""Replaced flowers out of order: in laps from the dealer on, all of a player's flowers at once, in play at once after the
draw; a dealer who forgot the extra tile may not replace a flower that comes with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, who
from table_engine.state import State
from table_engine.wire.actions import Drew, FlowersShown
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

CODE = "flower_order"
_LATE = (phrase("the order: these flowers lay there already when the end of the deal was noticed"),)


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at what is drawn for flowers. Flowers that were merely seen late have been replaced already."""
    before = moment.before
    match moment.action:
        case FlowersShown(seat=seat, tiles=tiles) if before.running and before.discards == 0:
            return _door(moment, seat, tiles)
        case Drew(seat=seat, end="tail") if before.running and before.players[seat].owed:
            return _kept(moment, seat) if before.discards else _lap(moment, seat)
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    match moment.action:
        case Drew(seat=raised.seat, end="head") if raised.kind == "kept":
            return "the turn's own tile was drawn before it, and seen late"
        case _:
            return READ_OTHERWISE if reread(moment, raised) else None


def _kept(moment: Moment, seat: Seat) -> Iterable[Foul]:
    """More flowers are replaced in play than tiles were drawn."""
    player = moment.before.players[seat]
    if player.flowered <= player.drawn:
        return ()
    says = phrase(
        "{seat} replaces a flower that was not drawn just now: it was kept in the hand.", seat=who(moment, seat)
    )
    return _raise(moment, "kept", seat, says, f"kept-{moment.before.discards}", player.flowers[-1:])


def _door(moment: Moment, seat: Seat, tiles: tuple[Tile, ...]) -> Iterable[Foul]:
    """The dealer takes the last tile of the deal after others have replaced flowers, and it is one."""
    before, player = moment.before, moment.before.players[seat]
    others = any(one != before.dealer for one in before.opening)
    if seat != before.dealer or player.drawn_from != "head" or not player.drawn or not others:
        return ()
    says = phrase(
        "{seat} takes the dealer's last tile after others have replaced flowers, and replaces it.",
        seat=who(moment, seat),
    )
    return _raise(moment, "door", seat, says, f"door-{len(before.opening)}", tiles)


def _lap(moment: Moment, seat: Seat) -> Iterable[Foul]:
    """Before the first discard: a showing is out of order when one that comes later in the laps came before it."""
    before = moment.before
    laps = _laps(before)
    mine = max((n for n, one in enumerate(before.opening) if one == seat), default=-1)
    tiles = before.players[seat].flowers[-1:]
    if before.players[seat].drawn_from == "head":
        return ()  # the dealer's last tile of the deal, judged when it is shown
    for number in range(mine):
        other, lap = before.opening[number], laps[number]
        if (lap, _place(before, other)) <= (laps[mine], _place(before, seat)):
            continue
        doubt = (phrase("who was first: the other player's flowers are not replaced yet"),)
        late = moment.action.at_ms < before.hand_ms
        missing: tuple[Phrase, ...] = doubt if before.players[other].owed else _LATE if late else ()
        if lap > laps[mine] and _place(before, other) < _place(before, seat):
            says = phrase(
                "{seat} begins the next lap of flowers before {other} has had this one.",
                seat=who(moment, other),
                other=who(moment, seat),
            )
            return _raise(moment, "lap", other, says, f"lap-{number}", tiles, seat, missing)
        says = phrase(
            "{seat} replaces flowers after {other}, who comes later in the lap.",
            seat=who(moment, seat),
            other=who(moment, other),
        )
        return _raise(moment, "lap", seat, says, f"lap-{mine}", tiles, other, missing)
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
    moment: Moment,
    sort: str,
    seat: Seat,
    says: Phrase,
    key: str,
    tiles: tuple[Tile, ...],
    other: Seat | None = None,
    missing: tuple[Phrase, ...] = (),
) -> Iterable[Foul]:
    hold = moment.rules.judging.settle_ms
    return foul(moment, CODE, sort, seat, says, key=key, hold_ms=hold, tiles=tiles, missing=missing, other=other)


RULE = FoulRule(CODE, ("lap", "door", "kept"), (FlowersShown, Drew), judge, lifts)
