"""A thousand tables in one process, one event a second each, and what one table holds after a whole match.

    python tests/bench/tables.py [--tables 1000] [--seconds 60]

Every table plays the same match, each from another moment on. CPU time of every single step is measured, since that is
what the engine answers for; the wall's is printed beside it. Memory is what Python allocated for one engine with its
history (all hands can still be amended), the events themselves not counted.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from engine import GAMES, SHARED, told

from table_engine import scoring
from table_engine.engine import Engine, act_on, begin, step
from table_engine.rules import RuleSet, load_ruleset
from table_engine.wire.acts import CorrectTile, RefereeAct, Undo
from table_engine.wire.observations import Envelope
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile

MATCH = 40_000
"""Enough events for the sixteen hands of a match."""


def steps(events: list[Envelope], rules: RuleSet, tables: int, seconds: int) -> tuple[list[float], list[float]]:
    """CPU and wall ms of every step, in the order of the seconds."""
    spread = max(1, (len(events) - seconds) // tables)
    starts = [n * spread for n in range(tables)]
    engines: list[Engine] = []
    fresh = begin("bench", told=True)
    at = 0
    for start in starts:
        while at < start:
            fresh, _ = step(fresh, events[at], rules)
            at += 1
        engines.append(fresh)
    cpu: list[float] = []
    wall: list[float] = []
    for second in range(seconds):
        for n, start in enumerate(starts):
            event = events[start + second]
            c, w = time.thread_time_ns(), time.perf_counter_ns()
            engines[n], _ = step(engines[n], event, rules)
            cpu.append((time.thread_time_ns() - c) / 1e6)
            wall.append((time.perf_counter_ns() - w) / 1e6)
    return cpu, wall


def held_mb(events: list[Envelope], rules: RuleSet) -> tuple[float, Engine]:
    """What one engine holds after all events."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    engine = begin("bench", told=True)
    for event in events:
        engine, _ = step(engine, event, rules)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / 2**20, engine


def amending_ms(engine: Engine, rules: RuleSet) -> tuple[float, float]:
    """CPU ms of correcting a tile of the last hand, and of taking that back."""
    seat = next(s for s in SEATS if engine.game.players[s].pond)
    act = RefereeAct(id="c", at_ms=engine.now_ms, did=CorrectTile(seat=seat, zone="pond", index=0, tile=Tile("1z")))
    began = time.thread_time_ns()
    engine, _ = act_on(engine, act, rules)
    corrected = time.thread_time_ns()
    act_on(engine, RefereeAct(id="u", at_ms=engine.now_ms, did=Undo(of="c")), rules)
    return (corrected - began) / 1e6, (time.thread_time_ns() - corrected) / 1e6


def share(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    if not SHARED.is_dir():
        sys.exit(f"no game records at {SHARED}; set JANTAKU_SHARED")
    scoring.prepare()
    for ruleset in GAMES:
        rules = load_ruleset(ruleset)
        events = told(ruleset, MATCH)
        cpu, wall = steps(events, rules, options.tables, options.seconds)
        print(
            f"{options.tables} tables, {ruleset}: {len(cpu):,} steps; CPU ms p50 {share(cpu, 0.5):.3f} p99 "
            f"{share(cpu, 0.99):.2f} p99.9 {share(cpu, 0.999):.2f} most {max(cpu):.1f}; wall p99 {share(wall, 0.99):.2f}; "
            f"{sum(cpu) / 1e3 / options.seconds:.2f} CPU seconds a second"
        )
        size, engine = held_mb(events, rules)
        correct, undo = amending_ms(engine, rules)
        hands = engine.game.hand
        print(
            f"one table, {ruleset}: {size:.1f} MiB after {hands} hands; correction {correct:.0f} ms, undo {undo:.0f} ms"
        )


if __name__ == "__main__":
    main()
