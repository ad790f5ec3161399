"""A whole table at life's speed: `python tests/bench/live.py [--seconds N] [--fps N]`. One line of JSON per figure.

A recorded game on the virtual table, 1080p, through camera, cable, broker and engine, every process its own.
- tile_to_action: a tile comes to rest on the table → the engine publishes the move that names it (ms of life; the table
  goes at speed 1, so simulated and real milliseconds are the same). The truth comes from the same seed played without pixels.
- cpu: share of one core of each process while tiles move and on an idle, empty table that the camera still sees.
- rss: memory of each process, MiB.
"""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from jantaku.games import Game, game
from jantaku.live import START_MS, Live, children_of, set_up
from jantaku.supervisor import Supervisor
from table_engine.wire.access import VIEWER_ROLE, door
from table_engine.wire.actions import Discarded
from table_engine.wire.clock import clock_of
from table_engine.wire.messages import ActionReport
from table_engine.wire.mqtt import Incoming, Link
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics
from virtual_table.motion import PACES
from virtual_table.simulation import Simulation

RECORD = "data/game_records/mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog"
PACE = "brisk"
TICKS_PER_S = 100.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="of play")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds of an idle table")
    parser.add_argument("--fps", type=float, default=15.0)
    parser.add_argument("--shared", type=Path, default=Path(__file__).resolve().parents[3] / "shared")
    options = parser.parse_args()
    played = game(options.shared / RECORD, 0)
    played = replace(played, record=replace(played.record, hands=played.record.hands[:1]))
    live = Live("riichi", speed=1.0, pace=PACE, fps=options.fps, stay=True)
    with tempfile.TemporaryDirectory(prefix="jantaku-bench-") as folder:
        site, config = set_up(Path(folder), live)
        children = children_of(site, config, played, live)
        supervisor = Supervisor(children, lambda name, line: print(f"{name}: {line}", file=sys.stderr))
        try:
            supervisor.start()
            truth = _truth(played, live)
            with _ear(site) as heard:
                busy, delays = _watch(supervisor, options.seconds, heard, truth)
            _say("tile_to_action_ms", fps=options.fps, **_quantiles(delays))
            _say("cpu_while_played", **busy)
            clock = clock_of(site.clock)
            while clock.now_ms() < truth[-1][0] + 30_000:
                time.sleep(1)
            _say("cpu_of_an_idle_table", **_cpu(supervisor, options.idle))
            _say("rss_mib", **{name: _rss_mib(pid) for name, pid in _pids(supervisor).items()})
        finally:
            supervisor.stop()


def _truth(played: Game, live: Live) -> list[tuple[int, str]]:
    """When each discard of the game came to rest, and its tile."""
    simulation = Simulation.of_records(played.record.hands, seed=live.seed, pace=PACES[live.pace], start_ms=START_MS)
    while not simulation.finished:
        simulation.step(2000)
    moves = [m for hand in simulation.performed for m in hand.moves]
    return [(m.at_ms, f"{int(m.seat)} {m.tile}") for m in moves if isinstance(m, Discarded)]


@contextmanager
def _ear(site: Site) -> Iterator[queue.SimpleQueue[tuple[int, str]]]:
    """What the engine says has moved: (simulated ms of hearing, words) of every discard."""
    clock = clock_of(site.clock)
    topics = Topics(site.venue, site.tables[0].id)
    link = Link(door(site, VIEWER_ROLE), "bench-ear", will=("bench/none", ""), subscriptions=(topics.action,))
    heard: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    stop = threading.Event()

    def listen() -> None:
        while not stop.is_set():
            try:
                happening = link.inbox.get(timeout=0.2)
            except queue.Empty:
                continue
            if isinstance(happening, Incoming):
                now_ms = clock.now_ms()
                action = ActionReport.model_validate_json(happening.payload).action
                if isinstance(action, Discarded):
                    heard.put((now_ms, f"{int(action.seat)} {action.tile}"))

    thread = threading.Thread(target=listen, daemon=True)
    link.start()
    thread.start()
    try:
        yield heard
    finally:
        stop.set()
        thread.join()
        link.stop()


def _watch(
    supervisor: Supervisor,
    seconds: float,
    heard: queue.SimpleQueue[tuple[int, str]],
    truth: list[tuple[int, str]],
) -> tuple[dict[str, float], list[float]]:
    time.sleep(20)  # walls and deal
    while not heard.empty():
        heard.get()
    busy = _cpu(supervisor, seconds)
    delays = []
    while not heard.empty():
        now_ms, words = heard.get()
        at = [rest for rest, tile in truth if tile == words and now_ms - 15_000 < rest <= now_ms]
        if at:
            delays.append(now_ms - at[-1])
    return busy, [float(d) for d in delays]


def _pids(supervisor: Supervisor) -> dict[str, int]:
    """Processes of the site, the broker's server included."""
    pids = {name: pid for name in supervisor.names if (pid := supervisor.pid(name))}
    for status in Path("/proc").glob("[0-9]*/status"):
        text = status.read_text(errors="replace") if status.exists() else ""
        if "broker" in pids and f"PPid:\t{pids['broker']}\n" in text:
            pids["nats-server"] = int(status.parent.name)
    return pids


def _cpu(supervisor: Supervisor, seconds: float) -> dict[str, float]:
    pids = _pids(supervisor)
    before = {name: _ticks(pid) for name, pid in pids.items()}
    time.sleep(seconds)
    return {name: round((_ticks(pid) - before[name]) / TICKS_PER_S / seconds, 3) for name, pid in pids.items()}


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def _rss_mib(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return round(int(text.split("VmRSS:")[1].split()[0]) / 1024, 1)


def _quantiles(delays: list[float]) -> dict[str, float]:
    if len(delays) < 2:
        return {"n": len(delays)}
    cuts = statistics.quantiles(delays, n=100)
    return {
        "n": len(delays),
        "p50": round(cuts[49]),
        "p90": round(cuts[89]),
        "p99": round(cuts[98]),
        "max": max(delays),
    }


def _say(figure: str, **values: object) -> None:
    print(json.dumps({"figure": figure, **values}), flush=True)


if __name__ == "__main__":
    main()
