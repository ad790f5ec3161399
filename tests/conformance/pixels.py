"""Breaks rules at the virtual table before the real sensors' code: camera pictures, serial bytes and the broker. Each
scripted foul must raise exactly its alert and no other.

    python -m tests.conformance.pixels [--rules riichi,…] [--what too_many,…] [--seat 2] [--turn 3]

Prints a line a foul and `agree N of M`. Exit code 1 when one differs. Half a minute to a minute each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from table_engine.rules import RULESETS, RuleSet, load_ruleset
from tests.conformance.fouls import RULED
from tests.conformance.records import shared

RECORDS = {
    "riichi": "mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog",
    "chinese_official": "botzone_mcr_sample/sample16.txt",
    "taiwan16": "taiwan_selfplay/selfplay.jsonl",
}
"""What is played up to the foul. No record of a world series game is at hand: own players play it."""
RIGGED = ("kong_no_replacement", "late_call")
"""Own players are dealt what these need; a record's first hand does not have it."""


@dataclass(frozen=True)
class Outcome:
    """One play: the rows it may raise, and the alerts it raised as (row, seat)."""

    ruleset: str
    what: str
    seat: int
    rows: frozenset[str]
    raised: tuple[tuple[str, int], ...]

    @property
    def right(self) -> bool:
        return len(self.raised) == 1 and self.raised[0][0] in self.rows and self.raised[0][1] == self.seat

    def __str__(self) -> str:
        told = ", ".join(f"{row} seat {seat}" for row, seat in self.raised) or "nothing"
        sign = "right" if self.right else "WRONG"
        return f"{sign}  {self.ruleset:17} {self.what:20} seat {self.seat}: {told} (asked for {'/'.join(sorted(self.rows))})"


def rows_of(what: str, rules: RuleSet) -> frozenset[str]:
    """The catalogue rows a scripted foul may be told under; none where the rule set does not know it."""
    rulings = (rules.ruling(code, kind) for code, kind in RULED[what])
    return frozenset(ruling.row for ruling in rulings if ruling)


def play(ruleset: str, what: str, seat: int, turn: int, folder: Path) -> Outcome:
    """One hand with one foul, seen by the real sensors only."""
    faults = folder / f"{ruleset}-{what}.toml"
    faults.write_text(f'[[foul]]\nwhat = "{what}"\nseat = {seat}\nturn = {turn}\n', encoding="utf-8")
    own = ruleset not in RECORDS or what in RIGGED
    game = ["--players", ruleset] if own else ["--record", str(shared() / RECORDS[ruleset])]
    arguments = [*game, "--hands", "1", "--faults", str(faults), "--json"]
    run = subprocess.run([sys.executable, "-m", "jantaku", "play", *arguments], capture_output=True, text=True)
    if not run.stdout:
        raise RuntimeError(f"{ruleset} {what}: jantaku play said\n{run.stderr}")
    told = json.loads(run.stdout.splitlines()[-1])
    raised = tuple((alert["rule"], alert["seat"]) for alert in told["alert_list"])
    return Outcome(ruleset, what, seat, rows_of(what, load_ruleset(ruleset)), raised)


def main(arguments: Sequence[str] | None = None) -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rules", default=",".join(RULESETS))
    ask.add_argument("--what", default=",".join(RULED))
    ask.add_argument("--seat", type=int, default=2)
    ask.add_argument("--turn", type=int, default=3)
    told = ask.parse_args(arguments)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        for ruleset in told.rules.split(","):
            for what in told.what.split(","):
                if rows_of(what, load_ruleset(ruleset)):
                    outcomes.append(play(ruleset, what, told.seat, told.turn, Path(folder)))
                    print(outcomes[-1], flush=True)
    agree = sum(one.right for one in outcomes)
    print(f"agree {agree} of {len(outcomes)}")
    return 0 if agree == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
