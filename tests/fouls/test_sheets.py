"""Runs every case sheet on actions, and asks that every ruling of every rule set has a case that raises it and a near miss."""

from __future__ import annotations

import pytest
from judged import Judged
from sheets import Trial, trials

from table_engine.fouls import FOULS
from table_engine.rules import RULESETS, load_ruleset

TRIALS = list(trials())


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
