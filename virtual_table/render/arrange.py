"""Arrangements of tiles for training pictures: tables in the middle of a game, heaps, rows, trays."""

from __future__ import annotations

import numpy as np

from table_engine.wire.layout import Layout, Zone, to_table
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import FLOWERS, KINDS, REDS, Tile
from virtual_table.render.block import Block
from virtual_table.render.design import Design
from virtual_table.render.view import Floats, lean, tip, turn


class Arrangement:
    """Collects blocks with places (zone and seat by key). `mess` 0 is drawn with a ruler, 1 pushed by hasty hands."""

    def __init__(self, layout: Layout, design: Design, rng: np.random.Generator, mess: float = 0.3) -> None:
        self.layout, self.design, self.rng, self.mess = layout, design, rng, mess
        self.blocks: list[Block] = []
        self.places: dict[int, tuple[str, int]] = {}
        self._deck: list[Tile] = []

    def draw(self) -> Tile:
        """A random face: from a full set with flowers and red fives, shuffled anew when used up."""
        if not self._deck:
            deck = [tile for tile in KINDS for _ in range(4)] + list(FLOWERS) * 2 + list(REDS) * 2
            self._deck = [deck[i] for i in self.rng.permutation(len(deck))]
        return self._deck.pop()

    def lay(
        self,
        x: float,
        y: float,
        rotation: Floats,
        *,
        z: float = 0.0,
        face: Tile | None = None,
        zone: str = "",
        seat: int = -1,
    ) -> Block:
        """Adds a tile whose lowest point is at height z and whose middle is at (x, y)."""
        size = self.layout.tile
        rise = float(np.abs(rotation[2]) @ np.array([size.width, size.length, size.depth])) / 2
        key = len(self.blocks)
        block = Block(
            key, face or self.draw(), (x, y, z + rise), tuple(float(v) for v in rotation.ravel()), size, self.design
        )
        self.blocks.append(block)
        if zone:
            self.places[key] = (zone, seat)
        return block

    def put(
        self,
        seat: Seat,
        u: float,
        v: float,
        zone: Zone,
        *,
        degrees: float = 0.0,
        tilt: float = 0.0,
        z: float = 0.0,
        face: Tile | None = None,
    ) -> None:
        """Adds a tile in a seat's local frame with jitter."""
        slip = 1.6 * self.mess * self.layout.scale
        x, y = to_table(seat, u + self.rng.normal(0, slip * 0.6), v + self.rng.normal(0, slip))
        angle = degrees + 90.0 * seat + self.rng.normal(0, 2.6 * self.mess)
        self.lay(x, y, turn(angle) @ tip(tilt), z=z, face=face, zone=zone.value, seat=int(seat))


def play_table(arrangement: Arrangement) -> None:
    """A table in the middle of a game: ponds, walls partly drawn, melds, flowers, hands standing or laid open."""
    rng = arrangement.rng
    progress = rng.uniform(0.05, 1.0)
    for seat in SEATS:
        _pond(arrangement, seat, int(np.clip(rng.normal(progress * 19, 3), 0, 24)))
        _wall(arrangement, seat, progress)
        melds = int(rng.integers(0, 5)) if rng.random() < 0.7 else 0
        _melds(arrangement, seat, melds)
        _flowers(arrangement, seat)
        _hand(arrangement, seat, 13 - 3 * melds + int(rng.random() < 0.25))


