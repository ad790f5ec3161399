"""Two tables on one machine: `python tests/bench/vision_pair.py [--seconds N] [--fps N]`. JSON lines, one a table.

Two hands of different rules are rendered first, at 1080p; then two processes watch them at once, each over an HTTP stream of its
own as an IP camera sends it (no times in it, so what is too slow is dropped), with evidence and the set-up picture as a site has
them. Told are frames read and dropped, how old a frame is when all it shows has been said (ms, median and of one in a hundred),
the share of a core and MiB each process takes, and what was said.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier as BarrierType
from multiprocessing.synchronize import Event as EventType
from pathlib import Path

import cv2
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vision"))

from vision_truth import jpeg

from table_engine.wire.clock import SystemClock
from table_engine.wire.observations import Observation
from table_engine.wire.settings import CameraSettings, TableSettings
from virtual_table.customs import customs_of
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.simulation import Simulation
from vision.camera import Lost, Source, frames
from vision.evidence import Evidence
from vision.preview import Preview
from vision.runner import Loop

RULES = ("riichi", "taiwan16")
_BEGIN_MS = 20_000
"""Of the hand: it is dealt by then."""
_PATIENCE = 4.0
"""So many times as long as the film lasts it may take to watch it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--fps", type=float, default=10)
    options = parser.parse_args()
    films = [film(rules, options.seconds, options.fps) for rules in RULES]
    fresh = multiprocessing.get_context("spawn")  # a fork of a process that has drawn in threads hangs
    go = fresh.Event()
    meet = fresh.Barrier(len(RULES))
    told: Queue[dict[str, object]] = fresh.Queue()
    servers = [serve(pictures, options.fps, go) for pictures in films]
    places = [(rules, server.server_port) for rules, server in zip(RULES, servers, strict=True)]
    watching = [fresh.Process(target=watch, args=(*place, go, meet, told), daemon=True) for place in places]
    for process in watching:
        process.start()
    for _ in watching:
        print(json.dumps(told.get(timeout=_PATIENCE * options.seconds)), flush=True)
    for process in watching:
        process.join()
    for server in servers:
        server.shutdown()


def film(rules: str, seconds: float, fps: float) -> Sequence[bytes]:
    """JPEGs of a hand as it is played."""
    simulation = Simulation.of_players(customs_of(rules), hands=1, seed=3)
    renderer = Renderer(Camera.overhead(1920, 1080, simulation.layout.half), simulation.layout)
    while simulation.at_ms < _BEGIN_MS:
        simulation.step(500)
    out = []
    for _ in track(range(round(seconds * fps)), rules, console=Console(stderr=True)):
        simulation.step(round(1000 / fps))
        out.append(jpeg(renderer.frame(simulation.snapshot()), 90))
    return out


def serve(pictures: Sequence[bytes], fps: float, go: EventType) -> ThreadingHTTPServer:
    """A camera on loopback that shows a film once, the first picture until both are watched."""

    class Stream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            began = time.monotonic()
            shown = 0
            while shown < len(pictures):
                shown += go.is_set()
                data = pictures[max(0, shown - 1)]
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data))
                self.wfile.write(data + b"\r\n")
                began += 1 / fps
                time.sleep(max(0.0, began - time.monotonic()))

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Heard:
    """Counts what is said."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()

    def put_all(self, observations: Iterable[tuple[int, Observation]]) -> None:
        self.words.update(one.type for _, one in observations)


def watch(rules: str, port: int, go: EventType, meet: BarrierType, told: Queue[dict[str, object]]) -> None:
    """One camera's process: what `vision` does with it, without a broker."""
    cv2.setNumThreads(1)
    clock, heard, sources = SystemClock(), Heard(), list[Source]()
    camera = CameraSettings(id="overhead", source=f"http://127.0.0.1:{port}/")
    ages: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        evidence, preview = Evidence(Path(folder), "overhead", seconds=20), Preview(Path(folder), "overhead")
        settings = TableSettings(id=rules, cameras=(camera,))
        loop = Loop(settings, camera, heard, evidence=evidence, preview=preview)

        def opened(source: Source) -> None:
            sources.append(source)
            loop.opened(source)

        began = spent = 0.0
        before = 0
        for item in frames(camera, clock, threading.Event(), opened=opened):
            if isinstance(item, Lost):
                break
            loop.take(item, clock.now_ms())
            if began:
                ages.append(clock.now_ms() - item.at_ms)
            else:  # the table as it lay has been read; the film begins for both
                meet.wait()
                go.set()
                before = dropped(sources)
                began, spent = time.monotonic(), time.process_time()
        lasted, spent = time.monotonic() - began, time.process_time() - spent
        evidence.close()
    ages.sort()
    told.put(
        {
            "table": rules,
            "frames": len(ages),
            "dropped": dropped(sources) - before,
            "age_ms": {"median": statistics.median(ages), "p99": ages[int(0.99 * len(ages))]},
            "of_a_core": round(spent / lasted, 2),
            "mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            "said": dict(heard.words),
        }
    )


def dropped(sources: Sequence[Source]) -> int:
    return sum(getattr(source, "dropped", 0) for source in sources)


if __name__ == "__main__":
    main()
