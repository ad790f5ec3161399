"""Zung Jung's patterns, the examples of its author's list among them, and its payments."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hands_made import hand

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import Context, NoWin, Score
from table_engine.wire.seats import SEATS, Wind

RULES = load_ruleset("world_series")
S0, S1, S2, S3 = SEATS
DISCARD = Context(winner=S0, source=S1, dealer=S3, seat_wind=Wind.SOUTH)
DRAWN = replace(DISCARD, source=None)


@pytest.mark.parametrize(
    ("text", "win", "context", "patterns"),
    [
        ("23m456m [789p] [123s] 22z", "1m", DISCARD, {"All sequences": 5}),
        ("22m456m [789p] [111s] 33z", "2m", DISCARD, {"Chicken hand": 1}),
        ("34m567m345p678s66s", "2m", DISCARD, {"All sequences": 5, "Concealed hand": 5, "No terminals": 5}),
        ("23m456m [789m] [111z] 33z", "1m", DISCARD, {"Mixed one-suit": 40, "Nine-tile straight": 40}),
        ("23m456m [123m] [888m] 99m", "1m", DISCARD, {"Pure one-suit": 80, "Two identical sequences": 10}),
        ("1112345678999m", "5m", DISCARD, {"Nine gates": 480}),
        ("23m456m [222z] [555z] 33p", "1m", DISCARD, {"Value honor": 20}),  # south sits on the own wind
        ("23m66z [555z] [777z] [456p]", "1m", DISCARD, {"Value honor": 20, "Small three dragons": 40}),
        ("34m88s [555z] [666z] [777z]", "2m", DISCARD, {"Value honor": 30, "Big three dragons": 130}),
        ("23m44z [111z] [333z] [456p]", "1m", DISCARD, {"Small three winds": 30}),
        ("23m44z [111z] [333z] [222z]", "1m", DISCARD, {"Small four winds": 320}),
        ("2z2z5z5z [111z] [333z] [666z]", "5z", DISCARD, {"All honors": 320}),
        ("11m99p [333s] [555p] [222z]", "9p", DISCARD, {"Value honor": 10, "All triplets": 30}),
        ("333m444p777s99s23m", "1m", DISCARD, {"Concealed hand": 5, "Three concealed triplets": 30}),
        (
            "333m444p777s99s11m",
            "1m",
            DISCARD,
            {"Concealed hand": 5, "All triplets": 30, "Three concealed triplets": 30},
        ),
        ("333m444p777s99s11m", "1m", DRAWN, {"Concealed hand": 5, "All triplets": 30, "Four concealed triplets": 125}),
        ("23m99s [5555m!] [4444p] [777s]", "1m", DISCARD, {"Two kong": 20}),
        ("23m123m [123m] [789p] 55s", "1m", DISCARD, {"All sequences": 5, "Three identical sequences": 120}),
        ("23m123m44p [789p] [789p]", "1m", DISCARD, {"All sequences": 5, "Two identical sequences twice": 60}),
        ("23m [123p] [123s] [567s] 44p", "1m", DISCARD, {"All sequences": 5, "Three similar sequences": 35}),
        ("55m23m [555p] [555s] [567s]", "1m", DISCARD, {"Small three similar triplets": 30}),
        ("55m23m [555p] [555s] [567s]", "4m", DISCARD, {"No terminals": 5, "Small three similar triplets": 30}),
        ("66z44s [444p] [444m] [789s]", "4s", DISCARD, {"Three similar triplets": 120}),
        ("66z44s [555s] [333s] [789m]", "4s", DISCARD, {"Three consecutive triplets": 100}),
        (
            "66z44s [555s] [333s] [666s]",
            "4s",
            DISCARD,
            {"Mixed one-suit": 40, "All triplets": 30, "Four consecutive triplets": 200},
        ),
        ("23m99m [999p] [111z] [789s]", "1m", DISCARD, {"Mixed lesser terminals": 40}),
        ("23m99m [999p] [111s] [789s]", "1m", DISCARD, {"Pure lesser terminals": 50}),
        ("11m99s [999p] [111z] [333z]", "1m", DISCARD, {"All triplets": 30, "Mixed greater terminals": 100}),
        ("11m99m [999p] [111p] [999s]", "1m", DISCARD, {"Pure greater terminals": 400}),
        ("23m456m [789p] [123s] 22z", "1m", replace(DRAWN, last_tile=True), {"All sequences": 5, "Final draw": 10}),
        ("23m456m [789p] [123s] 22z", "1m", replace(DISCARD, robbing=True), {"All sequences": 5, "Robbing a kong": 10}),
        ("19m19p19s1234567z", "1z", DISCARD, {"Thirteen terminals": 160}),
        ("1199m1199p119s55z", "9s", DISCARD, {"Seven pairs": 30, "Mixed greater terminals": 100}),
        ("2222m55m77p88p33s6s", "6s", DISCARD, {"Seven pairs": 30, "No terminals": 5}),
    ],
)
def test_the_patterns(text: str, win: str, context: Context, patterns: dict[str, int]) -> None:
    outcome = scoring.score(hand(text, win), context, RULES)
    assert isinstance(outcome, Score), outcome
    assert {item.english: item.value for item in outcome.items} == patterns


def test_a_small_hand_is_paid_by_all_alike() -> None:
    outcome = scoring.score(hand("34m567m345p678s66s", "2m"), DISCARD, RULES)
    assert isinstance(outcome, Score)
    assert outcome.payments == (45, -15, -15, -15)


def test_the_discarder_pays_what_the_others_do_not() -> None:
    """A hand of 80 points: 25, 25 and 190."""
    outcome = scoring.score(hand("23m456m [789m] [111z] 33z", "1m"), DISCARD, RULES)
    assert isinstance(outcome, Score)
    assert outcome.payments == (240, -190, -25, -25)
    drawn = scoring.score(hand("23m456m [789m] [111z] 33z", "1m"), DRAWN, RULES)
    assert isinstance(drawn, Score)
    assert drawn.payments == (240, -80, -80, -80)


def test_the_limit_holds_sums_and_a_limit_pattern_counts_alone() -> None:
    summed = scoring.score(hand("222333444m8m [555m]", "8m"), DISCARD, RULES)
    assert isinstance(summed, Score)
    assert (summed.total, summed.limit) == (320, "limit")
    assert sum(item.value for item in summed.items) > 320
    alone = scoring.score(hand("5z5z1z1z [333z] [222z] [444z]", "1z"), DISCARD, RULES)
    assert isinstance(alone, Score)
    assert [item.english for item in alone.items] == ["Big four winds"]
    assert alone.total == 400


def test_a_five_point_minimum_is_a_setting() -> None:
    rules = load_ruleset("world_series", {"scoring.minimum": 5})
    outcome = scoring.score(hand("22m456m [789p] [111s] 33z", "2m"), DISCARD, rules)
    assert isinstance(outcome, NoWin)
    assert outcome.why == "minimum"
