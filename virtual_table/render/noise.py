"""Noise made once: a tile of white noise and one of soft clouds, cut and scaled wherever a surface or a sensor needs some."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]
_SIDE = 1024


@cache
def white() -> Floats32:
    """Standard normal noise, 1024x1024."""
    return np.random.default_rng(20240501).standard_normal((_SIDE, _SIDE)).astype(np.float32)


@cache
def clouds() -> Floats32:
    """Smooth noise of several sizes, about -1..1, 1024x1024, seamless."""
    rng = np.random.default_rng(20240502)
    total = np.zeros((_SIDE, _SIDE), np.float32)
    for cells, weight in ((4, 1.0), (9, 0.6), (23, 0.35), (60, 0.2)):
        grid = rng.standard_normal((cells, cells)).astype(np.float32)
        wrapped = np.pad(grid, 2, mode="wrap")
        scale = _SIDE / cells
        large = cv2.resize(wrapped, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        start = round(2 * scale)
        total += weight * large[start : start + _SIDE, start : start + _SIDE]
    return np.asarray(total / np.abs(total).max() * 1.4, np.float32)


def cut(source: Floats32, shape: tuple[int, int], rng: np.random.Generator, zoom: float = 1.0) -> Floats32:
    """A random piece of `shape` (rows, columns), enlarged by `zoom`, repeated when the source is smaller."""
    rows, columns = max(1, round(shape[0] / zoom)), max(1, round(shape[1] / zoom))
    top, left = int(rng.integers(_SIDE)), int(rng.integers(_SIDE))
    piece = source.take(range(top, top + rows), axis=0, mode="wrap").take(
        range(left, left + columns), axis=1, mode="wrap"
    )
    if piece.shape != shape:
        piece = np.asarray(cv2.resize(piece, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)
    return np.ascontiguousarray(piece, np.float32)
