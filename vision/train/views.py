"""Random views of labelled pictures: what the detector is trained on."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.train.augment import spoil
from vision.train.sample import Sample, warp

VIEW = 384
USUAL = 44.0
"""Length of a face in the pictures the detector is made for, pixels."""


def view(sample: Sample, rng: np.random.Generator, *, strength: float = 0.8) -> Sample | None:
    """A square of `VIEW` pixels around one of the sample's tiles, turned and scaled at random; None without tiles.

    Six of ten views are like a rectified picture (tiles straight, 44 px to a face), the others turned any way, 26 to 76 px.
    """
    if not sample.labels:
        return None
    label = sample.labels[int(rng.integers(len(sample.labels)))]
    centre = label.quad.mean(axis=0)
    length = float(np.linalg.norm(label.quad - np.roll(label.quad, 1, axis=0), axis=1).max())
    if length < 8:
        return None
    usual = rng.random() < 0.6
    goal = USUAL * float(np.exp(rng.normal(0, 0.09))) if usual else float(np.exp(rng.uniform(np.log(26), np.log(76))))
    scale = goal / length
    if scale > 2.2:
        return None
    edge = label.quad[1] - label.quad[0]
    straight = float(rng.integers(4)) * np.pi / 2 - float(np.arctan2(edge[1], edge[0])) + float(rng.normal(0, 0.05))
    turn = straight if usual else float(rng.uniform(0, 2 * np.pi))
    matrix = _placed(centre, scale, turn, rng.uniform(0.15, 0.85, 2) * VIEW)
    if rng.random() < 0.4:
        matrix = _tilt(rng) @ matrix
    seen = warp(sample, matrix, (VIEW, VIEW))
    if rng.random() < 0.5:  # the detector asks only for place and shape: a mirrored tile is a tile
        seen = warp(seen, np.array([[-1, 0, VIEW - 1], [0, 1, 0], [0, 0, 1]], np.float64), (VIEW, VIEW))
    return Sample(spoil(seen.image, rng, strength), seen.labels, seen.arm, seen.complete)


def _placed(centre: NDArray[np.float32], scale: float, turn: float, to: NDArray[np.float64]) -> NDArray[np.float64]:
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    return np.array(
        [[c, -s, to[0] - c * centre[0] + s * centre[1]], [s, c, to[1] - s * centre[0] - c * centre[1]], [0, 0, 1]],
        np.float64,
    )


def _tilt(rng: np.random.Generator) -> NDArray[np.float64]:
    corners = np.array([[0, 0], [VIEW, 0], [VIEW, VIEW], [0, VIEW]], np.float32)
    moved = corners + rng.normal(0, 0.05 * VIEW, (4, 2)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, moved), np.float64)
