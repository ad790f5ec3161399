"""Kills sensor, engine and broker at random and counts: `python tests/bench/wire_kills.py [--kills N] [--seed S]`.

A sensor process puts numbered observations, an engine process journals them (a file, fsynced before it acknowledges), the
embedded broker stands between. After the last kill everything runs out; then every number the sensor was told is stored
must stand in the journal once and in order. Prints one JSON object; exit code 1 when anything is lost, double or swapped.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from table_engine.wire.access import ENGINE_ROLE, door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.consumer import EngineNode
from table_engine.wire.messages import Position
from table_engine.wire.observations import Button, Dice, Watermark
from table_engine.wire.received import Gap, Observed
from table_engine.wire.seats import Seat
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", nargs=2, metavar=("PART", "SITE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        part, path = arguments.part
        site = Site.model_validate_json(Path(path).read_text())
        {"sensor": sensor, "engine": engine}[part](site)
        return
    with tempfile.TemporaryDirectory(prefix="jantaku-kills-") as folder:
        result = campaign(Path(folder), arguments.kills, random.Random(arguments.seed))
    sys.stdout.write(json.dumps(result) + "\n")
    sys.exit(1 if result["lost"] or result["double"] or result["swapped"] or result["gaps_lost"] else 0)


def campaign(folder: Path, kills: int, dice: random.Random) -> dict[str, float]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    table = {"id": "t1", "cameras": [{"id": "cam1", "source": "0"}]}
    broker = {"port": port, "store": folder / "broker"}
    site = Site.model_validate({"venue": "kills", "data": folder, "broker": broker, "tables": [table]})
    path = folder / "site.json"
    path.write_text(site.model_dump_json())

    def run(part: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, __file__, "--part", part, str(path)])

    start = time.monotonic()
    server = EmbeddedBroker(site)
    server.start()
    parts = {part: run(part) for part in ("sensor", "engine")}
    counts = dict.fromkeys(("sensor", "engine", "broker"), 0)
    for _ in range(kills):
        time.sleep(dice.uniform(0.2, 1.5))
        victim = dice.choice(sorted(counts))
        counts[victim] += 1
        if victim == "broker":
            assert server.pid is not None
            os.kill(server.pid, 9)
            time.sleep(dice.uniform(0.0, 0.5))
            server.start()
        else:
            parts[victim].kill()
            parts[victim].wait()
            parts[victim] = run(victim)
    (folder / "enough").touch()
    assert parts["sensor"].wait(120) == 0, "the sensor did not get rid of its outbox"
    parts["engine"].kill()
    parts["engine"].wait()
    server.stop()
    stored = [int(line) for line in (folder / "stored").read_text().split("\n") if line]
    lines = [line.split() for line in whole_lines(folder / "journal")]
    journal = [int(line[2]) for line in lines if line[2].isdigit()]
    return {
        "kills": kills,
        **{f"{victim}_kills": n for victim, n in counts.items()},
        "stored": len(stored),
        "journalled": len(journal),
        "lost": len(set(stored) - set(journal)),
        "double": len(journal) - len(set(journal)),
        "swapped": sum(a >= b for a, b in pairwise(journal)),
        "gaps_lost": sum(line[2] == "gap" for line in lines),
        "seconds": round(time.monotonic() - start, 1),
    }


def sensor(site: Site) -> None:
    """Puts numbers, and notes each one in `stored` after put has returned."""
    noted = site.data / "stored"
    node = SensorNode(
        door(site, node_role("t1", "cam1")),
        Topics("kills", "t1"),
        "cam1",
        outbox=site.data / "outbox",
        backoff_s=(1, 1),
    )
    with node, noted.open("a") as file:
        number = node.boot * 10**6  # beyond whatever an earlier process put and could not note
        while not (site.data / "enough").exists():
            number += 1
            node.put(number, Dice(dice=(1, 2)) if number % 3 else Button(seat=Seat.S0, call="pung"))
            file.write(f"{number}\n")
            file.flush()
            node.put(number, Watermark())
            time.sleep(0.004)
        sys.exit(0 if node.flush(100) else 1)


def engine(site: Site) -> None:
    """Journals lines of `boot seq number`."""
    path = site.data / "journal"
    lines = whole_lines(path)
    path.write_text("".join(f"{line}\n" for line in lines))
    positions = {("t1", "cam1"): Position(*map(int, lines[-1].split()[:2]))} if lines else {}
    boot, to = int(time.time()), door(site, ENGINE_ROLE)
    node = EngineNode(to, "kills", ["t1"], boot=boot, positions=positions, backoff_s=(1, 1))
    with node, path.open("a") as file:
        while True:
            batch = node.poll(0.1)
            for received in batch:
                match received:
                    case Observed(position=at, envelope=envelope):
                        mark = isinstance(envelope.data, Watermark)
                        file.write(f"{at.boot} {at.seq} {'mark' if mark else envelope.at_ms}\n")
                    case Gap(state="lost", expected=at):
                        file.write(f"{at.boot} {at.seq} gap\n")
                    case _:
                        pass
            file.flush()
            os.fsync(file.fileno())
            node.acknowledge(batch)


def whole_lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    return [line.rstrip("\n") for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


if __name__ == "__main__":
    main()
