"""Random tables to train on: not games, but everything that can lie on a table, evenly over faces, places and poses."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from table_engine.wire.layout import Layout, TileSize, to_table
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import FACES, Tile
from virtual_table.places import Places, local
from virtual_table.table import ArmThing, DieThing, Place, StickThing, TableSnapshot, TileThing


class TableMaker:
    """Makes one random table. `messy` in 0..1 is the share of untidiness."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        width = 26.0 if rng.random() < 0.5 else rng.uniform(26, 38)
        self.layout = Layout(TileSize.of_width(width), rng.choice((17, 18)))
        self.places = Places(self.layout, jitter=rng.choice((0.3, 1.0, 1.0, 1.8)))
        self.backs = rng.choice((0, 1))
        self.tiles: list[TileThing] = []

    def make(self) -> TableSnapshot:
        rng = self.rng
        fullness = rng.choice((0.3, 0.6, 1.0))
        for seat in SEATS:
            self._pond(seat, rng.randint(0, int(26 * fullness)))
            self._wall(seat)
            self._front(seat, fullness)
            self._rack(seat)
        if rng.random() < 0.35:
            self._heap(rng.randint(3, 40))
        return TableSnapshot(
            0,
            tuple(self.tiles),
            arms=tuple(self._arm(seat) for seat in SEATS if rng.random() < 0.22),
            dice=self._dice(),
            sticks=tuple(self._stick(seat) for seat in SEATS if rng.random() < 0.25),
            dealer=rng.choice(SEATS),
            bay_open=rng.random() < 0.1,
        )

    def _put(self, place: Place, face: Tile | None = None) -> None:
        self.tiles.append(TileThing(len(self.tiles), face or self.rng.choice(FACES), self.backs, place))

    def _pond(self, seat: Seat, count: int) -> None:
        rng, rows = self.rng, self.rng.choice((3, 4))
        laid: tuple[Place, ...] = ()
        ready = rng.randint(0, 40)
        for n in range(min(count, 6 * rows)):
            place = self.places.pond(seat, laid, rows, n == ready, rng)
            laid = (*laid, place)
            if rng.random() < 0.03:
                place = replace(place, tilt_deg=180.0)
            elif rng.random() < 0.1:
                place = replace(place, angle_deg=place.angle_deg + 180.0)
            if rng.random() > 0.04:
                self._put(place)

    def _wall(self, seat: Seat) -> None:
        rng, stacks = self.rng, self.layout.stacks
        low, high = sorted((rng.randint(0, stacks), rng.randint(0, stacks)))
        if rng.random() < 0.3:
            low, high = 0, stacks
        shift_u, shift_v = rng.gauss(0, 1.0), rng.gauss(0, 1.5)
        shares = rng.choice(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.06, 0.14, 0.8), (0.3, 0.4, 0.3)))
        for stack in range(low, high):
            height = rng.choices((0, 1, 2), shares)[0]
            if stack in (low, high - 1) and rng.random() < 0.5:
                height = 1
            for level in range(height):
                place = self.places.wall(seat, stack, level)
                dx, dy = to_table(seat, shift_u + rng.gauss(0, 0.5), shift_v + rng.gauss(0, 0.8))
                up = level == height - 1 and rng.random() < 0.08
                self._put(
                    replace(
                        place,
                        x=place.x + dx,
                        y=place.y + dy,
                        angle_deg=place.angle_deg + rng.gauss(0, 0.6),
                        tilt_deg=0.0 if up else 180.0,
                    )
                )

    def _front(self, seat: Seat, fullness: float) -> None:
        rng = self.rng
        for n in range(rng.randint(0, 5) if rng.random() < 0.5 * fullness else 0):
            self._put(self.places.flower(seat, n, rng))
        right = self.layout.meld_right
        for _ in range(rng.randint(0, 4) if rng.random() < fullness else 0):
            count = rng.choice((3, 3, 3, 4))
            turned = rng.choice((None, 0, 1, 2, count - 1)) if rng.random() < 0.8 else None
            backs: frozenset[int] = frozenset()
            if count == 4 and rng.random() < 0.4:
                turned, backs = None, rng.choice((frozenset((0, 3)), frozenset((1, 2)), frozenset(range(4))))
            laid = self.places.meld(seat, right, turned, backs, count, rng)
            for place in laid:
                self._put(place)
            if count == 3 and turned is not None and turned < 3 and rng.random() < 0.3:
                self._put(self.places.on_top(seat, laid[turned]))
            right = self.places.left_edge(seat, laid) - 8.0 * self.layout.scale

    def _rack(self, seat: Seat) -> None:
        rng = self.rng
        size = rng.randint(0, 17)
        kind = rng.random()
        for n in range(size):
            apart = n == size - 1 and rng.random() < 0.4
            if kind < 0.65:
                place = self.places.rack(seat, n, max(size - apart, 1), rng, apart=apart)
                if rng.random() < 0.03:
                    place = replace(place, tilt_deg=rng.choice((0.0, 180.0)))
            elif kind < 0.9:
                place = self.places.laid_open(seat, n, max(size - apart, 1), rng, apart=apart)
            else:
                place = replace(self.places.laid_open(seat, n, size, rng), tilt_deg=180.0)
            self._put(place)

    def _heap(self, count: int) -> None:
        """Loose tiles anywhere that nothing else lies on: face up, face down, on edge, standing."""
        rng, tile = self.rng, self.layout.tile
        reach = 0.97 * self.layout.half
        for _ in range(count):
            x, y = rng.uniform(-reach, reach), rng.uniform(-reach, reach)
            if any((x - t.place.x) ** 2 + (y - t.place.y) ** 2 < (1.3 * tile.length) ** 2 for t in self.tiles):
                continue
            tilt = rng.choices((0.0, 180.0, 90.0), (0.6, 0.25, 0.15))[0]
            self._put(Place(x, y, 0.0, rng.uniform(-180, 180), tilt))

    def _arm(self, seat: Seat) -> ArmThing:
        rng, k = self.rng, self.layout.scale
        palm = to_table(seat, rng.uniform(-330, 330) * k, rng.uniform(-420, 60) * k)
        shoulder = self.places.shoulder(seat)
        carrying: tuple[int, ...] = ()
        if rng.random() < 0.4:
            place = Place(
                palm[0], palm[1], rng.uniform(5, 60) * k, rng.uniform(-180, 180), rng.choice((0.0, 90.0, 180.0))
            )
            self.tiles.append(TileThing(len(self.tiles), rng.choice(FACES), self.backs, place, held=seat))
            carrying = (len(self.tiles) - 1,)
        return ArmThing(seat, *palm, rng.uniform(15, 90) * k, *shoulder, carrying)

    def _dice(self) -> tuple[DieThing, ...]:
        rng, k = self.rng, self.layout.scale
        return tuple(
            DieThing(rng.uniform(-30, 30) * k, rng.uniform(-30, 30) * k, rng.uniform(0, 90), rng.randint(1, 6))
            for _ in range(rng.randint(0, 3))
        )

    def _stick(self, seat: Seat) -> StickThing:
        place = self.places.stick(seat)
        _, _, angle = local(seat, place)
        return StickThing(seat, place.x, place.y, angle + 90.0 * seat)
