"""Win check, waits and tenpai distance: against trying everything, and against each other."""

from __future__ import annotations

import random

import pytest
from hands_made import RULES, complete_hand, naive_complete
from hypothesis import given, settings
from hypothesis import strategies as st

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import shapes
from table_engine.scoring.notation import tiles, written
from table_engine.state import Meld
from table_engine.wire.tiles import KINDS, Tile, kind

RULE_SETS = {name: load_ruleset(name) for name in RULES}
WALL = [tile for tile in KINDS for _ in range(4)]


@st.composite
def standing(draw: st.DrawFn, sizes: tuple[int, ...]) -> tuple[Tile, ...]:
    """Real copies, crowded into few kinds as often as spread, so that ready hands are met."""
    size = draw(st.sampled_from(sizes))
    kinds = draw(st.sampled_from([KINDS, KINDS[:9], KINDS[:18], KINDS[20:], (*KINDS[:9], *KINDS[27:])]))
    seed = draw(st.integers(0, 2**32))
    wall = [tile for tile in WALL if tile in kinds]
    return tuple(random.Random(seed).sample(wall, size))


@given(standing((2, 5, 8, 11, 14, 17)))
@settings(max_examples=300, deadline=None)
def test_a_win_is_what_trying_finds(hand: tuple[Tile, ...]) -> None:
    assert shapes.complete(hand) == naive_complete(hand)


@given(standing((1, 4, 7, 10, 13, 16)))
@settings(max_examples=200, deadline=None)
def test_waits_are_what_trying_finds(hand: tuple[Tile, ...]) -> None:
    found = {tile for tile in KINDS if hand.count(tile) < 4 and naive_complete((*hand, tile))}
    assert set(shapes.waits(hand)) == found


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32), spoiled=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_distance_0_exactly_when_some_tile_wins(name: str, seed: int, spoiled: int) -> None:
    """With sets shown and for the special shapes of every rule set; -1 exactly for a complete hand."""
    rules, rng = RULE_SETS[name], random.Random(seed)
    hand = complete_hand(rules, rng)
    concealed = list(hand.concealed)
    for _ in range(spoiled):
        concealed[rng.randrange(len(concealed))] = rng.choice(KINDS)
    held = [kind(t) for t in (*concealed, *(t for meld in hand.melds for t in meld.tiles))]
    if any(held.count(tile) > 4 for tile in held):
        return
    waits = scoring.waits(concealed, hand.melds, rules)
    assert (scoring.distance(concealed, hand.melds, rules) == 0) == bool(waits)
    for tile in waits:
        assert scoring.distance((*concealed, tile), hand.melds, rules) == -1
        assert scoring.complete((*concealed, tile), len(hand.melds), rules)


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_drawn_tile_brings_a_hand_nearer_by_one_at_most(name: str, seed: int) -> None:
    rules, rng = RULE_SETS[name], random.Random(seed)
    hand = rng.sample(WALL, rules.set.hand)
    away = scoring.distance(hand, (), rules)
    steps = {away - scoring.distance((*hand, tile), (), rules) for tile in KINDS if hand.count(tile) < 4}
    assert steps <= {0, 1}
    assert 1 in steps or not away


@given(standing((13, 16)))
@settings(max_examples=60, deadline=None)
def test_order_changes_nothing(hand: tuple[Tile, ...]) -> None:
    again = tuple(random.Random(1).sample(hand, len(hand)))
    assert shapes.waits(hand) == shapes.waits(again)
    assert shapes.distance(hand) == shapes.distance(again)


@pytest.mark.parametrize(
    ("name", "hand", "waits"),
    [
        ("riichi", "1122334455667m", "7m 4m 1m"),
        ("riichi", "11m33m55p77p99s11z2z", "2z"),
        ("riichi", "1111m33m55p77p99s1z", ""),  # four alike are no two pairs
        ("riichi", "19m19p19s1234567z", "1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z"),
        ("riichi", "19m19p19s1134567z", "2z"),
        ("chinese_official", "1111m33m55p77p99s1z", "1z"),  # seven pairs with four alike
        ("chinese_official", "147m258p369s1234z", "5z 6z 7z"),
        ("chinese_official", "147m258p36s11z123m", "9s"),  # knitted straight with a set and a pair
        ("chinese_official", "147m258p369s11z23m", "1m 4m"),
        ("chinese_official", "147m258p369s1z [123m]", "1z"),
        ("chinese_official", "147m258p36s12345z", "9s 6z 7z"),
        ("taiwan16", "123456789m123p45p11z", "3p 6p"),
        ("taiwan16", "11335577m1133p5577s", ""),  # eight pairs are nothing
        ("world_series", "1111m33m55p77p99s1z", "1z"),
    ],
)
def test_the_shapes_of_each_rule_set(name: str, hand: str, waits: str) -> None:
    told = written(hand)
    assert set(scoring.waits(told.tiles, told.melds, RULE_SETS[name])) == set(waits.split())


def test_a_fifth_copy_is_nothing_to_wait_for() -> None:
    """123 with 4m: the wait for 4m and 1m; all 1m are shown elsewhere."""
    rules = RULE_SETS["taiwan16"]
    shown = (Meld("concealed", tiles("1111m")),)
    assert scoring.waits(tiles("23m456p789p123s55z"), shown, rules) == ("4m",)
    every = (*shown, Meld("concealed", tiles("4444m")))
    hand = tiles("23m456p789p55z")
    assert scoring.waits(hand, every, rules) == ()
    assert scoring.distance(hand, every, rules) == 1


def test_more_copies_than_there_are_are_told() -> None:
    with pytest.raises(scoring.TooManyError, match="1m"):
        scoring.waits(tiles("11111m234p567p11z"), (), RULE_SETS["riichi"])


@pytest.mark.parametrize(
    ("hand", "away"),
    [("1m", 0), ("147m258p369s1234z", 8), ("13579m13579p135s", 4), ("123456789m1234p", 0), ("123m45m678m99p123s", 0)],
)
def test_distances_by_hand(hand: str, away: int) -> None:
    assert shapes.distance(tiles(hand)) == away
