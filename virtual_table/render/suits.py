"""Dots and bamboos drawn from geometry: where the marks of each rank stand and how one mark looks."""

from __future__ import annotations

from math import cos, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render.design import BambooKind, Bgr, PinKind

Pixels = npt.NDArray[np.uint8]
Point = tuple[float, float]

# Unit coordinates of the drawing area; colour letters: g green, b blue, r red.
PINS: dict[int, tuple[float, tuple[tuple[float, float, str], ...]]] = {
    1: (0.40, ((0.5, 0.5, "g"),)),
    2: (0.25, ((0.5, 0.24, "g"), (0.5, 0.76, "b"))),
    3: (0.2, ((0.22, 0.17, "b"), (0.5, 0.5, "r"), (0.78, 0.83, "g"))),
    4: (0.215, ((0.27, 0.23, "b"), (0.73, 0.23, "g"), (0.27, 0.77, "g"), (0.73, 0.77, "b"))),
    5: (0.19, ((0.23, 0.19, "b"), (0.77, 0.19, "g"), (0.5, 0.5, "r"), (0.23, 0.81, "g"), (0.77, 0.81, "b"))),
    6: (0.185, ((0.28, 0.16, "g"), (0.72, 0.16, "g"), (0.28, 0.56, "r"), (0.72, 0.56, "r"), (0.28, 0.84, "r"), (0.72, 0.84, "r"))),
    7: (
        0.15,
        ((0.19, 0.1, "g"), (0.5, 0.21, "g"), (0.81, 0.32, "g"), (0.3, 0.61, "r"), (0.7, 0.61, "r"), (0.3, 0.87, "r"), (0.7, 0.87, "r")),
    ),
    8: (0.16, tuple((x, y, "b") for y in (0.115, 0.37, 0.63, 0.885) for x in (0.29, 0.71))),
    9: (0.163, tuple((x, y, c) for y, c in ((0.16, "g"), (0.5, "r"), (0.84, "b")) for x in (0.18, 0.5, 0.82))),
}  # fmt: skip

# x, y, degrees from upright, colour; the first number is the stick's length in drawing heights.
BAMBOOS: dict[int, tuple[float, tuple[tuple[float, float, float, str], ...]]] = {
    2: (0.44, ((0.5, 0.25, 0, "g"), (0.5, 0.75, 0, "b"))),
    3: (0.44, ((0.5, 0.25, 0, "b"), (0.26, 0.75, 0, "g"), (0.74, 0.75, 0, "g"))),
    4: (0.44, ((0.26, 0.25, 0, "b"), (0.74, 0.25, 0, "g"), (0.26, 0.75, 0, "g"), (0.74, 0.75, 0, "b"))),
    5: (0.42, ((0.2, 0.25, 0, "g"), (0.8, 0.25, 0, "b"), (0.5, 0.5, 0, "r"), (0.2, 0.75, 0, "b"), (0.8, 0.75, 0, "g"))),
    6: (0.42, tuple((x, y, 0.0, c) for y, c in ((0.25, "g"), (0.75, "b")) for x in (0.18, 0.5, 0.82))),
    7: (0.3, ((0.5, 0.16, 0, "r"), *((x, y, 0.0, c) for y in (0.5, 0.84) for x, c in ((0.18, "g"), (0.5, "b"), (0.82, "g"))))),
    8: (0.4, ((0.1, 0.25, 0, "g"), (0.9, 0.25, 0, "g"), (0.36, 0.22, -38, "g"), (0.64, 0.22, 38, "g"),
              (0.1, 0.75, 0, "b"), (0.9, 0.75, 0, "b"), (0.36, 0.78, 38, "b"), (0.64, 0.78, -38, "b"))),
    9: (0.3, tuple((x, y, 0.0, c) for y in (0.16, 0.5, 0.84) for x, c in ((0.18, "g"), (0.5, "r"), (0.82, "b")))),
}  # fmt: skip

_SHIFT = 4


