"""`jantaku score`: what a person at a table types, and what is answered."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from jantaku.asked import asked
from table_engine.wire.errors import SettingsError


def answer(ruleset: str, text: str, **more: object) -> list[str]:
    told = {
        "win": "",
        "melds": [],
        "flowers": "",
        "seat": "",
        "round_wind": "E",
        "dealer": None,
        "giver": "upper",
        "dora": "",
        "ura": "",
        "flags": {},
        "numbers": {},
        "settings": [],
        **more,
    }
    return list(asked(ruleset, text, **told).lines())


def test_a_win_is_told_item_by_item() -> None:
    assert answer("riichi", "123m456p789s11z55z 5z", flags={"ready": True}, dora="4z") == [
        "East wins on 5z, from North.",
        "     1 han  Riichi        立直",
        "     1 han  White dragon  役牌 白",
        "     2 han  Dora          ドラ",
        "Together 4 han 40 fu, mangan.",
        "Payments: East +12000, North -12000.",
    ]


def test_thirteen_tiles_are_asked_what_they_wait_for() -> None:
    assert answer("riichi", "123m456p789s11z55z") == [
        "Ready for 1z 5z; worth by a discard:",
        "  1z  2 han 40 fu, 3900 points: seat wind east, round wind east",
        "  5z  1 han 40 fu, 2000 points: white dragon",
    ]


def test_a_hand_that_is_not_ready_says_what_it_needs() -> None:
    assert answer("riichi", "1234m568p2479s55z") == ["2 tiles short of ready.", "Brought nearer by 4p 7p 3s 8s."]


def test_what_is_no_win_says_why() -> None:
    lines = answer("riichi", "123m456p789s11z55z 9m")
    assert lines == ["No win: the hand is ready but not for 9m.", "Without the last tile it is ready for 1z 5z."]


@pytest.mark.parametrize(
    ("ruleset", "text", "more", "last"),
    [
        ("taiwan", "123456m789m22p1s1s [555z]", {"win": "1s", "giver": None, "flowers": "15f"}, None),
        ("tw", "23m456m789m22p111z [555z]", {"win": "1m"}, "Payments: East +11, North -11."),
        ("wsom", "19m19p19s1234567z 1m", {"giver": None}, "Payments: East +480, South -160, West -160, North -160."),
        ("zj", "34m567m345p678s66s 2m", {"seat": "S"}, "Payments: East -15, South +45, West -15, North -15."),
        ("riichi", "34m567m345p678s66s2m", {"win": "2m", "seat": "W"}, "Payments: South -2000, West +2000."),
        (
            "riichi",
            "34m567m345p66s",
            {"win": "2m", "melds": ["678s"], "giver": "opposite"},
            "Payments: East +1500, West -1500.",
        ),
    ],
)
def test_hands_of_all_rule_sets(ruleset: str, text: str, more: dict, last: str | None) -> None:
    lines = answer(ruleset, text, **more)
    assert lines[-1].startswith("Payments:") or lines[0].startswith("No win")
    if last is not None:
        assert lines[-1] == last


@pytest.mark.parametrize(
    ("ruleset", "text", "more", "says"),
    [
        ("hongkong", "1m", {}, "is no rule set; say riichi"),
        ("riichi", "123m", {}, "3 tiles: 14 are a win (the last one wins), 13 a hand that waits"),
        ("riichi", "123m456p [777z]", {}, "beside 1 set shown: 11 are a win"),
        ("riichi", "11111m456p789s555z", {}, "more than four tiles 1m"),
        ("riichi", "123x", {}, "'x' is no suit"),
        ("riichi", "123m456p789s11z55z 5z", {"seat": "Q"}, "--seat Q: no wind"),
        ("riichi", "123m456p789s11z55z 5z", {"giver": "E"}, "that is the winner"),
        ("riichi", "123m456p789s11z55z 5z", {"giver": "me"}, "say next, opposite, upper or a wind"),
        ("riichi", "123m456p789s11z55z", {"win": "55z"}, "one tile wins"),
        ("riichi", "123m456p789s11z55z 5z", {"settings": ["x"]}, "write name=value"),
        ("riichi", "123m456p789s11z55z 5z", {"settings": ["scoring.nothing=1"]}, "scoring.riichi.nothing"),
        ("riichi", "123m456p789s11z55z 5z", {"seat": "S", "dealer": True}, "east deals"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(ruleset: str, text: str, more: dict, says: str) -> None:
    with pytest.raises(SettingsError) as told:
        answer(ruleset, text, **more)
    assert says in str(told.value)


def test_settings_change_the_rules() -> None:
    lines = answer("riichi", "34m567m345p66s [678s]", win="2m", settings=["scoring.open_tanyao=false"])
    assert lines[0] == "No win: the hand has a winning shape but no yaku."


def test_the_command_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jantaku", "score", "riichi", "123m456p789s11z55z", "5z", "-t", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert (told["win"], told["total"], told["payments"]["east"]) == (True, 2, 3900)
    wrong = subprocess.run(
        [sys.executable, "-m", "jantaku", "score", "riichi", "123m456p789s11z55z", "9m"], capture_output=True, text=True
    )
    assert wrong.returncode == 1
    misuse = subprocess.run([sys.executable, "-m", "jantaku", "score", "riichi", "12"], capture_output=True, text=True)
    assert misuse.returncode == 2
    assert misuse.stderr.count("\n") == 1
