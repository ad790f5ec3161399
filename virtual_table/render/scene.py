"""Random training pictures with their truth: `random_scene(seed)`; the same seed gives the same pixels.

Styles and bare tables are shared by the 64 scenes of a block of seeds, so that a run over consecutive seeds paints each once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import Layout, TileSize
from virtual_table.render import noise
from virtual_table.render.arrange import Arrangement, heap, play_table, rows
from virtual_table.render.block import Block, Textures
from virtual_table.render.canvas import Canvas
from virtual_table.render.clutter import Clutter
from virtual_table.render.design import Bgr, Design
from virtual_table.render.light import Light
from virtual_table.render.limb import Arm, Limbs
from virtual_table.render.marks import draw_markers
from virtual_table.render.optics import Glare, add_glare, add_noise, jpeg
from virtual_table.render.stage import FELTS, Stage, draw_stage_texture
from virtual_table.render.style import STYLES, random_style
from virtual_table.render.truth import GroundTruth, tile_truths
from virtual_table.render.view import Camera, Lens

Pixels = npt.NDArray[np.uint8]
Kind = Literal["table", "heap", "rows", "standing"]

_BLOCK = 64
_STYLES = 8
_STAGES = 5
_KINDS: tuple[tuple[Kind, float], ...] = (("table", 0.6), ("heap", 0.16), ("rows", 0.14), ("standing", 0.1))


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture (H x W x 3, BGR) and what is in it."""

    picture: Pixels
    truth: GroundTruth


