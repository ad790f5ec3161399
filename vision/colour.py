"""Colours of things in a picture, and how alike they are to an eye under any lamp. CIE Lab, 8 bits a channel as OpenCV has it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[float, float, float]
_AROUND = 3
_GREY, _BLACK, _FAINT = 128.0, 20.0, 8.0
"""Where grey lies on both axes of hue; darker than the second and less far from grey than the third nothing has a hue to speak of."""
_OFFSET = 16 * 2.55


def colours(image: NDArray[np.uint8], points: NDArray[np.float32]) -> list[Colour]:
    """Of a picture (h, w, 3) BGR around each of the points (n, 2) px: the median of some pixels."""
    if not len(points):
        return []
    high, wide = image.shape[:2]
    around = np.arange(-_AROUND, _AROUND + 1)
    xs, ys = np.rint(points).astype(int).T
    columns = np.clip(xs[:, None] + around, 0, wide - 1)[:, None, :]
    rows = np.clip(ys[:, None] + around, 0, high - 1)[:, :, None]
    medians = np.median(image[rows, columns].reshape(len(points), -1, 3), axis=1)
    lab = cv2.cvtColor(medians[None].astype(np.uint8), cv2.COLOR_BGR2LAB)[0]
    return [(float(a), float(b), float(c)) for a, b, c in lab]


def median(some: Sequence[Colour]) -> Colour:
    """The usual one of at least one."""
    a, b, c = np.median(np.array(some), axis=0)
    return float(a), float(b), float(c)


def apart(one: Colour, two: Colour, brightness: float = 0.35) -> float:
    """How different two colours are; 0 is the same. Shadows and lamps change `brightness`, which counts so much less than hue and
    strength."""
    return float(np.linalg.norm((np.array(one) - np.array(two)) * (brightness, 1.0, 1.0)))


def hued(colour: Colour) -> bool:
    """Whether it is bright and strong enough for its hue to tell something: black, grey and white are told by brightness."""
    return colour[0] >= _BLACK and float(np.hypot(colour[1] - _GREY, colour[2] - _GREY)) >= _FAINT


def tinted(one: Colour, two: Colour) -> float:
    """How different the tints of two colours are in any light: hue and strength against brightness, which fade alike in a
    shadow (Lab is a cube root of light, and 16 of its 100 levels are not). 0 is the same, 0.5 red and green; also 0 when one is
    too dark to tell."""
    if min(one[0], two[0]) < _BLACK:
        return 0.0
    a, b = ((np.array(colour[1:]) - _GREY) / (colour[0] + _OFFSET) for colour in (one, two))
    return float(np.linalg.norm(a - b))
