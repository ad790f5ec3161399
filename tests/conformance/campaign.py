"""The fault campaign: own players' hands under all rule sets before sensors in which everything fails a little, with and
without a foul. How many hands are told exactly, who is accused falsely, which fouls are found, and how soon.

    python -m tests.conformance.campaign [--hands 2000] [--rules riichi,…] [--from 1] [--processes 2] [--show 20]

Faults: 1 % of what lies on the table misread, 1 % of readings lost, 1 % told twice, up to 200 ms late, zones covered for 1 to
5 s, and in every game either sensor silent for 10 s. What the camera lost or misread it looks at again 1.5 s later. Of two
games of two hands each, one has a foul in its second hand. Faults last as long as they do at a real table, so the players
play at life's pace; `--pace brisk` has ten seconds hide five or six turns. Deterministic: same arguments, same figures.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import NamedTuple

from rich.progress import track

from jantaku.comparison import compare
from table_engine.engine import begin, finish, step
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.actions import Action, HandStarted
from table_engine.wire.alerts import Alert, AlertEnded, AlertRaised, AlertUpdated
from table_engine.wire.layout import Layout, TileSize
from tests.conformance.faults import FAULTS
from tests.conformance.fouls import RULED
from tests.conformance.records import enveloped
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.faults import Faults, faulty
from virtual_table.games import own_hands
from virtual_table.motion import PACES
from virtual_table.perfect import sense
from virtual_table.script import Foul

HANDS = 2
"""Hands a game; a foul is committed in the last one."""


@dataclass
class Game:
    """What came of one game: per hand whether it was told exactly, and the alerts that stood in the end."""

    ruleset: str
    seed: int
    what: str | None
    seat: int
    hands: int = 0
    exact: int = 0
    differences: list[str] = field(default_factory=list)
    alerts: list[tuple[Alert, int]] = field(default_factory=list)
    """Each with the ms of event time from the act to the moment it was first told as a foul."""

    @property
    def wanted(self) -> set[tuple[str, str]]:
        """Code and row of what may be told of the foul."""
        rules = load_ruleset(self.ruleset)
        found = [(code, rules.ruling(code, kind)) for code, kind in RULED.get(self.what or "", ())]
        return {(code, ruling.row) for code, ruling in found if ruling}

    def rightly(self, alert: Alert) -> bool:
        mine = alert.seat == self.seat and alert.hand == HANDS
        first = next((a for a, _ in self.alerts if a.id == alert.incident), alert)
        return mine and ((alert.code, alert.rule) in self.wanted or (first.code, first.rule) in self.wanted)


def faults_of(seed: int) -> Faults:
    """Everything at once, and one of the two sensors silent for ten seconds somewhere in the game."""
    start = Random(f"{seed}:silence").randrange(20_000, 300_000)
    silence = {"silent_from_ms": start, "silent_to_ms": start + 10_000}
    name = "serial" if seed % 2 else "camera"
    every = FAULTS["all"]
    return every.model_copy(update={name: getattr(every, name).model_copy(update=silence)})


class Job(NamedTuple):
    """A game to be played: rule set, seed, and how quick the players are."""

    ruleset: str
    seed: int
    pace: str = "lifelike"


def play(job: Job) -> Game:
    """One game before faulty sensors, followed by the engine."""
    ruleset, seed, pace = job
    rules, customs = load_ruleset(ruleset), customs_of(ruleset)
    known = [what for what in RULED if any(rules.ruling(*ruling) for ruling in RULED[what])]
    what = known[seed // 2 % len(known)] if seed % 2 == 0 else None
    seat = seed % 4
    fouls = (Foul.model_validate({"what": what, "seat": seat, "turn": 2 + seed % 3, "hand": HANDS}),) if what else ()
    director = Director(customs, Layout(TileSize(), customs.stacks), PACES[pace], seed)
    settings = list(own_hands(customs, seed, fouls, HANDS))
    sightings = sense(director.play(iter(settings)), director.places.layout)
    game = Game(ruleset, seed, what, seat)
    hands: list[list[Action]] = []
    told: dict[str, Alert] = {}
    after: dict[str, int] = {}
    engine = begin("table")
    for outputs, now_ms in _follow(engine, enveloped(faulty(sightings, faults_of(seed), seed)), rules):
        for _, action in outputs.actions:
            if isinstance(action, HandStarted):
                hands.append([])
            elif hands:
                hands[-1].append(action)
        for change in outputs.changes:
            match change:
                case AlertRaised(after=alert) | AlertUpdated(after=alert):
                    told[alert.id] = alert
                    if alert.severity == "foul":
                        after.setdefault(alert.id, now_ms - alert.at_ms)
                case AlertEnded(after=alert):
                    told.pop(alert.id, None)
    if what and not getattr(settings[-1].mover, "committed", True):
        game.what = None
    for number, performed in enumerate(director.performed):
        result = compare(performed.title, performed.moves, hands[number] if number < len(hands) else ())
        game.hands += 1
        game.exact += result.all_equal
        game.differences += [f"hand {number + 1}: {text}" for text in result.differences]
    game.alerts = [(alert, after[alert.id]) for alert in told.values() if alert.severity == "foul"]
    return game


def _follow(engine, envelopes, rules) -> Iterator:  # type: ignore[no-untyped-def]
    for envelope in envelopes:
        engine, outputs = step(engine, envelope, rules)
        yield outputs, engine.now_ms
    yield finish(engine, rules)[1], engine.now_ms


def report(games: Sequence[Game]) -> str:
    """The table of docs/benchmarks.md."""
    hands = sum(g.hands for g in games)
    exact = sum(g.exact for g in games)
    false = [(g, a) for g in games for a, _ in g.alerts if not g.rightly(a)]
    rate = 200 * len(false) / hands
    head = f"hands {hands}, exact {exact} ({exact / hands:.1%}), false alarms {len(false)} ({rate:.2f} per 200 hands)"
    lines = [head]
    for ruleset in sorted({g.ruleset for g in games}):
        mine = [g for g in games if g.ruleset == ruleset]
        n = sum(g.hands for g in mine)
        lines.append(f"  {ruleset:17} {n} hands, exact {sum(g.exact for g in mine) / n:.1%}")
    found, missed, late = Counter[str](), Counter[str](), defaultdict[str, list[int]](list)
    for game in games:
        if game.what is None:
            continue
        right = [(alert, ms) for alert, ms in game.alerts if game.rightly(alert)]
        (found if right else missed)[game.what] += 1
        if right:
            late[game.what].append(min(ms for _, ms in right))
    accused = Counter(a.code for _, a in false)
    for what in RULED:
        n = found[what] + missed[what]
        if n:
            times = sorted(late[what]) or [0]
            lines.append(
                f"  {what:20} found {found[what]} of {n} ({found[what] / n:.1%}), told after p50 "
                f"{times[len(times) // 2] / 1000:.1f} s, p95 {times[int(0.95 * (len(times) - 1))] / 1000:.1f} s"
            )
    lines += [f"  falsely told: {code} {n}" for code, n in accused.most_common()]
    return "\n".join(lines)


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--hands", type=int, default=2_000)
    ask.add_argument("--rules", default=",".join(RULESETS))
    ask.add_argument("--from", dest="first", type=int, default=1)
    ask.add_argument("--pace", choices=sorted(PACES), default="lifelike", help="how quick the players are")
    ask.add_argument("--processes", type=int, default=2)
    ask.add_argument("--show", type=int, default=0, help="so many games that went wrong")
    told = ask.parse_args()
    rulesets = told.rules.split(",")
    count = -(-told.hands // (HANDS * len(rulesets)))
    seeds = range(told.first, told.first + count)
    jobs = [Job(ruleset, seed, told.pace) for ruleset, seed in product(rulesets, seeds)]
    with ProcessPoolExecutor(told.processes) as pool:
        games = list(track(pool.map(play, jobs, chunksize=4), "playing", len(jobs), disable=not sys.stderr.isatty()))
    for game in games:
        false = [a for a, _ in game.alerts if not game.rightly(a)]
        missed = game.what and not any(game.rightly(a) for a, _ in game.alerts)
        if told.show > 0 and (game.exact < game.hands or false or missed):
            told.show -= 1
            print(f"{game.ruleset} {game.seed} {game.what or ''} seat {game.seat}{' MISSED' if missed else ''}")
            print(*(f"    {text[:300]}" for text in game.differences), sep="\n")
            print(*(f"    FALSE {a.rule} hand {a.hand} turn {a.turn}: {a.says}" for a in false), sep="\n")
    print(report(games))
    return 0


if __name__ == "__main__":
    sys.exit(main())
