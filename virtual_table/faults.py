"""Sensor faults on purpose: readings lost, doubled, late or wrong, zones hidden, sensors dead.

Every key may be left out:

    [serial]
    drop = 0.01            # share of readings that are lost
    duplicate = 0.01       # share that come twice
    delay_ms = 300         # each comes up to this much late
    dead = ["hand_zone"]   # kinds that never come: observation types or a controller's capabilities
    silent_from_ms = 90000 # the whole source says nothing from then ...
    silent_to_ms = 120000  # ... to then (left out: for good); how things lie by then is told when it is back

    [camera]               # the same keys (types: zone, rack, wall_seen, hand), and:
    misread = 0.02         # share of tiles read wrongly, by the table
    unknown = 0.01         # share of tiles read as unknown, with candidates
    again_ms = 1500        # so long until what was lost or read wrongly is looked at again; left out: not before it changes

    [camera.confusion]     # face -> what it is taken for, with weights; other faces: any neighbour in order
    "6s" = { "8s" = 3, "9s" = 1 }

    [[camera.occlusion]]   # a zone nobody can see for a while; what lies there is told afterwards
    zone = "pond"          # pond, meld, flower, rack, wall
    seat = 2
    from_ms = 60000
    to_ms = 75000
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    Button,
    Code,
    Dice,
    Observation,
    RackSeen,
    SetComplete,
    TileSeen,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import Seat
from table_engine.wire.settings import explain
from table_engine.wire.tiles import KINDS, Tile, is_face, kind
from virtual_table.perfect import Sighting, Source

_CAPABILITY = {"discard_zone": "discard_count", "button": "buttons"}
"""Observation type → the controller's capability where the names differ."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceFaults(_Section):
    drop: Share = 0.0
    duplicate: Share = 0.0
    delay_ms: Annotated[int, Field(ge=0)] = 0
    dead: tuple[str, ...] = ()
    silent_from_ms: int | None = None
    silent_to_ms: int | None = None

    def kills(self, kind_seen: str) -> bool:
        """Whether observations of this type never come."""
        return kind_seen in self.dead or _CAPABILITY.get(kind_seen) in self.dead

    def silent(self, at_ms: int) -> bool:
        if self.silent_from_ms is None or at_ms < self.silent_from_ms:
            return False
        return self.silent_to_ms is None or at_ms < self.silent_to_ms


class Occlusion(_Section):
    zone: Zone
    seat: Seat
    from_ms: int
    to_ms: int


class CameraFaults(SourceFaults):
    misread: Share = 0.0
    unknown: Share = 0.0
    again_ms: Annotated[int, Field(gt=0)] | None = None
    confusion: dict[Code, dict[Code, Annotated[float, Field(gt=0)]]] = Field(default_factory=dict)
    occlusion: tuple[Occlusion, ...] = ()


class Faults(_Section):
    serial: SourceFaults = SourceFaults()
    camera: CameraFaults = CameraFaults()


def load_faults(path: Path) -> Faults:
    """Reads a fault file. Raises SettingsError naming file, key and what is expected."""
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Faults.model_validate(raw)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        reason = explain(error) if isinstance(error, ValidationError) else str(error)
        raise SettingsError(f"{path}: not a fault file: {reason}") from error


def faulty(sightings: Iterable[Sighting], faults: Faults, seed: int = 1) -> Iterator[Sighting]:
    """The same sightings through faulty sensors, in the order in which they arrive. Watermarks stay true: a source that
    may be late says so by an earlier moment."""
    return _Faulty(faults, Random(f"{seed}:faults")).run(sightings)