def random_scene(
    seed: int,
    size: tuple[int, int] = (640, 640),
    *,
    kind: Kind | None = None,
    tile_px: tuple[float, float] = (22.0, 72.0),
    design: Design | None = None,
) -> Scene:
    """One picture of `size` (width, height) in which a tile's longer side measures `tile_px` (range) in the middle."""
    rng = np.random.default_rng([seed, 1])
    chosen = kind or _weighted(rng, _KINDS)
    slot = int(rng.integers(_STYLES))
    look, textures = (design, Textures()) if design else _style(seed // _BLOCK, slot)
    width = float(rng.uniform(26, 38))
    tile = TileSize(width, width * float(rng.uniform(1.27, 1.42)), width * float(rng.uniform(0.58, 0.82)))
    layout = Layout(tile, int(rng.choice((17, 18))))
    camera = _camera(rng, chosen, layout, size, tile_px)
    light = _light(rng)
    base = _background(rng, seed, chosen, layout, camera, light)
    arrangement = Arrangement(layout, look, rng, float(rng.uniform(0, 1)))
    aim = camera.ground(np.array([[size[0] / 2, size[1] / 2]]))[0]
    view = size[0] / camera.scale_at(float(aim[0]), float(aim[1]))
    match chosen:
        case "table":
            play_table(arrangement)
        case "heap":
            heap(
                arrangement,
                int(rng.integers(6, 90)),
                view * float(rng.uniform(0.3, 0.7)),
                (float(aim[0]), float(aim[1])),
            )
        case _:
            rows(arrangement, (float(aim[0]), float(aim[1])), chosen == "standing")
    _distract(rng, base, camera, light, arrangement)
    canvas = Canvas(base, camera, light, textures)
    canvas.show(_in_view(arrangement.blocks, camera))
    picture = canvas.picture
    cover: Pixels = np.zeros(picture.shape[:2], np.uint8)
    limbs = Limbs(_arms(rng, layout, aim, view), camera, light)
    limbs.draw(picture, cover=cover)
    truths = tile_truths(canvas.shapes, size, cover=cover, places=arrangement.places)
    picture = _develop(rng, picture, seed)
    notes = {"seed": seed, "kind": chosen, "style": look.name, "tile_mm": [tile.width, tile.length, tile.depth]}
    return Scene(picture, GroundTruth(size[0], size[1], 0, truths, notes))


def scenes(first_seed: int, count: int, size: tuple[int, int] = (640, 640)) -> Iterator[Scene]:
    """Scenes of consecutive seeds."""
    for seed in range(first_seed, first_seed + count):
        yield random_scene(seed, size)


def _weighted(rng: np.random.Generator, choices: tuple[tuple[Kind, float], ...]) -> Kind:
    draw = rng.random()
    for value, share in choices:
        draw -= share
        if draw < 0:
            return value
    return choices[-1][0]


@lru_cache(maxsize=2 * _STYLES)
def _style(block: int, slot: int) -> tuple[Design, Textures]:
    """One of a block's styles and its painted faces."""
    rng = np.random.default_rng([block, slot, 2])
    if rng.random() < 0.12:
        names = list(STYLES)
        return STYLES[names[int(rng.integers(len(names)))]], Textures()
    return random_style(rng), Textures()


@lru_cache(maxsize=2 * _STAGES)
def _stage(block: int, slot: int) -> tuple[Pixels, float, float, bool]:
    """A bare table's texture for a layout of tile width 32, its pixels per mm, half its side in mm, and whether it has markers."""
    rng = np.random.default_rng([block, slot, 3])
    names = list(FELTS)
    felt = _jitter(rng, FELTS[names[int(rng.integers(len(names)))]], 30)
    anything = _colour(rng)
    stage = Stage(
        felt=felt if rng.random() < 0.7 else anything,
        cloth=rng.choice(("felt", "felt", "felt", "weave", "pattern", "mat", "wood")),
        grain=float(rng.uniform(1, 11)),
        rim=_colour(rng),
        rim_width=float(rng.uniform(30, 90)),
        streaks=float(rng.uniform(0, 1.2)),
        floor=_colour(rng),
        seams=bool(rng.random() < 0.6),
        middle=rng.choice(("console", "console", "plain", "none")),
        panel=_jitter(rng, (60, 58, 56), 50),
        leds=bool(rng.random() < 0.8),
        print_=bool(rng.random() < 0.4),
        grooves=bool(rng.random() < 0.35),
        junk=int(rng.integers(0, 40)),
        markers=bool(rng.random() < 0.4),
        seed=int(rng.integers(1 << 30)),
    )
    return *draw_stage_texture(stage, Layout(TileSize.of_width(32.0)), 1.0), stage.markers


def _background(
    rng: np.random.Generator, seed: int, kind: Kind, layout: Layout, camera: Camera, light: Light
) -> Pixels:
    texture, per_mm, reach, markers = _stage(seed // _BLOCK, int(rng.integers(_STAGES)))
    grow = layout.scale * 26 / 32
    corner = (-reach * grow, reach * grow)
    if kind != "table":
        slide = rng.uniform(-0.5, 0.5, 2) * reach
        corner = (corner[0] + float(slide[0]), corner[1] + float(slide[1]))
    base = camera.warp_plane(texture, per_mm / grow, corner, (70, 74, 78))
    gain = np.array(light.colour) * light.power * rng.uniform(0.8, 1.2, 3)
    lit = base.astype(np.float32) * gain.astype(np.float32)
    fine = noise.cut(noise.white(), base.shape[:2], rng, float(rng.uniform(1, 2))) * float(rng.uniform(0, 5))
    lit += fine[..., None]
    picture: Pixels = np.clip(lit, 0, 255).astype(np.uint8)
    if markers and kind == "table":
        draw_markers(picture, layout, camera, light)
    return picture


def _camera(
    rng: np.random.Generator, kind: Kind, layout: Layout, size: tuple[int, int], tile_px: tuple[float, float]
) -> Camera:
    if kind == "standing":
        elevation = float(rng.uniform(12, 50))
    elif rng.random() < 0.45:
        elevation = float(rng.uniform(68, 90))
    else:
        elevation = float(rng.uniform(28, 68))
    span = float(np.exp(rng.uniform(np.log(tile_px[0]), np.log(tile_px[1]))))
    distance = float(rng.uniform(500, 2200))
    focal = span / layout.tile.length * distance
    half = layout.half * 0.9 if kind == "table" else 100.0
    azimuth = float(rng.normal(-90, 25)) if rng.random() < 0.6 else float(rng.uniform(-180, 180))
    if kind == "standing":
        azimuth = float(rng.normal(-90, 20))
    target = (float(rng.uniform(-half, half)), float(rng.uniform(-half, half)), 0.0)
    lens = Lens()
    if rng.random() < 0.15:
        reach = size[0] / 2 / focal
        lens = Lens(k1=float(rng.uniform(-0.12, 0.05)) / max(reach * reach, 1e-6) * 0.5)
    return Camera.aimed(
        size[0],
        size[1],
        focal=focal,
        distance=distance,
        elevation_deg=elevation,
        azimuth_deg=azimuth,
        roll_deg=float(rng.normal(0, 6)),
        target=target,
        lens=lens,
    )


def _light(rng: np.random.Generator) -> Light:
    warm = rng.normal(0, 0.07)
    return Light(
        azimuth_deg=float(rng.uniform(0, 360)),
        elevation_deg=float(rng.uniform(35, 85)),
        ambient=float(rng.uniform(0.35, 0.85)),
        power=float(np.clip(rng.normal(0.88, 0.16), 0.4, 1.15)),
        shadow=float(rng.uniform(0.1, 0.65)),
        softness=float(rng.uniform(1.5, 14)),
        slope=(float(rng.normal(0, 0.35)), float(rng.normal(0, 0.35))),
        colour=(float(1 - warm), float(1 + rng.normal(0, 0.02)), float(1 + warm)),
    )


def _in_view(blocks: list[Block], camera: Camera) -> list[Block]:
    if not blocks:
        return []
    centres = np.array([b.centre for b in blocks])
    points = camera.project(centres)
    reach = 120
    inside = (
        (camera.normal(centres)[:, 2] > 250)
        & (points > -reach).all(axis=1)
        & (points[:, 0] < camera.width + reach)
        & (points[:, 1] < camera.height + reach)
    )
    return [block for block, near in zip(blocks, inside, strict=True) if near]


def _distract(rng: np.random.Generator, base: Pixels, camera: Camera, light: Light, arrangement: Arrangement) -> None:
    clutter = Clutter(base, camera, light.power)
    span = camera.ground(np.array([[0.0, 0.0], [camera.width, 0], [camera.width, camera.height], [0, camera.height]]))
    low, high = np.clip(span.min(axis=0), -700, 700), np.clip(span.max(axis=0), -700, 700)

    def place() -> tuple[float, float, float]:
        x, y = rng.uniform(low, np.maximum(high, low + 1))
        return float(x), float(y), float(rng.uniform(0, 360))

    k = arrangement.layout.scale
    for _ in range(int(rng.poisson(1.2))):
        x, y, degrees = place()
        clutter.stick(x, y, degrees, k, dots=int(rng.choice((1, 1, 5, 8))), ink=_colour(rng))
    for _ in range(int(rng.poisson(0.8))):
        x, y, _ = place()
        clutter.chip(x, y, float(rng.uniform(12, 24)), _colour(rng))
    if rng.random() < 0.2:
        clutter.phone(*place(), _colour(rng), _colour(rng))
    if rng.random() < 0.2:
        x, y, _ = place()
        clutter.cup(x, y, float(rng.uniform(25, 45)), _colour(rng), _colour(rng))
    if rng.random() < 0.25:
        x, y, degrees = place()
        clutter.card(
            x,
            y,
            degrees,
            float(rng.uniform(20, 90)),
            float(rng.uniform(25, 120)),
            _colour(rng),
            _colour(rng),
            int(rng.integers(0, 7)),
        )
    for _ in range(int(rng.poisson(0.4))):
        ink = _jitter(rng, ((60, 220, 250), (250, 170, 60), (80, 230, 90), (60, 80, 250))[int(rng.integers(4))], 20)
        clutter.panel(*place(), str(int(rng.integers(1, 999)) * 100), ink, float(rng.uniform(30, 110)))


def _arms(rng: np.random.Generator, layout: Layout, aim: npt.NDArray[np.float64], view: float) -> list[Arm]:
    arms = []
    for _ in range(int(rng.choice((0, 0, 0, 1, 1, 2)))):
        angle = float(rng.uniform(0, 2 * np.pi))
        palm = (
            float(aim[0] + rng.normal(0, view * 0.35)),
            float(aim[1] + rng.normal(0, view * 0.35)),
            float(rng.uniform(15, 90)),
        )
        reach = float(rng.uniform(500, 1100))
        arms.append(
            Arm(
                palm,
                (palm[0] + reach * float(np.cos(angle)), palm[1] + reach * float(np.sin(angle))),
                skin=_skin(rng),
                sleeve=_colour(rng),
                sleeve_end=float(rng.uniform(70, 420)),
                left=bool(rng.random() < 0.5),
                spread=float(rng.random()),
                curl=float(rng.random()),
                scale=layout.scale * 26 / 30,
            )
        )
    return arms


def _develop(rng: np.random.Generator, picture: Pixels, seed: int) -> Pixels:
    """From light to file: uneven light, glare, blur, sharpening, noise, JPEG."""
    height, width = picture.shape[:2]
    if rng.random() < 0.6:
        field = 1 + noise.cut(noise.clouds(), (height, width), rng, float(rng.uniform(0.7, 2.5))) * float(
            rng.uniform(0.05, 0.2)
        )
        picture = np.clip(picture * field[..., None], 0, 255).astype(np.uint8)
    spots = [
        Glare(float(rng.random()), float(rng.random()), float(rng.uniform(0.02, 0.2)), float(rng.uniform(0.1, 0.9)))
        for _ in range(int(rng.poisson(0.5)))
    ]
    add_glare(picture, spots)
    if rng.random() < 0.5:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.3, 1.5))), np.uint8)
    if rng.random() < 0.1:
        picture = _smear(picture, float(rng.uniform(0, 180)), int(rng.integers(3, 8)))
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        gain = float(rng.uniform(0.3, 1.2))
        picture = np.asarray(cv2.addWeighted(picture, 1 + gain, soft, -gain, 0), np.uint8)
    if rng.random() < 0.3:
        contrast, lift = float(rng.uniform(0.7, 1.2)), float(rng.uniform(-20, 30))
        picture = np.asarray(cv2.addWeighted(picture, contrast, picture, 0, lift), np.uint8)
    add_noise(picture, float(rng.uniform(0, 7)) if rng.random() < 0.7 else 0.0, seed)
    if rng.random() < 0.8:
        picture = jpeg(picture, int(rng.integers(35, 96)))
    return picture


