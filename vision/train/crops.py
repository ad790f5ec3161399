"""Crops for the reader's training, cut out of labelled pictures with the errors a detector makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import Tile
from vision.crop import cut
from vision.labels import BLANK, FACE, INDEX, NONE, TOP
from vision.train.sample import Label, Picture, Sample

UNTOLD = -1
"""Turn of a crop of which nobody knows which side is up."""


@dataclass(frozen=True, slots=True)
class Crop:
    image: Picture
    kind: int
    turn: int


def crops(sample: Sample, rng: np.random.Generator, *, most: int = 60, hidden: float = 0.8) -> Iterator[Crop]:
    """Crops of up to `most` tiles of the sample, and a few of what is none. Tiles that are partly covered are left out."""
    labels = [
        t
        for t in sample.labels
        if t.visible >= hidden and not t.axis_box and t.what != TOP and _inside(t, sample.image)
    ]
    faces = [t for t in labels if t.what == FACE]
    backs = [t for t in labels if t.what != FACE]
    rng.shuffle(faces)
    rng.shuffle(backs)
    chosen = faces[:most] + backs[: max(2, most // 12)]
    for label in chosen:
        roll = int(rng.integers(4))
        quad = np.roll(shaken(label.quad, rng), roll, axis=0)
        turn = (roll if label.upright else UNTOLD) if label.what == FACE else UNTOLD
        yield Crop(cut(sample.image, quad[None])[0], INDEX[Tile(label.code)], turn)
    for label in faces[: max(2, len(faces[:most]) // 10)]:
        if label.code != BLANK:
            yield Crop(cut(sample.image, misfit(label.quad, rng)[None])[0], INDEX[NONE], UNTOLD)
    if sample.complete:
        for _ in range(max(2, len(chosen) // 8)):
            empty = _nothing(sample, rng)
            if empty is not None:
                yield Crop(cut(sample.image, empty[None])[0], INDEX[NONE], UNTOLD)


def shaken(quad: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """The quad as a detector might give it: shifted, scaled and bent by some hundredths of its size."""
    centre = quad.mean(axis=0)
    size = float(np.linalg.norm(quad - centre, axis=1).mean())
    grown = (quad - centre) * float(np.exp(rng.normal(0.02, 0.05))) + centre
    moved = grown + rng.normal(0, 0.03 * size, 2) + rng.normal(0, 0.03 * size, (4, 2))
    return np.asarray(moved, np.float32)


def misfit(quad: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """A quad (4, 2) of the wrong size, as a detector finds them in a picture of the wrong scale: a tile and its neighbour, half a
    tile, several, or a part."""
    along, across = quad[1] - quad[0], quad[3] - quad[0]
    if rng.random() < 0.5:
        along, across = across, along
    origin = quad[0]
    match int(rng.integers(4)):
        case 0:
            low, high, wide = 0.0, float(rng.uniform(1.8, 2.2)), (0.0, 1.0)
        case 1:
            low = float(rng.choice((0.0, 0.5)))
            high, wide = low + 0.5, (0.0, 1.0)
        case 2:
            grown = float(rng.uniform(1.6, 2.4))
            low, high, wide = 0.0, grown, (0.0, grown)
        case _:
            part = float(rng.uniform(0.4, 0.6))
            low, high = (float(v) for v in np.array([0, part]) + rng.uniform(0, 1 - part))
            wide = (0.0, part) if rng.random() < 0.5 else (1 - part, 1.0)
    if rng.random() < 0.5:
        low, high = 1 - high, 1 - low
    ends = ((low, wide[0]), (high, wide[0]), (high, wide[1]), (low, wide[1]))
    made = np.array([origin + a * along + b * across for a, b in ends], np.float32)
    edges = made - np.roll(made, 1, axis=0)
    turn = float(edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    return shaken(made if turn > 0 else made[::-1].copy(), rng)


def _inside(label: Label, image: Picture) -> bool:
    high, wide = image.shape[:2]
    return bool(
        (label.quad >= -2).all() and (label.quad[:, 0] <= wide + 1).all() and (label.quad[:, 1] <= high + 1).all()
    )


def _nothing(sample: Sample, rng: np.random.Generator) -> NDArray[np.float32] | None:
    """A quad of a tile's size that no tile fills: half beside one, or anywhere on the cloth."""
    if not sample.labels:
        return None
    model = sample.labels[int(rng.integers(len(sample.labels)))].quad
    size = float(np.linalg.norm(model[0] - model[2]))
    if rng.random() < 0.6:
        way = rng.uniform(0, 2 * np.pi)
        quad = model + size * float(rng.uniform(0.35, 0.8)) * np.array([np.cos(way), np.sin(way)])
    else:
        high, wide = sample.image.shape[:2]
        quad = (
            model
            - model.mean(axis=0)
            + rng.uniform([size, size], [max(wide - size, size + 1), max(high - size, size + 1)])
        )
    for label in sample.labels:
        if label.visible > 0.15 and np.linalg.norm(label.quad.mean(axis=0) - quad.mean(axis=0)) < 0.3 * size:
            return None
    return np.asarray(quad, np.float32)


def single(photo: Sample, rng: np.random.Generator) -> Crop:
    """A crop of a picture that one upright tile fills, put on cloth of some colour at some size."""
    label = photo.labels[0]
    high, wide = photo.image.shape[:2]
    small = int(rng.integers(18, 64))
    body = cv2.resize(
        photo.image, (round(small * wide / high) if wide < high else small, small), interpolation=cv2.INTER_AREA
    )
    pad = small
    ground = np.empty((body.shape[0] + 2 * pad, body.shape[1] + 2 * pad, 3), np.uint8)
    ground[:] = rng.integers(0, 256, 3)
    ground[pad:-pad, pad:-pad] = body
    if rng.random() < 0.5:  # neighbours that touch
        ground[pad:-pad, : pad - 1] = body[:, -1:] if body.shape[1] < pad else body[:, -(pad - 1) :][:, : pad - 1]
    corners = label.quad * [body.shape[1] / wide, body.shape[0] / high] + pad - 0.5
    roll = int(rng.integers(4))
    quad = np.roll(shaken(corners.astype(np.float32), rng), roll, axis=0)
    return Crop(cut(ground, quad[None])[0], INDEX[Tile(label.code)], roll)
