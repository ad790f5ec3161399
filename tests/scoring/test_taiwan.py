"""The tai of the tournament text, each counted by hand, and what house rules change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hands_made import hand, taiwan

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import Context, NoWin, Score
from table_engine.tariff import AllChows
from table_engine.wire.seats import SEATS, Seat, Wind

TEXT = load_ruleset("taiwan16")
S0, S1, S2, S3 = SEATS
DISCARD = Context(winner=S0, source=S1, dealer=S2, seat_wind=Wind.WEST, round_wind=Wind.EAST)
DRAWN = replace(DISCARD, source=None)


def tai(text: str, win: str, context: Context = DISCARD, flowers: str = "") -> dict[str, int]:
    outcome = scoring.score(hand(text, win, flowers=flowers), context, TEXT)
    assert isinstance(outcome, Score), outcome
    return {item.name: item.value for item in outcome.items}


@pytest.mark.parametrize(
    ("text", "win", "context", "flowers", "counted"),
    [
        ("23m456m789m123p45677s", "1m", DISCARD, "", {"门清": 1, "平胡": 2}),
        ("23m456m789m123p45677s", "1m", DRAWN, "", {"门清": 1, "不求": 1, "自摸": 1}),
        ("23m456m789m123p45677s", "1m", DISCARD, "1f", {"门清": 1, "平胡": 2}),  # flowers are not mentioned
        ("23m456m789m123p45677s", "1m", DISCARD, "3f7f", {"门清": 1, "平胡": 2, "花牌": 2}),  # west is flower three
        ("23m456m789m123p456s11z", "1m", DISCARD, "", {"门清": 1}),  # 无字: no all chows with an honour pair
        ("12m456m789m123p45677s", "3m", DISCARD, "", {"门清": 1, "独听": 1}),
        ("1m456m789m123p456789s", "1m", DISCARD, "", {"门清": 1, "独听": 1}),
        ("23m456m789m123p456s [777z]", "1m", DISCARD, "", None),
        ("23m456m789m123p55s [777z]", "1m", DISCARD, "", {"箭牌": 1}),
        ("23m456m789m55s [777z] [333z]", "1m", DISCARD, "", {"箭牌": 1, "门风": 1}),
        ("23m456m789m55s [333z] [111z]", "1m", replace(DISCARD, round_wind=Wind.WEST), "", {"门风": 1, "场风": 1}),
        ("23m456m789m123p55s [777z]", "1m", replace(DRAWN, last_tile=True), "", {"箭牌": 1, "自摸": 1, "海底": 1}),
        ("23m456m789m123p55s [777z]", "1m", replace(DISCARD, last_tile=True), "", {"箭牌": 1}),  # no 河底 in the text
        (
            "23m456m789m123p55s [777z]",
            "1m",
            replace(DRAWN, last_tile=True, replacement=True),
            "",
            {"箭牌": 1, "自摸": 1, "海底": 1, "岭上": 1},
        ),
        ("23m456m789m123p55s [777z]", "1m", replace(DISCARD, robbing=True), "", {"箭牌": 1, "枪杠": 1}),
        ("1z [123m] [456m] [789m] [123p] [777s]", "1z", DISCARD, "", {"全求": 1, "独听": 1}),
        ("1z [123m] [456m] [789m] [123p] [777s]", "1z", DRAWN, "", {"全求": 1, "独听": 1, "自摸": 1}),
        ("1z [123m] [456m] [789m] [123p] [7777s!]", "1z", DISCARD, "", {"独听": 1}),  # 暗杠算於暗手牌中
        ("23m456m789m123p55s [222z]", "1m", DISCARD, "1f2f3f4f", {"花牌": 1, "花杠": 1}),
        ("111m333p555s23m789p77s", "1m", DISCARD, "", {"门清": 1, "三暗刻": 2}),
        ("111m333p555s77m789p77s", "7s", DISCARD, "", {"门清": 1, "三暗刻": 2}),
        ("111m333p555s77m789p77s", "7s", DRAWN, "", {"门清": 1, "不求": 1, "自摸": 1, "四暗刻": 5}),
        ("111m333p555s999s2z77p77s", "7s", DRAWN, "", None),
        (
            "111m333p555s999s77p77s",
            "7s",
            DRAWN,
            "",
            {"门清": 1, "不求": 1, "自摸": 1, "五暗刻": 8, "碰碰胡": 4},
        ),
        ("11m99m [222p] [555s] [888s] [666p]", "9m", DISCARD, "", {"碰碰胡": 4}),
        ("23m456m789m55z [111m] [222z]", "1m", DISCARD, "", {"混一色": 4}),
        ("23m456m789m55m [111m] [234m]", "1m", DISCARD, "", {"清一色": 8}),
        ("23m456m77z [555z] [666z] [123p]", "1m", DISCARD, "", {"小三元": 4}),
        ("23m456m11p [555z] [666z] [777z]", "1m", DISCARD, "", {"大三元": 8}),
        ("23m456m44z [111z] [222z] [333z]", "1m", DISCARD, "", {"小四喜": 8, "混一色": 4}),
        ("23m5z5z [111z] [222z] [333z] [444z]", "1m", DISCARD, "", {"大四喜": 16, "混一色": 4}),
        (
            "5z5z7z7z [111z] [222z] [333z] [444z]",
            "7z",
            DISCARD,
            "",
            {"字一色": 16, "碰碰胡": 4, "大四喜": 16, "箭牌": 1},
        ),
    ],
)
def test_the_table_of_the_text(
    text: str, win: str, context: Context, flowers: str, counted: dict[str, int] | None
) -> None:
    if counted is None:
        assert isinstance(scoring.score(hand(text, win, flowers=flowers), context, TEXT), NoWin)
    else:
        assert tai(text, win, context, flowers) == counted


def test_base_5_and_2_a_tai() -> None:
    won = scoring.score(hand("23m456m789m123p45677s", "1m"), DISCARD, TEXT)
    assert isinstance(won, Score)
    assert won.payments == (11, -11, 0, 0)
    drawn = scoring.score(hand("23m456m789m123p45677s", "1m"), DRAWN, TEXT)
    assert isinstance(drawn, Score)
    assert drawn.payments == (33, -11, -11, -11)


def test_the_dealers_streak_is_a_setting() -> None:
    rules = taiwan(dealer=1, streak=2)
    drawn = scoring.score(hand("23m456m789m123p45677s", "1m"), replace(DRAWN, streak=3), rules)
    assert isinstance(drawn, Score)
    assert drawn.payments == (47, -11, -25, -11)  # seat 2 deals: 3 + 1 + 6 tai


def test_a_minimum_and_a_cap_are_settings() -> None:
    plain = hand("23m456m789m123p55s [222z]", "1m")
    outcome = scoring.score(plain, DISCARD, taiwan(minimum=1))
    assert isinstance(outcome, NoWin)
    assert (outcome.why, str(outcome.says)) == ("minimum", "the hand has 0 tai; at least 1 are asked")
    capped = scoring.score(hand("5z5z7z7z [111z] [222z] [333z] [444z]", "7z"), DISCARD, taiwan(cap=16))
    assert isinstance(capped, Score)
    assert (capped.total, capped.limit, capped.payments[0]) == (37, "capped", 5 + 2 * 16)


@pytest.mark.parametrize(
    ("changes", "flowers", "total"),
    [
        ({"all_chows": AllChows(flowers=False)}, "1f", 1),
        ({"all_chows": AllChows(concealed=False)}, "", 1),
        ({"all_chows": AllChows()}, "", 3),
    ],
)
def test_all_chows_as_houses_have_them(changes: dict[str, object], flowers: str, total: int) -> None:
    outcome = scoring.score(hand("23m456m789m123p45677s", "1m", flowers=flowers), DISCARD, taiwan(**changes))
    assert isinstance(outcome, Score)
    assert outcome.total == total


def test_flowers_follow_the_seat() -> None:
    """TW-S4."""
    for number, wind in enumerate(Wind, start=1):
        context = replace(DISCARD, seat_wind=wind, winner=Seat(0))
        every = tai("23m456m789m123p55s [222p]", "1m", context, "12345678f")
        assert every["花牌"] == 2
        assert every["花杠"] == 2
        assert tai("23m456m789m123p55s [222p]", "1m", context, f"{number}f") == {"花牌": 1}


def test_wins_by_flowers_as_houses_have_them() -> None:
    """Declared, eight flowers win by themselves or add to a hand; without a hand they still win."""
    every = "12345678f"
    worth = {**taiwan().scoring.tai, "eight_flowers": 8, "seven_rob_one": 8}  # type: ignore[union-attr]
    nothing = hand("1111m", "1m", flowers=every)
    one = hand("23m456m789m123p55s [222p]", "1m", flowers=every)
    alone, added = taiwan(tai=worth), taiwan(tai=worth, flower_wins="added")
    declared = replace(DRAWN, marks=("eight_flowers",))
    for rules in (alone, added):
        outcome = scoring.score(nothing, declared, rules)
        assert isinstance(outcome, Score)
        assert [item.name for item in outcome.items] == ["八仙过海"]
    by_flowers, beside = scoring.score(one, declared, alone), scoring.score(one, declared, added)
    assert isinstance(by_flowers, Score)
    assert isinstance(beside, Score)
    assert by_flowers.total == 8
    assert {"自摸", "八仙过海"} <= {item.name for item in beside.items}
    assert isinstance(scoring.score(nothing, declared, TEXT), NoWin)
