"""One labelled picture, from whatever source: what both trainings are fed with.

On disk a folder of `<name>.jpg` with `<name>.json` beside it (`{"tiles": [{"code", "what", "quad", "visible"}], "complete": bool}`)
and, where known, `<name>.arm.png` (white where an arm covers the table).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Label:
    """One tile. `quad` (4, 2) in pixels; with `upright`, corners run from the glyph's top left on clockwise."""

    code: str
    what: int
    """Index into `vision.labels.HEATS`: face, back or standing top."""
    quad: NDArray[np.float32]
    visible: float = 1.0
    upright: bool = True
    level: float | None = None
    """How high the quad is above the cloth, in thicknesses of a tile: 1 lies on it, 2 on another tile. None: not known."""
    axis_box: bool = False
    """The quad is only the box around the tile: fit for the reader when the tile lies straight, not for the detector's shape."""


@dataclass(frozen=True, slots=True)
class Sample:
    image: Picture
    """(h, w, 3) BGR."""
    labels: tuple[Label, ...]
    arm: Picture | None = None
    """(h, w) or smaller, 255 where an arm is; None: not known."""
    complete: bool = True
    """Every tile of the picture is labelled: what is not labelled is no tile."""
    ignore: tuple[tuple[float, float, float, float], ...] = field(default=())


def load(path: Path) -> Sample:
    """Reads `<name>.jpg` with its labels. Raises OSError or KeyError when the pair is broken."""
    image = cv2.imread(str(path))
    if image is None:
        raise OSError(f"{path}: not a picture")
    said = json.loads(path.with_suffix(".json").read_text())
    labels = tuple(
        Label(t["code"], t["what"], np.array(t["quad"], np.float32), t["visible"], t["upright"], t["level"])
        for t in said["tiles"]
    )
    arm = (
        cv2.imread(str(path.with_suffix(".arm.png")), cv2.IMREAD_GRAYSCALE)
        if path.with_suffix(".arm.png").exists()
        else None
    )
    return Sample(
        image.astype(np.uint8), labels, None if arm is None else arm.astype(np.uint8), said.get("complete", True)
    )


def drawn(scenes: Path, rng: np.random.Generator) -> Sample:
    """One of the samples of a folder by chance. Raises FileNotFoundError when it holds none."""
    names = sorted(scenes.glob("*.json"))
    if not names:
        raise FileNotFoundError(f"{scenes}: no scenes yet, run vision.train.scenes first")
    return load(names[int(rng.integers(len(names)))].with_suffix(".jpg"))


def save(path: Path, sample: Sample, quality: int = 92) -> None:
    """Writes the picture to `path` (.jpg) and the labels beside it; the labels last, so that a pair is never half there."""
    cv2.imwrite(str(path), sample.image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if sample.arm is not None:
        cv2.imwrite(str(path.with_suffix(".arm.png")), sample.arm)
    tiles = [
        {
            "code": t.code,
            "what": t.what,
            "quad": np.round(t.quad, 2).tolist(),
            "visible": round(t.visible, 3),
            "upright": t.upright,
            "level": t.level,
        }
        for t in sample.labels
    ]
    path.with_suffix(".json").write_text(json.dumps({"tiles": tiles, "complete": sample.complete}))


def warp(sample: Sample, matrix: NDArray[np.float64], size: tuple[int, int]) -> Sample:
    """The sample seen through a 3x3 homography, `size` = (width, height) pixels. Labels outside stay, unclipped."""
    image = cv2.warpPerspective(
        sample.image,
        matrix,
        size,
        flags=cv2.INTER_AREA if _shrinks(matrix) else cv2.INTER_LINEAR,
        borderValue=(90, 100, 90),
    )
    arm = None
    if sample.arm is not None:
        grow = np.diag([sample.image.shape[1] / sample.arm.shape[1], sample.image.shape[0] / sample.arm.shape[0], 1.0])
        arm = cv2.warpPerspective(sample.arm, matrix @ grow, size, flags=cv2.INTER_LINEAR).astype(np.uint8)
    labels = []
    for t in sample.labels:
        quad = cv2.perspectiveTransform(t.quad[None].astype(np.float64), matrix)[0].astype(np.float32)
        labels.append(Label(t.code, t.what, quad, t.visible, t.upright, t.level, t.axis_box))
    return Sample(image.astype(np.uint8), tuple(labels), arm, sample.complete)


def _shrinks(matrix: NDArray[np.float64]) -> bool:
    return bool(abs(np.linalg.det(matrix[:2, :2])) < 0.3 * matrix[2, 2] ** 2)
