"""The coverage of the rule catalogue: nothing is listed that is not there, and nothing is left out without a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jantaku.catalogue import Line, catalogue, implementation
from jantaku.commands.rules import document, summary
from table_engine.fouls import FOULS
from table_engine.rules import RULESETS, Row, load_ruleset

LINES = list(catalogue())
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.id)
def test_a_row_is_implemented_or_says_why_not(line: Line) -> None:
    assert line.implemented_by or line.open, "neither an implementation nor a reason"
    assert not line.missing, "parts that are named but not there"
    assert line.status == ("partly" if line.open else "done")


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.id)
def test_a_row_is_tested(line: Line) -> None:
    """What a foul carries out has cases that raise it and cases that stay quiet; everything else a test that names it."""
    fouls = [part for part in line.implemented_by if "/fouls/" in part]
    if fouls:
        assert all(line.cases)
    else:
        assert line.tests


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_ruling_cites_a_row_that_names_it(ruleset: str) -> None:
    """So that no row counts as done because some foul happens to cite it."""
    rules = load_ruleset(ruleset)
    needs = {row.id: set(row.needs) for row in rules.rows}
    for code, kinds in rules.fouls.items():
        for kind, ruling in kinds.items():
            assert f"{code}.{kind}" in needs[ruling.row], f"{code}.{kind} cites {ruling.row}, which does not ask for it"
    for row, kinds in rules.acts.items():
        assert "act" in needs[row]
        assert {ruling.row for ruling in kinds.values()} == {row}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_only_a_referee_sees_is_one_act(ruleset: str) -> None:
    rules = load_ruleset(ruleset)
    for row in rules.rows:
        if row.how == ("ref",):
            assert rules.recorded(row.id) is not None, row.id


def test_a_part_that_does_not_exist_is_not_found() -> None:
    rules = load_ruleset("chinese_official")
    row = Row(id="CO-F1", text="", cite="", how=("auto",))
    assert implementation("tile_count.many", row, rules) == "table_engine/fouls/tile_count.py (many)"
    for need in ("tile_count.some", "nothing.many", "flower_discard.discard", "ask:nothing", "nothing:wind", "act"):
        assert implementation(need, row, rules) is None, need


def test_the_page_is_what_the_code_says() -> None:
    """docs/rules.md: `jantaku rules --document > docs/rules.md`."""
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == document(LINES)


def test_the_summary_counts_every_row() -> None:
    for words, ruleset in zip(summary(LINES), RULESETS, strict=True):
        assert words.startswith(f"{ruleset}: ")
        assert f"of {len(load_ruleset(ruleset).rows)} rules" in words
    assert sum(len(rule.kinds) for rule in FOULS.values()) > 60
    assert all(re.fullmatch(r"[a-z_]+", kind) for rule in FOULS.values() for kind in rule.kinds)
