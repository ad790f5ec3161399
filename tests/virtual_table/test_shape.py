"""The players' idea of how far a hand is, against published vectors and by hand."""

from __future__ import annotations

import json

import pytest

from table_engine.wire.tiles import Tile
from virtual_table.shape import complete, distance, seven_pairs, waits


def _tiles(text: str) -> list[Tile]:
    tiles, ranks = [], ""
    for char in text:
        if char.isdigit():
            ranks += char
        else:
            tiles += [Tile(r + char) for r in ranks]
            ranks = ""
    return tiles


@pytest.mark.parametrize(
    ("text", "sets", "far"),
    [
        ("123m456p789s11122z", 4, -1),
        ("123m456p789s1112z", 4, 0),
        ("147m258p369s12345z", 4, 8),
        ("111222333m44455566z", 5, -1),
        ("0m5m", 0, -1),
        ("23m", 0, 0),
        ("1f123m45m55z", 2, 0),
    ],
)
def test_distance(text, sets, far):
    assert distance(_tiles(text), sets) == far


def test_complete_needs_the_right_number_of_tiles():
    assert complete(_tiles("123m11z"), 1)
    assert not complete(_tiles("123m111z"), 1)
    assert seven_pairs(_tiles("1122m3344p5566s77z"))
    assert not seven_pairs(_tiles("1111m3344p5566s77z"))


def test_distance_agrees_with_published_vectors(shared):
    path = shared / "data" / "score_vectors" / "riichi_shanten_kobalab.json"
    vectors = json.loads(path.read_text())["vectors"]
    whole = [(h, far) for h, (far, *_) in vectors if len(h) == 28]
    assert len(whole) > 20_000
    wrong = [h for h, far in whole if distance([Tile(h[i : i + 2]) for i in range(0, 28, 2)], 4) != far]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "laid", "pairs", "wait"),
    [
        ("123m456p789s1112z", "", True, "2z"),
        ("23m456p789s11122z", "", True, "14m"),
        ("1122m3344p5566s7z", "", True, "7z"),
        ("1122m3344p5566s7z", "", False, ""),
        ("19m19p19s1234567z", "", True, "19m19p19s1234567z"),
        ("123m456p789s1111z", "", True, ""),  # the player has all four of them
        ("5z", "123m456p789s555z", False, ""),
        ("5z", "123m456p789s444z", False, "5z"),
    ],
)
def test_waits(text, laid, pairs, wait):
    """What a player at an exhaustive draw takes for being ready (RI-S7)."""
    sets = 4 - len(_tiles(laid)) // 3
    assert sorted(waits(_tiles(text), sets, _tiles(laid), pairs=pairs)) == sorted(_tiles(wait))
