"""The bridge and the reference firmware as machine code: `python tests/bench/board.py [--mcu M] [--frames N]`.

noisy: N readings one way and N commands the other at 115200 baud over a cable that damages 1 byte in 1,000; all must arrive once
and in order. power: the emulator killed again and again; how long until that is said, and, once the port is there again, until
readings flow. Needs avr-gcc and simavr (tests/system-packages.sh).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "firmware"), str(TESTS / "firmware_bridge")]

from bench_parts import MemoryNode, Rig
from board import MCUS, Board, Build, Cable

from table_engine.wire.clock import SystemClock
from table_engine.wire.observations import DiscardZone
from table_engine.wire.seats import SEATS

AHEAD = 32
"""Readings the board may have in its ring of 64: a computer that sleeps for a second shall not make it overflow here."""


def laid(count: int) -> list[DiscardZone]:
    """What the board's `play` makes the discard zones say."""
    found = []
    for n in range(count):
        tiles = n // 4 % 25
        found.append(DiscardZone(seat=SEATS[n % 4], count=tiles + 1 if tiles < 24 else 0))
    return found


def live(rig: Rig, state: str = "ok", since: float | None = None) -> float:
    """Turns until the health is so; returns how long that took (since then, or since the call), s."""
    start = since or time.perf_counter()
    while rig.node.health is None or rig.node.health.state != state:
        rig.turn()
    return time.perf_counter() - start


def noisy(board: Board, folder: Path, count: int) -> dict[str, object]:
    with Cable(board, folder / "tty", noise=0.001):
        rig = Rig(folder / "tty", SystemClock(), MemoryNode())
        live(rig)
        rig.node.put.clear()
        start = time.perf_counter()
        board.order("play", AHEAD, 12)
        played, looked, seen, asked = AHEAD, 0, [], []
        while len(seen) < count or len(asked) < count or not asked[-1].done():
            seen += [o for _, o in rig.node.put[looked:] if isinstance(o, DiscardZone)]
            looked = len(rig.node.put)
            if (more := min(len(seen) + AHEAD, count) - played) > 0:
                board.order("more", more)
                played += more
            if len(asked) < count and (not asked or asked[-1].done()):
                asked.append(
                    rig.bridge.command("lamp", {"seat": 0, "red": len(asked) % 250 + 1, "green": 0, "blue": 0})
                )
            rig.turn()
        seconds = time.perf_counter() - start
        counters = rig.bridge._device.counters
        rig.stop()
    lamps = [line.split()[1] for line in list(board.says.queue) if line.startswith("lamps")]
    keys = ("frames", "bad_frames", "crc_errors", "asked_again", "recovered", "duplicates", "commands_resent", "lost")
    return {
        "each_way": count,
        "seconds": round(seconds),
        "readings_once_in_order": seen == laid(count),
        "commands_done": sum(one.result() == {"result": "done"} for one in asked),
        "lamps_once_in_order": lamps == [f"{n % 250 + 1:02x}0000" for n in range(count)],
        **{key: counters[key] for key in keys},
        "round_trip_ms": counters.get("round_trip_ms"),
    }


def power(build: Build, mcu: str, folder: Path, rounds: int = 5) -> dict[str, object]:
    port = folder / "usb"
    rig, seen, resumed = Rig(port, SystemClock(), MemoryNode()), [], []
    for _ in range(rounds):
        with Board(build, mcu, folder / "eeprom") as board:
            port.symlink_to(board.port)
            resumed.append(live(rig))
            pulled = time.perf_counter()
            board.kill()
            port.unlink()
            seen.append(live(rig, "lost", pulled))
    rig.stop()
    return {"unplugged_said_max_s": round(max(seen), 3), "flows_again_max_s": round(max(resumed), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mcu", choices=MCUS, action="append", help="both when none is named")
    parser.add_argument("--frames", type=int, default=10_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make = ("make", "-C", TESTS.parent / "firmware", f"BUILD={folder}")
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        build = Build.make(TESTS.parent, folder)
        for mcu in wanted.mcu or MCUS:
            print(json.dumps({f"power-{mcu}": power(build, mcu, folder)}), flush=True)
            with Board(build, mcu, folder / "eeprom") as board:
                print(json.dumps({f"noisy-{mcu}": noisy(board, folder, wanted.frames)}), flush=True)


if __name__ == "__main__":
    main()