def _smear(picture: Pixels, degrees: float, length: int) -> Pixels:
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1 / length
    matrix = cv2.getRotationMatrix2D(((length - 1) / 2, (length - 1) / 2), degrees, 1.0)
    turned = np.asarray(cv2.warpAffine(kernel, matrix, (length, length)), np.float32)
    weights = np.asarray(turned / max(float(turned.sum()), 1e-6), np.float32)
    return np.asarray(cv2.filter2D(picture, -1, weights), np.uint8)


def _colour(rng: np.random.Generator) -> Bgr:
    """Any colour, greys and dark ones more often than bright ones."""
    value = rng.uniform(20, 235)
    tint = rng.normal(0, 1, 3) * rng.choice((6.0, 25.0, 60.0))
    blue, green, red = (int(v) for v in np.clip(value + tint, 0, 255))
    return blue, green, red


def _skin(rng: np.random.Generator) -> Bgr:
    level = rng.uniform(0.4, 1.1)
    return _jitter(rng, (int(128 * level), int(158 * level), int(214 * level)), 12)


def _jitter(rng: np.random.Generator, colour: Bgr, spread: int) -> Bgr:
    blue, green, red = (int(v) for v in np.clip(np.array(colour) + rng.integers(-spread, spread + 1, 3), 0, 255))
    return blue, green, red
