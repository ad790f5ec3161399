"""Walls and the deal: in which order a broken wall is taken, who takes what, and which tile must lie where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from table_engine.records.model import HandRecord
from table_engine.wire.actions import DoraShown, Drew
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile
from virtual_table.customs import Customs


@dataclass(frozen=True, slots=True)
class WallPlace:
    """One tile's place in the wall. Level 1 is the upper tile of a stack."""

    side: Seat
    stack: int
    level: int


def wall_order(customs: Customs, side: Seat, stack: int) -> tuple[WallPlace, ...]:
    """All places of the wall in the order turns take them from the break on: upper before lower, clockwise."""
    order = []
    for _ in range(customs.tiles // 2):
        order += [WallPlace(side, stack, 1), WallPlace(side, stack, 0)]
        stack += 1
        if stack == customs.stacks:
            side, stack = side.step(3), 0
    return tuple(order)


def tail(count: int) -> tuple[int, ...]:
    """Indices into `wall_order` in the order replacements are taken: last stack first, upper before lower."""
    return tuple(i for stack in range(count - 2, -2, -2) for i in (stack, stack + 1))


def indicators(count: int) -> tuple[int, ...]:
    """Indices of the dora indicators in the order they are turned: upper tiles of the third to seventh last stack."""
    return tuple(count - 2 * n for n in range(3, 8))


def takes(customs: Customs, dealer: Seat) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    """The deal, take by take: who takes which places (indices into `wall_order`)."""
    seats = [dealer.step(n) for n in range(4)]
    deal = [
        (seat, tuple(range(start := 16 * round_ + 4 * n, start + 4)))
        for round_ in range(customs.rounds)
        for n, seat in enumerate(seats)
    ]
    first = 16 * customs.rounds
    if customs.rules.deal.jump:
        deal.append((dealer, (first, first + 4)))
        deal += [(seat, (first + n,)) for n, seat in enumerate(seats) if n]
    else:
        deal.append((dealer, (first,)))
    return tuple(deal)


def roll(customs: Customs, rng: Random, known: Sequence[int] = ()) -> tuple[int, ...]:
    """The dice of a hand: those a record knows, the rest thrown."""
    count = sum(customs.rules.deal.rolls)
    return (*known[:count], *(rng.randint(1, 6) for _ in range(count - len(known))))


def reds_of(records: Sequence[HandRecord]) -> tuple[Tile, ...]:
    """The red fives a recorded game was played with: one of each as soon as one is seen, more where more are seen."""
    most: Counter[Tile] = Counter()
    for record in records:
        seen = Counter(t for hand in record.hands for t in hand if t[0] == "0")
        seen += Counter(m.tile for m in record.moves if isinstance(m, Drew | DoraShown) and m.tile[0] == "0")
        most |= seen
    if most:
        most |= Counter((Tile("0m"), Tile("0p"), Tile("0s")))
    return tuple(sorted(most.elements()))


def shuffled(customs: Customs, rng: Random) -> tuple[Tile, ...]:
    """A wall of our own set, face by face in the order of `wall_order`."""
    faces = list(customs.faces(customs.reds))
    rng.shuffle(faces)
    return tuple(faces)


def arranged(record: HandRecord, customs: Customs, reds: tuple[Tile, ...], rng: Random) -> tuple[Tile, ...]:
    """The wall that yields a record's tiles when it is played, face by face in the order of `wall_order`.

    Places nobody takes hold the rest of the set, in the order of `record.wall` where it is known, else at random.
    Raises RecordError when the record needs more tiles than the set or the wall has.
    """
    wall: dict[int, Tile] = {}
    _lay_deal(record, customs, wall)
    count = customs.tiles
    head = iter(range(len(wall), count))
    back, turned = iter(tail(count)), iter(indicators(count))
    try:
        for move in record.moves:
            match move:
                case Drew(end="head", tile=tile):
                    wall[next(i for i in head if i not in wall)] = tile
                case Drew(tile=tile):
                    wall[next(i for i in back if i not in wall)] = tile
                case DoraShown(tile=tile):
                    wall[next(turned)] = tile
                case _:
                    pass
    except StopIteration:
        raise RecordError(f"{record.title or 'record'}: it draws more tiles than the wall of {count} holds") from None
    rest = Counter(customs.faces(reds))
    rest.subtract(wall.values())
    if over := [tile for tile, n in rest.items() if n < 0]:
        raise RecordError(f"{record.title or 'record'}: it holds more {', '.join(over)} than a set has")
    places = [i for i in range(count) if i not in wall]
    left = _in_order(rest, record.wall, places)
    if record.wall is None:
        rng.shuffle(left)
    wall.update(zip(places, left, strict=True))
    return tuple(wall[i] for i in range(count))


def _lay_deal(record: HandRecord, customs: Customs, wall: dict[int, Tile]) -> None:
    hands = {seat: list(record.hands[seat]) for seat in SEATS}
    for seat, places in takes(customs, record.dealer):
        for index in places:
            known = record.wall[index] if record.wall else None
            if not hands[seat]:
                raise RecordError(f"{record.title or 'record'}: seat {int(seat)} is dealt too few tiles")
            wall[index] = hands[seat].pop(hands[seat].index(known) if known in hands[seat] else 0)
    if any(hands.values()):
        raise RecordError(f"{record.title or 'record'}: a seat is dealt more tiles than {record.ruleset} deals")


def _in_order(rest: Counter[Tile], wall: tuple[Tile, ...] | None, places: Sequence[int]) -> list[Tile]:
    """The tiles of `rest` as they lie in the record's wall at these places; where that wall is not taken as ours is (the
    other tile of a stack first), in the order in which they come last in it."""
    if wall is None or +rest - Counter(wall):
        return sorted(rest.elements())
    there = [wall[i] for i in places if i < len(wall)]
    if Counter(there) == +rest:
        return there
    skip = Counter(wall)
    skip.subtract(rest)
    left = []
    for tile in wall:
        if skip[tile] > 0:
            skip[tile] -= 1
        else:
            left.append(tile)
    return left
