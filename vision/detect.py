"""Tiles in a picture: where their faces, backs and standing tops lie, as oriented quads."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import quad
from vision.labels import ARM
from vision.net import Net

STRIDE = 4
USUAL_PX = 44.0
"""Length of a face, in pixels, at which the detector sees best."""
_STEP = 16
_CLOSE = 0.5
"""Two tiles whose centres are closer than this share of their (root mean square) half-diagonal are one."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the detector found in one picture, best first. All arrays have n rows."""

    corners: NDArray[np.float32]
    """(n, 4, 2) pixels, clockwise as seen; which corner is first has no meaning."""
    what: NDArray[np.int64]
    """(n,) index into `labels.HEATS`: face, back or top."""
    score: NDArray[np.float32]
    """(n,) 0..1."""
    level: NDArray[np.float32]
    """(n,) height of the quad above the cloth in thicknesses of a tile, as it looks: about 1, or 2 on top of another."""
    arm: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """(h/4, w/4) 0..1: how much of each cell an arm covers; empty when it was not kept."""

    @classmethod
    def none(cls) -> Found:
        return cls(
            np.zeros((0, 4, 2), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.float32)
        )

    def __len__(self) -> int:
        return len(self.score)

    def only(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Found:
        return Found(self.corners[keep], self.what[keep], self.score[keep], self.level[keep], self.arm)

    def moved(self, dx: float, dy: float, scale: float = 1.0) -> Found:
        """Coordinates times `scale`, then shifted."""
        corners = self.corners * np.float32(scale) + np.array([dx, dy], np.float32)
        return Found(corners, self.what, self.score, self.level, self.arm)


class Detector:
    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Raises SettingsError when the net cannot be loaded."""
        self._net = Net("detector", threads=threads, folder=folder)

    def find(self, image: NDArray[np.uint8], *, floor: float = 0.3) -> Found:
        """Tiles of a picture (h, w, 3) BGR scaled so that faces are about `USUAL_PX` long; those scored `floor` or more."""
        rows, columns = image.shape[0], image.shape[1]
        padded = cv2.copyMakeBorder(image, 0, -rows % _STEP, 0, -columns % _STEP, cv2.BORDER_REPLICATE)
        heat, shape = self._net(np.asarray(padded, np.uint8)[None])
        return settle(peaks(heat[0], shape[0], floor))


def peaks(heat: NDArray[np.float32], shape: NDArray[np.float32], floor: float) -> Found:
    """The net's maps (4, h, w) and (8, h, w) → every local maximum of at least `floor`, best first."""
    tiles = heat[:ARM]
    kernel = np.ones((3, 3), np.uint8)
    best = np.stack([cv2.dilate(layer, kernel) for layer in tiles])
    what, y, x = np.nonzero((tiles >= best) & (tiles >= floor))
    score = tiles[what, y, x]
    order = np.argsort(-score)
    what, y, x, score = what[order], y[order], x[order], score[order]
    values = shape[:, y, x]
    centres = (np.stack([x, y], axis=1) + 0.5 + values[:2].T) * STRIDE - 0.5
    codes = values[2:7].T.copy()
    codes[:, 0] += np.log(STRIDE)
    corners = quad.decode(centres.astype(np.float32), codes)
    return Found(corners, what.astype(np.int64), score, values[7], heat[ARM])


def settle(found: Found) -> Found:
    """Keeps the best of detections that sit on one another."""
    if len(found) < 2:
        return found
    centres = found.corners.mean(axis=1)
    half = np.sqrt(((found.corners - centres[:, None]) ** 2).sum(axis=2).mean(axis=1))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    clash = apart < _CLOSE * np.minimum(half[:, None], half[None])
    kept = np.ones(len(found), np.bool_)
    for n in range(1, len(found)):
        kept[n] = not (clash[n, :n] & kept[:n]).any()
    return found.only(kept)
