"""How quick `vision` is: `python tests/bench/vision_speed.py [--times N]`. JSON lines, medians, ms of processor time on one core.

- whole: one look at a whole table of about 100 tiles (finding, reading, places), JPEG decoded before, at 1080p and 4K
- whole_two_cores: the same with two threads, as time passes (on a machine that does nothing else)
- unchanged, one_tile: a frame fed to the watcher, decoding included, on which nothing or one more tile has changed
- photo: a photograph of that table without calibration, 1080p
- nets: the same nets under onnxruntime and under cv2.dnn, 1080p picture, 80 crops, 8 flowers; how far their answers are apart
- memory: of a process that watches one 1080p camera, MiB
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vision"))

from vision_truth import calibrated, jpeg

from virtual_table.customs import customs_of
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.simulation import Simulation
from vision.detect import Detector
from vision.frame import Frame
from vision.look import Looker
from vision.net import Net
from vision.photo import PhotoReader
from vision.read import Reader
from vision.watcher import Watcher

_LONG_MS = 150_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=9)
    times = parser.parse_args().times
    cv2.setNumThreads(1)
    simulation = Simulation.of_players(customs_of("taiwan16"), hands=1, seed=5)
    while not simulation.finished and simulation.at_ms < _LONG_MS:
        simulation.step(500)
    while simulation.snapshot().arms and not simulation.finished:
        simulation.step(100)
    for name, size in (("1080p", (1920, 1080)), ("4K", (3840, 2160))):
        _whole(name, size, simulation, times)
    _net("detector", (1, 1088, 1088, 3), times)
    _net("reader", (80, 64, 64, 3), times)
    _net("flower", (8, 96, 96, 3), times)
    told("memory", mib=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), note="this whole benchmark")


def _whole(name: str, size: tuple[int, int], simulation: Simulation, times: int) -> None:
    layout, snapshot = simulation.layout, simulation.snapshot()
    camera = Camera.overhead(*size, layout.half)
    renderer = Renderer(camera, layout)
    data = jpeg(renderer.frame(snapshot), 90)
    halved = size[0] > 3000
    first = _frame(data, 0, halved)
    calibration = calibrated(Camera.overhead(size[0] // 2, size[1] // 2, layout.half) if halved else camera, layout)
    detector, reader = Detector(), Reader()
    looker = Looker(calibration, detector, reader)
    side = calibration.side_px
    image = first.image
    found = len(looker.look(image, (0, 0, side, side)).sightings)
    told("whole", picture=name, tiles=found, ms=median(lambda: looker.look(image, (0, 0, side, side)), times))
    cv2.setNumThreads(2)
    both = Looker(calibration, Detector(threads=2), Reader(threads=2))
    told(
        "whole_two_cores", picture=name, wall_ms=median(lambda: both.look(image, (0, 0, side, side)), times, wall=True)
    )
    cv2.setNumThreads(1)
    watcher = Watcher(calibration, lambda made: Looker(made, detector, reader))
    for n in range(12):
        watcher.feed(_frame(data, n, halved))
    numbers = iter(range(12, 10_000))
    told("unchanged", picture=name, ms=median(lambda: watcher.feed(_frame(data, next(numbers), halved)), 4 * times))
    spent = []
    while len(spent) < times and not simulation.finished:
        simulation.step(250)
        more = jpeg(renderer.frame(simulation.snapshot()), 90)
        frame, before = _frame(more, next(numbers), halved), watcher.counters["zones_read"]
        began = time.process_time()
        watcher.feed(frame)
        if watcher.counters["zones_read"] == before + 1:
            spent.append(1000 * (time.process_time() - began))
    told("one_tile", picture=name, ms=round(statistics.median(spent), 1) if spent else None, zones=len(spent))
    if not halved:
        photo = PhotoReader(threads=1)
        told("photo", picture=name, ms=median(lambda: photo.tiles(image), max(2, times // 3)))


def _net(name: str, shape: tuple[int, ...], times: int) -> None:
    """The same net under both runtimes."""
    picture = np.random.default_rng(1).integers(0, 255, shape, np.uint8)
    ours = Net(name)
    line: dict[str, object] = {
        "net": name,
        "input": list(shape),
        "onnxruntime_ms": median(lambda: ours(picture), times),
    }
    try:
        theirs = cv2.dnn.readNetFromONNX(str(resources.files("vision") / "models" / f"{name}.onnx"))
        names = theirs.getUnconnectedOutLayersNames()

        def other() -> list[np.ndarray]:
            theirs.setInput(picture)
            return list(theirs.forward(names))

        line["cv2_dnn_ms"] = median(other, times)
        gaps = [float(np.abs(a - b.reshape(a.shape)).max()) for a, b in zip(ours(picture), other(), strict=True)]
        line["apart"] = round(max(gaps), 6)
    except (cv2.error, ValueError) as error:
        line["cv2_dnn_ms"] = None
        line["cv2_dnn_says"] = str(error).strip().splitlines()[-1][:120]
    told("nets", **line)


def _frame(data: bytes, number: int, halved: bool) -> Frame:
    frame = Frame(200 * number, number, jpeg=data)
    frame.halved = halved
    return frame


def median(work: Callable[[], object], times: int, *, wall: bool = False) -> float:
    """Milliseconds of processor time, or as they pass."""
    clock = time.perf_counter if wall else time.process_time
    spent = []
    for _ in range(times + 1):
        began = clock()
        work()
        spent.append(1000 * (clock() - began))
    return round(statistics.median(spent[1:]), 1)


def told(what: str, **figures: object) -> None:
    print(json.dumps({"what": what, **figures}), flush=True)


if __name__ == "__main__":
    main()
