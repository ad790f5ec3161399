"""The main job: a recorded game on a table that is not there, seen only through camera pictures and serial bytes, carried by
the real broker, read by the real sensors' code and followed by the engine; with nothing wrong, with processes killed, and
with a player who breaks a rule."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RECORDS = {
    "riichi": "mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog",
    "chinese_official": "botzone_mcr_sample/sample16.txt",
    "taiwan16": "taiwan_selfplay/selfplay.jsonl",
}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def _play(record: Path, faults: Path | None = None) -> tuple[dict, str]:
    """One hand of a record. → the JSON object, and everything the processes said."""
    arguments = ["--record", str(record), "--hands", "1", "--json", "--verbose"]
    arguments += ["--faults", str(faults)] if faults else []
    command = [sys.executable, "-m", "jantaku", "play", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=800)
    assert run.stdout, run.stderr
    return json.loads(run.stdout.splitlines()[-1]), run.stderr


@pytest.mark.parametrize("ruleset", RECORDS)
def test_a_hand_is_found_again_action_by_action_and_nobody_is_accused(records: Path, ruleset: str) -> None:
    told, words = _play(records / RECORDS[ruleset])
    assert told["different"] == [], words
    assert (told["ruleset"], told["hands_equal"], told["alert_list"]) == (ruleset, 1, []), words
    assert told["actions_equal"] == told["actions_expected"] > 60
    assert "Traceback" not in words


def test_any_process_may_be_killed_at_any_moment(records: Path, tmp_path: Path) -> None:
    kills = [("vision", 24), ("engine", 37), ("broker", 48), ("bridge", 61), ("vision", 75)]
    faults = tmp_path / "kills.toml"
    faults.write_text("".join(f'[[event]]\nat_s = {at}\nact = "kill"\nprocess = "{name}"\n' for name, at in kills))
    told, words = _play(records / RECORDS["chinese_official"], faults)
    assert words.count("killed by SIGKILL") == len(kills)
    assert told["different"] == [], words
    assert (told["hands_equal"], told["alert_list"]) == (1, []), words


@pytest.mark.parametrize(
    ("ruleset", "what", "row", "code"),
    [
        ("riichi", "too_many", "RI-F7", "tile_count"),
        ("chinese_official", "draw_out_of_turn", "CO-F3", "draw_order"),
        ("taiwan16", "late_call", "TW-F14", "call_ban"),
    ],
)
def test_a_player_who_breaks_a_rule_is_told_and_nobody_else(
    records: Path, tmp_path: Path, ruleset: str, what: str, row: str, code: str
) -> None:
    faults = tmp_path / "foul.toml"
    faults.write_text(f'[[foul]]\nwhat = "{what}"\nseat = 2\nturn = 3\n')
    told, words = _play(records / RECORDS[ruleset], faults)
    accused = [(alert["rule"], alert["code"], alert["seat"]) for alert in told["alert_list"]]
    assert accused == [(row, code, 2)], words


def test_a_scene_is_played_and_judged_through_bytes_and_pixels() -> None:
    """Any foul of the catalogue can be written down; here TW-F8 and TW-F22 in one hand of own players."""
    scene = Path(__file__).parents[2] / "config" / "faults" / "scene.toml"
    command = [sys.executable, "-m", "jantaku", "play", "--players", "taiwan16", "--hands", "1", "--json", "--verbose"]
    run = subprocess.run([*command, "--faults", str(scene)], capture_output=True, text=True, timeout=800)
    assert run.stdout, run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["different"] == [], run.stderr
    accused = sorted((alert["rule"], alert["severity"], alert["seat"]) for alert in told["alert_list"])
    assert accused == [("TW-F22", "foul", 2), ("TW-F8", "foul", 1)], run.stderr
