"""Where the things of a game lie, in mm: wall stacks, ponds, sets, flowers, racks. Geometry only, from the `Layout`."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from random import Random

from table_engine.wire.layout import Layout, to_seat, to_table
from table_engine.wire.seats import Seat
from virtual_table.table import Place

APART_MM = 14.0
"""Gap, at tile width 26, between the hand and a drawn tile standing apart."""
GROUP_MM = 8.0
"""Gap between two sets in the front strip."""


def at(seat: Seat, u: float, v: float, z: float = 0.0, angle: float = 0.0, tilt: float = 0.0) -> Place:
    """A place given in a seat's local frame."""
    x, y = to_table(seat, u, v)
    return Place(x, y, z, (angle + 90.0 * seat + 180.0) % 360.0 - 180.0, tilt)


def local(seat: Seat, place: Place) -> tuple[float, float, float]:
    """(u, v, angle in -180..180) of a place as a seat sees it."""
    u, v = to_seat(seat, place.x, place.y)
    return u, v, (place.angle_deg - 90.0 * seat + 180.0) % 360.0 - 180.0


@dataclass(frozen=True, slots=True)
class Places:
    """Places for one layout. `jitter` scales human untidiness: 0 lays everything to the hair, 1 is an ordinary player."""

    layout: Layout
    jitter: float = 1.0

    def _wobble(self, rng: Random, degrees: float) -> float:
        return max(-2.5, min(2.5, rng.gauss(0.0, 1.0))) * degrees * self.jitter

    def extent(self, angle: float) -> tuple[float, float]:
        """Half width (u) and half height (v) of the box round a lying tile turned by `angle`."""
        c, s = abs(cos(radians(angle))), abs(sin(radians(angle)))
        w, h = self.layout.tile.width / 2, self.layout.tile.length / 2
        return w * c + h * s, w * s + h * c

    def wall(self, side: Seat, stack: int, level: int) -> Place:
        """Level 0 is the lower tile of a stack."""
        z = level * self.layout.tile.depth
        return at(side, self.layout.wall_u(stack), self.layout.wall_v, z, 0.0, 180.0)

    def pond(self, seat: Seat, before: tuple[Place, ...], rows: int, sideways: bool, rng: Random) -> Place:
        """The place of the next discard in a pond that holds `before`, laid clear of its neighbours."""
        k, lay = self.layout.scale, self.layout
        row, column = divmod(len(before), lay.pond_columns)
        if row >= rows:
            row, column = rows - 1, len(before) - (rows - 1) * lay.pond_columns
        longest = int((lay.pond_columns * lay.tile.width / 2 + 165 * k) // (lay.tile.width + 2 * k))
        if column >= longest:
            row, column = row + 1, column - longest
        angle = (90.0 if sideways else 0.0) + self._wobble(rng, 0.9)
        du, dv = self.extent(angle)
        left = -lay.pond_columns * lay.tile.width / 2 + self._wobble(rng, 0.7) * k
        if column:
            u0, _, a0 = local(seat, before[-1])
            left = u0 + self.extent(a0)[0] + (0.3 + rng.random() * 1.6 * self.jitter) * k
        top = lay.pond_top - row * (lay.tile.length + 1.2 * k) + (rng.random() - 0.5) * self.jitter * k
        bottom_line = lay.pond_top - row * (lay.tile.length + 1.2 * k) - lay.tile.length
        u = left + du
        # A sideways tile lies on the same lower line as its row.
        v = bottom_line + dv + (top - lay.pond_top + row * (lay.tile.length + 1.2 * k)) if sideways else top - dv
        for other in before:
            ou, ov, oa = local(seat, other)
            eu, ev = self.extent(oa)
            if ov - ev > bottom_line + lay.tile.length / 2 and abs(ou - u) < eu + du:
                v = min(v, ov - ev - 0.2 * k - dv)
        return at(seat, u, v, 0.0, angle)

    def rack(self, seat: Seat, index: int, size: int, rng: Random, *, apart: bool = False) -> Place:
        """Standing tile `index` (0-based from the left) of a hand whose full size is `size`."""
        k, w = self.layout.scale, self.layout.tile.width
        u = (index + 0.5 - size / 2) * (w + 0.15 * k) + (APART_MM * k if apart else 0.0)
        return at(seat, u, self.layout.rack_v, 0.0, self._wobble(rng, 0.15), 90.0)

    def laid_open(self, seat: Seat, index: int, size: int, rng: Random, *, apart: bool = False) -> Place:
        """As `rack`, the tile lying face up on the rack line."""
        k, w = self.layout.scale, self.layout.tile.width
        u = (index + 0.5 - size / 2) * (w + 0.6 * k) + (APART_MM * k if apart else 0.0)
        return at(seat, u, self.layout.rack_v, 0.0, self._wobble(rng, 0.3))

    def flower(self, seat: Seat, index: int, rng: Random) -> Place:
        k, w = self.layout.scale, self.layout.tile.width
        u = self.layout.flower_left + (index + 0.5) * (w + 0.6 * k)
        return at(seat, u, self.layout.meld_v, 0.0, self._wobble(rng, 0.5))

    def meld(
        self, seat: Seat, right: float, turned: int | None, backs: frozenset[int], count: int, rng: Random
    ) -> tuple[Place, ...]:
        """Places of a set of `count` tiles, left to right, whose right edge is at u = `right`. `turned` is the index of
        the tile lying sideways, `backs` the indices of those face down."""
        lay, k = self.layout, self.layout.scale
        bottom = lay.meld_v - lay.tile.length / 2
        edge, places = right, []
        for index in reversed(range(count)):
            angle = (90.0 if index == turned else 0.0) + self._wobble(rng, 0.4)
            du, dv = self.extent(angle)
            tilt = 180.0 if index in backs else 0.0
            places.append(at(seat, edge - du, bottom + dv, 0.0, angle, tilt))
            edge -= 2 * du + 0.3 * k
        return tuple(reversed(places))

    def on_top(self, seat: Seat, turned: Place) -> Place:
        """The fourth tile of an added kong, on the table side of the turned tile and turned like it."""
        u, v, angle = local(seat, turned)
        return at(seat, u, v + 2 * self.extent(angle)[1] + 0.4 * self.layout.scale, 0.0, angle)

    def beside(self, seat: Seat, leftmost: Place) -> Place:
        """One more upright tile to the left of a set."""
        u, _, angle = local(seat, leftmost)
        du, dv = self.extent(0.0)
        bottom = self.layout.meld_v - self.layout.tile.length / 2
        return at(seat, u - self.extent(angle)[0] - 0.3 * self.layout.scale - du, bottom + dv)

    def pushed(self, seat: Seat, place: Place) -> Place:
        """A place one tile's width further to the left."""
        u, v, angle = local(seat, place)
        return at(seat, u - self.layout.tile.width - 0.4 * self.layout.scale, v, place.z, angle, place.tilt_deg)

    def left_edge(self, seat: Seat, places: tuple[Place, ...]) -> float:
        """u of the left edge of tiles that lie."""
        return min(local(seat, p)[0] - self.extent(local(seat, p)[2])[0] for p in places)

    def stick(self, seat: Seat) -> Place:
        """The ready stick, between pond and middle."""
        return at(seat, 0.0, -81.0 * self.layout.scale)

    def shoulder(self, seat: Seat) -> tuple[float, float]:
        """Where a seat's arm comes from, outside the picture."""
        return to_table(seat, 90.0 * self.layout.scale, -620.0 * self.layout.scale)

    def withdrawn(self, seat: Seat) -> tuple[float, float]:
        """Where the palm is when the arm has left the picture."""
        return to_table(seat, 70.0 * self.layout.scale, -520.0 * self.layout.scale)
