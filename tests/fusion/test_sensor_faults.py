"""Legal hands before faulty sensors. The whole campaign: `python -m tests.conformance.faults`."""

from __future__ import annotations

import pytest

from jantaku.comparison import compare
from tests.conformance import campaign
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


@pytest.mark.parametrize(
    ("ruleset", "seed", "hand"),
    [
        ("taiwan16", 2, 3),  # the end of the deal is noticed after the first flowers were replaced
        ("taiwan16", 3, 4),  # the same, two replacements of one player
        ("taiwan16", 1, 3),  # a flower is taken for another tile at first
        ("taiwan16", 1, 1),  # a flower is seen after its replacement
        ("taiwan16", 7, 2),  # a kong is seen after its replacement
        ("taiwan16", 11, 3),  # a flower of the first lap is seen after its replacement
        ("taiwan16", 20, 4),  # the flowers of two players are
        ("taiwan16", 16, 2),  # a discard read in doubt is chowed at once
    ],
)
def test_everything_fails_a_little_and_the_hand_is_told_exactly(ruleset: str, seed: int, hand: int) -> None:
    hands, director = play(ruleset, seed, hand, FAULTS["all"])
    result = compare("all", director.performed[hand - 1].moves, hands[hand - 1].actions)
    assert result.differences == ()
    assert hands[hand - 1].alerts == {}


def test_a_kong_nobody_looked_at_and_its_replacement() -> None:
    hands, director = play("taiwan16", 1, 2, FAULTS["all"])
    kong = next(m for m in director.performed[1].moves if m.type == "called" and m.call == "kong")
    told = next(a for a in hands[1].actions if a.type == "called" and a.call == "kong")
    assert (told.seat, told.source, told.tile) == (kong.seat, kong.source, kong.tile)
    assert not [a for a in hands[1].alerts.values() if " at 13" in a or " at 15" in a]


@pytest.mark.parametrize(
    ("ruleset", "seed"),
    [
        ("taiwan16", 1004),  # the counter's draws of the silence still count when the camera is back
        ("taiwan16", 1018),  # flowers of the first laps: who replaced them, the camera says when it is back
        ("taiwan16", 1030),  # a flower shown meanwhile stands before its replacement
        (
            "taiwan16",
            2036,
        ),  # whoever owes a replacement took the tile from the tail, though another has discarded since
    ],
)
def test_what_a_sensor_missed_accuses_nobody_falsely(ruleset: str, seed: int) -> None:
    game = campaign.play(campaign.Job(ruleset, seed, "brisk"))
    assert (game.exact, game.differences) == (game.hands, [])
    assert [alert for alert, _ in game.alerts if not game.rightly(alert)] == []
    assert bool(game.alerts) == bool(game.what)
