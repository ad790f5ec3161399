from __future__ import annotations

import pytest

from table_engine.fusion.shape import complete
from table_engine.wire.tiles import Tile


def tiles(text: str) -> list[Tile]:
    """`123m55z` → tiles."""
    out, ranks = [], ""
    for letter in text:
        if letter.isdigit():
            ranks += letter
        else:
            out += [Tile(r + letter) for r in ranks]
            ranks = ""
    return out


@pytest.mark.parametrize(
    "text",
    [
        "123m456p789s11122z",
        "11z",
        "1122335577m11z55p",
        "19m19p19s12345677z",
        "147m258p369s123m55z",
        "147m258p369s55z",
        "147m25p369s123456z",
        "11123456789999m",
        "111222333444m555p77z",
        "340m55p",
    ],
)
def test_complete(text: str) -> None:
    assert complete(tiles(text))


@pytest.mark.parametrize(
    "text", ["123m456p789s11123z", "1m", "19m19p18s12345677z", "147m258p369s124m55z", "123m45p", "891m11z", "123z11m"]
)
def test_incomplete(text: str) -> None:
    assert not complete(tiles(text))


def test_an_unknown_tile_completes_nothing() -> None:
    assert not complete([*tiles("123m1z"), Tile("?")])
