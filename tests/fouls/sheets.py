"""Case sheets: what must raise a foul and what, as near as can be, must not. The format is told in CONTRIBUTING."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from table_engine.rules import RULESETS, RuleSet, load_ruleset
from virtual_table.moves import Line, hand

FOLDER = Path(__file__).parent


class Case(BaseModel):
    """One case of a sheet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: str
    """The kind of the sheet's foul that must be raised, or nearly is."""
    seat: int = Field(default=0, ge=0, le=4)
    """Who is accused (chair 1 to 4). 0: nobody, the case must stay quiet."""
    severity: Literal["foul", "check"] = "foul"
    rules: tuple[str, ...] = ()
    """Only under these rule sets; empty: wherever the text has the rule."""
    besides: tuple[str, ...] = ()
    """What else is told of the same incident: `code.kind`, `code.kind check` where that is less sure, `code.kind check 4`
    where it is another player's."""
    overrides: dict[str, object] = {}
    observed: bool | str = True
    """Whether the case is also played as things on a table and followed from what sensors see; a text says why not."""
    acted: bool | str = True
    """Whether the case is judged on the bare moves; a text says why not."""
    moves: str


@dataclass(frozen=True)
class Trial:
    """One case under one rule set."""

    code: str
    case: Case
    ruleset: str

    @property
    def rules(self) -> RuleSet:
        return load_ruleset(self.ruleset, self.case.overrides or None)

    @property
    def lines(self) -> list[Line]:
        return hand(self.case.moves)

    @property
    def row(self) -> str:
        """The catalogue row the ruling cites."""
        ruling = self.rules.ruling(self.code, self.case.kind)
        assert ruling is not None, f"{self} has no ruling"
        return ruling.row

    @property
    def expected(self) -> list[tuple[str, str, int]]:
        """(row, severity, seat) of every alert that must stand in the end, sorted."""
        found = [(self.row, str(self.case.severity), self.case.seat - 1)] if self.case.seat else []
        for other in self.case.besides:
            words = other.split()
            name, severity, seat = (*words, *("", "foul", str(self.case.seat))[len(words) :])
            ruling = self.rules.ruling(*name.split("."))
            if ruling:
                found.append((ruling.row, severity, int(seat) - 1))
        return sorted(found)

    def __str__(self) -> str:
        return f"{self.code}.{self.case.kind}-{self.ruleset}-{self.case.name.replace(' ', '_')}"


def trials(folder: Path = FOLDER) -> Iterator[Trial]:
    """Every case of every sheet under every rule set it is for."""
    for path in sorted(folder.glob("*.toml")):
        for raw in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            case = Case.model_validate(raw)
            for ruleset in case.rules or RULESETS:
                if case.rules or load_ruleset(ruleset).ruling(path.stem, case.kind):
                    yield Trial(path.stem, case, ruleset)
