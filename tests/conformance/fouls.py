"""Breaks rules at the virtual table before perfect sensors: what the engine tells must be what was played, and the alert
the one for that foul.

    python -m tests.conformance.fouls [--sensors serial,camera] [--rules riichi,…] [--what too_many,…] [--seeds 5]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from jantaku.comparison import HandComparison, compare
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.layout import Layout, TileSize
from tests.conformance.records import HandSeen, enveloped, follow
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.games import own_hands
from virtual_table.motion import PACES
from virtual_table.perfect import sense
from virtual_table.script import Foul, What

RULED = {
    "too_many": (("tile_count", "many"),),
    "too_few": (("tile_count", "few"),),
    "kong_no_replacement": (("tile_count", "few"),),
    "draw_early": (("draw_order", "early"),),
    "draw_out_of_turn": (("draw_order", "turn"), ("tile_count", "many")),
    "draw_wrong_end": (("draw_order", "end"),),
    "late_call": (("call_ban", "discard"),),
}
"""What a scripted foul is to the engine: code and kind; several where a rule set may have the one or the other."""


@dataclass
class Case:
    """One hand with one scripted foul."""

    ruleset: str
    what: str
    seed: int
    committed: bool
    comparison: HandComparison
    seen: HandSeen | None

    @property
    def title(self) -> str:
        return f"{self.ruleset} {self.what} seed {self.seed}"

    @property
    def ruled(self) -> bool:
        """The foul took place and the rule set knows it."""
        rules = load_ruleset(self.ruleset)
        return self.committed and any(rules.ruling(*ruling) for ruling in RULED.get(self.what, ()))

    @property
    def right(self) -> bool:
        """Exactly the one alert it deserves."""
        return self.seen is not None and len(self.seen.alerts) == self.ruled


def play(ruleset: str, what: What | None, seed: int, sensors: Sequence[str], pace: str = "brisk") -> Case:
    """Own players play one hand and break one rule (None: none) in it."""
    customs = customs_of(ruleset)
    fouls = (Foul(what=what, seat=(seed + 1) % 4, turn=2 + seed % 3),) if what else ()
    director = Director(customs, Layout(TileSize(), customs.stacks), PACES[pace], seed)
    settings = list(own_hands(customs, seed, fouls, 1))
    stream = enveloped(sense(director.play(iter(settings)), director.places.layout, sensors=sensors))
    hands, _ = follow(stream, load_ruleset(ruleset))
    seen = hands[0] if hands else None
    performed = director.performed[0]
    mover = settings[0].mover
    committed = bool(getattr(mover, "committed", fouls))
    result = compare(performed.title, performed.moves, seen.actions if seen else ())
    return Case(ruleset, what or "none", seed, committed, result, seen)


def cases(
    rulesets: Sequence[str], whats: Sequence[What | None], seeds: int, sensors: Sequence[str], pace: str
) -> Iterator[Case]:
    for ruleset in rulesets:
        for what in whats:
            if what == "late_call" and load_ruleset(ruleset).call_ban.discards is None:
                continue
            for seed in range(1, seeds + 1):
                yield play(ruleset, what, seed, sensors, pace)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sensors", default="serial,camera")
    parser.add_argument("--rules", default=",".join(RULESETS))
    parser.add_argument("--what", default=",".join(what for what in get_args(What) if what != "scene"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pace", default="brisk")
    parser.add_argument("--all", action="store_true", help="show the good ones too")
    options = parser.parse_args()
    whats = [w if w != "none" else None for w in options.what.split(",")]
    equal = right = total = 0
    sensors = options.sensors.split(",")
    for case in cases(options.rules.split(","), whats, options.seeds, sensors, options.pace):
        total += 1
        equal += case.comparison.all_equal
        right += case.right
        if not options.all and case.right and (case.comparison.all_equal or "camera" not in sensors):
            continue
        alerts = list(case.seen.alerts.values()) if case.seen else []
        print(case.title, "" if case.committed else "(not committed)", "| alerts:", *alerts)
        print(*(f"    {text[:300]}" for text in case.comparison.differences), sep="\n")
        if case.seen:
            print("    counts", [(c.seat.value, c.concealed) for c in case.seen.counts], sorted(case.seen.faults))
    print(f"actions equal {equal} of {total}, alerts right {right} of {total}")
    return min(equal, right) < total


if __name__ == "__main__":
    sys.exit(main())
