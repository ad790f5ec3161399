"""The serial bridge's figures: `python tests/bench/bridge.py [--frames N]` prints one JSON object.

Damage: N corrupted frames, how many are accepted wrong. Codec: frames a second on one core. Way: readings a second over a
pty with 1 in 1,000 bytes damaged through port thread, session and outbox (fsynced), and processor time for 200 readings a
second. Cable: how long until an unplugged cable is said, and until readings flow again after it is plugged in.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "firmware_bridge"))

from bench_parts import Rig, three_dice
from corruption import accepted_wrong

from firmware_bridge.framing import Decoder, encode
from firmware_bridge.messages import WallLeft, pack, unpack
from table_engine.wire.clock import SystemClock
from table_engine.wire.observations import Dice, Health
from table_engine.wire.outbox import Outbox
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


def steady(folder: Path, per_s: int = 200, seconds: int = 10) -> dict[str, float]:
    clock = SystemClock()
    device = Controller(folder / "steady", start_ms=clock.now_ms())
    node = Stored(folder / "steady.sqlite3")
    rig = Rig(folder / "steady", clock, node)
    rolls, said, cpu = three_dice(), [], time.process_time()
    start = time.perf_counter()
    while node.dice() < per_s * seconds:
        due = int((time.perf_counter() - start) * per_s)
        while len(said) < min(due, per_s * seconds):
            device.dice(next(rolls))
            said.append(time.perf_counter())
        device.pump(clock.now_ms())
        rig.turn(0.002)
    cpu = time.process_time() - cpu
    waits = sorted(at - s for s, (at, _) in zip(said, (x for x in node.at if isinstance(x[1], Dice)), strict=True))
    rig.stop()
    device.close()
    return {
        "per_s": per_s,
        "cpu_share_with_the_device": round(cpu / (time.perf_counter() - start), 3),
        "reading_to_outbox_p50_ms": round(1000 * waits[len(waits) // 2], 2),
        "reading_to_outbox_p99_ms": round(1000 * waits[len(waits) * 99 // 100], 2),
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
    frames = parser.parse_args().frames
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = {
            "damage": damage(frames),
            "codec": codec(),
            "way": way(folder),
            "steady": steady(folder),
            "cable": cable(folder),
        }
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
