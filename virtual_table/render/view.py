"""The pinhole camera: where a point of the table lands in the picture, and back.

World frame: the table frame of `wire/layout.py`, mm, z up. Camera frame: x right, y down, z forward. Lens distortion is
Brown's model (k1, k2 radial, p1, p2 tangential) on normalised coordinates, as in OpenCV.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]
Map = npt.NDArray[np.float32]

_FOLD = 0.1
"""Slope of the distorted radius below which the model is no longer believed."""
_OUTSIDE = 20.0


@dataclass(frozen=True, slots=True)
class Lens:
    """Distortion coefficients; all zero is an ideal pinhole."""

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0

    @property
    def ideal(self) -> bool:
        return self == Lens()

    def distort(self, x: Reals, y: Reals) -> tuple[Reals, Reals]:
        """Ideal normalised coordinates → where the lens puts them."""
        r2 = x * x + y * y
        radial = 1 + r2 * (self.k1 + r2 * self.k2)
        return (
            x * radial + 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x),
            y * radial + self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y,
        )

    def bend(self, x: Reals, y: Reals) -> tuple[Reals, Reals]:
        """`distort` for points anywhere: far outside the picture a barrel polynomial folds back into it, which no lens does,
        so there the points are sent further out instead."""
        r2 = x * x + y * y
        folded = 1 + r2 * (3 * self.k1 + r2 * 5 * self.k2) <= _FOLD
        u, v = self.distort(x, y)
        return np.where(folded, x * _OUTSIDE, u), np.where(folded, y * _OUTSIDE, v)

    def undistort(self, x: Reals, y: Reals) -> tuple[Reals, Reals]:
        """The inverse of `distort`, by eight fixed-point steps."""
        u, v = x, y
        for _ in range(8):
            r2 = u * u + v * v
            radial = 1 + r2 * (self.k1 + r2 * self.k2)
            u, v = (
                (x - 2 * self.p1 * u * v - self.p2 * (r2 + 2 * u * u)) / radial,
                (y - self.p1 * (r2 + 2 * v * v) - 2 * self.p2 * u * v) / radial,
            )
        return u, v


@dataclass(frozen=True, slots=True)
class Camera:
    """Picture size in px, focal length in px, principal point in px, pose (`rotation` 3x3 row-major world → camera, `position` mm)."""

    width: int
    height: int
    focal: float
    centre: tuple[float, float]
    rotation: tuple[float, ...]
    position: tuple[float, float, float]
    lens: Lens = Lens()

    @classmethod
    def aimed(
        cls,
        width: int,
        height: int,
        *,
        focal: float,
        distance: float,
        elevation_deg: float = 90.0,
        azimuth_deg: float = -90.0,
        roll_deg: float = 0.0,
        target: tuple[float, float, float] = (0.0, 0.0, 0.0),
        lens: Lens = Lens(),
    ) -> Camera:
        """A camera looking at `target` from `distance` mm. Azimuth -90 stands on seat 0's side and sees seat 0 at the bottom;
        elevation 90 looks straight down; roll turns the picture clockwise."""
        elevation, azimuth = radians(elevation_deg), radians(azimuth_deg)
        away = np.array([cos(azimuth), sin(azimuth), 0.0])
        outward = away * cos(elevation) + np.array([0.0, 0.0, sin(elevation)])
        forward = -outward
        right = np.array([-sin(azimuth), cos(azimuth), 0.0])
        down = np.cross(forward, right)
        c, s = cos(radians(roll_deg)), sin(radians(roll_deg))
        rows = np.stack([right * c - down * s, right * s + down * c, forward])
        position = np.array(target) + outward * distance
        return cls(
            width,
            height,
            focal,
            ((width - 1) / 2, (height - 1) / 2),
            tuple(float(v) for v in rows.ravel()),
            (float(position[0]), float(position[1]), float(position[2])),
            lens,
        )

    @classmethod
    def overhead(
        cls,
        width: int,
        height: int,
        half: float,
        *,
        height_mm: float = 1500.0,
        tilt_deg: float = 0.0,
        azimuth_deg: float = -90.0,
        roll_deg: float = 0.0,
        margin: float = 0.03,
        lens: Lens = Lens(),
    ) -> Camera:
        """A ceiling camera whose picture just holds the square of ±`half` mm, with `margin` of the picture's height around.

        `tilt_deg` leans the view away from straight down towards the side of `azimuth_deg`."""
        aim = cls.aimed(
            width,
            height,
            focal=1000.0,
            distance=height_mm,
            elevation_deg=90 - tilt_deg,
            azimuth_deg=azimuth_deg,
            roll_deg=roll_deg,
            lens=lens,
        )
        corners = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (0.0, 40.0)])
        normal = aim.normal(corners)
        x, y = lens.distort(normal[:, 0], normal[:, 1])
        middle = ((x.max() + x.min()) / 2, (y.max() + y.min()) / 2)
        focal = min(width * (1 - 2 * margin) / (x.max() - x.min()), height * (1 - 2 * margin) / (y.max() - y.min()))
        centre = ((width - 1) / 2 - middle[0] * focal, (height - 1) / 2 - middle[1] * focal)
        return cls(width, height, float(focal), (float(centre[0]), float(centre[1])), aim.rotation, aim.position, lens)

    def normal(self, points: Floats) -> Floats:
        """World points (N x 3, mm) → ideal normalised coordinates and depth (N x 3: x, y, depth in mm)."""
        seen = (points - np.array(self.position)) @ np.array(self.rotation).reshape(3, 3).T
        out = np.empty_like(seen)
        out[:, 2] = seen[:, 2]
        out[:, :2] = seen[:, :2] / np.maximum(seen[:, 2:], 1.0)
        return np.asarray(out, np.float64)

    def project(self, points: Floats) -> Floats:
        """World points (N x 3, mm) → pixels (N x 2). Points behind the camera land far outside."""
        flat = np.asarray(points, np.float64).reshape(-1, 3)
        n = self.normal(flat)
        x, y = (n[:, 0], n[:, 1]) if self.lens.ideal else self.lens.bend(n[:, 0], n[:, 1])
        return np.stack([x * self.focal + self.centre[0], y * self.focal + self.centre[1]], axis=1)

    def ground(self, pixels: Floats, z: float = 0.0) -> Floats:
        """Pixels (N x 2) → points of the plane at height `z` (N x 2, mm)."""
        pixels = np.asarray(pixels, np.float64)
        x, y = self.lens.undistort(
            (pixels[:, 0] - self.centre[0]) / self.focal, (pixels[:, 1] - self.centre[1]) / self.focal
        )
        rays = np.stack([x, y, np.ones_like(x)], axis=1) @ np.array(self.rotation).reshape(3, 3)
        reach = (z - self.position[2]) / np.where(rays[:, 2] < -1e-6, rays[:, 2], -1e-6)
        return np.stack([self.position[0] + rays[:, 0] * reach, self.position[1] + rays[:, 1] * reach], axis=1)

    def homography(self, z: float = 0.0) -> Floats:
        """Plane (x, y, 1) at height `z` → pixel, for the ideal lens. Shape 3x3."""
        rotation = np.array(self.rotation).reshape(3, 3)
        shift = -rotation @ np.array(self.position)
        inner = np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1.0]])
        return np.asarray(
            inner @ np.column_stack([rotation[:, 0], rotation[:, 1], rotation[:, 2] * z + shift]), np.float64
        )

    def scale_at(self, x: float, y: float, z: float = 0.0) -> float:
        """Pixels per mm across the line of sight at a point."""
        depth = self.normal(np.array([[x, y, z]]))[0, 2]
        return self.focal / max(float(depth), 1.0)

    def warp_plane(
        self, texture: npt.NDArray[Any], per_mm: float, origin: tuple[float, float], border: tuple[int, int, int]
    ) -> npt.NDArray[Any]:
        """Draws a picture lying on the felt whose top-left corner is at `origin`: the middle of texture pixel (u, v) is at
        x = origin.x + (u + 0.5) / per_mm, y = origin.y - (v + 0.5) / per_mm."""
        step = 1 / per_mm
        place = np.array([[step, 0, origin[0] + step / 2], [0, -step, origin[1] - step / 2], [0, 0, 1.0]])
        size = (self.width, self.height)
        if self.lens.ideal:
            return cv2.warpPerspective(
                texture, self.homography() @ place, size, flags=cv2.INTER_LINEAR, borderValue=border
            )
        columns, rows = self._undistorted_grid()
        ideal = cv2.warpPerspective(
            texture, self.homography() @ place, size, flags=cv2.INTER_LINEAR, borderValue=border
        )
        return cv2.remap(ideal, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def _undistorted_grid(self) -> tuple[Map, Map]:
        """For each pixel, where the ideal lens would have put what it shows (px)."""
        across = (np.arange(self.width, dtype=np.float32) - np.float32(self.centre[0])) / np.float32(self.focal)
        downward = (np.arange(self.height, dtype=np.float32) - np.float32(self.centre[1])) / np.float32(self.focal)
        x, y = self.lens.undistort(across[None, :].repeat(self.height, 0), downward[:, None].repeat(self.width, 1))
        columns = (x * np.float32(self.focal) + np.float32(self.centre[0])).astype(np.float32)
        rows = (y * np.float32(self.focal) + np.float32(self.centre[1])).astype(np.float32)
        return columns, rows


def turn(degrees: float) -> Floats:
    """Rotation about z, counter-clockwise seen from above. Shape 3x3."""
    c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def tip(degrees: float) -> Floats:
    """Rotation about x: 90 turns a face that looked up towards -y. Shape 3x3."""
    c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def lean(degrees: float) -> Floats:
    """Rotation about y, which lays a tile on its long side. Shape 3x3."""
    c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
