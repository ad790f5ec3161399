"""Hands as people write them, and what is said when they cannot be read."""

from __future__ import annotations

import pytest

from table_engine.scoring.notation import NotationError, meld, tiles, written


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("123m", "1m 2m 3m"),
        ("1m2m3m", "1m 2m 3m"),
        ("123m 0p,55z", "1m 2m 3m 0p 5z 5z"),
        ("123m+5z", "1m 2m 3m 5z"),
        ("ESWNPFC", "1z 2z 3z 4z 5z 6z 7z"),
        ("19m19pE", "1m 9m 1p 9p 1z"),
        ("15f", "1f 5f"),
        ("", ""),
    ],
)
def test_tiles(text: str, found: str) -> None:
    assert tiles(text) == tuple(found.split())


def test_a_whole_hand() -> None:
    told = written("123m55z [777z] (345p) [0555s!] 3f")
    assert told.tiles == ("1m", "2m", "3m", "5z", "5z")
    assert [one.call for one in told.melds] == ["pung", "chow", "concealed"]
    assert told.melds[2].tiles == ("0s", "5s", "5s", "5s")
    assert told.flowers == ("3f",)


@pytest.mark.parametrize(
    ("text", "call", "source"), [("EEE,2", "pung", 2), ("111m,3", "pung", 1), ("7777z", "kong", 3), ("312s", "chow", 3)]
)
def test_sets(text: str, call: str, source: int) -> None:
    one = meld(text)
    assert (one.call, one.source) == (call, source)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("12x", "'x' is no suit"),
        ("123", "the 123 at the end has no suit"),
        ("m", "no digit stands before the m"),
        ("8z", "there is no 8z; z goes from 1 to 7"),
        ("9f", "there is no 9f; f goes from 1 to 8"),
        ("123M", "write the suit small: m"),
        ("12E", "E alone is 1z"),
        ("[124m]", "that is no set"),
        ("[12m]", "that is no set"),
        ("[123m", "has no partner"),
        ("[EEE,7]", "none of 1"),
        ("[123m!]", "that is no set"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(NotationError) as told:
        written(text)
    assert says in str(told.value)
    assert "\n" not in str(told.value)
