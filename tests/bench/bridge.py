"""The serial bridge's figures: `python tests/bench/bridge.py [--frames N] [--events N] [part ...]`, one JSON object a part.

damage: N corrupted frames, how many are accepted wrong. codec: frames a second on one core. way: readings a second over a
pty with 1 in 1,000 bytes damaged through port thread, session and outbox (fsynced). steady: 200 readings a second through the
bridge as a process and the embedded broker; its processor share and memory, and how long from the line until the engine has
it. away: N events while no broker runs, then how fast they are drained, whether in order, none lost, none twice. cable: how
long until an unplugged cable is said, and until readings flow again after it is plugged in.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "firmware_bridge"))

from bench_parts import Rig, three_dice
from corruption import accepted_wrong

from firmware_bridge.framing import Decoder, encode
from firmware_bridge.messages import WallLeft, pack, unpack
from table_engine.wire.access import ENGINE_ROLE, door
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.clock import SharedClock, SystemClock
from table_engine.wire.consumer import EngineNode
from table_engine.wire.observations import Dice, Health
from table_engine.wire.outbox import Outbox
from table_engine.wire.received import Observed
from table_engine.wire.settings import load_site
from virtual_table.controller import Controller


class Stored:
    """A node that stores in a real outbox and sends nothing."""

    def __init__(self, path: Path) -> None:
        self.outbox = Outbox(path, "serial")
        self.bookmark = ""
        self.at: list[tuple[float, object]] = []

    def put_all(self, observations, *, bookmark=None):
        stored = self.outbox.put_all(observations, bookmark=bookmark)
        self.at += [(time.perf_counter(), e.data) for e in stored]
        return stored

    def dice(self) -> int:
        return sum(isinstance(o, Dice) for _, o in self.at)


def damage(frames: int) -> dict[str, float]:
    start = time.perf_counter()
    wrong = accepted_wrong(frames, random.Random(1))
    return {"corrupted": frames, "accepted_wrong": len(wrong), "seconds": round(time.perf_counter() - start, 1)}


def codec(count: int = 50_000) -> dict[str, float]:
    messages = [WallLeft(n, n % 4, n % 35, n % 17) for n in range(count)]
    start = time.perf_counter()
    wire = b"".join(encode(pack(message, n)) for n, message in enumerate(messages))
    middle = time.perf_counter()
    read = [unpack(frame) for frame in Decoder().feed(wire)]
    end = time.perf_counter()
    assert read == messages
    return {"encoded_per_s": round(count / (middle - start)), "decoded_per_s": round(count / (end - middle))}


def way(folder: Path, count: int = 10_000) -> dict[str, float]:
    clock = SystemClock()
    device = Controller(folder / "way", noise=0.001, start_ms=clock.now_ms())
    node = Stored(folder / "way.sqlite3")
    rig = Rig(folder / "way", clock, node)
    rolls, sent, start = three_dice(), 0, time.perf_counter()
    while node.dice() < count:
        while sent < count and device.backlog < 16:
            device.dice(next(rolls))
            sent += 1
        device.pump(clock.now_ms())
        rig.turn()
    seconds = time.perf_counter() - start
    counters = rig.bridge._device.counters
    rig.stop()
    device.close()
    keys = ("bad_frames", "recovered", "duplicates", "lost")
    return {"readings": count, "per_s": round(count / seconds), **{key: counters[key] for key in keys}}


class Running:
    """The bridge as a process of its own, at a site in `folder` with the embedded broker's settings."""

    def __init__(self, folder: Path, clock: str = "") -> None:
        folder.mkdir()
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = sock.getsockname()[1]
        path = folder / "site.toml"
        path.write_text(
            f'venue = "hall"\ndata = "var"\n{clock}[broker]\nport = {port}\nstore = "broker"\n'
            f'[[tables]]\nid = "t1"\n[[tables.bridges]]\nid = "serial"\nport = "{folder / "tty"}"\n'
        )
        self.site = load_site(path)
        self._command = [sys.executable, "-m", "jantaku", "bridge", "-c", str(path), "--table", "t1", "--id", "serial"]

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)

    def engine(self) -> EngineNode:
        return EngineNode(door(self.site, ENGINE_ROLE), "hall", ["t1"], boot=1, backoff_s=(1, 1))

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


