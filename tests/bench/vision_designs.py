"""How well tile sets that nobody has made are read: `python tests/bench/vision_designs.py letters.npz [--designs N]`. JSON lines.

Faces are painted in fonts that no training saw (`vision.train.letters` writes the file and keeps them apart), bent, shaded and a
little spoilt. Each design has its own font, inks, drawings and body, and eight flowers of its own.
- net alone: every face three times, at 30 to 64 px. `as a set holds them`: each kind counts as often
  as a set of 144 holds it
- enrolled: the same after the whole set was laid out once, as `jantaku enrol` has it: four of each kind, one of each flower
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from table_engine.wire.tiles import BACK, FLOWERS, KINDS, UNKNOWN, Tile
from vision.enrol import learnt, shown_by
from vision.labels import NONE
from vision.read import Reader, Reading
from vision.train import letters
from vision.train.augment import legibly
from vision.train.faces import Painter, Set

FACES = (*KINDS, *FLOWERS)
HOLDS = {tile: 1 if tile in FLOWERS else 4 for tile in FACES}
ASKED = 3
LEAST_PX = 30
"""What docs/hardware.md asks of a camera."""
FIRST = 9_000
"""Designs are drawn from seeds no training begins with."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("letters", type=Path)
    parser.add_argument("--designs", type=int, default=32)
    parser.add_argument("--models", type=Path, help="folder with the nets; the shipped ones when not told")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    painter = Painter(letters.learn(options.letters, evaluation=True), only=True)
    reader = Reader(folder=options.models)
    told: dict[str, list[list[Reading]]] = {"net alone": [], "enrolled": []}
    for number in track(range(options.designs), "designs", console=Console(stderr=True)):
        rng = np.random.default_rng(FIRST + number)
        made = painter.set(rng)
        lesson = [(tile, *shown(made, tile, 0.4, rng)) for tile in FACES for _ in range(HOLDS[tile])]
        exam = [shown(made, tile, 0.6, rng) for tile in FACES for _ in range(ASKED)]
        told["net alone"].append([reader.read(*one)[0] for one in exam])
        examples = [one for n, (_, *where) in enumerate(lesson) for one in shown_by(reader, n, *where)]
        named = [tile for tile, *_ in lesson]
        reader.profile = learnt("design", examples, named, np.zeros((0, 64, 64, 3), np.uint8), HOLDS).profile
        told["enrolled"].append([reader.read(*one)[0] for one in exam])
        reader.profile = None
    for way, found in told.items():
        sys.stdout.write(json.dumps({"way": way, **figures(found)}) + "\n")


def shown(
    made: Set, tile: Tile, strength: float, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A picture (h, w, 3) of one tile in light that leaves something of it, and where it lies, (1, 4, 2)."""
    picture, quad = made.lay(tile, rng, LEAST_PX)
    return legibly(picture, rng, strength), quad[None]


def figures(found: Sequence[Sequence[Reading]]) -> dict[str, object]:
    """`right` by the best candidate; `read` and `read wrong` of what is sure enough to be said."""
    wanted = [tile for tile in FACES for _ in range(ASKED)]
    best = [[r.candidates[0][0] if r.code == UNKNOWN else r.code for r in one] for one in found]
    right = np.array([[a == b for a, b in zip(one, wanted, strict=True)] for one in best])
    read = np.array([[r.code not in (UNKNOWN, NONE, BACK) for r in one] for one in found])
    flower = np.array([tile in FLOWERS for tile in wanted])
    weights = np.array([HOLDS[tile] for tile in wanted], np.float64)
    return {
        "designs": len(found),
        "faces": int(right.size),
        "right": round(float(right.mean()), 4),
        "kinds": round(float(right[:, ~flower].mean()), 4),
        "flowers": round(float(right[:, flower].mean()), 4),
        "as a set holds them": round(float((right.mean(axis=0) * weights).sum() / weights.sum()), 4),
        "read": round(float(read.mean()), 4),
        "read wrong": int((read & ~right).sum()),
    }


if __name__ == "__main__":
    main()
