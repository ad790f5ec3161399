"""Renders labelled scenes of random tables: `python -m vision.train.scenes FOLDER --count 2000 --seed 1`.

Writes `<seed>-<n>.jpg`, `.json` and `.arm.png`; goes on where it stopped. The only place, with `tables`, that looks into
`virtual_table`, and only for training.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import TileSize
from table_engine.wire.tiles import BACK, UNKNOWN
from virtual_table.render.block import Block, shape_blocks
from virtual_table.render.canvas import Canvas
from virtual_table.render.clutter import Clutter
from virtual_table.render.design import Bgr, Design
from virtual_table.render.light import Light
from virtual_table.render.limb import Arm, Limbs
from virtual_table.render.optics import Glare, Optics, add_glare, add_noise, expose, lens_field
from virtual_table.render.scene import random_scene
from virtual_table.render.stage import FELTS, Stage, draw_stage
from virtual_table.render.style import STYLES, random_style
from virtual_table.render.truth import TileTruth, tile_truths
from virtual_table.render.view import Camera, Lens, tip, turn
from virtual_table.table import TileThing
from vision.labels import BACK_UP, FACE, TOP
from vision.train.sample import Label, Sample, save
from vision.train.tables import TableMaker

_FLAT = 0.3
"""A face seen so much from the side that it is this much narrower than long is neither asked for nor denied."""


def scene(seed: int) -> Sample:
    """One random scene: in one of two a whole table from above, else anything. The same seed gives the same pixels."""
    return table(seed) if seed % 2 == 0 else anything(seed)


def anything(seed: int) -> Sample:
    """Heaps, rows, standing hands and corners of tables from any side, 640x640."""
    made = random_scene(seed)
    found = labels(made.truth.tiles, {})
    if not all(sound(label.quad) for label in found):  # a lens bent beyond its range folds the picture over
        return anything(seed + 7_654_321)
    return Sample(made.picture, found)


def sound(quad: NDArray[np.float32]) -> bool:
    """Whether a quad (4, 2) is one a tile can make: convex, no edge much longer than the one opposite."""
    edges = np.roll(quad, -1, axis=0) - quad
    after = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    long = np.linalg.norm(edges, axis=1)
    ratios = long[:2] / np.maximum(long[2:], 1e-3)
    return bool(
        np.isfinite(quad).all() and ((turns > 0).all() or (turns < 0).all()) and (np.abs(np.log(ratios)) < 0.5).all()
    )


def table(seed: int) -> Sample:
    """A whole table, mostly from above, with arms."""
    rng, dice = np.random.default_rng(seed), Random(seed)
    maker = TableMaker(dice)
    snapshot = maker.make()
    layout, k = maker.layout, maker.layout.scale
    design = list(STYLES.values())[int(rng.integers(len(STYLES)))] if rng.random() < 0.35 else random_style(rng)
    camera = _camera(rng, layout.half)
    light = _light(rng)
    base = draw_stage(_stage(rng), layout, camera, light)
    clutter = Clutter(base, camera, light.power)
    for stick in snapshot.sticks:
        clutter.stick(stick.x, stick.y, stick.angle_deg, k)
    canvas = Canvas(base, camera, light)
    canvas.show([block(t, design, layout.tile) for t in snapshot.tiles if t.held is None])
    picture = canvas.picture.copy()
    cover = np.zeros(picture.shape[:2], np.uint8)
    held = shape_blocks([block(t, design, layout.tile) for t in snapshot.tiles if t.held is not None], camera, light)
    skin, sleeve = _skin(rng), _colour(rng, 10, 230)
    arms = [
        Arm(
            (a.palm_x, a.palm_y, a.palm_z),
            (a.shoulder_x, a.shoulder_y),
            skin=skin,
            sleeve=sleeve,
            sleeve_end=float(rng.uniform(60, 420)) * k,
            left=bool(rng.random() < 0.4),
            spread=float(rng.random()),
            curl=float(rng.random()),
            scale=k,
        )
        for a in snapshot.arms
    ]
    Limbs(arms, camera, light).draw(picture, held, canvas.textures, cover)
    picture = _optics(rng, picture)
    truths = tile_truths(canvas.shapes, (camera.width, camera.height), cover=cover)
    levels = {t.id: 1.0 + t.place.z / layout.tile.depth for t in snapshot.tiles if t.held is None}
    small = cv2.resize(cover, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return Sample(picture, labels(truths, levels), np.asarray(small, np.uint8))


def _skin(rng: np.random.Generator) -> Bgr:
    level = float(rng.uniform(0.4, 1.1))
    return int(128 * level), int(158 * level), int(214 * level)


def block(tile: TileThing, design: Design, size: TileSize) -> Block:
    """The box that is drawn for a tile of this size and artwork, as it lies on the table."""
    place = tile.place
    matrix = turn(place.angle_deg) @ tip(place.tilt_deg)
    rise = float(np.abs(matrix[2]) @ [size.width / 2, size.length / 2, size.depth / 2])
    return Block(tile.id, tile.face, (place.x, place.y, place.z + rise), tuple(matrix.ravel().tolist()), size, design)


def labels(truths: tuple[TileTruth, ...], levels: dict[int, float]) -> tuple[Label, ...]:
    """What the detector and the reader should see of each tile: its large face, and the top of one that stands. `levels` by
    key: heights of tiles that lie."""
    found = []
    for truth in truths:
        if truth.quad is not None:
            quad = np.array(truth.quad, np.float32)
            edges = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
            seen = truth.visible if edges.min() > _FLAT * edges.max() else 0.0
            if truth.code != UNKNOWN:
                what = BACK_UP if truth.code == BACK else FACE
                level = levels.get(truth.key) if truth.pose in ("up", "down") else None
                found.append(Label(truth.code, what, quad, seen, level=level))
        if truth.edge is not None:
            found.append(Label(BACK, TOP, np.array(truth.edge, np.float32), truth.edge_visible))
    return tuple(found)


def _camera(rng: np.random.Generator, half: float) -> Camera:
    width, height = ((1920, 1080), (1920, 1080), (2560, 1440), (1600, 1200))[int(rng.integers(4))]
    if rng.random() < 0.6:
        lens = Lens(float(rng.normal(0, 0.06)), float(rng.normal(0, 0.01))) if rng.random() < 0.4 else Lens()
        return Camera.overhead(
            width,
            height,
            half,
            height_mm=float(rng.uniform(900, 2600)),
            tilt_deg=abs(float(rng.normal(0, 7))),
            azimuth_deg=float(rng.uniform(-180, 180)) if rng.random() < 0.5 else -90.0,
            roll_deg=float(rng.normal(0, 3)),
            margin=float(rng.uniform(0.0, 0.06)),
            lens=lens,
        )
    distance = half * float(rng.uniform(1.4, 3.2))
    across = half * float(rng.uniform(0.9, 2.2))
    return Camera.aimed(
        width,
        height,
        focal=width * distance / across / 2,
        distance=distance,
        elevation_deg=float(rng.uniform(28, 88)),
        azimuth_deg=float(rng.uniform(-180, 180)),
        roll_deg=float(rng.normal(0, 8)),
        target=(float(rng.uniform(-0.7, 0.7)) * half, float(rng.uniform(-0.7, 0.7)) * half, 0.0),
    )


def _light(rng: np.random.Generator) -> Light:
    warm = float(rng.normal(0, 0.08))
    return Light(
        azimuth_deg=float(rng.uniform(-180, 180)),
        elevation_deg=float(rng.uniform(32, 85)),
        ambient=float(rng.uniform(0.35, 0.8)),
        power=float(np.exp(rng.normal(0, 0.18))),
        shadow=float(rng.uniform(0.1, 0.65)),
        softness=float(rng.uniform(1.5, 12)),
        slope=(float(rng.normal(0, 0.25)), float(rng.normal(0, 0.25))),
        colour=(1.0 - warm, 1.0, 1.0 + warm),
    )


def _stage(rng: np.random.Generator) -> Stage:
    colours = list(FELTS.values())
    felt = colours[int(rng.integers(len(colours)))] if rng.random() < 0.6 else _colour(rng, 20, 190)
    return replace(
        Stage(),
        felt=felt,
        cloth=("felt", "felt", "felt", "weave", "pattern", "mat", "wood")[int(rng.integers(7))],
        grain=float(rng.uniform(1, 12)),
        rim=_colour(rng, 20, 170),
        floor=_colour(rng, 20, 200),
        seams=bool(rng.random() < 0.8),
        middle=("console", "console", "plain", "none")[int(rng.integers(4))],
        panel=_colour(rng, 15, 120),
        leds=bool(rng.random() < 0.8),
        markers=bool(rng.random() < 0.6),
        seed=int(rng.integers(1 << 30)),
    )


def _colour(rng: np.random.Generator, low: int, high: int) -> Bgr:
    base = rng.integers(low, high)
    blue, green, red = (int(np.clip(base + d, 5, 250)) for d in rng.integers(-50, 51, 3))
    return blue, green, red


def _optics(rng: np.random.Generator, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    optics = Optics(vignette=float(rng.uniform(0, 0.4)))
    field = lens_field(optics, picture.shape[1], picture.shape[0])
    if field is not None and rng.random() < 0.5:
        picture = np.clip(picture * field, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        x, y, radius, strength = (float(v) for v in rng.uniform([0, 0, 0.02, 0.1], [1, 1, 0.2, 0.6]))
        add_glare(picture, [Glare(x, y, radius, strength)])
    picture = expose(picture, float(np.exp(rng.normal(0, 0.12))))
    if rng.random() < 0.4:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 1.1))), np.uint8)
    add_noise(picture, float(rng.uniform(0.5, 5)), int(rng.integers(1 << 30)))
    return picture


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--count", type=int, default=2000)
    ask.add_argument("--seed", type=int, default=1)
    told = ask.parse_args()
    cv2.setNumThreads(1)
    told.folder.mkdir(parents=True, exist_ok=True)
    for n in range(told.count):
        path = told.folder / f"{told.seed}-{n:05d}.jpg"
        if not path.with_suffix(".json").exists():
            save(path, scene(told.seed * 1_000_003 + n))


if __name__ == "__main__":
    main()
