"""What of the rule catalogue is implemented, read off the code itself: every row of a rule set names the parts it takes
(kinds of fouls, functions, referee's acts); here each of them is looked for, and the cases and tests of the row with it."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Literal

from table_engine.fouls import FOULS
from table_engine.rules import RULESETS, Row, RuleSet, load_ruleset

_ROW_ID = re.compile(r"\b[A-Z]{2}-[A-Z]{1,2}\d{1,3}[a-z]?\b")
Status = Literal["done", "partly", "missing"]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the catalogue. `implemented_by` are the parts found, `missing` those that are not there, `open` what is
    left open and why. `cases` counts the case sheets that must raise it and that must stay quiet; `tests` are files that
    name the row (both empty where the tests are not installed)."""

    id: str
    ruleset: str
    how: tuple[str, ...]
    text: str
    status: Status
    implemented_by: tuple[str, ...]
    missing: tuple[str, ...]
    open: str
    cases: tuple[int, int]
    tests: tuple[str, ...]

    def plain(self) -> dict[str, object]:
        return asdict(self)


def catalogue(rulesets: Iterable[str] = RULESETS) -> Iterator[Line]:
    """Every row of the rule sets, in the order of their files. Raises SettingsError for an unknown rule set."""
    tests, cases = _tests(), _cases()
    for name in rulesets:
        rules = load_ruleset(name)
        for row in rules.rows:
            found = {need: implementation(need, row, rules) for need in row.needs}
            there = tuple(part for part in found.values() if part)
            missing = tuple(need for need, part in found.items() if not part)
            status: Status = "missing" if not there else "partly" if missing or row.open else "done"
            kinds = [need for need in row.needs if "." in need and ":" not in need and need != "act"]
            raised = sum(cases.get((name, kind, True), 0) for kind in kinds)
            quiet = sum(cases.get((name, kind, False), 0) for kind in kinds)
            yield Line(
                row.id,
                name,
                row.how,
                row.text,
                status,
                there,
                missing,
                row.open,
                (raised, quiet),
                tests.get(row.id, ()),
            )


def implementation(need: str, row: Row, rules: RuleSet) -> str | None:
    """Where a part that a row takes is carried out; None where it is not. `act`: what a referee records. `module:name`: a
    function of the table engine. `code.kind`: a kind of a foul that this rule set has a ruling on."""
    if need == "act":
        kinds = rules.acts.get(row.id, {})
        return f"referee's act ({', '.join(kinds)})" if kinds else None
    module, _, name = need.partition(":")
    if name:
        try:
            there = hasattr(import_module(f"table_engine.{module}"), name)
        except ModuleNotFoundError:
            return None
        return f"table_engine/{module.replace('.', '/')}.py ({name})" if there else None
    code, _, kind = need.partition(".")
    if code not in FOULS or kind not in FOULS[code].kinds or rules.ruling(code, kind) is None:
        return None
    return f"table_engine/fouls/{code}.py ({kind})"


@cache
def _tests() -> Mapping[str, tuple[str, ...]]:
    """Row id → tests that name it; nothing where the tests are not installed."""
    root = Path(str(resources.files("table_engine"))).parent
    tests = root / "tests"
    return _named(root, sorted([*tests.rglob("*.py"), *tests.rglob("*.toml")])) if tests.is_dir() else {}


@cache
def _cases() -> Mapping[tuple[str, str, bool], int]:
    """(rule set, `code.kind`, whether it must be raised) → how many case sheets there are."""
    counts: dict[tuple[str, str, bool], int] = defaultdict(int)
    folder = Path(str(resources.files("table_engine"))).parent / "tests" / "fouls"
    for path in sorted(folder.glob("*.toml")):
        for case in tomllib.loads(path.read_text(encoding="utf-8")).get("case", ()):
            kind = f"{path.stem}.{case['kind']}"
            for ruleset in case.get("rules") or RULESETS:
                if load_ruleset(ruleset).ruling(path.stem, case["kind"]):
                    counts[ruleset, kind, bool(case.get("seat"))] += 1
    return counts


def _named(root: Path, files: Iterable[Path]) -> Mapping[str, tuple[str, ...]]:
    named = defaultdict(list)
    for path in files:
        for row in set(_ROW_ID.findall(path.read_text(encoding="utf-8"))):
            named[row].append(str(path.relative_to(root)))
    return {row: tuple(paths) for row, paths in named.items()}
