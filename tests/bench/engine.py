"""How fast the engine is: `step` with judging, a journal of 100,000 events folded anew, appending. On one core.

    python tests/bench/engine.py [--events 100000]

The events are a recorded game as the scripted table of the fusion tests tells it (both sensors, watermarks four times a
second), repeated until there are enough. CPU seconds are measured beside wall seconds: on a busy machine only they count.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fusion"))

from table_script import Script

from table_engine.apply import apply
from table_engine.engine import begin, step
from table_engine.fouls import Moment
from table_engine.journal import Journal
from table_engine.judge import judge
from table_engine.records.load import load
from table_engine.referee import Docket
from table_engine.replay import replay
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.actions import Action
from table_engine.wire.observations import Envelope

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("JANTAKU_SHARED") or ROOT.parent / "shared") / "data" / "game_records"
GAMES = {
    "riichi": "mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog",
    "taiwan16": "taiwan_selfplay/selfplay.jsonl",
    "chinese_official": "botzone_mcr_sample/sample16.txt",
}


@dataclass(frozen=True, slots=True)
class Spent:
    wall_s: float
    cpu_s: float


def measured(work: Callable[[], object]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def told(ruleset: str, events: int) -> list[Envelope]:
    """Enough hands of that rule set, as sensors tell them."""
    script = Script(ruleset=ruleset)
    while len(script.out) < events:
        for game in load(SHARED / GAMES[ruleset]):
            for hand in game.hands:
                if len(script.out) >= events:
                    break
                script.play(hand)
    return script.stream()[:events]


def moves(ruleset: str) -> Iterator[Action]:
    for game in load(SHARED / GAMES[ruleset]):
        for hand in game.hands:
            yield hand.start()
            yield from hand.moves


def stepping(ruleset: str, events: list[Envelope]) -> Spent:
    rules = load_ruleset(ruleset)

    def work() -> None:
        engine = begin("bench", told=True)
        for event in events:
            engine, _ = step(engine, event, rules)

    return measured(work)


def judging(ruleset: str, actions: list[Action]) -> Spent:
    """Reducer and judge alone, without fusion."""
    rules = load_ruleset(ruleset)

    def work() -> None:
        state, docket = State(), Docket("bench")
        for action in actions:
            after = apply(state, action, rules)
            docket, _ = judge(docket, Moment(state, action, after, rules), ())
            state = after

    return measured(work)


def journalling(folder: Path, events: list[Envelope], batch: int) -> Spent:
    def work() -> None:
        with Journal(folder / f"{batch}.sqlite3", "bench", "riichi") as book:
            for n in range(0, len(events), batch):
                book.append(events[n : n + batch])

    return measured(work)


def show(what: str, count: int, spent: Spent) -> None:
    rates = f"{count / spent.wall_s:>9,.0f}/s wall {count / spent.cpu_s:>9,.0f}/s cpu"
    print(f"{what:<48} {count:>8,} in {spent.wall_s:7.2f} s ({spent.cpu_s:7.2f} s cpu)  {rates}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    events_wanted = parser.parse_args().events
    if not SHARED.is_dir():
        sys.exit(f"no game records at {SHARED}; set JANTAKU_SHARED")
    riichi: list[Envelope] = []
    for ruleset in GAMES:
        events = told(ruleset, events_wanted)
        riichi = riichi or events
        show(f"step with fusion and judging, {ruleset}", len(events), stepping(ruleset, events))
        actions = list(moves(ruleset))
        show(f"reducer and judge alone, {ruleset}", len(actions), judging(ruleset, actions))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        show("journal, batches of 1 (fsync each)", 2_000, journalling(folder, riichi[:2_000], 1))
        show("journal, batches of 100", len(riichi), journalling(folder, riichi, 100))
        size_mb = (folder / "100.sqlite3").stat().st_size / 2**20
        show("replay of a journal", len(riichi), measured(lambda: replay(folder / "100.sqlite3")))
        print(f"journal of {len(riichi):,} events: {size_mb:.1f} MiB")
    print(f"largest memory of this process: {getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
