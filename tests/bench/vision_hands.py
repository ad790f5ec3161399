"""The virtual table benchmark of `vision`: `python tests/bench/vision_hands.py [--hands N] [--workers N]`. JSON lines.

Whole hands are played and filmed over rule sets, random tile sets that no training saw, tile sizes, felts, light, cameras at
1080p and 4K; one watcher goes by the net alone, one has the tile set enrolled from one picture of it. Judged are
- settled pictures: moments at which the whole table has been at rest for 0.75 s. Tiles lying open have to be right (kind, whose
  zone, within half a tile of their place, turned or not), racks counted, walls measured, a picture exact in every zone (order
  and groups too, no tile where none is)
- events: contents of a zone that stayed unchanged and uncovered for 0.75 s have to be told, in their order, within a zone and
  across the table; every word on a zone that was at no moment true counts as one more that is wrong

Finished hands are kept in `--into` and not played again as long as `vision` and this benchmark are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "vision"))

from hands.film import film
from hands.judge import Judge, Slip
from hands.report import WAYS, report
from hands.scenery import lesson, scenery
from vision_truth import jpeg

from table_engine.wire.layout import Layout, Zone, to_table
from virtual_table.render.renderer import Renderer
from vision import markers
from vision.calibrate import Calibration
from vision.detect import Detector
from vision.frame import Frame
from vision.look import Looker
from vision.read import Reader
from vision.rectify import Rectifier
from vision.watcher import Watcher

MOST_S = 400
_SLIPS = 60
"""So many wrong zones of a hand are kept."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--workers", type=int, default=1, help="processes; as many as there are idle cores")
    parser.add_argument("--seconds", type=float, default=MOST_S, help="of play, at most, a hand")
    parser.add_argument("--into", type=Path, default=ROOT / "var" / "bench" / "vision_hands.jsonl")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of every zone told wrongly")
    options = parser.parse_args()
    mark = fingerprint()
    done = {h["hand"]: h for h in kept(options.into) if h["of"] == mark and h["seconds"] == options.seconds}
    wanted = range(options.first, options.first + options.hands)
    todo = [n for n in wanted if n not in done]
    options.into.parent.mkdir(parents=True, exist_ok=True)
    screen = Console(stderr=True)
    with ProcessPoolExecutor(options.workers) as pool, options.into.open("a", encoding="utf-8") as file:
        many = len(todo)
        played = pool.map(hand, todo, [options.seconds] * many, [options.pictures] * many)
        for one in track(played, "hands", total=many, console=screen, disable=not many):
            done[one["hand"]] = one | {"of": mark}
            file.write(json.dumps(done[one["hand"]]) + "\n")
            file.flush()
    for line in report([done[n] for n in wanted]):
        print(json.dumps(line))


def kept(path: Path) -> Iterator[dict[str, Any]]:
    """Hands of earlier runs; a line that was cut off is none."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def fingerprint() -> str:
    """What figures depend on: the nets, the room's code, this benchmark."""
    digest = hashlib.sha256()
    for pattern in ("vision/*.py", "vision/models/*.onnx", "tests/bench/hands/*.py", "virtual_table/render/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def hand(number: int, seconds: float, pictures: Path | None) -> dict[str, Any]:
    """One hand, filmed once, watched by the net alone and with the set enrolled."""
    cv2.setNumThreads(1)
    began = time.process_time()
    place = scenery(number)
    simulation, layout = place.simulation, place.simulation.layout
    renderer = Renderer(place.camera, layout, place.look, seed=number)
    first = Frame(0, 0, jpeg=jpeg(renderer.frame(simulation.snapshot()), 88))
    first.halved = place.wide
    focal = place.camera.focal * (0.5 if place.wide else 1.0)
    calibration = markers.calibrate(Layout(layout.tile), first.image, focal=focal)
    detector = Detector()
    learnt = lesson(place, detector, number)
    readers = (Reader(), Reader(sets=[learnt.profile]))
    watchers = {way: Watcher(calibration, eyes(detector, reader)) for way, reader in zip(WAYS, readers, strict=True)}
    judges = {way: Judge(layout.tile.width) for way in WAYS}
    count = 0
    for moment in film(simulation, seconds):
        count += 1
        frame = Frame(moment.snapshot.at_ms, count, jpeg=jpeg(renderer.frame(moment.snapshot), 88))
        frame.halved = place.wide
        for way, watcher in watchers.items():
            judges[way].hear(watcher.feed(frame))
            for slip in judges[way].see(moment):
                if pictures is not None:
                    name = f"{number:03}-{way.replace(' ', '-')}-{slip.at_ms:06}-{slip.key[1]}{int(slip.key[0])}-{slip.kind}"
                    keep(pictures / f"{name}.png", calibration, frame, slip)
    out: dict[str, Any] = {"hand": number, "seconds": seconds, "facts": place.facts, "frames": count}
    out["lesson"] = {"asked": learnt.asked, "mistaken": learnt.mistaken}
    for way, judge in judges.items():
        judge.close()
        slips = [slip.line() for slip in judge.slips[:_SLIPS]]
        out[way] = {"counts": judge.counts, "confused": judge.confused, "slips": slips, "false": judge.false[:_SLIPS]}
    return out | {"cpu_s": round(time.process_time() - began, 1)}


def eyes(detector: Detector, reader: Reader) -> Callable[[Calibration], Looker]:
    return lambda made: Looker(made, detector, reader)


def keep(path: Path, calibration: Calibration, frame: Frame, slip: Slip) -> None:
    """The zone as the reader sees it, and below what it holds and what was told."""
    seat, name = slip.key
    rect = calibration.layout.zone(Zone.WALL if name == "wall_seen" else Zone(name))
    ends = np.array([to_table(seat, u, v) for u in (rect.u0, rect.u1) for v in (rect.v0, rect.v1)])
    low, high = calibration.scale(ends).min(axis=0) - 30, calibration.scale(ends).max(axis=0) + 30
    x0, y0, x1, y1 = (int(v) for v in np.clip([*low, *high], 0, calibration.side_px))
    part = Rectifier(calibration).window(frame.image, (x0, y0, x1, y1))
    part = np.rot90(part, -int(seat))
    board = np.full((part.shape[0] + 60, max(part.shape[1], 700), 3), 40, np.uint8)
    board[: part.shape[0], : part.shape[1]] = part
    for row, words in enumerate((f"true {slip.true}", f"told {slip.told}")):
        where = (6, part.shape[0] + 22 + 26 * row)
        cv2.putText(board, words, where, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), board)


if __name__ == "__main__":
    main()
