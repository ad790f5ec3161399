"""What of the rule catalogue is implemented, read off the code itself: the rule sets' own rows, the fouls whose rulings
cite a row, the settings and modules that name it, and (in a work tree) the tests that do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from table_engine.rules import RULESETS, RuleSet, load_ruleset

_ROW_ID = re.compile(r"\b[A-Z]{2}-[A-Z]{1,2}\d{1,3}[a-z]?\b")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the catalogue. `implemented_by` and `tests` are empty when nothing in the code names the row."""

    id: str
    ruleset: str
    how: tuple[str, ...]
    text: str
    implemented_by: tuple[str, ...]
    tests: tuple[str, ...]

    def plain(self) -> dict[str, object]:
        return asdict(self)


def catalogue(rulesets: Iterable[str] = RULESETS) -> Iterator[Line]:
    """Every row of the rule sets, in the order of their files. Raises SettingsError for an unknown rule set."""
    modules, tests = _modules(), _tests()
    for name in rulesets:
        rules = load_ruleset(name)
        fouls = _cited(rules)
        for row in rules.rows:
            by = {*fouls.get(row.id, ()), *modules.get(row.id, ())}
            yield Line(row.id, name, row.how, row.text, tuple(sorted(by)), tests.get(row.id, ()))


def _cited(rules: RuleSet) -> Mapping[str, set[str]]:
    """Row id → the fouls that a ruling of this rule set ties to it and that exist as code."""
    cited = defaultdict(set)
    for code, kinds in rules.fouls.items():
        if not (resources.files("table_engine") / "fouls" / f"{code}.py").is_file():
            continue
        for kind, ruling in kinds.items():
            cited[ruling.row].add(f"table_engine/fouls/{code}.py ({kind})")
    return cited


@cache
def _modules() -> Mapping[str, tuple[str, ...]]:
    """Row id → modules of the engine that name it."""
    root = Path(str(resources.files("table_engine")))
    return _named(root.parent, sorted(root.rglob("*.py")))


@cache
def _tests() -> Mapping[str, tuple[str, ...]]:
    """Row id → tests that name it; nothing where the tests are not installed."""
    root = Path(str(resources.files("table_engine"))).parent
    tests = root / "tests"
    return _named(root, sorted([*tests.rglob("*.py"), *tests.rglob("*.toml")])) if tests.is_dir() else {}


def _named(root: Path, files: Iterable[Path]) -> Mapping[str, tuple[str, ...]]:
    named = defaultdict(list)
    for path in files:
        for row in set(_ROW_ID.findall(path.read_text(encoding="utf-8"))):
            named[row].append(str(path.relative_to(root)))
    return {row: tuple(paths) for row, paths in named.items()}
