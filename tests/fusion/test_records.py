"""A sample of the recorded games, played with things before perfect sensors: what is told is what was played. All of them:
`python -m tests.conformance.records`."""

from __future__ import annotations

import pytest

from tests.conformance.fouls import play
from tests.conformance.records import games_of, paths_of, run

HANDS = {"tenhou-xml": 3, "botzone": 2, "taiwan-jsonl": 2}


@pytest.mark.parametrize("sensors", ["serial,camera", "camera", "serial"])
@pytest.mark.parametrize("form", HANDS)
def test_records_are_told_as_they_were_played(form: str, sensors: str) -> None:
    paths = paths_of(form)
    if not paths:
        pytest.skip(f"no {form} records at hand: set JANTAKU_SHARED to the folder that holds data/game_records")
    tally = run(games_of(paths), sensors.split(","), "brisk", HANDS[form], 3)
    assert tally.hands == HANDS[form]
    assert tally.differences == []
    assert (tally.agree, tally.alerts, tally.counts, tally.faults) == (tally.hands, 0, 0, 0)


@pytest.mark.parametrize(
    ("ruleset", "what"),
    [
        ("taiwan16", "too_many"),
        ("taiwan16", "draw_wrong_end"),
        ("riichi", "draw_early"),
        ("riichi", "draw_out_of_turn"),
        ("chinese_official", "too_few"),
        ("world_series", "kong_no_replacement"),
    ],
)
@pytest.mark.parametrize("sensors", ["serial,camera", "camera"])
def test_fouls_are_told_as_they_were_played(ruleset: str, what: str, sensors: str) -> None:
    case = play(ruleset, what, 1, sensors.split(","))
    assert case.comparison.differences == ()
    assert case.comparison.all_equal
    assert case.right, case.seen and case.seen.alerts
