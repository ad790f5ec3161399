"""Every shared score vector agrees: real Tenhou wins, kobalab's hands, Chinese and Taiwanese sources, tenpai distances."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.scores import UnknownLayoutError, checks, structural

FILES = (
    "riichi_tenhou_real",
    "riichi_kobalab_10000",
    "riichi_shanten_kobalab",
    "mcr_vectors",
    "mcr_waits",
    "taiwan16_vectors",
)


@pytest.mark.parametrize("name", FILES)
def test_all_vectors_agree(name: str, shared: Path) -> None:
    pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed, so fan cannot be counted")
    document = json.loads((shared / "data" / "score_vectors" / f"{name}.json").read_text(encoding="utf-8"))
    done = [*checks(document), *structural(document)]
    assert [one for one in done if one.differences] == []
    assert len(done) >= len(document["vectors"])


def test_a_wrong_vector_is_a_difference() -> None:
    vector = {
        "id": "x",
        "concealed": ["2m", "3m", "4m", "5p", "6p", "7p", "2s", "3s", "4s", "6s", "7s", "8p", "8p"],
        "win_tile": "8s",
        "win_by": "ron",
        "ron_from": "left",
        "context": {"seat_wind": 1, "round_wind": 0},
        "expected": {
            "win": True,
            "yaku": [{"name": "平和", "han": 1}, {"name": "断幺九", "han": 1}],
            "fu": 30,
            "points": 2000,
        },
    }
    assert [one.differences for one in checks({"meta": {"ruleset": "riichi"}, "vectors": [vector]})] == [()]
    vector["expected"]["points"] = 3900
    [one] = checks({"meta": {"ruleset": "riichi"}, "vectors": [vector]})
    assert one.differences == ("points: 2000 here, 3900 there",)


def test_an_unreadable_vector_stops_nothing() -> None:
    odd = {"concealed": ["1x"], "win_tile": "1m", "expected": {"yaku": []}}
    [one] = checks({"meta": {"ruleset": "riichi"}, "vectors": [odd]})
    assert one.differences[0].startswith("cannot be read")


@pytest.mark.parametrize("document", [{}, {"vectors": []}, {"vectors": [{"nothing": 1}]}])
def test_an_unknown_layout_is_told(document: dict) -> None:
    with pytest.raises(UnknownLayoutError):
        list(checks(document))
