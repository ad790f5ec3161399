"""Which detections are believed: a weak one only where a tile may be expected to lie, any only with the size of a tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from table_engine.wire.layout import Zone, to_seat
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import BACK, UNKNOWN, Tile
from vision.calibrate import Calibration
from vision.labels import BACK_UP, FACE, TOP
from vision.sighting import Sighting
from vision.wall import in_place
from vision.zones import Spot

_FLOOR = 0.3
_LYING_BACK, _LEANING_IN, _INWARD_MM = 0.55, 0.9, 6.0
"""A hand is hardly ever laid face down on its rack line, and the backs of standing tiles lean into view there."""
_LEANING, _LEAN_MM = 0.8, 11.0
_EXPECTED = 0.2
_PER_OFF = 0.07
_MOST = 0.85
_PER_MM = 0.02
_SEVERAL, _READ, _PLAINLY, _LYING = 3, 0.8, 0.85, 0.95
_BLANK = Tile("5z")
_ACROSS = 0.5
"""Two tops of one hand stand a tile's width apart; closer than this share of it they are one."""


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
        case Zone.MELD:
            floors = [_strip_floor(calibration, spot, s) for s in seen]
        case _:
            floors = [_FLOOR] * len(seen)
    worth = [s for s, floor in zip(seen, floors, strict=True) if s.score >= floor]
    return _single(calibration, seat, _stood_up(worth)) if zone == Zone.RACK else worth


def _stood_up(seen: Sequence[Sighting]) -> list[Sighting]:
    """A standing tile seen with its top and its back may look like one that lies, white or a back by turns. A hand of which no
    face can be read, whose tiles are too small to lie and none of them plain, stands."""
    flat = [s for s in seen if s.what != TOP]
    readable = any(s.what == FACE and s.code not in (_BLANK, UNKNOWN) and s.confidence > _READ for s in flat)
    plain = np.median([s.score for s in flat]) > _PLAINLY if flat else True
    small = np.median([s.size for s in flat]) < _LYING if flat else False
    if len(flat) < _SEVERAL or readable or plain or not small:
        return list(seen)
    return [s if s.what == TOP else replace(s, what=TOP, code=BACK) for s in seen]


def _single(calibration: Calibration, seat: Seat, seen: Sequence[Sighting]) -> list[Sighting]:
    """Standing tiles once each: of a tile with a thick back both halves of its top look like one. The surer stays."""
    tile = calibration.layout.tile
    kept: list[Sighting] = []
    for one in sorted(seen, key=lambda s: -s.score):
        u, v = to_seat(seat, one.x, one.y)
        again = any(
            s.what == one.what == TOP
            and abs(to_seat(seat, s.x, s.y)[0] - u) < _ACROSS * tile.width
            and abs(to_seat(seat, s.x, s.y)[1] - v) < tile.depth
            for s in kept
        )
        if not again:
            kept.append(one)
    return kept


def _strip_floor(calibration: Calibration, spot: Spot, sighting: Sighting) -> float:
    """At the strip's edge towards the player the backs of standing tiles lean into view."""
    layout = calibration.layout
    v = to_seat(spot[0], sighting.x, sighting.y)[1]
    return _LEANING if sighting.what == BACK_UP and v < layout.meld_v - _LEAN_MM * layout.scale else _FLOOR


def _rack_floor(calibration: Calibration, spot: Spot, sighting: Sighting) -> float:
    """Tops of standing tiles stand in a line; they look a little further out than they are."""
    layout = calibration.layout
    v = to_seat(spot[0], sighting.x, sighting.y)[1]
    if sighting.what != TOP:
        inward = v - layout.rack_v > _INWARD_MM * layout.scale
        return _FLOOR if sighting.what == FACE else _LEANING_IN if inward else _LYING_BACK
    off = abs(v - 1.01 * layout.rack_v) / layout.scale
    return _EXPECTED + _PER_MM * off
