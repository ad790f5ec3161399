"""Recorded hands are paid as their records say, and recorded false wins are seen as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.settlements import Tally, run

pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed, so fan cannot be counted")

_DEAL = """Match false-win
Wind 0
Player 0 Deal {east}
Player 1 Deal W1 W1 W9 W9 T1 T1 T9 T9 B1 B1 B9 B9 F1
Player 2 Deal F1 F1 F2 F2 F2 F3 F3 F3 F4 F4 F4 J1 J1
Player 3 Deal J2 J2 J2 J3 J3 J3 W1 W9 T1 T9 B1 B9 J1
{moves}
Fan 0
Score {score}
"""

READY = "W2 W3 W4 W5 W6 W7 T3 T4 T5 T6 T7 B5 B5"
"""Four chows and a pair, waiting for T2, T5 and T8."""


@pytest.mark.parametrize(
    ("east", "moves", "grade"),
    [
        (READY, "Player 0 Draw B9\nPlayer 0 Hu B9 # FALSE WIN", "not_valid"),
        ("W2 W3 W4 W5 W6 W7 T3 T4 T6 T7 B2 B5 B5", "Player 0 Draw T8\nPlayer 0 Hu T8", "one_short"),
        ("W2 W5 W8 T3 T6 T7 B2 B4 B5 B8 J1 F1 F2", "Player 0 Draw T8\nPlayer 0 Hu T8", "more_short"),
    ],
)
def test_false_wins_of_botzone_records(tmp_path: Path, east: str, moves: str, grade: str) -> None:
    """Botzone lets a false win pay 10 to each."""
    path = tmp_path / "false.txt"
    path.write_text(_DEAL.format(east=east, moves=moves, score="-30 10 10 10"), encoding="utf-8")
    tally = Tally()
    run(path, tally)
    assert (tally.hands, tally.agree, tally.false_wins, tally.differences) == (1, 1, 1, [])
    assert tally.grades == [grade]


def test_a_right_win_that_a_record_fines_is_a_difference(tmp_path: Path) -> None:
    moves = "Player 0 Draw F1\nPlayer 0 Play F1\nPlayer 1 Draw T2\nPlayer 1 Play T2\nPlayer 0 Hu T2"
    path = tmp_path / "odd.txt"
    east = "W2 W3 W4 T3 T4 T2 T3 T4 B2 B3 B4 B5 B5"
    path.write_text(_DEAL.format(east=east, moves=moves, score="-30 10 10 10"), encoding="utf-8")
    tally = Tally()
    run(path, tally)
    assert tally.agree == 0
    assert "fan" in tally.differences[0]


@pytest.mark.parametrize(
    "name",
    [
        "mjx_tenhou_mjlog/pao-tsumo.mjlog",
        "mjx_tenhou_mjlog/encdec-chankan-ippatsu.mjlog",
        "mjx_tenhou_mjlog/encdec-nine-gates.mjlog",
        "mjx_tenhou_mjlog/trans-furiten-false-pos.mjlog",
        "mjx_tenhou_mjlog/upd-bef-ron3.mjlog",
        "pantheon_tenhou/helpers__onlineLog__testdata__format6__doubleron_and_honba.json",
        "pantheon_tenhou/helpers__onlineLog__testdata__format6__nagashi_usual.json",
        "pantheon_tenhou/helpers__onlineLog__testdata__pao_ron.xml",
        "majsoul/fatpig_paipu_record.json.gz",
        "botzone_mcr_sample/sample16.txt",
        "open_mahjong_mcr/record_2026-02-26.json",
        "taiwan_selfplay/selfplay.jsonl",
    ],
)
def test_recorded_hands_are_paid_as_the_record_says(name: str, shared: Path) -> None:
    """A few of every sort; `python -m tests.conformance.settlements` plays them all."""
    tally = Tally()
    run(shared / "data" / "game_records" / name, tally)
    assert tally.differences == []
    assert tally.agree == tally.hands
    assert tally.finals_agree == tally.finals
    assert tally.wins or tally.hands
