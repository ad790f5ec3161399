"""`jantaku replay` and `jantaku export` on a journal made of a recorded game."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jantaku.fast import Fast, envelopes
from jantaku.games import game
from table_engine.journal import Journal
from table_engine.rules import load_ruleset


def _jantaku(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jantaku", *map(str, arguments)], capture_output=True, text=True, timeout=200
    )


@pytest.fixture
def journal(riichi_game: Path, tmp_path: Path) -> Path:
    path = tmp_path / "table-1.sqlite3"
    first = game(riichi_game, 0, 2)
    with Journal(path, "table-1", "riichi") as one:
        one.append(envelopes(first, Fast(load_ruleset("riichi"))))
    return path


def test_replay_tells_hands_and_the_state_it_leads_to(journal: Path) -> None:
    run = _jantaku("replay", journal, "--json")
    told = json.loads(run.stdout.splitlines()[-1])
    assert (told["table"], told["ruleset"], told["hands"], told["alerts"]) == ("table-1", "riichi", 2, [])
    assert told["actions"] > 200
    again = json.loads(_jantaku("replay", journal, "--json").stdout.splitlines()[-1])
    assert again["state"] == told["state"]
    words = _jantaku("replay", journal, "--actions").stdout
    assert "hand 2: dealer seat 1" in words
    assert "discarded 0 4z" in words


def test_export_to_mjai_is_a_line_per_event(journal: Path) -> None:
    events = [json.loads(line) for line in _jantaku("export", journal, "--to", "mjai").stdout.splitlines()]
    assert [e["type"] for e in events].count("start_kyoku") == 2
    assert (events[0]["type"], events[-1]["type"]) == ("start_game", "end_game")
    first = next(e for e in events if e["type"] == "dahai")
    assert (first["actor"], first["pai"]) == (0, "N")


def test_export_to_tenhou6_writes_a_file(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.json"
    run = _jantaku("export", journal, "--to", "tenhou6", "--out", out)
    assert run.returncode == 0, run.stderr
    assert len(json.loads(out.read_text())["log"]) == 2


def test_sheets_of_a_journal(journal: Path, tmp_path: Path) -> None:
    results = _jantaku("export", journal, "--to", "results").stdout
    assert "Match 1 (not over): hands" in results
    assert "standings" in results
    page = tmp_path / "ruling.html"
    assert _jantaku("export", journal, "--to", "ruling", "--out", page).returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    told = json.loads(_jantaku("export", journal, "--to", "results", "--as", "json").stdout)
    assert [hand["hand"] for hand in told["matches"][0]["hands"]] == [1, 2]
    first, second = told["matches"][0]["hands"]
    assert (first["how"], first["points"]) == ("won", [0, 8700, -8700, 0])
    assert (second["how"], second["bets"], sum(second["points"])) == ("exhaustive", [1], -1000)
    record = _jantaku("export", tmp_path / "notes.txt", "--to", "results")
    assert record.returncode == 2


@pytest.mark.parametrize("command", [("replay",), ("export", "--to", "mjai")])
def test_what_is_no_journal_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "notes.sqlite3"
    path.write_text("not a journal")
    run = _jantaku(command[0], path, *command[1:])
    assert run.returncode == 2
    assert str(path) in run.stderr
    assert "Traceback" not in run.stderr
    gone = _jantaku(command[0], tmp_path / "gone.sqlite3", *command[1:])
    assert (gone.returncode, "gone.sqlite3" in gone.stderr) == (2, True)
