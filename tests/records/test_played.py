"""Records of every format on the virtual table, and the commands that take them. All records: `python -m tests.conformance.records`."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from at_hand import PATTERNS, files

from jantaku.commands.export import Form
from jantaku.commands.export import export as command
from jantaku.fast import Fast, opening, play_fast
from jantaku.games import game, games
from table_engine.records.export import export
from table_engine.records.load import load
from table_engine.records.made_up import made_up
from table_engine.rules import load_ruleset
from table_engine.scoring import waits
from table_engine.state import Meld
from table_engine.wire.actions import WinShown
from table_engine.wire.errors import RecordError, SettingsError
from table_engine.wire.tiles import UNKNOWN, Tile
from tests.conformance.forbidden import forbidden
from tests.conformance.records import games_of, run

HANDS = {"tenhou-client": 3, "mjai": 3, "tenhou6": 2, "open-mahjong": 2, "pmn": 3}


@pytest.mark.parametrize("form", PATTERNS)
def test_hands_are_seen_as_they_were_played(shared: Path, form: str) -> None:
    """Every hand equal, and no alert but for what the record really does."""
    count = HANDS.get(form, 1)
    tally = run(games_of(files(shared, form)), ["serial", "camera"], "brisk", count, 3)
    assert (tally.agree, tally.hands, tally.counts, tally.faults) == (count, count, 0, 0), tally.differences
    assert tally.alerts == tally.explained, tally.differences


def test_what_a_record_does_although_it_is_forbidden_is_found(shared: Path) -> None:
    folder = shared / "data" / "game_records"
    found = {
        "mjai_jsonl/gimite_kuikae.mjson": {"RI-S10"},
        "mjai_reviewer_tenhou6/confusing_nakis_2.json": {"RI-F9", "RI-S5"},
        "mjai_reviewer_tenhou6/chankan.json": set(),
        "pmn_mcr/example_2.pmn": {"CO-S6"},
    }
    for name, rows in found.items():
        (one,) = games(folder / name)
        assert {finding.row for hand in one.record.hands for finding in forbidden(hand)} == rows, name


def test_a_game_that_begins_in_its_middle_is_opened_there(shared: Path) -> None:
    (south,) = games(shared / "data" / "game_records" / "mjai_reviewer_tenhou6" / "confusing_nakis_5.json")
    (act,) = opening(south.record)
    assert act.did.rotations == 4
    (east,) = games(shared / "data" / "game_records" / "mjai_reviewer_tenhou6" / "chankan.json")
    assert list(opening(east.record)) == []


def test_one_seats_view_plays_without_accusing_anybody(shared: Path, tmp_path: Path) -> None:
    """As a bot's log tells it: other hands and draws hidden, wins without their hands. Who won is given a hand that wins and
    who declared ready one that is ready."""
    (whole,) = load(files(shared, "majsoul")[0])
    hidden = []
    for line in export(replace(whole, hands=whole.hands[:5]), "mjai").splitlines():
        event = json.loads(line)
        match event["type"]:
            case "start_kyoku":
                event["tehais"] = [tiles if seat == 1 else ["?"] * 13 for seat, tiles in enumerate(event["tehais"])]
            case "tsumo" if event["actor"] != 1:
                event["pai"] = "?"
            case "hora":
                event = {key: event[key] for key in ("type", "actor", "target", "deltas")}
            case "ryukyoku":
                event = {"type": "ryukyoku", "deltas": event["deltas"]}
        hidden.append(json.dumps(event))
    path = tmp_path / "view.jsonl"
    path.write_text("\n".join(hidden), encoding="utf-8")
    (view,) = games(path)
    assert any(isinstance(m, WinShown) and m.seat != 1 for hand in view.record.hands for m in hand.moves)
    result = play_fast(view, Fast(view.record.rules()))
    assert [hand.all_equal for hand in result.hands] == [True] * 5
    assert result.alerts == []


@pytest.mark.parametrize(
    ("left", "count", "last"),
    [
        ("555z123m456m789p11s", 13, "1s"),
        ("123m456m789p345s7z", 13, "7z"),
        ("123m456m99p45s", 10, "3s"),
        ("66z", 1, "6z"),
        ("2m3m", 1, None),
    ],
)
def test_a_hand_is_made_up_that_is_ready(left: str, count: int, last: str | None) -> None:
    rest, digits = Counter[Tile](), ""
    for char in left:
        if char.isdigit():
            digits += char
        else:
            rest.update(Tile(digit + char) for digit in digits)
            digits = ""
    tiles = made_up(rest, count, None if last is None else Tile(last))
    assert tiles is not None
    assert len(tiles) == count
    assert not Counter(tiles) - rest
    melds = [Meld("pung", (Tile("9s"),) * 3)] * ((13 - count) // 3)
    ready_for = waits(tiles, melds, load_ruleset("riichi"))
    assert (last in ready_for) if last else ready_for
    assert made_up(Counter({Tile("1m"): 1, Tile("0m"): 4}), 13) is None


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """Two games, one of them packed in a folder below, a broken one and a letter."""
    root = tmp_path / "games"
    (root / "deep").mkdir(parents=True)
    shutil.copyfile(files(shared, "pmn")[0], root / "a.pmn")
    (root / "deep" / "b.json.gz").write_bytes(gzip.compress(files(shared, "tenhou6")[0].read_bytes()))
    (root / "c.mjlog").write_text("<mjloggm></mjloggm>")
    (root / "letter.txt").write_text("dear aunt")
    return root


def test_a_folder_plays_what_is_whole_and_names_what_is_broken(folder: Path) -> None:
    told: list[RecordError] = []
    assert [one.path.name for one in games(folder, broken=told.append)] == ["a.pmn", "b.json.gz"]
    assert [str(error) for error in told] == ["c.mjlog: no hand in it (no INIT tag)"]
    with pytest.raises(RecordError, match=r"c\.mjlog"):
        list(games(folder))
    assert game(folder, 0).path.name == "a.pmn"


def test_hidden_tiles_are_filled_for_the_table_and_not_for_the_export(shared: Path) -> None:
    (path,) = files(shared, "tenhou-client")
    first = next(games(path))
    assert all(UNKNOWN not in tiles for hand in first.record.hands for tiles in hand.hands)
    assert any(UNKNOWN in tiles for hand in next(load(path)).hands for tiles in hand.hands)


@pytest.mark.parametrize(
    ("form", "to", "begins"),
    [
        ("tenhou6", Form.MJAI, '{"type": "start_game"'),
        ("mjai", Form.TENHOU6, '{"title":'),
        ("pmn", Form.BOTZONE, "Match "),
        ("botzone", Form.PMN, '[Event "'),
        ("taiwan-jsonl", Form.JANTAKU, '{"jantaku":1'),
    ],
)
def test_records_are_exported_by_the_command(shared: Path, tmp_path: Path, form: str, to: Form, begins: str) -> None:
    path = files(shared, form)[0]
    out = tmp_path / "out"
    command(path, to, out, game=0)
    assert out.read_text(encoding="utf-8").startswith(begins)
    (one,) = load(out)
    assert len(one.hands) == len(next(load(path)).hands)


def test_all_games_of_a_file_are_exported_one_after_the_other(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files(shared, "majiang")[0]
    command(path, Form.TENHOU6, None, game=None)
    logs = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(log["log"]) for log in logs] == [len(one.hands) for one in load(path)]
    with pytest.raises(RecordError, match="has no game 99; it has 37, counted from 0"):
        command(path, Form.TENHOU6, None, game=99)
    with pytest.raises(RecordError, match="is a folder; export one file at a time"):
        command(path.parent, Form.TENHOU6, None, game=None)
    with pytest.raises(SettingsError, match="cannot be written"):
        command(path, Form.TENHOU6, tmp_path / "no" / "out", game=0)
    with pytest.raises(RecordError, match=r"gone\.json: cannot be read"):
        command(tmp_path / "gone.json", Form.TENHOU6, None, game=None)
