"""What happens to a picture between the tile and the file: light, colour, blur, noise, compression. All seeded by `rng`."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.train.sample import Picture

Floats = NDArray[np.float32]
_DRAWS, _LEFT = 6, 0.35
"""How often light is drawn anew, and what share of a crop's ink it has to leave."""


def spoil(image: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """One random draw of everything below; `strength` 0 changes nothing."""
    out = image.astype(np.float32)
    if rng.random() < 0.8 * strength:
        out = _light(out, rng)
    if rng.random() < 0.35 * strength:
        out = _glare(out, rng)
    if rng.random() < 0.4 * strength:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.4, 1.4))), np.float32)
    if rng.random() < 0.15 * strength:
        out = _motion(out, rng)
    if rng.random() < 0.5 * strength:
        out += rng.normal(0, rng.uniform(1, 10), out.shape).astype(np.float32)
    clipped = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < 0.4 * strength:
        _, data = cv2.imencode(".jpg", clipped, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))])
        clipped = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return clipped


def legibly(crop: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """`spoil` for a crop whose face stays to be made out: light that leaves next to nothing of its ink is drawn anew."""
    ink = _ink(crop)
    for _ in range(_DRAWS):
        spoilt = spoil(crop, rng, strength)
        if _ink(spoilt) >= _LEFT * ink:
            return spoilt
    return crop


def _ink(crop: Picture) -> float:
    """How much the middle of a crop varies, in grey levels, without its noise."""
    high, wide = crop.shape[:2]
    inside = crop[high // 5 : -high // 5, wide // 5 : -wide // 5]
    return float(cv2.GaussianBlur(inside, (0, 0), 1.0).std(axis=(0, 1)).max())


def _light(image: Floats, rng: np.random.Generator) -> Floats:
    gamma, gain = float(np.exp(rng.normal(0, 0.25))), float(np.exp(rng.normal(0, 0.2)))
    cast = np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    lifted = (np.clip(image, 0, 255) / 255) ** gamma * gain * cast
    if rng.random() < 0.3:
        grey = lifted.mean(axis=2, keepdims=True)
        lifted = grey + (lifted - grey) * float(rng.uniform(0.3, 1.4))
    black = float(rng.uniform(0, 0.12))
    return np.asarray((lifted * (1 - black) + black) * 255, np.float32)


def _glare(image: Floats, rng: np.random.Generator) -> Floats:
    high, wide = image.shape[:2]
    ys, xs = np.mgrid[0:high, 0:wide].astype(np.float32)
    cx, cy, spread = rng.uniform(0, wide), rng.uniform(0, high), rng.uniform(0.15, 0.8) * max(high, wide)
    veil = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * spread**2))[..., None]
    return np.asarray(image + veil * float(rng.uniform(-90, 110)), np.float32)


def _motion(image: Floats, rng: np.random.Generator) -> Floats:
    size = int(rng.integers(3, 6))
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    half = size / 2 - 0.5
    tip = (round(float(half + half * np.cos(angle))), round(float(half + half * np.sin(angle))))
    cv2.line(kernel, (size - 1 - tip[0], size - 1 - tip[1]), tip, 1.0)
    return np.asarray(cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1.0)), np.float32)
