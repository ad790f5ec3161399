"""What makes a real camera misread or miss things, put on the table itself: tiles that show another face than they have,
arms that lie over a zone. For the way through pixels; `faults.faulty` does the same to perfect sensors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from table_engine.wire.layout import Layout, to_table
from table_engine.wire.tiles import Tile
from virtual_table.faults import CameraFaults, mistaken
from virtual_table.places import Places
from virtual_table.table import ArmThing, TableSnapshot


@dataclass(slots=True)
class Disguise:
    """Shows snapshots as `faults` let a camera see them; their times count from `start_ms`. A tile keeps its false face
    until its set goes into the bay."""

    layout: Layout
    faults: CameraFaults
    seed: int = 1
    start_ms: int = 0
    _faces: dict[int, Tile] = field(default_factory=dict)
    _sets: int = 0

    def seen(self, table: TableSnapshot) -> TableSnapshot:
        if not (self.faults.misread or self.faults.occlusion):
            return table
        if not table.tiles and self._faces:
            self._faces.clear()
            self._sets += 1
        tiles = table.tiles
        if self.faults.misread:
            tiles = tuple(replace(t, face=self._face(t.id, t.face)) for t in table.tiles)
        return replace(table, tiles=tiles, arms=(*table.arms, *self._resting(table)))

    def _face(self, tile: int, face: Tile) -> Tile:
        if tile not in self._faces:
            rng = Random(f"{self.seed}:{self._sets}:{tile}")
            wrong = rng.random() < self.faults.misread
            self._faces[tile] = mistaken(self.faults, face, rng) if wrong else face
        return self._faces[tile]

    def _resting(self, table: TableSnapshot) -> list[ArmThing]:
        """Arms that lie over the zones to be hidden now."""
        arms, places = [], Places(self.layout)
        for hidden in self.faults.occlusion:
            if hidden.from_ms <= table.at_ms - self.start_ms < hidden.to_ms:
                rect = self.layout.zone(hidden.zone)
                x, y = to_table(hidden.seat, (rect.u0 + rect.u1) / 2, (rect.v0 + rect.v1) / 2)
                arms.append(ArmThing(hidden.seat, x, y, self.layout.tile.length, *places.shoulder(hidden.seat)))
        return arms
