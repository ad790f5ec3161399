"""The virtual table benchmark of `vision`: `python tests/bench/vision_hands.py [--hands N] [--workers N]`. JSON lines.

Whole hands are played and filmed over rule sets, random tile sets that no training saw, felts, light, cameras at 1080p and
4K; what the watcher says is held against what lies there, once a zone has been still for a second without an arm near it.
- zones: zones that settled with new contents, and how many were told exactly (tiles, order, groups, turned, heights, counts)
- pictures: settled moments of the whole table (all zones still), and how many were exact in every zone
- tiles: tiles lying face up in settled zones, missing or wrong of them; `confused` counts them
- racks: settled racks, and how many were counted exactly
- events: changes of a zone's settled contents over the hand, and how many were told, in order
Once for the net alone and once with the tile set enrolled from one picture of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vision"))

from vision_truth import Contents, Key, contents, essence, jpeg, zones_of

from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.observations import Observation, RackSeen, WallSeen, ZoneSeen
from table_engine.wire.tiles import Tile
from virtual_table.customs import customs_of
from virtual_table.render.canvas import Canvas
from virtual_table.render.design import Design
from virtual_table.render.light import Light
from virtual_table.render.look import Look
from virtual_table.render.renderer import Renderer
from virtual_table.render.stage import FELTS, Stage
from virtual_table.render.style import BACKS, random_style
from virtual_table.render.view import Camera
from virtual_table.sensing import zone_at
from virtual_table.simulation import Simulation
from virtual_table.table import Place, TableSnapshot, TileThing
from vision import markers
from vision.calibrate import Calibration
from vision.detect import Detector
from vision.enrol import enrol, full_set, look
from vision.frame import Frame
from vision.look import Looker
from vision.profile import Profile
from vision.read import Reader
from vision.train.scenes import block
from vision.watcher import Watcher

RULES = ("riichi", "chinese_official", "taiwan16")
STEP_MS = 250
STILL = 4
UNSEEN = 910_000_000
MOST_S = 240


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=MOST_S, help="of play, at most, a hand")
    options = parser.parse_args()
    total: dict[str, Counter[str]] = {"net alone": Counter(), "enrolled": Counter()}
    confused: dict[str, Counter[str]] = {"net alone": Counter(), "enrolled": Counter()}
    numbers = range(options.first, options.first + options.hands)
    with ProcessPoolExecutor(options.workers) as pool:
        for number, figures in zip(numbers, pool.map(hand, numbers, [options.seconds] * len(numbers)), strict=True):
            for way, (counts, mistakes) in figures.items():
                total[way] += counts
                confused[way] += mistakes
            one = {way: f"{counts['zones_exact']}/{counts['zones']}" for way, (counts, _) in figures.items()}
            print(json.dumps({"hand": number, "zones exact": one}), file=sys.stderr, flush=True)
    for way, counts in total.items():
        line: dict[str, object] = {"way": way, "hands": options.hands}
        for what in ("zones", "pictures", "racks", "events"):
            line[what] = [counts[f"{what}_exact"], counts[what]]
        wrong = counts["tiles_wrong"]
        line["tiles"] = [counts["tiles"] - wrong, counts["tiles"], round(1 - wrong / max(counts["tiles"], 1), 5)]
        line["confused"] = dict(confused[way].most_common(12))
        print(json.dumps(line))


def hand(number: int, seconds: float) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """One hand, filmed once, watched by the net alone and with the set enrolled."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(UNSEEN + number)
    simulation = Simulation.of_players(customs_of(RULES[number % 3]), hands=1, seed=number + 1)
    design = random_style(rng)
    wide = number % 4 == 3
    camera = Camera.overhead(
        *((3840, 2160) if wide else (1920, 1080)),
        simulation.layout.half,
        height_mm=float(rng.uniform(1100, 2300)),
        tilt_deg=float(rng.uniform(0, 9)),
        roll_deg=float(rng.normal(0, 2)),
    )
    renderer = Renderer(camera, simulation.layout, appearance(design, rng), seed=number)
    first = Frame(0, 0, jpeg=jpeg(renderer.frame(simulation.snapshot()), 88))
    first.halved = wide
    focal = camera.focal * (0.5 if wide else 1.0)
    calibration = markers.calibrate(Layout(simulation.layout.tile), first.image, focal=focal)
    detector = Detector()
    readers = {"net alone": Reader(), "enrolled": Reader(sets=[learnt(design, detector, number)])}
    watchers = {way: Watching(Watcher(calibration, eyes(detector, reader))) for way, reader in readers.items()}
    steady: dict[Key, tuple[object, int]] = {}
    told_at: dict[Key, object] = {}
    count = 0
    while not simulation.finished and simulation.at_ms < 1000 * seconds:
        simulation.step(STEP_MS)
        snapshot = simulation.snapshot()
        data = jpeg(renderer.frame(snapshot), 88)
        count += 1
        frame = Frame(simulation.at_ms, count, jpeg=data)
        frame.halved = wide
        for watching in watchers.values():
            watching.said += watching.watcher.feed(frame)
        truth = contents(simulation.layout, snapshot)
        crossed = crossed_by_arms(simulation.layout, snapshot)
        for key, one in truth.items():
            before, since = steady.get(key, (None, 0))
            steady[key] = (essence(one), since + 1 if before == essence(one) and key not in crossed else 0)
        settled = [key for key in truth if steady[key][1] == STILL and told_at.get(key) != steady[key][0]]
        whole = len(settled) > 0 and all(since >= STILL for _, since in steady.values())
        for watching in watchers.values():
            watching.judge(truth, settled, whole=whole)
        told_at.update({key: steady[key][0] for key in settled})
    return {way: (watching.counts, watching.confused) for way, watching in watchers.items()}


