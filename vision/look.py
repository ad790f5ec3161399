"""One look at a window of the rectified picture: tiles found, read and put into millimetres."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import Zone
from table_engine.wire.tiles import BACK, UNKNOWN, Tile
from vision import quad
from vision.calibrate import FACE_PX, Calibration
from vision.colour import colours
from vision.detect import STRIDE, Detector, Found
from vision.halves import LARGEST_HALF, completed
from vision.labels import BACK_UP, BLANK, FACE, NONE, TOP
from vision.read import Reader, Reading
from vision.rectify import Rectifier, Window
from vision.sighting import Sighting, turned
from vision.zones import spot_at

BORDER_PX = 8
CONTEXT_PX = 40
"""What the detector sees around the window asked for: a tile is not to be cut off."""
_COVERED = 0.5
"""From what on a cell of the arm's mask is one."""
_FLOOR = 0.18
_SIZES = {FACE: (0.62, 1.5), BACK_UP: (LARGEST_HALF, 1.5), TOP: (0.35, 0.8)}
"""Area over that of a face lying on the felt: anything else is no tile of this set."""
_LARGEST_TOP = 1.0
"""The first and the last of a row show a flank beside their top: they look so large at most."""
_PLAIN_BACK, _FACE_AFTER_ALL, _NO_BACK = 0.75, 0.8, 0.9
"""A find like a back of less than this score is looked at by the reader too; it is a face if that reads one so surely, and
nothing if that is so sure of it."""


