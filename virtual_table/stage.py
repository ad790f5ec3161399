"""The table as it is at one moment: applies happenings as time goes on, and shows itself as a snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat
from virtual_table.motion import (
    BayMoved,
    Built,
    Completed,
    DealerLit,
    Happening,
    Motion,
    Pressed,
    Rolled,
    StickMoved,
    Swallowed,
)
from virtual_table.places import Places
from virtual_table.table import ArmThing, DieThing, Place, StickThing, TableSnapshot, TileThing

RISE = 0.15
"""Share of a motion's time in which a tile is lifted, and set down again."""
GRIP = 0.7
"""Share of a reach after which the palm is over its tile."""


@dataclass(slots=True)
class Stage:
    """Things at rest plus motions under way."""

    places: Places
    at_ms: int = 0
    tiles: dict[int, TileThing] = field(default_factory=dict)
    """Where each tile rests, or was last at rest while it moves."""
    palms: dict[Seat, tuple[float, float]] = field(default_factory=dict)
    """Arms in the picture."""
    dice: tuple[int, ...] = ()
    sticks: tuple[Seat, ...] = ()
    dealer: Seat = Seat.S0
    bay_open: bool = False
    _moving: dict[int, Motion] = field(default_factory=dict)
    _from: dict[int, tuple[float, float]] = field(default_factory=dict)
    _motions: int = 0

    def begin(self, motion: Motion) -> int:
        """A motion starts. → its number, to end it by."""
        self._motions += 1
        number = self._motions
        self._moving[number] = motion
        if motion.arm is not None:
            self._from[number] = self.palms.setdefault(motion.arm, self.places.withdrawn(motion.arm))
            for tile, _ in motion.tiles:
                self.tiles[tile] = replace(self.tiles[tile], held=motion.arm)
        return number

    def end(self, number: int) -> Motion:
        """A motion comes to rest. → which."""
        motion = self._moving.pop(number)
        for tile, place in motion.tiles:
            if tile in self.tiles:
                self.tiles[tile] = replace(self.tiles[tile], place=place, held=None)
        if motion.arm is not None:
            del self._from[number]
            if motion.palm is None:
                del self.palms[motion.arm]
            else:
                self.palms[motion.arm] = motion.palm
        return motion

    def happen(self, sudden: Happening) -> None:
        match sudden:
            case Built(tiles=tiles):
                self.tiles.update((t.id, t) for t in tiles)
            case Swallowed(tiles=gone):
                for tile in gone:
                    self.tiles.pop(tile, None)
            case BayMoved(open=is_open):
                self.bay_open = is_open
            case DealerLit(seat=seat):
                self.dealer = seat
            case Rolled(dice=dice):
                self.dice = dice
            case StickMoved(seat=seat, present=present):
                self.sticks = tuple(s for s in SEATS if (s in self.sticks and s != seat) or (present and s == seat))
            case Completed() | Pressed() | Motion():
                pass

    def snapshot(self, at_ms: int) -> TableSnapshot:
        """Everything as it is at `at_ms`, motions half-way included."""
        tiles = dict(self.tiles)
        palms = {seat: (x, y, 8.0) for seat, (x, y) in self.palms.items()}
        carried: dict[Seat, list[int]] = {}
        for number, motion in self._moving.items():
            passed = min(1.0, max(0.0, (at_ms - motion.start_ms) / max(1, motion.end_ms - motion.start_ms)))
            # Up first, then across, then down; an empty hand arrives early and takes hold.
            share = _smooth(passed if motion.tiles or motion.palm is None else passed / GRIP)
            up = _smooth(min(passed, 1.0 - passed) / RISE)
            arc = motion.rise_mm * up
            for tile, place in motion.tiles:
                thing = tiles.get(tile)
                if thing is not None:
                    tiles[tile] = replace(thing, place=_between(thing.place, place, share, arc))
            if motion.arm is None:
                continue
            x0, y0 = self._from[number]
            x1, y1 = motion.palm or self.places.withdrawn(motion.arm)
            if not motion.tiles:
                arc = 70.0 * (up if motion.palm is None else _smooth(min(share, 1.0 - share) / RISE))
            palms[motion.arm] = (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share, 8.0 + arc)
            carried.setdefault(motion.arm, []).extend(t for t, _ in motion.tiles)
        arms = tuple(
            ArmThing(seat, *palms[seat], *self.places.shoulder(seat), tuple(carried.get(seat, ())))
            for seat in sorted(palms)
        )
        return TableSnapshot(
            at_ms,
            tuple(tiles[t] for t in sorted(tiles)),
            arms,
            self._dice(),
            tuple(self._stick(seat) for seat in self.sticks),
            self.dealer,
            self.bay_open,
        )

    def _dice(self) -> tuple[DieThing, ...]:
        k, n = self.places.layout.scale, len(self.dice)
        return tuple(
            DieThing((i - (n - 1) / 2) * 24 * k, (i % 2 - 0.5) * 9 * k, 17.0 * pips - 50 * i, pips)
            for i, pips in enumerate(self.dice)
        )

    def _stick(self, seat: Seat) -> StickThing:
        place = self.places.stick(seat)
        return StickThing(seat, place.x, place.y, place.angle_deg)


@dataclass(frozen=True, slots=True)
class Reach:
    """A palm comes into a zone of some seat, or leaves it."""

    arm: Seat
    owner: Seat
    zone: Zone
    present: bool


Event = Happening | int | Reach


@dataclass(slots=True)
class Agenda:
    """Happenings in order of time: starts, ends and sudden ones. At one moment ends come before starts."""

    _heap: list[tuple[int, int, int, Event]] = field(default_factory=list)
    _count: int = 0

    def add(self, happening: Happening) -> None:
        start = happening.start_ms if isinstance(happening, Motion) else happening.at_ms
        self._push(start, 1, happening)

    def add_end(self, at_ms: int, number: int) -> None:
        self._push(at_ms, 0, number)

    def next_ms(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def add_reach(self, at_ms: int, reach: Reach) -> None:
        self._push(at_ms, 0, reach)

    def pop(self) -> tuple[int, Event]:
        """The next event with its moment: a happening, the number of a motion that ends, or a palm in or out of a zone."""
        at_ms, _, _, what = heappop(self._heap)
        return at_ms, what

    def _push(self, at_ms: int, rank: int, what: Event) -> None:
        self._count += 1
        heappush(self._heap, (at_ms, rank, self._count, what))


def _smooth(share: float) -> float:
    """Slow at both ends, as an arm moves."""
    s = min(1.0, max(0.0, share))
    return s * s * (3 - 2 * s)


def _between(a: Place, b: Place, share: float, arc: float) -> Place:
    turn = (b.angle_deg - a.angle_deg + 180.0) % 360.0 - 180.0
    return Place(
        a.x + (b.x - a.x) * share,
        a.y + (b.y - a.y) * share,
        a.z + (b.z - a.z) * share + arc,
        (a.angle_deg + turn * share + 180.0) % 360.0 - 180.0,
        a.tilt_deg + (b.tilt_deg - a.tilt_deg) * share,
    )
