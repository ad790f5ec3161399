"""Figures of the nets in `vision/models` on pictures no training saw: `python -m vision.train.evaluate --data SHARED_DATA`.

Rendered scenes of seeds that training never uses, and the licensed photographs kept apart by `photos.held_out`.
Prints one JSON line a set: detector recall and false tiles, reader accuracy with true quads, and how confidence holds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import USUAL_PX, Detector
from vision.labels import FACE, INDEX
from vision.read import Reader
from vision.train import crops, photos, scenes
from vision.train.sample import Sample

_KEPT_APART = 900_000_000
"""Seeds of rendered scenes from here on are for evaluation."""


def reader_figures(reader: Reader, samples: Iterable[Sample], seed: int = 0) -> dict[str, float]:
    """Faces cut with a detector's usual error: share read right, and of those above 0.8 confidence; share above."""
    rng = np.random.default_rng(seed)
    right, shares = [], []
    for sample in samples:
        tiles = [t for t in sample.labels if t.what == FACE and t.visible > 0.85 and not t.axis_box and t.code in INDEX]
        if not tiles:
            continue
        quads = np.stack([crops.shaken(t.quad, rng) for t in tiles])
        for tile, reading in zip(tiles, reader.read(sample.image, quads, sure=0.0), strict=True):
            right.append(reading.code == tile.code)
            shares.append(reading.confidence)
    return confidence_figures(np.array(right), np.array(shares))


def confidence_figures(right: NDArray[np.bool_], confidence: NDArray[np.float64]) -> dict[str, float]:
    """Share of readings (n,) that are right, of those above 0.8 confidence, and by how much confidence is off: the mean gap
    between it and the share that is right, over ten equal steps of confidence."""
    sure = confidence >= 0.8
    step = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs(float(confidence[step == n].sum() - right[step == n].sum())) for n in range(10)]
    return {
        "faces": len(right),
        "right": round(float(right.mean()), 4),
        "sure": round(float(sure.mean()), 4),
        "right_when_sure": round(float(right[sure].mean()), 4) if sure.any() else 0.0,
        "confidence_off": round(sum(gaps) / len(right), 4),
    }


def detector_figures(detector: Detector, samples: Iterable[Sample]) -> dict[str, float]:
    """Each picture scaled to the usual size of a tile. A label is found when a detection of its sort lies within a quarter of its size."""
    wanted = found = false = 0
    gaps: list[float] = []
    for sample in samples:
        tiles = [t for t in sample.labels if not t.axis_box]
        if not tiles:
            continue
        lengths = [float(np.linalg.norm(t.quad - np.roll(t.quad, 1, axis=0), axis=1).max()) for t in tiles]
        scale = USUAL_PX / float(np.median(lengths))
        image = cv2.resize(sample.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        seen = detector.find(np.asarray(image, np.uint8))
        used: set[int] = set()
        for tile, length in zip(tiles, lengths, strict=True):
            hit = _nearest(seen.corners, seen.what == tile.what, tile.quad * scale, used)
            if hit is not None and hit[1] < 0.25 * length * scale:
                used.add(hit[0])
                gaps.append(hit[1] / (length * scale))
                found += tile.visible > 0.6
            wanted += tile.visible > 0.6
        false += len(seen) - len(used) if sample.complete else 0
    return {
        "tiles": wanted,
        "found": round(found / max(wanted, 1), 4),
        "false_per_tile": round(false / max(wanted, 1), 4),
        "off_in_lengths": round(float(np.median(gaps)), 4) if gaps else 0.0,
    }


def _nearest(
    corners: NDArray[np.float32], alike: NDArray[np.bool_], quad: NDArray[np.float32], used: set[int]
) -> tuple[int, float] | None:
    far = np.linalg.norm(corners.mean(axis=1) - quad.mean(axis=0), axis=1)
    far[~alike] = np.inf
    if used:
        far[list(used)] = np.inf
    if not len(far) or not np.isfinite(far).any():
        return None
    best = int(far.argmin())
    return best, float(far[best])


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--scenes", type=int, default=24)
    ask.add_argument("--models", type=Path, default=Path(__file__).parents[1] / "models")
    told = ask.parse_args()
    cv2.setNumThreads(1)
    detector = Detector(folder=told.models)
    reader = Reader(folder=told.models)
    tables = [scenes.table(_KEPT_APART + n) for n in range(told.scenes)]
    others = [scenes.anything(_KEPT_APART + n) for n in range(told.scenes)]
    real = [photo.load() for photo in photos.scenes(told.data, evaluation=True)]
    single = [photo.load() for photo in photos.singles(told.data, evaluation=True)]
    for name, samples in (("tables", tables), ("anything", others), ("photographs", real)):
        line = {"set": name, **detector_figures(detector, samples), **reader_figures(reader, samples)}
        sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.write(json.dumps({"set": "single tiles", **reader_figures(reader, single)}) + "\n")


if __name__ == "__main__":
    main()
