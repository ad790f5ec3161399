"""Licensed real photographs for training, and which of them are kept apart for evaluation.

Used: `roboflow_chinese_mahjong` (CC BY 4.0), `camerash_single_tiles` and `cyfef_scanned_faces` (MIT). Kept apart, whole
pictures: one in five of each set, by a hash of the file's name. Everything else in the data folder is never read here.
"""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.labels import FACE, INDEX
from vision.train.sample import Label, Sample

_STRAIGHT = 0.16
"""A box whose aspect is this close (in log) to that of a straight tile may hold one."""
_ASPECTS = np.log([26 / 35 * 3 / 4, 26 / 35 * 4 / 3, 35 / 26 * 3 / 4, 35 / 26 * 4 / 3])
"""The pictures are 4:3 or 3:4 squeezed to a square; a tile is 26:35, upright or lying."""


def held_out(name: str) -> bool:
    """True for a picture that no training may see."""
    return zlib.crc32(Path(name).name.encode()) % 5 == 0


@dataclass(frozen=True, slots=True)
class Photo:
    """A labelled photograph on disk; loaded when asked for."""

    path: Path
    labels: tuple[Label, ...]
    complete: bool

    def load(self) -> Sample:
        """Raises OSError when the file is no picture."""
        image = cv2.imread(str(self.path))
        if image is None:
            raise OSError(f"{self.path}: not a picture")
        return Sample(image.astype(np.uint8), self.labels, None, self.complete)


def scenes(data: Path, *, evaluation: bool = False) -> Iterator[Photo]:
    """Pictures of many tiles with boxes. `data` is the folder that holds `photos`."""
    folder = data / "photos" / "roboflow_chinese_mahjong"
    for image in json.loads((folder / "labels.json").read_text())["images"]:
        if image["distorted"] or held_out(image["file"]) != evaluation:
            continue
        tiles = [t for t in image["tiles"] if t["code"] in INDEX]
        straight = _straight(np.array([t["box"] for t in tiles])) | bool(image["exhaustive"])
        labels = tuple(
            Label(t["code"], FACE, _corners(t["box"]), upright=False, axis_box=not even)
            for t, even in zip(tiles, straight, strict=True)
        )
        yield Photo(folder / image["file"], labels, bool(image["exhaustive"]))


def singles(data: Path, *, evaluation: bool = False) -> Iterator[Photo]:
    """Pictures that one upright tile fills."""
    photos = data / "photos"
    with (photos / "camerash_single_tiles" / "labels.csv").open() as lines:
        named = [(photos / "camerash_single_tiles" / row["file"], row["code"]) for row in csv.DictReader(lines)]
    named += [(path, path.stem) for path in sorted((photos / "cyfef_scanned_faces" / "images").iterdir())]
    for path, code in named:
        if code in INDEX and held_out(path.name) == evaluation:
            whole = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
            if whole is not None:
                high, wide = whole.shape[:2]
                yield Photo(path, (Label(code, FACE, _corners([0, 0, wide, high])),), False)


def _corners(box: list[float]) -> NDArray[np.float32]:
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def _straight(boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which boxes hold a tile that lies straight: those of a straight tile's aspect that overlap no other box. (n, 4) → (n,)"""
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    both = np.clip(np.minimum(high, high.transpose(1, 0, 2)) - np.maximum(low, low.transpose(1, 0, 2)), 0, None).prod(
        axis=2
    )
    wide, tall = (boxes[:, 2:] - boxes[:, :2]).T
    np.fill_diagonal(both, 0)
    alone = both.max(axis=1) < 0.1 * wide * tall
    near = np.abs(np.log(wide / tall)[:, None] - _ASPECTS).min(axis=1) < _STRAIGHT
    return np.asarray(alone & near)
