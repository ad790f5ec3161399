"""Runs every case sheet on actions, and asks that every ruling of every rule set has a case that raises it and a near miss."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from judged import Judged
from sheets import Trial, trials

import table_engine
from table_engine.fouls import FOULS
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.alerts import Alert
from table_engine.wire.phrases import Phrase

TRIALS = list(trials())
STATIC = Path(table_engine.__file__).parent / "web" / "static"
LANGUAGES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((STATIC / "sentences").glob("*.json"))]


def told_in_all_languages(alert: Alert) -> None:
    """Every text of an alert is made of sentences that all languages have, with the same blanks, all of them filled."""
    said = alert.phrases
    assert (str(said.says), str(said.citation)) == (alert.says, alert.citation)
    assert (tuple(map(str, said.missing)), tuple(map(str, said.effects))) == (alert.missing, alert.effects)
    plain = [Phrase(text) for text in (alert.penalty, alert.reason) if text]
    for one in (said.says, said.citation, *said.missing, *said.effects, *plain):
        assert one is not None
        in_all_languages(one)


def in_all_languages(one: Phrase) -> None:
    assert set(re.findall(r"\{(\w+)\}", one.text)) == one.args.keys(), one
    assert all(one.text in language for language in LANGUAGES), one
    for value in one.args.values():
        if isinstance(value, Phrase):
            in_all_languages(value)


@pytest.mark.parametrize("trial", [trial for trial in TRIALS if trial.case.acted is True], ids=str)
def test_on_actions(trial: Trial) -> None:
    judged = Judged(trial)
    assert judged.standing == trial.expected, [a.says for a in judged.told.values()]
    for alert in judged.told.values():
        ruling = next(r for r in trial.rules.fouls[alert.code].values() if r.row == alert.rule)
        row = trial.rules.row(alert.rule)
        assert row.text in alert.citation
        assert row.cite in alert.citation
        assert ruling.row == alert.rule
        assert alert.penalty
        assert alert.says.endswith(".")
    for alert in judged.all:
        told_in_all_languages(alert)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruling_has_a_case_that_raises_it_and_a_near_miss(ruleset: str) -> None:
    rules = load_ruleset(ruleset)
    raised = {(t.code, t.case.kind) for t in TRIALS if t.ruleset == ruleset and t.case.seat}
    raised |= {tuple(other.split()[0].split(".")) for t in TRIALS if t.ruleset == ruleset for other in t.case.besides}
    quiet = {(t.code, t.case.kind) for t in TRIALS if t.ruleset == ruleset and not t.case.seat}
    every = {(code, kind) for code, kinds in rules.fouls.items() for kind in kinds}
    assert not every - raised, "rulings that no case raises"
    assert not every - quiet, "rulings without a near miss"


def test_sheets_are_of_fouls_that_exist() -> None:
    for trial in TRIALS:
        assert trial.case.kind in FOULS[trial.code].kinds, trial
