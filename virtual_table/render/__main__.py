"""`python -m virtual_table.render scenes FOLDER` writes a training set, `styles FILE.png` a sheet of all named styles.

A training set is `scene-<seed>.jpg` (or .png) beside `scene-<seed>.json`, the ground truth.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

from table_engine.wire.tiles import FACES
from virtual_table.render.faces import paint_face
from virtual_table.render.scene import random_scene
from virtual_table.render.style import STYLES, random_style


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m virtual_table.render", description=__doc__)
    tasks = parser.add_subparsers(dest="task", required=True)
    scenes = tasks.add_parser("scenes", help="random training pictures with their truth")
    scenes.add_argument("folder", type=Path)
    scenes.add_argument("--count", type=int, default=100)
    scenes.add_argument("--seed", type=int, default=0, help="of the first scene; the others follow")
    scenes.add_argument("--size", type=int, default=640, help="side of the pictures, px")
    scenes.add_argument("--format", choices=("jpg", "png"), default="jpg")
    styles = tasks.add_parser("styles", help="all faces of the named styles and some random ones")
    styles.add_argument("file", type=Path)
    styles.add_argument("--random", type=int, default=8)
    told = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    if told.task == "styles":
        _write_styles(told.file, told.random)
    else:
        _write_scenes(told.folder, told.seed, told.count, told.size, told.format)
    return 0


def _write_scenes(folder: Path, seed: int, count: int, size: int, suffix: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(seed, seed + count):
        scene = random_scene(n, (size, size))
        _write(folder / f"scene-{n:07d}.{suffix}", scene.picture)
        scene.truth.save(folder / f"scene-{n:07d}.json")
        if (n - seed + 1) % 100 == 0:
            sys.stdout.write(f"{n - seed + 1} of {count}\n")


def _write_styles(file: Path, extra: int) -> None:
    rng = np.random.default_rng(0)
    designs = [*STYLES.values(), *(random_style(rng) for _ in range(extra))]
    rows = [
        np.hstack([np.pad(paint_face(design, face), ((2, 2), (2, 2), (0, 0))) for face in FACES]) for design in designs
    ]
    _write(file, np.vstack(rows))


def _write(path: Path, picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    done, data = cv2.imencode(path.suffix, picture)
    if not done:
        raise ValueError(f"{path}: pictures can be written as .jpg or .png")
    path.write_bytes(data.tobytes())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
