"""A small picture of what a camera sees, with what is known about it, for the set-up page: `<camera>.jpg` and `<camera>.json`.

Both are replaced whole, the picture first, so that a reader never finds half a file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibrate import Calibration
from vision.frame import Frame
from vision.labels import TOP
from vision.sighting import Sighting

_WIDTH = 960
_QUALITY = 75
_EVERY_S = 1.0


@dataclass(slots=True)
class Preview:
    """Writes below `folder` at most once a second of the clock that `show` is told."""

    folder: Path
    camera: str
    _last_s: float = field(default=float("-inf"))
    _frames: int = 0
    _born_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    """Since when these settings hold: a page that changed them waits for a picture taken with the new ones."""

    def show(
        self,
        frame: Frame,
        calibration: Calibration | None,
        sightings: Iterable[Sighting],
        now_s: float,
        trouble: str = "",
    ) -> None:
        """Call with every frame. `now_s` runs steadily; `trouble` is what is wrong, in words for people. Raises OSError when
        the files cannot be written, CameraError when the frame is no picture."""
        self._frames += 1
        passed = now_s - self._last_s
        if passed < _EVERY_S:
            return
        fps = self._frames / passed if np.isfinite(passed) else 0.0
        self._last_s, self._frames = now_s, 0
        image = frame.image
        shrink = min(1.0, _WIDTH / image.shape[1])
        size = (round(image.shape[1] * shrink), round(image.shape[0] * shrink))
        self.folder.mkdir(parents=True, exist_ok=True)
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if shrink < 1 else image
        self._put(".jpg", cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
        said: dict[str, object] = {
            "born_ms": self._born_ms,
            "at_ms": frame.at_ms,
            "width": size[0],
            "height": size[1],
            "camera_width": image.shape[1] * (2 if frame.halved else 1),
            "fps": round(fps, 1),
            "trouble": trouble,
            "corners_px": [],
            "error_mm": None,
            "tiles": [],
        }
        if calibration is not None:
            half = calibration.layout.half
            corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]], np.float64)
            said["corners_px"] = _points(calibration.project(corners), shrink)
            said["error_mm"] = round(calibration.error_mm, 2)
            said["tiles"] = [
                {
                    "code": one.code,
                    "confidence": round(one.confidence, 3),
                    "quad_px": _points(outline(calibration, one), shrink),
                }
                for one in sightings
            ]
        self._put(".json", json.dumps(said).encode())

    def _put(self, suffix: str, data: bytes) -> None:
        path = self.folder / f"{self.camera}{suffix}"
        part = path.with_suffix(f"{suffix}.part")
        part.write_bytes(data)
        part.replace(path)


def outline(calibration: Calibration, sighting: Sighting) -> NDArray[np.float64]:
    """Where the face, back or standing top of a sighting lies in the camera's picture, from its own top left on. (4, 2) px"""
    tile = calibration.layout.tile
    across, along = tile.width / 2, (tile.depth if sighting.what == TOP else tile.length) / 2
    turn = np.radians(sighting.angle_deg)
    up, right = np.array([-np.sin(turn), np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    if sighting.what == TOP:  # the long axis of a top is its direction: it lies across
        up, right = right, up
    centre = np.array([sighting.x, sighting.y])
    flat = [centre + along * v * up + across * h * right for v, h in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
    return calibration.project(np.column_stack([np.array(flat), np.full(4, tile.depth)]))


def _points(pixels: NDArray[np.float64], shrink: float) -> list[list[float]]:
    return [[round(float(x) * shrink, 1), round(float(y) * shrink, 1)] for x, y in pixels]
