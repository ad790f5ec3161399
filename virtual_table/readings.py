"""The table's own sensors: what they read off the things, and told to a controller whenever it changes.

Counters count tiles, light barriers see palms below their height. Nothing here knows the game or what players intend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import SEATS, Seat
from virtual_table.motion import BayMoved, Completed, DealerLit, Happening, Pressed, Rolled, StickMoved
from virtual_table.places import local
from virtual_table.sensing import APART_GAP, Spot, spot_of, stack_of, zone_at
from virtual_table.table import Place, Pose, TableSnapshot
from virtual_table.tags import numbers

BARRIER_MM = 50.0
"""A palm higher than this above the felt is not sensed."""
TAGS_EVERY_MS = 200
"""How often tag readers go round."""
LIFT_MM = 8.0
"""A tile lifted by more than this above the upper level of a wall is out of its counter's reach."""


class Sensors(Protocol):
    """What a table controller offers its table (`virtual_table/controller.py`)."""

    def dice(self, dice: Sequence[int]) -> None: ...
    def dealer(self, seat: Seat) -> None: ...
    def wall(self, side: Seat, count: int, slot: int = -1) -> None: ...
    def hand_zone(self, side: Seat, present: bool) -> None: ...
    def discard_zone(self, seat: Seat, count: int, touched: bool = False) -> None: ...
    def set_complete(self, tiles: int) -> None: ...
    def bay(self, open: bool) -> None: ...  # noqa: A002 - the word of the observation
    def ready_stick(self, seat: Seat, present: bool) -> None: ...
    def button(self, seat: Seat, call: Literal["chow", "pung", "kong", "win", "ready", "referee"]) -> None: ...
    def tag(self, reader: int, slot: int, tag: int) -> None: ...


@dataclass(slots=True)
class Readings:
    """Compares each snapshot with the last one and tells `sensors` what changed. `tags`: readers under the racks tell what
    stands there."""

    layout: Layout
    sensors: Sensors
    tags: bool = False
    _spots: dict[int, tuple[Place, Spot | None]] = field(default_factory=dict)
    _walls: dict[Seat, tuple[int, ...]] = field(default_factory=dict)
    _ponds: dict[Seat, tuple[int, bool]] = field(default_factory=dict)
    _zones: dict[Seat, bool] = field(default_factory=dict)
    _racks: dict[Seat, dict[int, int]] = field(default_factory=dict)
    _racks_ms: int = -TAGS_EVERY_MS

    def read(self, table: TableSnapshot) -> None:
        walls = {seat: [0] * self.layout.stacks for seat in SEATS}
        ponds = dict.fromkeys(SEATS, 0)
        for thing in table.tiles:
            if not -1.0 < thing.place.z < self.layout.tile.depth + LIFT_MM:
                continue
            spot = self._spot(thing.id, thing.place)
            if spot is None:
                continue
            if spot[1] is Zone.WALL:
                walls[spot[0]][stack_of(self.layout, spot[0], thing.place)] += 1
            elif spot[1] is Zone.POND and thing.held is None:
                ponds[spot[0]] += 1
        low = {zone_at(self.layout, arm.palm_x, arm.palm_y) for arm in table.arms if arm.palm_z < BARRIER_MM}
        # A hand comes before it takes and leaves after it has taken.
        for seat in SEATS:
            if (seat, Zone.WALL) in low:
                self._hand_zone(seat, True)
        for seat in SEATS:
            self._wall(seat, tuple(walls[seat]))
            self._pond(seat, ponds[seat], (seat, Zone.POND) in low)
        for seat in SEATS:
            self._hand_zone(seat, (seat, Zone.WALL) in low)
        if self.tags and table.at_ms - self._racks_ms >= TAGS_EVERY_MS:
            self._racks_ms = table.at_ms
            self._read_racks(table)

    def _read_racks(self, table: TableSnapshot) -> None:
        """Places count from the left; a gap between two tiles is a free place."""
        rows: dict[Seat, list[tuple[float, int]]] = {seat: [] for seat in SEATS}
        for thing in table.tiles:
            spot = self._spot(thing.id, thing.place)
            if thing.pose is Pose.STANDING and thing.held is None and spot is not None and spot[1] is Zone.RACK:
                rows[spot[0]].append((local(spot[0], thing.place)[0], thing.id))
        tags: Mapping[int, int] | None = None
        for seat, row in rows.items():
            stands: dict[int, int] = {}
            slot, last = 0, None
            for u, tile in sorted(row):
                slot += 1 if last is not None and u - last > self.layout.tile.width * (1 + APART_GAP) else 0
                stands[slot], slot, last = tile, slot + 1, u
            was = self._racks.get(seat, {})
            if stands == was:
                continue
            self._racks[seat] = stands
            tags = tags or numbers(table.tiles)
            for place in sorted(was.keys() | stands.keys()):
                if was.get(place) != stands.get(place):
                    self.sensors.tag(int(seat), place, tags[stands[place]] if place in stands else 0)

    def happened(self, sudden: Happening) -> None:
        """What the machine itself does, it knows."""
        match sudden:
            case Completed(tiles=tiles):
                self.sensors.set_complete(tiles)
            case BayMoved(open=is_open):
                self.sensors.bay(is_open)
            case DealerLit(seat=seat):
                self.sensors.dealer(seat)
            case Rolled(dice=dice):
                self.sensors.dice(dice)
            case StickMoved(seat=seat, present=present):
                self.sensors.ready_stick(seat, present)
            case Pressed(seat=seat, call=call):
                self.sensors.button(seat, call)
            case _:
                pass

    def _spot(self, tile: int, place: Place) -> Spot | None:
        known = self._spots.get(tile)
        if known is None or known[0] is not place:
            known = (place, spot_of(self.layout, place))
            self._spots[tile] = known
        return known[1]

    def _wall(self, side: Seat, heights: tuple[int, ...]) -> None:
        was = self._walls.get(side)
        if heights == was:
            return
        self._walls[side] = heights
        left = [i for i, (old, new) in enumerate(zip(was, heights, strict=True)) if new < old] if was else []
        self.sensors.wall(side, sum(heights), left[-1] if left else -1)

    def _pond(self, seat: Seat, count: int, touched: bool) -> None:
        if self._ponds.get(seat) != (count, touched):
            self._ponds[seat] = (count, touched)
            self.sensors.discard_zone(seat, count, touched)

    def _hand_zone(self, side: Seat, present: bool) -> None:
        if self._zones.get(side) != present:
            self._zones[side] = present
            self.sensors.hand_zone(side, present)
