"""What the detector takes for tiles where none lie, for the reader to learn as none: `python -m vision.train.ghosts ghosts.npz
--scenes FOLDER --count N`. Blotches of patterned cloths above all."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from vision.crop import cut
from vision.detect import Detector
from vision.labels import INDEX, NONE, TOP
from vision.train import sample
from vision.train.crops import UNTOLD, Crop, shaken
from vision.train.sample import Picture, Sample

log = logging.getLogger("train")
_FLOOR = 0.15
_APART, _SHOWN = 0.6, 0.1
"""A find further from every tile that shows so much than this share of its own size is a ghost."""
_TURNS = 2
"""Crops of each ghost, each shaken anew."""
_PLAIN = 8.0
"""Crops of less contrast (standard deviation, grey levels) are left out: a white dragon may be as plain."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path, required=True, help="scenes that vision.train.scenes made")
    parser.add_argument("--count", type=int, default=600, help="scenes to look at")
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cv2.setNumThreads(1)
    rng = np.random.default_rng(told.seed)
    names = sorted(told.scenes.glob("*.json"))
    detector, crops = Detector(), list[Picture]()
    for name in track([names[n] for n in rng.permutation(len(names))[: told.count]], "scenes"):
        one = sample.load(name.with_suffix(".jpg"))
        if one.complete:
            quads = ghosts(one, detector)
            made = [crop for _ in range(_TURNS if len(quads) else 0) for crop in cut(one.image, shook(quads, rng))]
            crops += [crop for crop in made if cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).std() > _PLAIN]
    np.savez_compressed(told.out, crops=np.array(crops, np.uint8))
    log.info("%s: %d crops of what is no tile", told.out, len(crops))


def ghosts(one: Sample, detector: Detector) -> NDArray[np.float32]:
    """Quads (n, 4, 2) of finds like a face or a back that lie on no tile."""
    found = detector.find(one.image, floor=_FLOOR)
    found = found.only(np.asarray(found.what != TOP))
    tiles = np.array([t.quad.mean(axis=0) for t in one.labels if t.visible > _SHOWN], np.float32).reshape(-1, 2)
    size = np.linalg.norm(found.corners[:, 0] - found.corners[:, 2], axis=1)
    apart = np.linalg.norm(found.corners.mean(axis=1)[:, None] - tiles[None], axis=2)
    return np.asarray(found.corners[(apart > _APART * size[:, None]).all(axis=1)], np.float32)


def shook(quads: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    return np.stack([np.roll(shaken(quad, rng), int(rng.integers(4)), axis=0) for quad in quads])


def load(path: Path) -> list[Crop]:
    """The crops as the reader's training takes them."""
    with np.load(path) as said:
        return [Crop(crop, INDEX[NONE], UNTOLD) for crop in said["crops"]]


if __name__ == "__main__":
    main()