@dataclass(frozen=True, slots=True)
class Look:
    sightings: tuple[Sighting, ...]
    arm: float
    """Share of the window that an arm covers."""
    arms: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """(h/4, w/4) 0..1: where it lies, from `origin` on, px of the rectified picture."""
    origin: tuple[int, int] = (0, 0)

    def arm_over(self, pixels: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of some pixels (n, 2) of the rectified picture an arm covers. (n,)"""
        out = np.zeros(len(pixels), np.bool_)
        cells = np.floor((pixels - self.origin) / STRIDE).astype(int)
        inside = ((cells >= 0) & (cells < self.arms.shape[::-1])).all(axis=1)
        out[inside] = self.arms[cells[inside, 1], cells[inside, 0]] > _COVERED
        return out


class Looker:
    """Detector and reader of one camera's rectified picture."""

    def __init__(self, calibration: Calibration, detector: Detector, reader: Reader) -> None:
        self.calibration = calibration
        self._rectifier = Rectifier(calibration)
        self._detector, self._reader = detector, reader

    def look(self, image: NDArray[np.uint8], window: Window) -> Look:
        """Tiles whose middle lies in the window or up to `BORDER_PX` beyond: two looks differ by a hair, and a tile on the
        border must be in one of them. `image` is the camera's picture (h, w, 3) BGR."""
        side = self.calibration.side_px
        x0, y0 = max(0, window[0] - CONTEXT_PX), max(0, window[1] - CONTEXT_PX)
        x1, y1 = min(side, window[2] + CONTEXT_PX), min(side, window[3] + CONTEXT_PX)
        part = self._rectifier.window(image, (x0, y0, x1, y1))
        found = self._completed(self._detector.find(part, floor=_FLOOR), (x0, y0))
        centres = found.corners.mean(axis=1) + np.array([x0, y0], np.float32)
        low, high = np.array(window[:2]) - BORDER_PX, np.array(window[2:]) + BORDER_PX
        inside = (centres >= low).all(axis=1) & (centres < high).all(axis=1)
        arm = _covered(found.arm, (window[0] - x0, window[1] - y0, window[2] - x0, window[3] - y0))
        return Look(self._read(part, found.only(np.asarray(inside)), (x0, y0)), arm, found.arm, (x0, y0))

    def _completed(self, found: Found, origin: tuple[int, int]) -> Found:
        places = self.calibration.unscale(found.corners.mean(axis=1).astype(np.float64) + origin)
        return completed(found, places, self._sizes(found), self.calibration.layout)

    def _sizes(self, found: Found) -> NDArray[np.float64]:
        """Area of each find over that of a face lying on the felt. (n,)"""
        tile = self.calibration.layout.tile
        return np.asarray(quad.area(found.corners) / (FACE_PX**2 * tile.length / tile.width), np.float64)

    def _read(self, part: NDArray[np.uint8], found: Found, origin: tuple[int, int]) -> tuple[Sighting, ...]:
        size = self._sizes(found)
        # A white dragon is as blank as the top of a standing tile, but as large as a face, and in ponds nothing stands.
        places = self.calibration.unscale(found.corners.mean(axis=1).astype(np.float64) + origin)
        large = (found.what == TOP) & (size > _SIZES[FACE][0])
        zones = self._zones(places, large | (found.what == BACK_UP))
        blank = large & ((size > _SIZES[TOP][1]) | (zones == Zone.POND))
        found = replace(found, what=np.where(blank, FACE, found.what))
        limits = np.array([_SIZES[int(w)] for w in found.what]).reshape(-1, 2)
        fits = (size >= limits[:, 0]) & (size <= limits[:, 1])
        found, size, blank = found.only(np.asarray(fits)), size[fits], blank[fits]
        places, zones = places[fits], zones[fits]
        middle = np.array([(self.calibration.side_px - 1) / 2] * 2, np.float32)
        out = middle - (found.corners.mean(axis=1) + np.array(origin, np.float32))
        corners = quad.upright(found.corners, out)  # towards the centre: how a tile lies for the player before it
        # A white dragon without a frame is as blank as a back, and in ponds no back lies.
        maybe_white = (zones == Zone.POND) | ((zones == Zone.MELD) & (found.score < _PLAIN_BACK))
        asked = (found.what == FACE) | ((found.what == BACK_UP) & maybe_white)
        readings = iter(self._reader.read(part, corners[asked]))
        angles, tints = quad.angle_deg(corners).tolist(), colours(part, corners.mean(axis=1))
        sightings = []
        for n in range(len(found)):
            what, score = int(found.what[n]), float(found.score[n])
            code, confidence, angle = BACK, score, angles[n]
            candidates: tuple[tuple[Tile, float], ...] = ()
            reading = next(readings) if asked[n] else None
            if what == BACK_UP and reading is not None:
                if reading.code == NONE and reading.confidence >= _NO_BACK:
                    continue
                what = FACE if _shows_face(reading) else BACK_UP
            if what == FACE and reading is not None:
                code, confidence, candidates = reading.code, reading.confidence, reading.candidates
                if reading.turn == 2:  # a quarter turn is the reader's error: long sides are long
                    angle += 180.0
                stood = blank[n] and not _shows_face(reading) and size[n] <= _LARGEST_TOP
                if stood and zones[n] == Zone.POND and size[n] <= _SIZES[TOP][1]:
                    continue
                if stood and zones[n] == Zone.RACK:
                    what, code, confidence, candidates, angle = TOP, BACK, score, (), angles[n]
                elif code == NONE:
                    continue
                elif code == BACK:
                    what = BACK_UP
            x, y = (round(float(v), 2) for v in places[n])
            sightings.append(
                Sighting(
                    x,
                    y,
                    turned(angle),
                    what,
                    Tile(code),
                    confidence,
                    score,
                    float(found.level[n]),
                    float(size[n]),
                    candidates,
                    colour=tints[n] if what == BACK_UP or code == BLANK else None,
                )
            )
        return tuple(sightings)

    def _zones(self, places: NDArray[np.float64], asked: NDArray[np.bool_]) -> NDArray[np.object_]:
        """In which zone each of the places (n, 2) mm that are asked for (n,) lies; None between zones and for others. (n,)"""
        out = np.full(len(places), None, np.object_)
        for n in np.nonzero(asked)[0]:
            spot = spot_at(self.calibration.layout, float(places[n, 0]), float(places[n, 1]))
            out[n] = spot[1] if spot is not None else None
        return out


def _shows_face(reading: Reading) -> bool:
    return reading.code not in (BACK, NONE, UNKNOWN) and reading.confidence >= _FACE_AFTER_ALL


def _covered(arm: NDArray[np.float32], window: Window) -> float:
    x0, y0, x1, y1 = (v // STRIDE for v in window)
    part = arm[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    return float((part > _COVERED).mean()) if part.size else 0.0
