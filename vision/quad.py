"""Quads of tile faces, and the code a net can learn them by.

A quad is a parallelogram: centre and two half-diagonals, taken as complex numbers d1, d2. Which corner comes first has no
meaning in a picture, so the net predicts what does not depend on it: S, the mean of |d1|² and |d2|²; (d1² + d2²) / S; and
d1² · d2² / S². Nothing in it jumps when a tile turns, and the diagonals are the roots of a quadratic again.
Arrays: corners are (n, 4, 2) in picture pixels, clockwise as seen (y down); codes are (n, 5): log √S, then the real and
imaginary parts of both numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def encode(corners: Floats) -> tuple[Floats, Floats]:
    """Corners (n, 4, 2) → centres (n, 2) and codes (n, 5)."""
    flat = corners.astype(np.float64)
    centres = flat.mean(axis=1)
    half = (flat[:, :2] - flat[:, 2:]) / 2
    d1, d2 = half[:, 0, 0] + 1j * half[:, 0, 1], half[:, 1, 0] + 1j * half[:, 1, 1]
    size = np.maximum((np.abs(d1) ** 2 + np.abs(d2) ** 2) / 2, 1e-6)
    total, product = (d1**2 + d2**2) / size, d1**2 * d2**2 / size**2
    codes = np.stack([0.5 * np.log(size), total.real, total.imag, product.real, product.imag], axis=1)
    return centres.astype(np.float32), codes.astype(np.float32)


def decode(centres: Floats, codes: Floats) -> Floats:
    """Centres (n, 2) and codes (n, 5) → corners (n, 4, 2), clockwise as seen from an arbitrary first one."""
    numbers = codes.astype(np.float64)
    size = np.exp(2 * np.clip(numbers[:, 0], -2, 8))
    total, product = numbers[:, 1] + 1j * numbers[:, 2], numbers[:, 3] + 1j * numbers[:, 4]
    root = np.sqrt(total**2 - 4 * product)
    d1 = np.sqrt((total + root) / 2 * size)
    d2 = np.sqrt((total - root) / 2 * size)
    d2 = np.where((d1.conj() * d2).imag < 0, -d2, d2)  # y runs down: a positive turn is clockwise as seen
    around = np.stack([d1, d2, -d1, -d2], axis=1)
    return np.asarray(centres[:, None, :] + np.stack([around.real, around.imag], axis=2), np.float32)


def upright(corners: Floats, up: Floats) -> Floats:
    """Turns the order of corners so that the first edge is a short one and lies, as well as it can, towards `up` (n, 2).

    Of the two short edges the one further along `up` comes first. Corners (n, 4, 2) in a metric picture, where short and
    long mean something.
    """
    edge = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    across = (edge[:, 0] + edge[:, 2] > edge[:, 1] + edge[:, 3]).astype(np.int64)
    middle = (corners + np.roll(corners, -1, axis=1)) / 2 - corners.mean(axis=1, keepdims=True)
    rise = np.einsum("nij,nj->ni", middle, up.astype(np.float32))
    rows = np.arange(len(corners))
    first = np.where(rise[rows, across] >= rise[rows, across + 2], across, across + 2)
    return np.asarray(corners[rows[:, None], (first[:, None] + np.arange(4)) % 4], np.float32)


def angle_deg(corners: Floats) -> Floats:
    """Turn of each quad's up direction (middle of the first edge) from picture-up, counter-clockwise, -180..180. (n,)"""
    up = (corners[:, 0] + corners[:, 1]) / 2 - corners.mean(axis=1)
    return np.asarray(np.degrees(np.arctan2(-up[:, 0], -up[:, 1])), np.float32)


def area(corners: Floats) -> Floats:
    """Area of each quad, square pixels. (n,)"""
    a, b = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    return np.asarray(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2, np.float32)


def sides(corners: Floats) -> tuple[Floats, Floats]:
    """Mean lengths of the first and third, and of the second and fourth edge. Two (n,)"""
    edge = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    return (edge[:, 0] + edge[:, 2]) / 2, (edge[:, 1] + edge[:, 3]) / 2


def inside(corners: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points (m, 2) lie in which quads (n, 4, 2). (n, m)"""
    edge, off = np.roll(corners, -1, axis=1) - corners, points[None, :, None] - corners[:, None]
    return np.asarray((edge[:, None, :, 0] * off[..., 1] > edge[:, None, :, 1] * off[..., 0]).all(axis=2))