def draw_pin(canvas: Pixels, at: Point, radius: float, kind: PinKind, ink: Bgr, second: Bgr, paper: Bgr) -> None:
    """One dot of `radius` px around `at`; `second` is the ink of inner parts, `paper` shows between the parts."""
    disc = _disc(canvas, at)
    match kind:
        case "rings":
            for share, colour in ((1.0, ink), (0.8, paper), (0.62, ink), (0.42, paper), (0.24, second)):
                disc(radius * share, colour)
        case "ring":
            for share, colour in ((1.0, ink), (0.7, paper), (0.34, second)):
                disc(radius * share, colour)
        case "disc":
            disc(radius, ink)
            _petals(canvas, at, radius * 0.52, radius * 0.2, 6, paper)
            disc(radius * 0.22, paper)
            disc(radius * 0.12, second)
        case "flower":
            disc(radius, ink)
            disc(radius * 0.84, paper)
            _petals(canvas, at, radius * 0.45, radius * 0.27, 6, second)
            disc(radius * 0.2, paper)
        case "spokes":
            disc(radius, ink)
            disc(radius * 0.82, paper)
            _spokes(canvas, at, radius * 0.3, radius * 0.8, 8, ink, max(1.0, radius * 0.12))
            disc(radius * 0.38, second)
            disc(radius * 0.18, paper)
        case "dots":
            _petals(canvas, at, radius * 0.86, radius * 0.15, 12, ink)
            disc(radius * 0.62, ink)
            disc(radius * 0.42, paper)
            disc(radius * 0.28, second)
        case "solid":
            disc(radius, ink)
            disc(radius * 0.3, paper)
        case "wheel":
            disc(radius, ink)
            disc(radius * 0.9, paper)
            _petals(canvas, at, radius * 0.74, radius * 0.14, 14, ink)
            disc(radius * 0.56, second)
            disc(radius * 0.46, paper)
            _petals(canvas, at, radius * 0.26, radius * 0.14, 6, second)
            disc(radius * 0.1, ink)


def draw_bamboo(
    canvas: Pixels, at: Point, length: float, degrees: float, kind: BambooKind, ink: Bgr, paper: Bgr, width: float
) -> None:
    """One stick of `length` and `width` px around `at`, turned clockwise from upright."""
    stick = _Stick(canvas, at, length, degrees)
    w = width
    match kind:
        case "bone":
            stick.line(-0.42, 0.42, w * 0.62, ink)
            for y in (-0.42, 0.0, 0.42):
                stick.cross(y, w * 1.0, w * 0.42, ink)
            stick.line(-0.3, -0.12, w * 0.2, paper)
            stick.line(0.12, 0.3, w * 0.2, paper)
        case "capsule":
            stick.line(-0.4, 0.4, w * 0.95, ink)
            stick.line(-0.34, 0.34, w * 0.4, paper)
        case "joints":
            stick.line(-0.38, -0.12, w * 0.9, ink)
            stick.line(0.12, 0.38, w * 0.9, ink)
            stick.line(-0.1, 0.1, w * 0.5, ink)
            stick.line(-0.32, -0.16, w * 0.22, paper)
            stick.line(0.16, 0.32, w * 0.22, paper)
        case "double":
            for side in (-0.28, 0.28):
                stick.line(-0.42, 0.42, w * 0.34, ink, side * w)
            for y in (-0.42, 0.0, 0.42):
                stick.cross(y, w * 1.05, w * 0.3, ink)
        case "plain":
            stick.line(-0.44, 0.44, w * 0.75, ink)
            stick.cross(0.0, w * 0.8, w * 0.24, paper)
        case "leaf":
            stick.line(-0.42, 0.42, w * 0.5, ink)
            for y in (-0.26, 0.26):
                stick.line(y - 0.12, y + 0.12, w * 1.0, ink)
                stick.line(y - 0.06, y + 0.06, w * 0.3, paper)


