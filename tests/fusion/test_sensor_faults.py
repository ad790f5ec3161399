"""Legal hands before faulty sensors. The whole campaign: `python -m tests.conformance.faults`."""

from __future__ import annotations

import pytest

from jantaku.comparison import compare
from tests.conformance.faults import FAULTS, play


@pytest.mark.parametrize("ruleset", ["taiwan16", "riichi"])
@pytest.mark.parametrize("fault", ["duplicate", "delay", "occlusion", "camera_silent", "serial_silent"])
def test_the_hand_is_told_exactly_and_nobody_is_accused(ruleset: str, fault: str) -> None:
    hands, director = play(ruleset, 2, 1, FAULTS[fault])
    result = compare(fault, director.performed[0].moves, hands[0].actions)
    assert result.differences == ()
    assert hands[0].alerts == {}


@pytest.mark.parametrize("fault", ["unknown", "misread"])
def test_misread_tiles_change_faces_and_nothing_else(fault: str) -> None:
    hands, director = play("chinese_official", 2, 1, FAULTS[fault])
    played = [(a.type, getattr(a, "seat", None)) for a in director.performed[0].moves]
    told = [
        (a.type, getattr(a, "seat", None)) for a in hands[0].actions if a.type not in ("tile_corrected", "count_seen")
    ]
    assert told == played
    assert hands[0].alerts == {}
