"""What is ours in Chinese official scores: the minimum, the payments, and the library that may be missing."""

from __future__ import annotations

import sys

import pytest
from hands_made import hand

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import Context, NoWin, Score, chinese
from table_engine.wire.seats import SEATS

TEXT = load_ruleset("chinese_official")
S0, S1, S2, S3 = SEATS
DISCARD = Context(winner=S0, source=S2)


@pytest.fixture
def fan() -> None:
    pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed, so fan cannot be counted")


@pytest.mark.usefixtures("fan")
def test_this_text_the_discarder_pays_the_fan_alone() -> None:
    """CO-S8, CO-S9."""
    won = scoring.score(hand("147m258p36s12345z", "9s"), DISCARD, TEXT)
    assert isinstance(won, Score)
    assert (won.total, won.payments) == (24, (24, 0, -24, 0))
    drawn = scoring.score(hand("147m258p36s12345z", "9s"), Context(winner=S0), TEXT)
    assert isinstance(drawn, Score)
    assert drawn.payments == (3 * drawn.total, *(-drawn.total,) * 3)


@pytest.mark.usefixtures("fan")
def test_the_federations_eight_points_of_the_table_are_a_setting() -> None:
    rules = load_ruleset("chinese_official", {"scoring.minimum": 8, "scoring.table_points": 8})
    won = scoring.score(hand("147m258p36s12345z", "9s"), DISCARD, rules)
    assert isinstance(won, Score)
    assert won.payments == (48, -8, -32, -8)


@pytest.mark.usefixtures("fan")
def test_four_fan_are_asked() -> None:
    """All chows (2) and a concealed hand (2) are four; without the concealed hand two are missing."""
    enough = scoring.score(hand("23m567m345p678s99s", "1m"), DISCARD, TEXT)
    assert isinstance(enough, Score)
    assert enough.total == 4
    little = scoring.score(hand("23m567m [345p] 678s99s", "1m"), DISCARD, TEXT)
    assert isinstance(little, NoWin)
    assert (little.why, little.distance) == ("minimum", 0)
    assert str(little.says) == "the hand has 2 fan; at least 4 are asked"


@pytest.mark.usefixtures("fan")
def test_the_disputed_single_wait_is_a_setting() -> None:
    disputed = hand("258m23469p14788s", "3p")
    totals = []
    for counted in (True, False):
        rules = load_ruleset("chinese_official", {"scoring.knitted_single_wait": counted})
        outcome = scoring.score(disputed, DISCARD, rules)
        assert isinstance(outcome, Score)
        totals.append(outcome.total)
    assert totals == [17, 16]


def test_without_the_library_it_is_said_and_shapes_still_work(monkeypatch: pytest.MonkeyPatch) -> None:
    chinese.fan_counter.cache_clear()
    monkeypatch.setitem(sys.modules, "MahjongGB", None)
    one = hand("147m258p36s12345z", "9s")
    with pytest.raises(chinese.MissingFanError, match="pip install 'jantaku\\[chinese\\]'"):
        scoring.score(one, DISCARD, TEXT)
    assert "PyMahjongGB is not installed" in scoring.unavailable(TEXT)
    assert scoring.unavailable(load_ruleset("riichi")) == ""
    assert scoring.waits(one.concealed, (), TEXT) == ("9s", "6z", "7z")
    assert scoring.complete((*one.concealed, one.win), 0, TEXT)
    chinese.fan_counter.cache_clear()
