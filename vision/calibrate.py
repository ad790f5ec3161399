"""From the table to the picture and back: one camera's calibration, and what it is made from.

The felt is a plane, so its picture is a homography, exact whatever the camera. Height above the felt (standing tiles, the
second layer of a wall) needs the focal length besides: given, or found from the perspective, or assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import CameraError
from table_engine.wire.layout import Layout, to_seat
from table_engine.wire.seats import Seat

Floats = NDArray[np.float64]
FACE_PX = 33.0
"""Width of a tile's face in the rectified picture."""
_ASSUMED = 0.85
"""Focal length of an unknown camera, in picture widths: about 60 degrees across, as most webcams have."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Focal length and middle in px, distortion k1, k2, p1, p2 (OpenCV's order)."""

    focal: float
    centre: tuple[float, float]
    distortion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def matrix(self) -> Floats:
        return np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1]])

    def ideal(self, pixels: Floats) -> Floats:
        """Pixels (n, 2) → where a lens without distortion would have put them."""
        if not any(self.distortion):
            return pixels
        moved = cv2.undistortPoints(pixels.reshape(-1, 1, 2), self.matrix, np.array(self.distortion), P=self.matrix)
        return np.asarray(moved, np.float64).reshape(-1, 2)

    def real(self, ideal: Floats) -> Floats:
        """The inverse of `ideal`."""
        if not any(self.distortion):
            return ideal
        rays = np.column_stack([(ideal - self.centre) / self.focal, np.ones(len(ideal))])
        moved, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, np.array(self.distortion))
        return np.asarray(moved, np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where the table lies in a camera's picture of `size` (width, height) px.

    `felt` (3, 3) takes (x, y, 1) mm on the felt to ideal pixels, `rise` (3,) is what a millimetre of height adds.
    """

    layout: Layout
    size: tuple[int, int]
    lens: Lens
    felt: Floats
    rise: Floats
    error_mm: float = 0.0
    """How far the points it was made from lie from where it puts them, root mean square."""
    turned: int = 0
    """Quarter turns counter-clockwise from where the markers have seat 0 to where it sits."""

    @property
    def px_per_mm(self) -> float:
        """Of the rectified picture."""
        return FACE_PX / self.layout.tile.width

    @property
    def side_px(self) -> int:
        """Width and height of the rectified picture, a multiple of 16."""
        return int(np.ceil(2 * self.layout.half * self.px_per_mm / 16)) * 16

    def project(self, points: Floats) -> Floats:
        """Table points (n, 3) mm → pixels (n, 2) of the camera's picture."""
        flat = np.column_stack([points[:, :2], np.ones(len(points))]) @ self.felt.T + np.outer(points[:, 2], self.rise)
        return self.lens.real(flat[:, :2] / flat[:, 2:])

    def locate(self, pixels: Floats, z: float) -> Floats:
        """Pixels (n, 2) of the camera's picture → points (n, 2) mm of the plane at height `z`."""
        ideal = self.lens.ideal(pixels.astype(np.float64))
        flat = np.column_stack([ideal, np.ones(len(ideal))]) @ np.linalg.inv(self.plane(z)).T
        return np.asarray(flat[:, :2] / flat[:, 2:])

    def plane(self, z: float) -> Floats:
        """Homography of the plane at height `z`: (x, y, 1) → ideal pixels. (3, 3)"""
        lifted = self.felt.copy()
        lifted[:, 2] += z * self.rise
        return lifted

    def to_metric(self, points: Floats, z: float) -> Floats:
        """Pixels (n, 2) of the rectified picture → (x, y) mm at height `z`: what looks as if it lay in the rectified plane."""
        across = self.unscale(points)
        depth = self.layout.tile.depth
        if z == depth:
            return across
        both = np.linalg.inv(self.plane(z)) @ self.plane(depth)
        flat = np.column_stack([across, np.ones(len(across))]) @ both.T
        return np.asarray(flat[:, :2] / flat[:, 2:])

    def to_rectified(self, points: Floats) -> Floats:
        """Table points (n, 3) mm → pixels (n, 2) of the rectified picture."""
        flat = np.column_stack([points[:, :2], np.ones(len(points))]) @ self.felt.T + np.outer(points[:, 2], self.rise)
        across = flat @ np.linalg.inv(self.plane(self.layout.tile.depth)).T
        return self.scale(across[:, :2] / across[:, 2:])

    def scale(self, points: Floats) -> Floats:
        """(x, y) mm in the rectified plane → pixels of the rectified picture."""
        middle = (self.side_px - 1) / 2
        return np.asarray(
            np.column_stack([points[:, 0] * self.px_per_mm + middle, middle - points[:, 1] * self.px_per_mm])
        )

    def unscale(self, pixels: Floats) -> Floats:
        """The inverse of `scale`."""
        middle = (self.side_px - 1) / 2
        return np.asarray(
            np.column_stack([(pixels[:, 0] - middle) / self.px_per_mm, (middle - pixels[:, 1]) / self.px_per_mm])
        )


def solve(
    layout: Layout,
    size: tuple[int, int],
    table: Floats,
    pixels: Floats,
    *,
    focal: float | None = None,
    distortion: tuple[float, float, float, float] | None = None,
) -> Calibration:
    """A calibration from points of the felt (n, 2) mm and where they are seen (n, 2) px; n of 4 or more.

    Raises CameraError when the points do not fit one plane.
    """
    centre = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    lens = Lens(focal or _ASSUMED * size[0], centre, distortion or (0.0, 0.0, 0.0, 0.0))
    ideal = lens.ideal(pixels.astype(np.float64))
    plane, _ = cv2.findHomography(table.astype(np.float64), ideal, cv2.RANSAC if len(table) > 8 else 0, 4.0)
    if plane is None or not np.isfinite(plane).all() or abs(np.linalg.det(np.asarray(plane, np.float64))) < 1e-12:
        raise CameraError("calibration: the points given do not lie on one plane in the picture; check their order")
    felt = np.asarray(plane, np.float64)
    if focal is None:
        found = _focal(felt, centre)
        if found is not None and 0.4 * size[0] < found < 4 * size[0]:
            lens = Lens(found, centre, lens.distortion)
    made = Calibration(layout, size, lens, felt, _rise(felt, lens))
    gap = made.locate(pixels, 0.0) - table
    error = float(np.sqrt(np.median((gap**2).sum(axis=1))))
    return Calibration(layout, size, lens, felt, made.rise, error)


def from_corners(
    layout: Layout,
    size: tuple[int, int],
    corners: Floats,
    *,
    turned: int = 0,
    focal: float | None = None,
    distortion: tuple[float, float, float, float] | None = None,
) -> Calibration:
    """From where the corners of the layout's square are seen: seat 0's left, seat 0's right, far right, far left. (4, 2) px.
    `turned`: seat 0 sits so many quarter turns counter-clockwise from there."""
    half = layout.half
    table = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    made = solve(layout, size, seen_from(turned, table), corners, focal=focal, distortion=distortion)
    return replace(made, turned=turned)


def seen_from(turned: int, points: Floats) -> Floats:
    """Points (n, 2) mm of the table as they lie for a seat 0 that sits so many quarter turns counter-clockwise. (n, 2)"""
    return np.array([to_seat(Seat(turned % 4), x, y) for x, y in points.tolist()], np.float64)


def _rise(felt: Floats, lens: Lens) -> Floats:
    """The column of height: the axes of the felt give, through the lens, the direction that is square to both."""
    axes = np.linalg.inv(lens.matrix) @ felt
    scale = (np.linalg.norm(axes[:, 0]) + np.linalg.norm(axes[:, 1])) / 2
    axes = axes / scale
    up = np.cross(axes[:, 0], axes[:, 1])
    return np.asarray(lens.matrix @ up * scale, np.float64) * (1.0 if axes[2, 2] > 0 else -1.0)


def _focal(felt: Floats, centre: tuple[float, float]) -> float | None:
    """Focal length from the perspective of the felt (its axes are square to each other and equally long); None when the
    camera looks too straight down to tell."""
    shift = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]])
    a, b = (shift @ felt)[:, 0], (shift @ felt)[:, 1]
    top = np.array([-(a[0] * b[0] + a[1] * b[1]), a[0] ** 2 + a[1] ** 2 - b[0] ** 2 - b[1] ** 2])
    low = np.array([a[2] * b[2], b[2] ** 2 - a[2] ** 2])
    weight = float((low**2).sum())
    lengths = float(a[:2] @ a[:2] + b[:2] @ b[:2])
    if weight * (1000.0**4) < (0.02 * lengths) ** 2:
        return None
    square = float((top * low).sum()) / weight
    return float(np.sqrt(square)) if square > 0 else None