@dataclass(slots=True)
class _Faulty:
    faults: Faults
    rng: Random
    _late: list[tuple[int, int, Sighting]] = field(default_factory=list)
    _count: int = 0
    _hidden: dict[Occlusion, dict[str, Sighting]] = field(default_factory=dict)
    _missed: dict[Source, dict[tuple[object, ...], Observation]] = field(default_factory=dict)
    _read: dict[tuple[tuple[object, ...], float, float], tuple[TileSeen, int | None]] = field(default_factory=dict)
    """How each tile is read, and until when (None: as long as it lies there)."""
    _true: dict[tuple[object, ...], Observation] = field(default_factory=dict)
    _again: list[tuple[int, tuple[object, ...]]] = field(default_factory=list)
    """When a zone with a false reading is looked at again."""

    def run(self, sightings: Iterable[Sighting]) -> Iterator[Sighting]:
        for sighting in sightings:
            at_ms = sighting[1]
            yield from self._arrived(at_ms)
            for occlusion in [o for o in self._hidden if at_ms >= o.to_ms]:
                for source, _, seen in self._hidden.pop(occlusion).values():
                    yield source, occlusion.to_ms, seen
            yield from self._back(at_ms)
            while self._again and self._again[0][0] <= at_ms:
                due_ms, zone = heappop(self._again)
                yield from self._one(("camera", due_ms, self._true[zone]))
            if sighting[0] == "camera":
                self._true[_what(sighting[2])] = sighting[2]
            yield from self._one(sighting)
        while self._late:
            yield heappop(self._late)[2]

    def _back(self, at_ms: int) -> Iterator[Sighting]:
        """A source that was silent sees how things lie now, not what happened meanwhile."""
        for source in list(self._missed):
            back_ms = self._of(source).silent_to_ms
            if back_ms is not None and at_ms >= back_ms:
                for seen in self._missed.pop(source).values():
                    yield from self._one((source, back_ms, seen))

    def _arrived(self, at_ms: int) -> Iterator[Sighting]:
        while self._late and self._late[0][0] <= at_ms:
            yield heappop(self._late)[2]

    def _one(self, sighting: Sighting) -> Iterator[Sighting]:
        source, at_ms, seen = sighting
        faults = self._of(source)
        if faults.kills(seen.type):
            return
        if faults.silent(at_ms):
            if not isinstance(seen, Watermark | Dice | SetComplete | Button):
                self._missed.setdefault(source, {})[_what(seen)] = seen
            return
        if isinstance(seen, Watermark):
            yield source, max(0, at_ms - faults.delay_ms), seen
            return
        if self.rng.random() < faults.drop:
            again_ms = self.faults.camera.again_ms if source == "camera" else None
            if again_ms is not None and isinstance(seen, ZoneSeen | RackSeen | WallSeen):
                heappush(self._again, (at_ms + again_ms, _what(seen)))
            return
        for occlusion in self.faults.camera.occlusion if source == "camera" else ():
            hidden = _spot(seen) == (occlusion.zone, occlusion.seat)
            if hidden and occlusion.from_ms <= at_ms < occlusion.to_ms:
                self._hidden.setdefault(occlusion, {})[seen.type] = sighting
                return
        seen = self._misread(seen, at_ms) if source == "camera" else seen
        for _ in range(1 + (self.rng.random() < faults.duplicate)):
            late = self.rng.randint(0, faults.delay_ms) if faults.delay_ms else 0
            if late:
                self._count += 1
                heappush(self._late, (at_ms + late, self._count, (source, at_ms, seen)))
            else:
                yield source, at_ms, seen

    def _of(self, source: Source) -> SourceFaults:
        return self.faults.serial if source == "serial" else self.faults.camera

    def _misread(self, seen: Observation, at_ms: int) -> Observation:
        if not (self.faults.camera.misread or self.faults.camera.unknown):
            return seen
        match seen:
            case ZoneSeen(tiles=tiles):
                return seen.model_copy(update={"tiles": self._tiles(seen, tiles, at_ms)})
            case RackSeen(open=tiles) | WallSeen(open=tiles):
                return seen.model_copy(update={"open": self._tiles(seen, tiles, at_ms)})
            case _:
                return seen

    def _tiles(self, seen: Observation, tiles: tuple[TileSeen, ...], at_ms: int) -> tuple[TileSeen, ...]:
        where = _what(seen)
        return tuple(self._tile(where, tile, at_ms) for tile in tiles)

    def _tile(self, where: tuple[object, ...], tile: TileSeen, at_ms: int) -> TileSeen:
        """One tile as a bad eye reads it; as long as it lies where it lies, or until it is looked at again, it is read
        alike."""
        key, camera = (where, tile.u_mm, tile.v_mm), self.faults.camera
        known, until_ms = self._read.get(key, (None, None))
        if known is not None and dict(known.candidates).get(tile.code, 0.0) > 0:
            if until_ms is None or at_ms < until_ms:
                return known.model_copy(update={"group": tile.group})
            self._read[key] = tile.model_copy(update={"candidates": ((tile.code, 1.0),)}), None
            return tile
        chance = self.rng.random()
        read = tile.model_copy(update={"candidates": ((tile.code, 1.0),)})
        until_ms = None
        if is_face(Tile(tile.code)) and chance < camera.misread + camera.unknown:
            other = mistaken(camera, Tile(tile.code), self.rng)
            doubt: dict[str, object] = {
                "code": other,
                "confidence": 0.6,
                "candidates": ((other, 0.6), (tile.code, 0.4)),
            }
            if chance >= camera.misread:
                doubt = {"code": "?", "confidence": 0.3, "candidates": ((tile.code, 0.5), (other, 0.3))}
            read = tile.model_copy(update=doubt)
            if camera.again_ms is not None:
                until_ms = at_ms + camera.again_ms
                heappush(self._again, (until_ms, where))
        self._read[key] = read, until_ms
        return read


def mistaken(faults: CameraFaults, tile: Tile, rng: Random) -> Tile:
    """What a tile is taken for: by the confusion table, else one of its neighbours in order."""
    taken = faults.confusion.get(tile) or faults.confusion.get(kind(tile))
    if taken:
        codes = sorted(taken)
        return Tile(rng.choices(codes, [taken[c] for c in codes])[0])
    index = KINDS.index(kind(tile)) if kind(tile) in KINDS else 0
    return KINDS[(index + rng.choice((-1, 1))) % len(KINDS)]


def _spot(seen: Observation) -> tuple[Zone, Seat] | None:
    match seen:
        case ZoneSeen():
            return seen.zone, seen.seat
        case RackSeen():
            return Zone.RACK, seen.seat
        case WallSeen():
            return Zone.WALL, seen.seat
        case _:
            return None


def _what(seen: Observation) -> tuple[object, ...]:
    """Of which thing an observation tells the state."""
    return (seen.type, *(getattr(seen, name, None) for name in ("zone", "seat", "side", "owner")))
