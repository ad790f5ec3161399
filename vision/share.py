"""What one of several cameras over a table says of it: no zone it does not see, of the others which part it sees whole and how
large, so that the engine can put the table together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from table_engine.wire.layout import Layout, Zone, to_seat
from table_engine.wire.observations import HandSeen, Observation, Part, RackSeen, WallSeen, ZoneSeen
from table_engine.wire.seats import Seat
from vision.calibrate import Calibration, Floats
from vision.labels import TOP
from vision.sighting import Sighting
from vision.zones import SPOTS, Spot, rects, row

_EDGE_POINTS = 5
"""Points of each side of the picture that its outline on the table is made of: through a lens that side is bent."""
_LEAST = 1.5
"""Less of a zone than so many tiles have room in is as good as nothing."""


@dataclass(frozen=True, slots=True)
class Share:
    """By zone the part that is seen under a calibration; zones out of sight are missing."""

    calibration: Calibration
    parts: Mapping[Spot, Part]

    @classmethod
    def of(cls, calibration: Calibration) -> Share:
        found = {spot: _part(calibration, spot) for spot in SPOTS}
        return cls(calibration, {spot: part for spot, part in found.items() if part is not None})

    def said(self, word: Observation, sightings: Mapping[Spot, tuple[Sighting, ...]]) -> Observation | None:
        """A word of the watcher as the engine is told it; None: it is about what this camera does not see. `sightings`: what the
        word was made of, by zone."""
        match word:
            case ZoneSeen(seat=seat, zone=zone):
                part = self.parts.get((seat, Zone.MELD if zone == Zone.FLOWER else zone))
                tiles = word.tiles
                if zone == Zone.POND:
                    layout = self.calibration.layout
                    tiles = tuple(tile.model_copy(update={"group": row(layout, tile)}) for tile in tiles)
                return None if part is None else word.model_copy(update={"part": part, "tiles": tiles})
            case RackSeen(seat=seat):
                part = self.parts.get((seat, Zone.RACK))
                standing = self._standing(seat, sightings.get((seat, Zone.RACK), ()))
                return None if part is None else word.model_copy(update={"part": part, "standing_mm": standing})
            case WallSeen(seat=seat):
                part = self.parts.get((seat, Zone.WALL))
                return None if part is None else word.model_copy(update={"part": part})
            case HandSeen(seat=seat, owner=owner, zone=zone):
                # Whose arm it is shows where it comes from: over its owner's rack, not over the edge of the picture.
                return word if {(seat, Zone.RACK), (owner, zone)} <= self.parts.keys() else None
            case _:
                return word

    def _standing(self, seat: Seat, sightings: tuple[Sighting, ...]) -> tuple[float, ...]:
        """Where tiles stand along their rack, mm: their tops lowered by what the camera sees them displaced."""
        tops = np.array([[s.x, s.y] for s in sightings if s.what == TOP], np.float64).reshape(-1, 2)
        if not len(tops):
            return ()
        calibration = self.calibration
        places = calibration.to_metric(calibration.scale(tops), calibration.layout.tile.length)
        return tuple(sorted(round(to_seat(seat, float(x), float(y))[0], 1) for x, y in places))


def _part(calibration: Calibration, spot: Spot) -> Part | None:
    layout, (seat, zone) = calibration.layout, spot
    tile = layout.tile
    height = {Zone.RACK: tile.length, Zone.WALL: 2 * tile.depth}.get(zone, tile.depth)
    seen = np.array([to_seat(seat, x, y) for x, y in _outline(calibration, height).tolist()])
    rect = _rect(layout, zone)
    corners = np.array([[rect[0], rect[1]], [rect[2], rect[1]], [rect[2], rect[3]], [rect[0], rect[3]]])
    area, both = cv2.intersectConvexConvex(seen.astype(np.float32), corners.astype(np.float32))
    if both is None or area < _LEAST * tile.width * tile.length:
        return None
    outline = np.asarray(both, np.float64).reshape(-1, 2)
    middle = outline.mean(axis=0)
    around = middle + np.array([[-0.5, 0], [0.5, 0], [0, -0.5], [0, 0.5]]) * tile.length
    places = np.array([_from_seat(seat, u, v, height) for u, v in around.tolist()])
    left, right, near, far = calibration.project(places)
    face_px = float(np.hypot(*(right - left)) * np.hypot(*(far - near))) ** 0.5
    points = tuple((round(float(u), 1), round(float(v), 1)) for u, v in outline)
    return Part(outline=points, face_px=round(face_px, 1), tile_mm=tile.width)


def _rect(layout: Layout, zone: Zone) -> tuple[float, float, float, float]:
    rect = dict(rects(layout)).get(zone) or layout.zone(zone)
    return rect.u0, rect.v0, rect.u1, rect.v1


def _from_seat(seat: Seat, u: float, v: float, z: float) -> tuple[float, float, float]:
    x, y = to_seat(Seat(-seat % 4), u, v)
    return x, y, z


def _outline(calibration: Calibration, height: float) -> Floats:
    """The convex part of the table, (n, 2) mm at a height, whose tiles are whole in the picture."""
    wide, high = calibration.size
    scale = np.abs(np.diff(calibration.project(np.array([[0.0, 0, 0], [100.0, 0, 0]])), axis=0)).max() / 100
    edge = 0.6 * float(np.hypot(calibration.layout.tile.width, calibration.layout.tile.length)) * float(scale)
    xs, ys = np.linspace(edge, wide - 1 - edge, _EDGE_POINTS), np.linspace(edge, high - 1 - edge, _EDGE_POINTS)
    sides = [
        np.column_stack([xs, np.full(_EDGE_POINTS, ys[0])]),
        np.column_stack([np.full(_EDGE_POINTS, xs[-1]), ys]),
        np.column_stack([xs[::-1], np.full(_EDGE_POINTS, ys[-1])]),
        np.column_stack([np.full(_EDGE_POINTS, xs[0]), ys[::-1]]),
    ]
    places = calibration.locate(np.concatenate(sides), height)
    return np.asarray(cv2.convexHull(places.astype(np.float32)), np.float64).reshape(-1, 2)
