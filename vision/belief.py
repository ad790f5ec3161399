"""Which detections are believed: a weak one only where a tile may be expected to lie, any only with the size of a tile."""

from __future__ import annotations

from collections.abc import Sequence

from table_engine.wire.layout import Zone, to_seat
from vision.calibrate import Calibration
from vision.labels import FACE, TOP
from vision.sighting import Sighting
from vision.wall import in_place
from vision.zones import Spot

_FLOOR = 0.3
_LYING_BACK = 0.55
"""A hand is hardly ever laid face down on its rack line, and the backs of standing tiles lean into view there."""
_EXPECTED = 0.2
_PER_OFF = 0.07
_MOST = 0.85
_PER_MM = 0.02


def believed(calibration: Calibration, spot: Spot, seen: Sequence[Sighting], stacks: Sequence[int]) -> list[Sighting]:
    """The sightings of one zone that are worth their score. `stacks`: how many a wall side may have."""
    seat, zone = spot
    if not seen:
        return []
    match zone:
        case Zone.WALL:
            off = in_place(calibration, seat, seen, stacks)
            floors = [min(_EXPECTED + _PER_OFF * float(o), _MOST) for o in off]
        case Zone.RACK:
            floors = [_rack_floor(calibration, spot, s) for s in seen]
        case _:
            floors = [_FLOOR] * len(seen)
    return [s for s, floor in zip(seen, floors, strict=True) if s.score >= floor]


def _rack_floor(calibration: Calibration, spot: Spot, sighting: Sighting) -> float:
    """Tops of standing tiles stand in a line; they look a little further out than they are."""
    if sighting.what != TOP:
        return _FLOOR if sighting.what == FACE else _LYING_BACK
    layout = calibration.layout
    off = abs(to_seat(spot[0], sighting.x, sighting.y)[1] - 1.01 * layout.rack_v) / layout.scale
    return _EXPECTED + _PER_MM * off