def _pond(arrangement: Arrangement, seat: Seat, count: int) -> None:
    layout, rng = arrangement.layout, arrangement.rng
    tile = layout.tile
    sideways = int(rng.integers(0, 40))
    start = -tile.width * 3
    gap = rng.uniform(0, 1.5)
    u = start
    for n in range(count):
        row = min(n // 6, 3)
        if n % 6 == 0 and n < 24:
            u = start
        turned = n == sideways
        wide = tile.length if turned else tile.width
        v = layout.pond_top - tile.length / 2 - row * (tile.length + gap)
        if turned:
            v += (tile.length - tile.width) / 2
        arrangement.put(seat, u + wide / 2, v, Zone.POND, degrees=90.0 if turned else 0.0)
        u += wide + gap


def _wall(arrangement: Arrangement, seat: Seat, progress: float) -> None:
    layout, rng = arrangement.layout, arrangement.rng
    gone = rng.random(layout.stacks) < 0
    if rng.random() < 0.75:
        first = int(rng.integers(0, layout.stacks))
        gone[: round(first * progress * 1.3)] = True
    if rng.random() < progress * 0.6:
        gone[:] = True
    shown = int(rng.integers(0, layout.stacks)) if rng.random() < 0.35 else -1
    for index in np.flatnonzero(~gone):
        u = layout.wall_u(int(index))
        arrangement.put(seat, u, layout.wall_v, Zone.WALL, tilt=180.0)
        if rng.random() < 0.96:
            arrangement.put(
                seat, u, layout.wall_v, Zone.WALL, tilt=0.0 if index == shown else 180.0, z=layout.tile.depth
            )


def _melds(arrangement: Arrangement, seat: Seat, count: int) -> None:
    layout, rng = arrangement.layout, arrangement.rng
    tile = layout.tile
    right = layout.meld_right
    for _ in range(count):
        kong = rng.random() < 0.3
        concealed = kong and rng.random() < 0.4
        face = arrangement.draw()
        turned = -1 if concealed else int(rng.integers(0, 3))
        pattern = rng.integers(0, 3)
        for n in range(4 if kong and (concealed or rng.random() < 0.6) else 3):
            flat = n == turned
            wide = tile.length if flat else tile.width
            v = layout.meld_v - (tile.length - (tile.width if flat else tile.length)) / 2
            down = concealed and (pattern == 0 or (pattern == 1 and n in (0, 3)))
            same = face if rng.random() < 0.6 else None
            arrangement.put(
                seat,
                right - wide / 2,
                v,
                Zone.MELD,
                degrees=90.0 if flat else 0.0,
                tilt=180.0 if down else 0.0,
                face=same,
            )
            if flat and kong and rng.random() < 0.4:
                above = rng.random() < 0.4
                shift, z = (0.0, tile.depth) if above else (tile.width, 0.0)
                arrangement.put(seat, right - wide / 2, v + shift, Zone.MELD, degrees=90.0, z=z)
            right -= wide
        right -= rng.uniform(0, 12)


def _flowers(arrangement: Arrangement, seat: Seat) -> None:
    layout, rng = arrangement.layout, arrangement.rng
    if rng.random() < 0.55:
        return
    for n in range(int(rng.integers(1, 5))):
        u = layout.flower_left + (n + 0.5) * layout.tile.width
        face = FLOWERS[int(rng.integers(0, 8))]
        arrangement.put(seat, u, layout.meld_v, Zone.FLOWER, face=face)


def _hand(arrangement: Arrangement, seat: Seat, count: int) -> None:
    layout, rng = arrangement.layout, arrangement.rng
    style = rng.random()
    tilt = 90.0 if style < 0.68 else 0.0 if style < 0.88 else 180.0
    start = -count / 2 * layout.tile.width + rng.normal(0, 10)
    for n in range(count):
        gap = 8.0 if n == count - 1 and rng.random() < 0.5 else 0.0
        v = layout.rack_v + (rng.normal(0, 2) if arrangement.mess > 0.5 else 0.0)
        arrangement.put(seat, start + (n + 0.5) * layout.tile.width + gap, v, Zone.RACK, tilt=tilt)


def heap(arrangement: Arrangement, count: int, reach: float, centre: tuple[float, float]) -> None:
    """Tiles strewn without order: most face up, some face down, some on a side, a few on top of others."""
    rng, size = arrangement.rng, arrangement.layout.tile
    taken: list[tuple[float, float, float]] = []
    clear = (size.length + size.width) / 2 * rng.uniform(0.84, 1.1)
    down = rng.uniform(0, 0.5)
    for _ in range(count * 3):
        if len(taken) >= count:
            break
        x, y = centre[0] + rng.normal(0, reach * 0.6), centre[1] + rng.normal(0, reach * 0.6)
        if any((x - a) ** 2 + (y - b) ** 2 < clear**2 for a, b, _ in taken):
            continue
        taken.append((x, y, 0.0))
        angle = rng.uniform(0, 360)
        kind = rng.random()
        rotation = turn(angle)
        if kind < down:
            rotation = rotation @ tip(180.0)
        elif kind < down + 0.07:
            rotation = rotation @ lean(90.0 if rng.random() < 0.5 else -90.0)
        elif kind < down + 0.11:
            rotation = rotation @ tip(90.0)
        arrangement.lay(x, y, rotation)
        if rng.random() < 0.06 and kind > down + 0.11:
            shift = rng.normal(0, 4, 2)
            arrangement.lay(x + shift[0], y + shift[1], turn(angle + rng.normal(0, 12)), z=size.depth)


def rows(arrangement: Arrangement, centre: tuple[float, float], standing: bool) -> None:
    """One to five rows of tiles side by side, sometimes with gaps, all readable from one side."""
    rng, size = arrangement.rng, arrangement.layout.tile
    lines, per_line = int(rng.integers(1, 6)), int(rng.integers(4, 15))
    slant = rng.normal(0, 12) if rng.random() < 0.7 else rng.uniform(0, 360)
    gap = rng.uniform(0, 1.0) if rng.random() < 0.7 else rng.uniform(1, 10)
    deep = size.depth if standing else size.length
    pitch = deep + (rng.uniform(0, 3) if rng.random() < 0.5 else rng.uniform(3, 60))
    spin = turn(slant)
    down = rng.uniform(0, 0.15)
    for line in range(lines):
        for n in range(per_line):
            place = spin @ np.array([(n - per_line / 2) * (size.width + gap), (lines / 2 - line) * pitch, 0.0])
            tilt = (
                (rng.uniform(78, 92) if arrangement.mess > 0.6 else 90.0)
                if standing
                else 180.0
                if rng.random() < down
                else 0.0
            )
            upside = 180.0 if rng.random() < 0.08 else 0.0
            rotation = spin @ turn(rng.normal(0, 1.5 * arrangement.mess)) @ tip(tilt) @ turn(upside)
            jitter = rng.normal(0, 1.2 * arrangement.mess, 2)
            x, y = centre[0] + place[0] + jitter[0], centre[1] + place[1] + jitter[1]
            arrangement.lay(float(x), float(y), rotation)
            if standing and rng.random() < 0.05:
                arrangement.lay(float(x), float(y), spin, z=size.length)
