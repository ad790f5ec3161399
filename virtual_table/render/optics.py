"""What lens, sensor and encoder do to a picture: dim light, glare, blur, noise, JPEG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render import noise

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Glare:
    """A bright spot: middle and radius in shares of the picture's width, strength 0..1."""

    x: float
    y: float
    radius: float
    strength: float


@dataclass(frozen=True, slots=True)
class Optics:
    """Sensor noise in grey levels, exposure factor, Gaussian blur in px, vignette 0..1 (darkening of the corners)."""

    noise: float = 1.5
    exposure: float = 1.0
    blur: float = 0.0
    vignette: float = 0.0
    glares: tuple[Glare, ...] = ()


def lens_field(optics: Optics, width: int, height: int) -> npt.NDArray[np.float32] | None:
    """The vignette as a factor per pixel, None when there is none. Shape height x width x 1."""
    if optics.vignette <= 0:
        return None
    x = (np.arange(width, dtype=np.float32) / width - 0.5) * 2
    y = (np.arange(height, dtype=np.float32) / height - 0.5) * 2
    return np.asarray((1 - optics.vignette * 0.5 * (x[None, :] ** 2 + y[:, None] ** 2))[..., None], np.float32)


def add_glare(picture: Pixels, glares: Sequence[Glare]) -> None:
    """Brightens soft spots in place."""
    height, width = picture.shape[:2]
    for glare in glares:
        radius = glare.radius * width
        cx, cy = glare.x * width, glare.y * height
        x0, y0 = max(0, int(cx - 2 * radius)), max(0, int(cy - 2 * radius))
        x1, y1 = min(width, int(cx + 2 * radius)), min(height, int(cy + 2 * radius))
        if x1 <= x0 or y1 <= y0:
            continue
        x = (np.arange(x0, x1, dtype=np.float32) - cx) / radius
        y = (np.arange(y0, y1, dtype=np.float32) - cy) / radius
        spot = np.exp(-(x[None, :] ** 2)) * np.exp(-(y[:, None] ** 2)) * (200 * glare.strength)
        add = spot.astype(np.uint8)
        part = picture[y0:y1, x0:x1]
        cv2.add(part, cv2.merge((add, add, add)), dst=part)


def expose(picture: Pixels, factor: float) -> Pixels:
    """Brighter or darker; the curve of a camera is kept by working on a table of 256 levels."""
    if factor == 1.0:
        return picture
    table = np.clip(np.arange(256) * factor, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(picture, table), np.uint8)


def jpeg(picture: Pixels, quality: int) -> Pixels:
    """There and back through JPEG."""
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


@cache
def _bank(level_tenths: int) -> tuple[Pixels, Pixels]:
    """Positive and negative part of coloured noise, 1024 x 3072 bytes each (three channels side by side)."""
    base = noise.white()
    colour = np.stack([base, np.roll(base, 331, 1), np.roll(base, 677, 0)], axis=2)
    grey = np.roll(base, (101, 57), (0, 1))[..., None]
    grain = (0.75 * grey + 0.65 * colour) * (level_tenths / 10)
    rounded = np.rint(grain)
    return np.clip(rounded, 0, 255).astype(np.uint8), np.clip(-rounded, 0, 255).astype(np.uint8)


def add_noise(picture: Pixels, level: float, seed: int) -> None:
    """Adds sensor noise of `level` grey levels in place; the same seed adds the same noise."""
    tenths = round(level * 10)
    if tenths <= 0:
        return
    plus, minus = _bank(tenths)
    rng = np.random.default_rng([seed, 5])
    height, width = picture.shape[:2]
    side = 1024 - 256
    for top in range(0, height, side):
        for left in range(0, width, side):
            part = picture[top : top + side, left : left + side]
            dy, dx = int(rng.integers(256)), int(rng.integers(256))
            rows, columns = part.shape[:2]
            cv2.add(part, plus[dy : dy + rows, dx : dx + columns], dst=part)
            cv2.subtract(part, minus[dy : dy + rows, dx : dx + columns], dst=part)
