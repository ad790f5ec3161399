"""What moved: the small picture against the one before and against the one that was last read, zone by zone."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import to_seat
from table_engine.wire.seats import Seat
from vision.calibrate import Calibration
from vision.frame import SHRINK
from vision.rectify import Window
from vision.zones import SPOTS, rects

STEP = 7
"""A difference of this many grey levels, after a 3x3 mean, is a change; sensor noise stays below it."""
LEAST_PX = 3
"""So many changed pixels of the small picture make a change."""
NOWHERE = len(SPOTS)
OUTSIDE = len(SPOTS) + 1
_SLACK_MM = 7.0
_EDGE_MM = 10.0
"""What lies further beyond the layout's square than this, and the picture's own edge, is outside: where arms come from."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Which zone each pixel of the small picture belongs to.

    `owner` (h, w) holds indices into `zones.SPOTS`, `NOWHERE` between zones, `OUTSIDE` beyond the racks.
    `x`, `y` (h, w) mm: what lies there at the height of a lying face.
    """

    owner: NDArray[np.int16]
    core: NDArray[np.int16]
    """As `owner`, a zone's outermost pixels given to nowhere."""
    x: NDArray[np.float32]
    y: NDArray[np.float32]

    @classmethod
    def of(cls, calibration: Calibration) -> Grid:
        width, height = -(-calibration.size[0] // SHRINK), -(-calibration.size[1] // SHRINK)
        rows, columns = np.mgrid[0:height, 0:width]
        pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64) * SHRINK + (SHRINK - 1) / 2
        points = calibration.locate(pixels, calibration.layout.tile.depth)
        owner = np.full(len(points), NOWHERE, np.int16)
        layout = calibration.layout
        slack = _SLACK_MM * layout.scale
        for grow in (slack, 0.0):  # exact claims last, over those with slack
            for n in reversed(range(len(SPOTS) - 1)):
                seat, zone = SPOTS[n]
                u, v = to_seat(seat, points[:, 0], points[:, 1])  # type: ignore[arg-type]
                rect = dict(rects(layout))[zone]
                holds = (u >= rect.u0 - grow) & (u <= rect.u1 + grow) & (v >= rect.v0 - grow) & (v <= rect.v1 + grow)
                owner[holds] = n
        centre = layout.zone(SPOTS[-1][1])
        middle = np.asarray((np.abs(points) <= centre.u1).all(axis=1))
        owner[middle] = len(SPOTS) - 1
        far = np.abs(points).max(axis=1)
        owner[~np.isfinite(far) | (far > layout.half + _EDGE_MM * layout.scale)] = OUTSIDE
        shape = (height, width)
        edge = np.ones(shape, np.bool_)
        edge[2:-2, 2:-2] = False
        owner[edge.ravel()] = OUTSIDE
        whole = owner.reshape(shape)
        kernel = np.ones((3, 3), np.uint8)
        inner = cv2.dilate(whole, kernel) == cv2.erode(whole, kernel)
        return cls(
            whole,
            np.where(inner, whole, NOWHERE).astype(np.int16),
            points[:, 0].reshape(shape).astype(np.float32),
            points[:, 1].reshape(shape).astype(np.float32),
        )

    def counts(self, changed: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Changed pixels (non-zero) of every zone, of nowhere and of outside: (len(SPOTS) + 2,).

        A zone's outermost pixels do not count: what happens beside it reaches them through the mean that differences are taken of.
        """
        return np.bincount(self.core[changed > 0], minlength=len(SPOTS) + 2)


def changed(one: NDArray[np.uint8], two: NDArray[np.uint8], step: int = STEP) -> NDArray[np.uint8]:
    """255 where two small pictures differ, else 0."""
    gap = cv2.blur(cv2.absdiff(one, two), (3, 3))
    return np.asarray(cv2.threshold(gap, step - 1, 255, cv2.THRESH_BINARY)[1], np.uint8)


def relit(reference: NDArray[np.uint8], small: NDArray[np.uint8]) -> float:
    """By which factor the whole picture became brighter or darker than the reference: the median of the ratios of coarse cells."""
    one = cv2.resize(reference, (24, 16), interpolation=cv2.INTER_AREA).astype(np.float32)
    two = cv2.resize(small, (24, 16), interpolation=cv2.INTER_AREA).astype(np.float32)
    bright = one > 12
    return float(np.median(two[bright] / one[bright])) if bright.any() else 1.0


def window_of(grid: Grid, mask: NDArray[np.bool_], calibration: Calibration, margin_mm: float) -> Window:
    """The window of the rectified picture that holds the marked pixels of the small one, with a margin; an empty corner when none is."""
    if not mask.any():
        return 0, 0, 1, 1
    xs, ys = grid.x[mask], grid.y[mask]
    grow = margin_mm + 2 / calibration.px_per_mm
    corners = np.array([[xs.min() - grow, ys.max() + grow], [xs.max() + grow, ys.min() - grow]], np.float64)
    (x0, y0), (x1, y1) = calibration.scale(corners)
    side = calibration.side_px
    return (
        int(np.clip(np.floor(x0), 0, side - 1)),
        int(np.clip(np.floor(y0), 0, side - 1)),
        int(np.clip(np.ceil(x1), 1, side)),
        int(np.clip(np.ceil(y1), 1, side)),
    )


def nearest_seat(x: float, y: float) -> Seat:
    """The seat whose side of the table a point lies on."""
    return min(Seat, key=lambda seat: to_seat(seat, x, y)[1])
