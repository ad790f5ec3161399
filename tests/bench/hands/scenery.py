"""Where hand number `n` of the benchmark is played: rule set, tile set, tile size, felt, light, camera. No training saw these sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np

from table_engine.wire.layout import TileSize
from table_engine.wire.tiles import Tile
from virtual_table.customs import customs_of
from virtual_table.motion import BRISK
from virtual_table.render.canvas import Canvas
from virtual_table.render.design import Design
from virtual_table.render.light import Light
from virtual_table.render.look import Look
from virtual_table.render.stage import FELTS, Stage
from virtual_table.render.style import BACKS, random_style
from virtual_table.render.view import Camera
from virtual_table.simulation import Simulation
from virtual_table.table import Place, TileThing
from vision.detect import Detector
from vision.enrol import full_set, guessed, learnt, look
from vision.profile import Profile
from vision.read import Reader
from vision.train.scenes import block

UNSEEN = 910_000_000
_ON_TILE_PX = 12
_RULES = ("riichi", "chinese_official", "taiwan16", "world_series")
_CLOTHS = ("felt", "felt", "weave", "pattern", "mat")
_PACE = replace(BRISK, rest=800, think=400, pause=1300)
"""Brisk hands, but the table comes to rest after every discard."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """One hand's place and camera; `facts` are for people and for counting what goes wrong where."""

    simulation: Simulation
    design: Design
    look: Look
    camera: Camera
    facts: dict[str, str | float]

    @property
    def wide(self) -> bool:
        return self.camera.width > 1920


def scenery(number: int) -> Scenery:
    rng = np.random.default_rng(UNSEEN + number)
    rules = _RULES[number % len(_RULES)]
    width_mm = round(float(rng.uniform(22, 34)), 1)
    simulation = Simulation.of_players(customs_of(rules), hands=1, seed=number + 1, tile_width_mm=width_mm, pace=_PACE)
    design = random_style(rng)
    felts, backs = list(FELTS), list(BACKS.values())
    felt = felts[int(rng.integers(len(felts)))]
    cloth = _CLOTHS[int(rng.integers(len(_CLOTHS)))]
    light = Light(
        azimuth_deg=float(rng.uniform(-180, 180)),
        elevation_deg=float(rng.uniform(45, 80)),
        power=float(np.exp(rng.normal(0, 0.12))),
        shadow=float(rng.uniform(0.2, 0.6)),
        slope=(float(rng.normal(0, 0.12)), float(rng.normal(0, 0.12))),
        colour=(float(rng.uniform(0.85, 1.05)), 1.0, float(rng.uniform(0.95, 1.1))),
    )
    chosen = Look(
        design,
        (design.body.back, backs[int(rng.integers(len(backs)))]),
        Stage(felt=FELTS[felt], cloth=cloth, seed=number),
        light,
    )
    chosen = replace(chosen, optics=replace(chosen.optics, noise=round(float(rng.uniform(0.8, 3.0)), 1)))
    # The picture of a higher or tilted camera is the same size: `overhead` fills it with the table.
    size = (3840, 2160) if number // len(_RULES) % 2 else (1920, 1080)
    high, tilt = float(rng.uniform(1100, 2300)) * width_mm / 26, float(rng.uniform(0, 9))
    camera = Camera.overhead(
        *size, simulation.layout.half, height_mm=high, tilt_deg=tilt, roll_deg=float(rng.normal(0, 2))
    )
    facts: dict[str, str | float] = {
        "rules": rules,
        "picture": "4K" if size[0] > 1920 else "1080p",
        "tile_mm": width_mm,
        "tile_px": round(camera.scale_at(0, 0) * simulation.layout.tile.width, 1),
        "felt": felt,
        "cloth": cloth,
        "camera_mm": round(high),
        "tilt_deg": round(tilt, 1),
        "lamp_deg": round(light.elevation_deg),
        "power": round(light.power, 2),
        "noise": chosen.optics.noise,
        "style": design.name,
    }
    return Scenery(simulation, design, chosen, camera, facts)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A set enrolled from one picture of its tiles in rows."""

    profile: Profile
    asked: int
    """Tiles that the operator was asked to name, and did."""
    mistaken: int
    """Tiles taken for another kind without a question."""


def lesson(place: Scenery, detector: Detector, seed: int) -> Lesson:
    """The set as the hand's rules have it: with red fives or without."""
    holds = full_set(flowers=8, reds=len(customs_of(str(place.facts["rules"])).reds))
    tiles = [code for code, many in holds.items() for _ in range(many)]
    Random(seed).shuffle(tiles)
    rng = np.random.default_rng(seed)
    camera = Camera.aimed(1600, 1200, focal=1680, distance=820, elevation_deg=78, azimuth_deg=-85)
    canvas = Canvas(np.full((1200, 1600, 3), (70, 100, 40), np.uint8), camera, Light())
    blocks, places = [], []
    for n, face in enumerate(tiles):
        x, y = (n % 18 - 8.5) * 28 + rng.normal(0, 0.6), (3.5 - n // 18) * 38 + rng.normal(0, 0.6)
        places.append((x, y, TileSize().depth))
        thing = TileThing(n, Tile(face), 0, Place(x, y, 0.0, float(rng.normal(0, 2)), 0.0))
        blocks.append(block(thing, place.design, TileSize()))
    canvas.show(blocks)
    spots = camera.project(np.array(places))
    examples, backs = look(detector, Reader(), [canvas.picture])
    true: list[Tile | None] = []
    for example in examples:
        far = np.linalg.norm(spots - example.quad.mean(axis=0), axis=1)
        true.append(tiles[int(far.argmin())] if far.min() < _ON_TILE_PX else None)
    guesses = guessed(examples, holds)
    named = [code if guess.doubtful else guess.code for guess, code in zip(guesses, true, strict=True)]
    mistaken = sum(one != code for one, code in zip(named, true, strict=True))
    asked = sum(guess.doubtful for guess in guesses)
    return Lesson(learnt("bench", examples, named, backs, holds, asked).profile, asked, mistaken)