def draw_bird(canvas: Pixels, box: tuple[float, float, float, float], inks: tuple[Bgr, Bgr, Bgr], seed: int) -> None:
    """A bird for the first bamboo, different for each seed. `box` is x, y, width, height in px; inks: body, tail, accent."""
    rng = np.random.default_rng([seed, 77])
    x, y, w, h = box
    body_ink, tail_ink, accent = inks
    flip = -1 if rng.random() < 0.5 else 1

    def at(u: float, v: float) -> Point:
        return x + w * (0.5 + flip * (u - 0.5)), y + h * v

    chest = (0.5 + rng.uniform(-0.08, 0.08), rng.uniform(0.45, 0.62))
    feathers = int(rng.integers(4, 10))
    upright = rng.random() < 0.6
    spread = rng.uniform(0.5, 1.2)
    middle = rng.uniform(-0.5, 0.5) if upright else rng.uniform(1.6, 2.5)
    reach = rng.uniform(0.36, 0.5)
    for n in range(feathers):
        angle = middle + (n / (feathers - 1) - 0.5) * spread * 1.6
        tip = (chest[0] + sin(angle) * reach * 0.95, chest[1] - cos(angle) * reach)
        _line(canvas, at(*chest), at(*tip), max(2.0, w * rng.uniform(0.025, 0.05)), tail_ink)
        _disc(canvas, at(*tip))(w * rng.uniform(0.035, 0.07), accent if n % 2 else tail_ink)
    size = rng.uniform(0.13, 0.2)
    _ellipse(canvas, at(*chest), (w * size, h * size * 1.1), float(rng.uniform(-30, 30)), body_ink)
    head = (chest[0] - 0.2 - rng.uniform(0, 0.1), chest[1] - rng.uniform(0.14, 0.26))
    _line(canvas, at(*chest), at(*head), w * rng.uniform(0.07, 0.12), body_ink)
    _disc(canvas, at(*head))(w * rng.uniform(0.06, 0.09), accent if rng.random() < 0.4 else body_ink)
    _line(canvas, at(*head), at(head[0] - 0.14, head[1] + 0.03), max(2.0, w * 0.03), accent)
    for leg in (-0.07, 0.07):
        foot = (chest[0] + leg + 0.03, min(0.97, chest[1] + rng.uniform(0.26, 0.4)))
        _line(canvas, at(chest[0] + leg, chest[1] + 0.1), at(*foot), max(2.0, w * 0.03), accent)
        _line(canvas, at(foot[0] - 0.07, foot[1]), at(foot[0] + 0.05, foot[1]), max(2.0, w * 0.03), accent)
    for row in range(int(rng.integers(1, 4))):
        _ellipse(canvas, at(chest[0] + 0.03, chest[1] - 0.05 + row * 0.06), (w * 0.08, h * 0.02), 20.0, (235, 240, 240))


def _fixed(value: float) -> int:
    return round(value * (1 << _SHIFT))


class _disc:  # noqa: N801  (reads as a verb: disc(radius, ink))
    def __init__(self, canvas: Pixels, at: Point) -> None:
        self.canvas, self.at = canvas, at

    def __call__(self, radius: float, ink: Bgr) -> None:
        centre = (_fixed(self.at[0]), _fixed(self.at[1]))
        cv2.circle(self.canvas, centre, max(1, _fixed(radius)), ink, -1, cv2.LINE_AA, _SHIFT)


def _ellipse(canvas: Pixels, at: Point, axes: Point, degrees: float, ink: Bgr) -> None:
    outline = cv2.ellipse2Poly(
        (_fixed(at[0]), _fixed(at[1])), (_fixed(axes[0]), _fixed(axes[1])), round(degrees), 0, 360, 12
    )
    cv2.fillPoly(canvas, [np.array(outline)], ink, cv2.LINE_AA, _SHIFT)


def _line(canvas: Pixels, start: Point, end: Point, width: float, ink: Bgr) -> None:
    a, b = (_fixed(start[0]), _fixed(start[1])), (_fixed(end[0]), _fixed(end[1]))
    cv2.line(canvas, a, b, ink, max(1, round(width)), cv2.LINE_AA, _SHIFT)


def _petals(canvas: Pixels, at: Point, reach: float, radius: float, count: int, ink: Bgr) -> None:
    for n in range(count):
        angle = 2 * pi * n / count
        _disc(canvas, (at[0] + reach * cos(angle), at[1] + reach * sin(angle)))(radius, ink)


def _spokes(canvas: Pixels, at: Point, inner: float, outer: float, count: int, ink: Bgr, width: float) -> None:
    for n in range(count):
        c, s = cos(2 * pi * n / count), sin(2 * pi * n / count)
        _line(canvas, (at[0] + inner * c, at[1] + inner * s), (at[0] + outer * c, at[1] + outer * s), width, ink)


class _Stick:
    """Draws along and across an axis: positions along it from -0.5 to 0.5 of the length."""

    def __init__(self, canvas: Pixels, at: Point, length: float, degrees: float) -> None:
        self.canvas, self.at, self.length = canvas, at, length
        self.c, self.s = cos(degrees * pi / 180), sin(degrees * pi / 180)

    def point(self, along: float, across: float = 0.0) -> Point:
        y, x = along * self.length, across
        return self.at[0] + x * self.c - y * self.s, self.at[1] + x * self.s + y * self.c

    def line(self, start: float, end: float, width: float, ink: Bgr, across: float = 0.0) -> None:
        _line(self.canvas, self.point(start, across), self.point(end, across), width, ink)

    def cross(self, along: float, width: float, thick: float, ink: Bgr) -> None:
        reach = max(0.0, (width - thick) / 2)
        _line(self.canvas, self.point(along, -reach), self.point(along, reach), thick, ink)
