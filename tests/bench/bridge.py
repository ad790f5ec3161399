"""The serial bridge's figures: `python tests/bench/bridge.py [--frames N] [--events N] [part ...]`, one JSON object a part.

damage: N corrupted frames, how many are accepted wrong. codec: frames a second on one core. way: readings a second over a
pty with 1 in 1,000 bytes damaged through port thread, session and outbox (fsynced). steady: 200 readings a second through the
bridge as a process and a real broker; its processor share and memory, and how long from the line until the engine has it,
fsynced in outbox and broker. away: the broker is killed, N events happen, it is started again; how fast they are drained into
a journal (fsynced), whether in order, none lost, none twice. cable: how long until an unplugged cable is said, and until
readings flow again after it is plugged in. The embedded broker and Mosquitto in turn.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "firmware_bridge"))

from bench_parts import Rig, three_dice
from bench_site import BROKERS, Site
from corruption import trial

from firmware_bridge.framing import Decoder, encode
from firmware_bridge.messages import WallLeft, pack, unpack
from table_engine.journal import Journal
from table_engine.wire.clock import SharedClock, SystemClock
from table_engine.wire.observations import Dice, Envelope, Health
from table_engine.wire.outbox import Outbox
from table_engine.wire.received import Birth, Observed
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


def damage(frames: int) -> dict[str, object]:
    start = time.perf_counter()
    found = trial(frames, random.Random(1))
    return {
        "corrupted": found.damaged.total(),
        **dict(found.damaged),
        "accepted_wrong": len(found.wrong),
        "good_ones_after_them_missed": found.missed,
        "most_bytes_held": found.held,
        "seconds": round(time.perf_counter() - start, 1),
    }


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


def steady(folder: Path, broker: str, per_s: int = 200, seconds: int = 20) -> dict[str, object]:
    clock = SystemClock()
    with Site(folder / f"steady-{broker}", broker) as site, site.engine() as engine:
        device = Controller(site.tty, start_ms=clock.now_ms())
        rolls, said, heard = three_dice(), [], []
        site.start_bridge()
        while not any(isinstance(one, Birth) and one.info.model == "jantaku virtual" for one in heard):
            device.pump(clock.now_ms())
            heard = engine.poll(0.01)
            engine.acknowledge(heard)
        start, cpu, heard = time.perf_counter(), site.cpu_s(), []
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
        share, memory = (site.cpu_s() - cpu) / took, site.memory_mb()
    device.close()
    waits = sorted(at - s for s, at in zip(said, heard, strict=True))
    return {
        "broker": broker,
        "per_s": round(len(heard) / took),
        "bridge_cpu_share": round(share, 3),
        "bridge_memory_mb": round(memory, 1),
        "line_to_engine_p50_ms": round(1000 * waits[len(waits) // 2], 2),
        "line_to_engine_p99_ms": round(1000 * waits[len(waits) * 99 // 100], 2),
    }


def away(folder: Path, broker: str, count: int) -> dict[str, object]:
    with Site(folder / f"away-{broker}", broker, 'clock = "clock"\n') as site:
        clock = SharedClock(site.tty.with_name("clock"), create=True)
        device, rolls, sent, now = Controller(site.tty), three_dice(), 0, 0
        with site.engine() as engine:
            site.start_bridge()
            batch = []
            while device.backlog or not any(isinstance(one, Observed) for one in batch):
                now = _go_on(clock, device, now, 20)
                batch = engine.poll(0.02)
                engine.acknowledge(batch)
            positions = engine.positions()
        site.kill_broker()
        start = time.perf_counter()
        while sent < count or device.backlog:
            while sent < count and device.backlog < 64:
                device.dice(next(rolls))
                sent += 1
            now = _go_on(clock, device, now, 5)
            device.line.wait(1)
        taken_s = time.perf_counter() - start
        start, first = time.perf_counter(), 0.0
        site.start_broker()
        heard: list[tuple[int, ...]] = []
        with (
            Journal(folder / f"{broker}.journal", "t1", "riichi") as journal,
            site.engine(positions=positions) as engine,
        ):

            def hear(seconds: float) -> None:
                batch = engine.poll(seconds)
                new = journal.append(one.envelope for one in batch if isinstance(one, Observed))
                engine.acknowledge(batch)
                heard.extend(one.data.dice for one in new if isinstance(one, Envelope) and isinstance(one.data, Dice))

            while len(heard) < count:
                now = _go_on(clock, device, now, 20)
                hear(0.02)
                first = first or (time.perf_counter() if heard else 0.0)
            drained_s = time.perf_counter() - first
            hear(2.0)
            stands = [one.data.dice for one in journal.events() if isinstance(getattr(one, "data", None), Dice)]
    device.close()
    said = list(itertools.islice(three_dice(), count))
    return {
        "broker": broker,
        "events": count,
        "taken_per_s_without_broker": round(count / taken_s),
        "back_after_s": round(first - start, 1),
        "drained_per_s": round(count / drained_s),
        "in_order_none_lost_none_twice": heard == stands == said,
    }


def _go_on(clock: SharedClock, device: Controller, now_ms: int, by_ms: int) -> int:
    clock.set_ms(now_ms + by_ms)
    device.pump(now_ms + by_ms)
    return now_ms + by_ms


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
            **{f"steady-{broker}": partial(steady, folder, broker) for broker in BROKERS},
            **{f"away-{broker}": partial(away, folder, broker, wanted.events) for broker in BROKERS},
            "cable": lambda: cable(folder),
        }
        for part in wanted.parts or parts:
            print(json.dumps({part: parts[part]()}), flush=True)


if __name__ == "__main__":
    main()
