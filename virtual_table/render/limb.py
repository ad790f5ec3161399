"""Arms over the table: sleeve, forearm and hand, shaded like cylinders, with a soft shadow on what lies below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render.block import Shape, Textures, draw_block
from virtual_table.render.canvas import Window
from virtual_table.render.design import Bgr
from virtual_table.render.light import Light
from virtual_table.render.view import Camera, Floats

Pixels = npt.NDArray[np.uint8]

_NESTS = 12
_ARC = 13
_STEPS = np.linspace(0, 1, _ARC)
_NEAREST = 150.0
"""Pieces nearer to the lens than this (mm) are left out."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A limb from outside the picture to the palm; lengths in mm at tile width 26 times `scale`."""

    palm: tuple[float, float, float]
    shoulder: tuple[float, float]
    skin: Bgr = (120, 150, 205)
    sleeve: Bgr = (70, 50, 44)
    sleeve_end: float = 150.0
    """How far before the palm the sleeve ends, mm; a short sleeve has a large number."""
    left: bool = False
    spread: float = 0.5
    """Fingers apart, 0..1."""
    curl: float = 0.2
    """Fingers bent, 0..1: bent ones look shorter from above."""
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class _Rod:
    """A tapered piece between two points of space with radii in mm."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    start_radius: float
    end_radius: float
    colour: Bgr
    folds: int = 0


def _rods(arm: Arm) -> list[_Rod]:
    px, py, pz = arm.palm
    angle = atan2(py - arm.shoulder[1], px - arm.shoulder[0])
    reach = hypot(py - arm.shoulder[1], px - arm.shoulder[0])
    k = arm.scale

    def at(along: float, across: float, up: float) -> tuple[float, float, float]:
        return (
            px + along * cos(angle) - across * sin(angle),
            py + along * sin(angle) + across * cos(angle),
            max(6.0, pz + up),
        )

    wrist, elbow = -62 * k, max(-300 * k, -reach * 0.55)
    cuff = max(-arm.sleeve_end * k, -reach + 1)
    rods: list[_Rod] = []
    if cuff > elbow:
        rods.append(_Rod(at(cuff - 4, 0, 34), at(wrist, 0, 20), 33 * k, 26 * k, arm.skin))
        rods.append(_Rod(at(elbow, 0, 60), at(cuff, 0, 36), 47 * k, 41 * k, arm.sleeve, 5))
    else:
        rods.append(_Rod(at(elbow, 0, 60), at(wrist, 0, 20), 40 * k, 26 * k, arm.skin))
    upper = arm.sleeve if cuff > elbow - 180 * k else arm.skin
    rods.append(_Rod(at(-reach, 0, 110), at(elbow, 0, 60), 58 * k, 46 * k, upper, 6 if upper is arm.sleeve else 0))
    thumb_side = -1 if arm.left else 1
    rods.append(
        _Rod(at(-46 * k, 18 * k * thumb_side, 8), at(22 * k, 50 * k * thumb_side, -14), 17 * k, 9 * k, arm.skin)
    )
    rods.append(_Rod(at(wrist, 0, 18), at(-6 * k, 0, 10), 27 * k, 38 * k, arm.skin))
    rods.append(_Rod(at(-10 * k, 0, 10), at(22 * k, 0, 6), 38 * k, 39 * k, arm.skin))
    for finger in range(4):
        side = (finger - 1.5) * (17 + 3 * arm.spread) * k
        length = (62, 74, 70, 54)[finger if thumb_side < 0 else 3 - finger] * (1 - 0.55 * arm.curl) * k
        tip = side * (1 + 0.35 * arm.spread)
        knuckle, middle = at(28 * k, side, 4), at(28 * k + length * 0.55, (side + tip) / 2, 0)
        rods.append(_Rod(knuckle, middle, 10.5 * k, 9 * k, arm.skin))
        rods.append(_Rod(middle, at(28 * k + length, tip, -14), 9 * k, 7.5 * k, arm.skin))
    return rods


class Limbs:
    """The arms of one picture, projected once. `window` holds them and their shadows."""

    def __init__(self, arms: Sequence[Arm], camera: Camera, light: Light) -> None:
        self.camera, self.light = camera, light
        rods = [rod for arm in arms for rod in _rods(arm)]
        ends = np.array([point for rod in rods for point in (rod.start, rod.end)]).reshape(-1, 3)
        near = camera.normal(ends)[:, 2].reshape(-1, 2).min(axis=1) < _NEAREST
        rods = [rod for rod, hidden in zip(rods, near, strict=True) if not hidden]
        ends = ends.reshape(-1, 2, 3)[~near].reshape(-1, 3)
        self._rods = rods
        self._pixels = camera.project(ends).reshape(-1, 2, 2)
        self._shadows = camera.project(light.cast(ends)).reshape(-1, 2, 2)
        depth = camera.normal(ends)[:, 2]
        self._scales = (camera.focal / np.maximum(depth, 50.0)).reshape(-1, 2)

    def window(self) -> Window:
        """Pixels that arms and their shadows may touch, clipped to the picture."""
        if not self._rods:
            return 0, 0, 0, 0
        reach = 70 * max(1.0, float(self._scales.max())) + 40 * float(self._scales.max())
        both = np.concatenate([self._pixels, self._shadows]).reshape(-1, 2)
        low, high = both.min(axis=0) - reach, both.max(axis=0) + reach
        return (
            int(max(0, low[0])),
            int(max(0, low[1])),
            int(max(0, min(self.camera.width, high[0]))),
            int(max(0, min(self.camera.height, high[1]))),
        )

    def draw(
        self, picture: Pixels, held: Sequence[Shape] = (), textures: Textures | None = None, cover: Pixels | None = None
    ) -> None:
        """Draws shadows, then carried tiles, then arms onto the picture, and where arms are also 255 into `cover`."""
        if self._rods or held:
            self._shade(picture, held)
        if held and textures is not None:
            for shape in held:
                draw_block(picture, (0, 0), shape, textures, self.light)
        level = self.light.power
        for rod, pixels, scales in zip(self._rods, self._pixels, self._scales, strict=True):
            self._rod(picture, rod, pixels, scales, level)
            if cover is not None:
                _fill(
                    cover,
                    _capsule(pixels, rod.start_radius * scales[0], rod.end_radius * scales[1]),
                    (255.0, 255.0, 255.0),
                )

    def _shade(self, picture: Pixels, held: Sequence[Shape]) -> None:
        x0, y0, x1, y1 = self.window()
        for shape in held:
            box = shape.shadow_box
            if x1 <= x0:
                x0, y0, x1, y1 = box
            x0, y0, x1, y1 = min(x0, box[0] - 12), min(y0, box[1] - 12), max(x1, box[2] + 12), max(y1, box[3] + 12)
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(picture.shape[1], x1), min(picture.shape[0], y1)
        if x1 <= x0 or y1 <= y0:
            return
        step = 4
        mask: Pixels = np.zeros((-(-(y1 - y0) // step), -(-(x1 - x0) // step)), np.uint8)
        move = np.array((x0, y0), np.float64)
        for rod, pixels, scales in zip(self._rods, self._shadows, self._scales, strict=True):
            _fill(
                mask,
                _capsule(
                    (pixels - move) / step, rod.start_radius * scales[0] / step, rod.end_radius * scales[1] / step
                ),
                (255.0,) * 3,
            )
        for shape in held:
            cv2.fillConvexPoly(
                mask, ((shape.shadow - (move * 16).astype(np.int32)) // step).astype(np.int32), 255, cv2.LINE_AA, 4
            )
        sigma = max(1.0, self.light.softness * 2.2 * float(self.camera.scale_at(0, 0)) / step)
        soft = cv2.GaussianBlur(mask, (0, 0), sigma)
        strength = self.light.shadow * 0.85
        factor = cv2.bitwise_not(cv2.convertScaleAbs(soft, alpha=strength))
        factor = cv2.resize(factor, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        part = picture[y0:y1, x0:x1]
        cv2.multiply(part, cv2.merge((factor, factor, factor)), dst=part, scale=1 / 255)

    def _rod(self, picture: Pixels, rod: _Rod, pixels: Floats, scales: Floats, level: float) -> None:
        """Nested outlines from the dark edge to the bright ridge, which lies towards the lamp."""
        radii = np.array([rod.start_radius * scales[0], rod.end_radius * scales[1]])
        axis = pixels[1] - pixels[0]
        length = float(np.hypot(axis[0], axis[1])) or 1.0
        across = np.array([-axis[1], axis[0]]) / length
        towards = self.light.direction
        lean = float(across @ np.array([towards[0], -towards[1]])) * 0.35
        nests = int(np.clip(radii.max() * 0.35, 3, _NESTS))
        shares = 1 - np.arange(nests) / nests
        outline = _outline(pixels, radii)
        middles = np.repeat(pixels, _ARC, axis=0)
        spread = np.repeat(radii, _ARC)[:, None] * across * lean
        rings = middles + (outline - middles) * shares[:, None, None] + spread * (1 - shares)[:, None, None]
        fixed = np.rint(rings * 16).astype(np.int32)
        colour = np.array(rod.colour, np.float64) * np.array(self.light.colour) * level
        inks = np.minimum(colour * (0.62 + 0.46 * (1 - shares**2))[:, None], 255).tolist()
        for ring, ink in zip(fixed, inks, strict=True):
            cv2.fillConvexPoly(picture, ring, ink, cv2.LINE_AA, 4)
        for n in range(rod.folds):
            along = (n + 0.6) / rod.folds
            radius = radii[0] + (radii[1] - radii[0]) * along
            swing = across * radius * (0.9 if n % 2 else 0.6)
            middle = pixels[0] + axis * along
            start, end = middle - swing + axis / length * radius * 0.3, middle + swing * (0.2 if n % 2 else 0.7)
            ink = (colour * 0.7).tolist()
            cv2.line(picture, _point(start), _point(end), ink, max(1, round(float(radius) * 0.07)), cv2.LINE_AA, 4)


def _outline(pixels: Floats, radii: Floats) -> Floats:
    """Outline of a tapered rod with round ends: `_ARC` points around its start, as many around its end (px)."""
    axis = pixels[1] - pixels[0]
    length = float(np.hypot(axis[0], axis[1]))
    heading = float(np.arctan2(axis[1], axis[0]))
    slack = float(np.arccos(np.clip((radii[0] - radii[1]) / max(length, 1e-6), -1, 1)))
    angles = np.concatenate([heading + slack + _STEPS * 2 * (np.pi - slack), heading - slack + _STEPS * 2 * slack])
    middles, reach = np.repeat(pixels, _ARC, axis=0), np.repeat(radii, _ARC)[:, None]
    return np.asarray(middles + reach * np.stack([np.cos(angles), np.sin(angles)], axis=1), np.float64)


def _capsule(pixels: Floats, radius0: float, radius1: float) -> npt.NDArray[np.int32]:
    """The outline as fixed-point pixels."""
    return np.rint(_outline(pixels, np.array([radius0, radius1])) * 16).astype(np.int32)


def _fill(picture: Pixels, outline: npt.NDArray[np.int32], colour: tuple[float, ...]) -> None:
    cv2.fillConvexPoly(picture, outline, colour, cv2.LINE_AA, 4)


def _point(xy: Floats) -> tuple[int, int]:
    return round(float(xy[0]) * 16), round(float(xy[1]) * 16)
