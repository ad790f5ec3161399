"""Recorded games from end to end: in the fast way, and through serial bytes, broker and every process, killed or not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jantaku.fast import Fast, play_fast
from jantaku.games import games
from jantaku.live import Live, play_live
from jantaku.played import summary
from table_engine.rules import load_ruleset
from table_engine.wire.errors import SettingsError


def _play(*arguments: str | Path, timeout: float = 240) -> tuple[int, dict, str]:
    run = subprocess.run(
        [sys.executable, "-m", "jantaku", "play", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    lines = run.stdout.splitlines()
    return run.returncode, json.loads(lines[-1]) if lines else {}, run.stderr


@pytest.mark.parametrize(
    ("record", "hands"),
    [
        ("mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog", 4),
        ("botzone_mcr_sample", 3),
        ("taiwan_selfplay/selfplay.jsonl", 3),
    ],
)
def test_the_fast_way_finds_every_action_again_and_no_foul(records: Path, record: str, hands: int) -> None:
    played = [play_fast(game, Fast(load_ruleset(game.record.ruleset))) for game in games(records / record, hands)]
    told = summary(played)
    assert told["different"] == []
    assert (told["hands"], told["hands_equal"], told["alerts"]) == (hands, hands, 0)
    assert told["actions_equal"] == told["actions_expected"] > 50 * hands


def test_the_command_ends_with_one_object(riichi_game: Path) -> None:
    code, told, stderr = _play("--record", riichi_game, "--hands", "2", "--fast")
    assert code == 0, stderr
    assert {"hands", "actions_expected", "actions_equal", "alerts", "seconds", "hands_equal", "ruleset"} <= set(told)
    assert (told["hands"], told["hands_equal"], told["ruleset"], told["alert_list"]) == (2, 2, "riichi", [])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--record", "nowhere.xml"], "nowhere.xml: cannot be read"),
        ([], "either --record FILE or --players RULESET"),
        (["--record", "{game}", "--players", "riichi"], "either --record FILE or --players RULESET"),
        (["--players", "bridge"], "no rule set 'bridge'"),
        (["--record", "{game}", "--pace", "idle"], "--pace idle: there are"),
        (["--record", "{game}", "--rules", "bridge"], "no rule set 'bridge'"),
        (["--record", "{game}", "--sensors", "nose"], "--sensors nose: use serial, camera"),
        (["--record", "{game}", "--size", "big"], "--size big: use WIDTHxHEIGHT"),
        (["--record", "{game}", "--faults", "nowhere.toml"], "nowhere.toml: cannot be read"),
    ],
)
def test_a_wrong_argument_is_one_sentence(riichi_game: Path, arguments: list[str], says: str) -> None:
    code, _, stderr = _play(*(a.replace("{game}", str(riichi_game)) for a in arguments), "--fast")
    assert code == 2
    assert says in stderr
    assert "Traceback" not in stderr


def test_a_hand_over_the_cable_and_the_broker_is_what_the_controller_could_tell(riichi_game: Path) -> None:
    code, told, stderr = _play("--record", riichi_game, "--hands", "1", "--sensors", "serial")
    assert told["different"] == [], stderr
    assert (code, told["hands_equal"], told["alerts"]) == (0, 1, 0), stderr
    assert told["actions_equal"] > 100


def test_killing_bridge_broker_and_engine_changes_nothing(riichi_game: Path, tmp_path: Path) -> None:
    kills = [("engine", 22), ("bridge", 31), ("broker", 40), ("bridge", 47), ("engine", 55), ("engine", 56)]
    faults = tmp_path / "kills.toml"
    faults.write_text("".join(f'[[event]]\nat_s = {at}\nact = "kill"\nprocess = "{name}"\n' for name, at in kills))
    arguments = ("--record", riichi_game, "--hands", "1", "--sensors", "serial", "--faults", faults, "--verbose")
    code, told, stderr = _play(*arguments)
    assert stderr.count("killed by SIGKILL") == len(kills)
    assert told["different"] == [], stderr
    assert (code, told["hands_equal"], told["alerts"]) == (0, 1, 0), stderr


def test_nothing_is_left_behind(riichi_game: Path, tmp_path: Path) -> None:
    _play("--record", riichi_game, "--hands", "1", "--sensors", "serial", "--keep", tmp_path / "kept")
    mine = [
        process.name
        for process in Path("/proc").iterdir()
        if process.name.isdigit() and str(tmp_path) in _command_line(process / "cmdline")
    ]
    assert mine == []
    assert list((tmp_path / "kept").rglob("table-1.sqlite3"))


def _command_line(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def test_own_players_play_under_a_rule_set_nobody_has_records_of() -> None:
    code, told, stderr = _play("--players", "world_series", "--hands", "2", "--fast", "--seed", "3")
    assert code == 0, stderr
    assert (told["ruleset"], told["hands"], told["hands_equal"], told["alerts"]) == ("world_series", 2, 2, 0)


def test_a_folder_that_holds_a_game_is_not_added_to(riichi_game: Path, tmp_path: Path) -> None:
    game = next(games(riichi_game, 1))
    kept = tmp_path / "game"
    kept.mkdir()
    (kept / "site.toml").touch()
    with pytest.raises(SettingsError, match=r"game: holds a game already, .* choose another --keep"):
        play_live(game, Live("riichi", folder=kept), lambda _name, _line: None, lambda _hand: None)
    assert [p.name for p in kept.iterdir()] == ["site.toml"]


def test_what_follows_from_a_foul_is_told_with_it(tmp_path: Path) -> None:
    faults = tmp_path / "foul.toml"
    faults.write_text('[[foul]]\nwhat = "late_call"\nseat = 2\n')
    _, told, stderr = _play("--players", "taiwan16", "--faults", faults, "--fast")
    (alert,) = told["alert_list"]
    assert (told["alerts"], alert["rule"], [f["rule"] for f in alert["follows"]]) == (1, "TW-F14", ["TW-F16"]), stderr