def steady(folder: Path, per_s: int = 200, seconds: int = 20) -> dict[str, float]:
    running, clock = Running(folder / "steady"), SystemClock()
    device = Controller(folder / "steady" / "tty", start_ms=clock.now_ms())
    rolls, said, heard = three_dice(), [], []
    with EmbeddedBroker(running.site), running.engine() as engine:
        running.start()
        while not device.line.connected or device.backlog or not any(isinstance(o, Observed) for o in heard):
            device.pump(clock.now_ms())
            heard = engine.poll(0.01)
            engine.acknowledge(heard)
        start, cpu, heard = time.perf_counter(), running.cpu_s(), []
        while len(heard) < per_s * seconds:
            due = int((time.perf_counter() - start) * per_s)
            while len(said) < min(due, per_s * seconds):
                device.dice(next(rolls))
                said.append(time.perf_counter())
            device.pump(clock.now_ms())
            batch = engine.poll(0.001)
            at = time.perf_counter()
            heard += [at for one in batch if isinstance(one, Observed) and isinstance(one.envelope.data, Dice)]
            engine.acknowledge(batch)
        took = time.perf_counter() - start
        share, memory = (running.cpu_s() - cpu) / took, running.memory_mb()
        running.stop()
    device.close()
    waits = sorted(at - s for s, at in zip(said, heard, strict=True))
    return {
        "per_s": per_s,
        "bridge_cpu_share": round(share, 3),
        "bridge_memory_mb": round(memory, 1),
        "line_to_engine_p50_ms": round(1000 * waits[len(waits) // 2], 2),
        "line_to_engine_p99_ms": round(1000 * waits[len(waits) * 99 // 100], 2),
    }


def away(folder: Path, count: int) -> dict[str, float]:
    running = Running(folder / "away", 'clock = "clock"\n')
    clock = SharedClock(folder / "away" / "clock", create=True)
    device, rolls, sent, now = Controller(folder / "away" / "tty"), three_dice(), 0, 0
    running.start()
    start = time.perf_counter()
    while sent < count or device.backlog:
        while sent < count and device.backlog < 64:
            device.dice(next(rolls))
            sent += 1
        now += 5
        clock.set_ms(now)
        device.pump(now)
        device.line.wait(1)
    taken_s = time.perf_counter() - start
    heard: list[tuple[int, ...]] = []
    with EmbeddedBroker(running.site), running.engine() as engine:
        first = None
        while len(heard) < count:
            now += 20
            clock.set_ms(now)
            device.pump(now)
            batch = engine.poll(0.02)
            heard += [
                o.envelope.data.dice for o in batch if isinstance(o, Observed) and isinstance(o.envelope.data, Dice)
            ]
            engine.acknowledge(batch)
            first = first or (time.perf_counter() if heard else None)
        drained_s = time.perf_counter() - first
        extra = [o for o in engine.poll(2.0) if isinstance(o, Observed) and isinstance(o.envelope.data, Dice)]
    running.stop()
    device.close()
    return {
        "events": count,
        "taken_per_s_without_broker": round(count / taken_s),
        "drained_per_s": round(count / drained_s),
        "in_order_none_lost_none_twice": heard == list(itertools.islice(three_dice(), count)) and not extra,
    }


def cable(folder: Path, rounds: int = 5) -> dict[str, float]:
    clock = SystemClock()
    device = Controller(folder / "cable", start_ms=clock.now_ms())
    node = Stored(folder / "cable.sqlite3")
    rig = Rig(folder / "cable", clock, node)

    def until(state: str) -> float:
        start = time.perf_counter()
        while True:
            last = next((o for _, o in reversed(node.at) if isinstance(o, Health)), None)
            if last is not None and last.state == state:
                return time.perf_counter() - start
            device.pump(clock.now_ms())
            rig.turn()

    until("ok")
    seen, resumed = [], []
    for n in range(rounds):
        device.unplug()
        seen.append(until("lost"))
        pause = time.perf_counter() + n
        while time.perf_counter() < pause:
            rig.turn()
        device.replug()
        resumed.append(until("ok"))
    rig.stop()
    device.close()
    return {"unplugged_said_max_s": round(max(seen), 3), "replugged_flows_max_s": round(max(resumed), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("parts", nargs="*")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = {
            "damage": lambda: damage(wanted.frames),
            "codec": codec,
            "way": lambda: way(folder),
            "steady": lambda: steady(folder),
            "away": lambda: away(folder, wanted.events),
            "cable": lambda: cable(folder),
        }
        for part in wanted.parts or parts:
            print(json.dumps({part: parts[part]()}), flush=True)


if __name__ == "__main__":
    main()
