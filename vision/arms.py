"""Arms over the table: what differs from the picture at rest, is large, and comes in from outside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import to_seat
from table_engine.wire.seats import SEATS, Seat
from vision.motion import OUTSIDE, Grid

_LEAST_MM2 = 3500.0
"""Smaller things are no arms; a lying tile has 910 mm² at tile width 26."""
_ENTRY_PX = 8
_FINGERS_MM = 80.0
"""From the tips of the fingers back to the palm."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One seat's arm. The palm in mm, as if it lay at the height of a lying face."""

    seat: Seat
    palm_x: float
    palm_y: float


def arms(grid: Grid, differs: NDArray[np.uint8], scale: float) -> tuple[list[Arm], NDArray[np.uint8]]:
    """Arms in the mask of what differs from the table at rest (h, w), 255 or 0; and the mask of all they cover."""
    cover = np.zeros_like(differs)
    if not differs.any():
        return [], cover
    closed = cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    pixel = _pixel_mm2(grid)
    found: list[Arm] = []
    for n in range(1, count):
        if stats[n, cv2.CC_STAT_AREA] * pixel < _LEAST_MM2 * scale**2:
            continue
        x0, y0 = stats[n, cv2.CC_STAT_LEFT], stats[n, cv2.CC_STAT_TOP]
        part = np.s_[y0 : y0 + stats[n, cv2.CC_STAT_HEIGHT], x0 : x0 + stats[n, cv2.CC_STAT_WIDTH]]
        mask = labels[part] == n
        xs, ys, owner = grid.x[part][mask], grid.y[part][mask], grid.owner[part][mask]
        entered = _entries(xs[owner == OUTSIDE], ys[owner == OUTSIDE])
        if not entered:
            continue
        cover[part][mask] = 255
        inside = owner != OUTSIDE
        found += [
            arm for seat, at in entered.items() if (arm := _arm(seat, at, entered, xs[inside], ys[inside], scale))
        ]
    return found, cover


def _entries(xs: NDArray[np.float32], ys: NDArray[np.float32]) -> dict[Seat, tuple[float, float]]:
    """Where (mm) something comes in over each seat's edge."""
    if len(xs) < _ENTRY_PX:
        return {}
    depth = np.stack([np.asarray(to_seat(seat, xs, ys)[1]) for seat in SEATS])  # type: ignore[arg-type]
    nearest = depth.argmin(axis=0)
    return {
        seat: (float(xs[nearest == seat].mean()), float(ys[nearest == seat].mean()))
        for seat in SEATS
        if int((nearest == seat).sum()) >= _ENTRY_PX
    }


def _arm(
    seat: Seat,
    at: tuple[float, float],
    entered: dict[Seat, tuple[float, float]],
    xs: NDArray[np.float32],
    ys: NDArray[np.float32],
    scale: float,
) -> Arm | None:
    """The arm of one of the seats that reach into one blob: the part of it that is nearest to where that seat's came in."""
    far = np.hypot(xs - at[0], ys - at[1])
    own = np.ones(len(xs), np.bool_)
    for other, place in entered.items():
        if other != seat:
            own &= far <= np.hypot(xs - place[0], ys - place[1])
    if not own.any():
        return None
    reach = np.where(own, far, -1.0)
    tips = np.argsort(-reach)[: max(4, len(xs) // 100)]
    tip_x, tip_y = float(xs[tips].mean()), float(ys[tips].mean())
    length = float(np.hypot(tip_x - at[0], tip_y - at[1]))
    back = min(_FINGERS_MM * scale / max(length, 1.0), 1.0)
    return Arm(seat, tip_x + (at[0] - tip_x) * back, tip_y + (at[1] - tip_y) * back)


def _pixel_mm2(grid: Grid) -> float:
    """Area of a pixel of the small picture on the table, mm², in the middle."""
    row, column = grid.x.shape[0] // 2, grid.x.shape[1] // 2
    dx = np.hypot(grid.x[row, column + 1] - grid.x[row, column], grid.y[row, column + 1] - grid.y[row, column])
    return float(dx) ** 2
