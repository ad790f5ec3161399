"""Figures of the wire: `python tests/bench/wire.py [--seconds N]`. Embedded broker, loopback, one line per figure.

Publisher (SensorNode in a process of its own) and engine (EngineNode) run at once; every latency is put() called → handed
out by poll(), outbox, broker and fsyncs included.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table_engine.wire.access import ENGINE_ROLE, door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.consumer import EngineNode
from table_engine.wire.layout import Zone
from table_engine.wire.observations import TileSeen, ZoneSeen
from table_engine.wire.outbox import Outbox
from table_engine.wire.received import Observed
from table_engine.wire.seats import Seat
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

TILES = tuple(TileSeen(code=f"{n % 9 + 1}m", confidence=0.98, u_mm=n * 26.0, track=n) for n in range(10))
SEEN = ZoneSeen(zone=Zone.POND, seat=Seat.S1, tiles=TILES)
"""A pond of ten tiles: about 1.4 kB of JSON."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--publish", nargs=3, metavar=("SITE", "RATE", "COUNT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.publish:
        site, rate, count = arguments.publish
        publish(Site.model_validate_json(Path(site).read_text()), float(rate), int(count))
        return
    with tempfile.TemporaryDirectory(prefix="jantaku-bench-") as folder:
        outbox_figures(Path(folder))
        for interval in ("always", "10s"):
            wire_figures(Path(folder) / interval, arguments.seconds, interval)


def outbox_figures(folder: Path) -> None:
    with Outbox(folder / "bench.sqlite3", "cam1") as outbox:
        start, took = time.perf_counter(), []
        for n in range(2000):
            one = time.perf_counter()
            outbox.put(n, SEEN)
            took.append(time.perf_counter() - one)
        say("outbox, one put a commit", rate=2000 / (time.perf_counter() - start), **percentiles(took))
        start = time.perf_counter()
        for n in range(200):
            outbox.put_all((n, SEEN) for _ in range(20))
        say("outbox, 20 puts a commit", rate=4000 / (time.perf_counter() - start))
        start = time.perf_counter()
        while outbox.take(64):
            pass
        say("outbox, take", rate=len(outbox) / (time.perf_counter() - start))


def wire_figures(folder: Path, seconds: float, sync_interval: str) -> None:
    folder.mkdir()
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    table = {"id": "t1", "cameras": [{"id": "cam1", "source": "0"}]}
    broker = {"port": port, "store": folder / "broker", "sync_interval": sync_interval}
    site = Site.model_validate({"venue": "bench", "data": folder, "broker": broker, "tables": [table]})
    path = folder / "site.json"
    path.write_text(site.model_dump_json())
    start = time.perf_counter()
    with EmbeddedBroker(site), EngineNode(door(site, ENGINE_ROLE), "bench", ["t1"], boot=1) as engine:
        say(f"broker syncs {sync_interval}: ready", seconds=time.perf_counter() - start)
        for rate in (50.0, 200.0, 0.0):
            count = int(rate * seconds) or 4000
            took = run(engine, path, rate, count)
            what = (
                f"broker syncs {sync_interval}: put → received at {rate:g} msg/s"
                if rate
                else f"broker syncs {sync_interval}: a backlog of {count} drains"
            )
            say(what, rate=count / took.pop(), **(percentiles(took) if rate else {}))


def run(engine: EngineNode, site: Path, rate: float, count: int) -> list[float]:
    """Latencies in seconds, and as the last element how long the whole took."""
    command = [sys.executable, __file__, "--publish", str(site), str(rate), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        took: list[float] = []
        first = 0.0
        while len(took) < count:
            batch = engine.poll(0.1)
            now_ns = time.time_ns()
            for received in batch:
                if isinstance(received, Observed):
                    first = first or time.perf_counter()
                    took.append((now_ns // 1000 - received.envelope.at_ms) / 1e6)
            engine.acknowledge(batch)
        whole = time.perf_counter() - first
        assert child.stdin is not None
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            engine.acknowledge(engine.poll(0.1))
        child.stdin.close()
    return [*took, whole]


def publish(site: Site, rate: float, count: int) -> None:
    """The publisher's process. `at_ms` carries microseconds here, the finest clock both processes share."""
    topics = Topics(site.venue, "t1")
    node = SensorNode(
        door(site, node_role("t1", "cam1")), topics, "cam1", outbox=site.data / f"{rate}-{time.time_ns()}.sqlite3"
    )
    if not rate:
        for _ in range(0, count, 100):
            node.put_all((0, SEEN) for _ in range(100))
    with node:
        time.sleep(1.0)
        start = time.monotonic()
        for n in range(count if rate else 0):
            time.sleep(max(0.0, start + n / rate - time.monotonic()))
            node.put(time.time_ns() // 1000, SEEN)
        sys.stdin.read()


def percentiles(took: list[float]) -> dict[str, float]:
    ordered = sorted(took)
    return {f"p{p}_ms": 1000 * ordered[min(len(ordered) - 1, len(ordered) * p // 100)] for p in (50, 99, 100)}


def say(what: str, **figures: float) -> None:
    sys.stdout.write(
        json.dumps({"what": what, **{k: round(v, 3) for k, v in figures.items()}}, ensure_ascii=False) + "\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
