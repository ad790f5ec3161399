"""Hands that players lay open although nobody takes a win by them: ready ones when the wall is played out (RI-S7), nine
terminals, four ready, three winners (RI-S6). Where a rule set's text has no such showing, nobody shows anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from table_engine.wire.actions import Action, HandShown, WinShown
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, kind
from virtual_table.position import Position
from virtual_table.shape import waits

Told = tuple[tuple[Tile, ...] | None, ...]
"""By seat, what a record says was laid open; empty where it does not tell."""


def at_the_end(position: Position, ending: str, told: Told = ()) -> Iterator[Action]:
    """What is shown before a hand that nobody has won is cleared away. `ending` as `HandRecord.ending` has it, empty where
    it is not told: then the wall says whether it was played out."""
    draws = position.customs.rules.match.abortive_draws
    played_out = position.left <= position.customs.unplayed and position.discard is not None
    match ending:
        case "nine terminals" if "nine_terminals" in draws:
            yield from (_shown(seat) for seat in SEATS if _drawn(position, seat))
        case "four ready" if "four_ready" in draws:
            yield from (_shown(seat) for seat in _from_dealer(position))
        case "triple win" if "three_winners" in draws:
            yield from three_winners(position)
        case "exhaustive draw" | "all terminals discarded" | "" if played_out:
            yield from ready_ones(position, told)
        case _:
            return


def ready_ones(position: Position, told: Told = ()) -> Iterator[HandShown]:
    """Who is ready shows it, from the dealer on: as a record tells, else by what the hand waits for. A declared hand is
    shown whatever it is (RI-S4)."""
    if not position.customs.rules.match.noten_points:
        return
    for seat in _from_dealer(position):
        known = bool(told) and any(hand is not None for hand in told)
        ready = told[seat] is not None if known else bool(_waits(position, seat))
        if ready or position.side(seat).ready:
            yield _shown(seat)


def three_winners(position: Position) -> Iterator[WinShown]:
    """All but the discarder claim the last discard."""
    if position.discard is None:
        return
    source, tile = position.discard
    for n in (1, 2, 3):
        yield WinShown(seat=source.step(n), source=source, tile=position.faces[tile])


def _from_dealer(position: Position) -> tuple[Seat, ...]:
    return tuple(position.dealer.step(n) for n in range(len(SEATS)))


def _shown(seat: Seat) -> HandShown:
    return HandShown(seat=seat, hand=())


def _drawn(position: Position, seat: Seat) -> bool:
    """The seat holds the turn's extra tile."""
    side = position.side(seat)
    return (len(side.concealed) + 3 * len(side.melds)) % 3 == 2


def _waits(position: Position, seat: Seat) -> tuple[Tile, ...]:
    side = position.side(seat)
    laid = [kind(position.faces[tile]) for meld in side.melds for tile in meld.tiles]
    pairs = not side.melds
    return waits(position.tiles(seat), position.customs.sets - len(side.melds), laid, pairs=pairs)