def crossed_by_arms(layout: Layout, snapshot: TableSnapshot) -> set[Key]:
    """Zones that an arm may hide: all of the seat it comes from, and the one its palm is over."""
    out: set[Key] = set()
    for arm in snapshot.arms:
        over = zone_at(layout, arm.palm_x, arm.palm_y)
        seats = {arm.seat} | ({over[0]} if over is not None else set())
        out |= {(seat, name) for seat in seats for name in ("pond", "meld", "flower", "rack", "wall_seen")}
    return out


def eyes(detector: Detector, reader: Reader) -> Callable[[Calibration], Looker]:
    return lambda made: Looker(made, detector, reader)


class Watching:
    """One watcher and how well it does."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.said: list[tuple[int, Observation]] = []
        self.counts: Counter[str] = Counter()
        self.confused: Counter[str] = Counter()
        self._told: Contents = {}
        self._taken = 0

    def judge(self, truth: Contents, settled: list[Key], *, whole: bool) -> None:
        """Holds what was said last against what lies there: the zones that have just settled, and all of them when the `whole`
        table is still."""
        past: dict[Key, list[object]] = {}
        for at_ms, one in self.said[self._taken :]:
            if isinstance(one, ZoneSeen | RackSeen | WallSeen):
                ((key, word),) = zones_of([(at_ms, one)]).items()
                past.setdefault(key, []).append(essence(word))
                self._told[key] = word
        self._taken = len(self.said)
        for key in settled:
            one, told = truth[key], self._told.get(key)
            exact = told is not None and essence(told) == essence(one)
            self.counts["zones"] += 1
            self.counts["zones_exact"] += exact
            self.counts["events"] += 1
            self.counts["events_exact"] += exact and (not past.get(key) or past[key][-1] == essence(one))
            if isinstance(one, RackSeen):
                self.counts["racks"] += 1
                counted = isinstance(told, RackSeen) and (told.standing, told.apart) == (one.standing, one.apart)
                self.counts["racks_exact"] += counted
            lying, seen = faces(one), faces(told)
            self.counts["tiles"] += len(lying)
            missing, extra = Counter(lying), Counter(seen)
            missing, extra = missing - extra, extra - missing
            self.counts["tiles_wrong"] += max(missing.total(), extra.total())
            for a, b in zip(
                [*missing.elements(), *["-"] * extra.total()],
                [*extra.elements(), *["-"] * missing.total()],
                strict=False,
            ):
                if a != b:
                    self.confused[f"{a}>{b}"] += 1
        if whole:
            self.counts["pictures"] += 1
            self.counts["pictures_exact"] += all(
                (told := self._told.get(key)) is not None and essence(told) == essence(one)
                for key, one in truth.items()
            )


def faces(one: ZoneSeen | RackSeen | WallSeen | None) -> list[str]:
    """Codes of the tiles that lie open in a zone."""
    match one:
        case ZoneSeen():
            return [str(t.code) for t in one.tiles]
        case RackSeen() | WallSeen():
            return [str(t.code) for t in one.open]
        case None:
            return []


def appearance(design: Design, rng: np.random.Generator) -> Look:
    """A place to play at: felt, lamp, lens."""
    felts, backs = list(FELTS.values()), list(BACKS.values())
    chosen = Look(
        design,
        (design.body.back, backs[int(rng.integers(len(backs)))]),
        Stage(felt=felts[int(rng.integers(len(felts)))]),
        Light(
            azimuth_deg=float(rng.uniform(-180, 180)),
            elevation_deg=float(rng.uniform(45, 80)),
            power=float(np.exp(rng.normal(0, 0.12))),
        ),
    )
    return replace(chosen, optics=replace(chosen.optics, noise=float(rng.uniform(0.8, 3.0))))


def learnt(design: Design, detector: Detector, seed: int) -> Profile:
    """The set enrolled from one picture of its tiles in rows; what is doubtful is taken as it looks."""
    holds = full_set(flowers=8, reds=3)
    tiles = [code for code, many in holds.items() for _ in range(many)]
    Random(seed).shuffle(tiles)
    rng = np.random.default_rng(seed)
    camera = Camera.aimed(1600, 1200, focal=1680, distance=820, elevation_deg=78, azimuth_deg=-85)
    canvas = Canvas(np.full((1200, 1600, 3), (70, 100, 40), np.uint8), camera, Light())
    blocks = []
    for n, face in enumerate(tiles):
        x, y = (n % 18 - 8.5) * 28 + rng.normal(0, 0.6), (3.5 - n // 18) * 38 + rng.normal(0, 0.6)
        blocks.append(
            block(TileThing(n, Tile(face), 0, Place(x, y, 0.0, float(rng.normal(0, 2)), 0.0)), design, TileSize())
        )
    canvas.show(blocks)
    examples, backs = look(detector, Reader(), [canvas.picture])
    return enrol("bench", examples, backs, holds, lambda _, taken, __: taken).profile


if __name__ == "__main__":
    main()
