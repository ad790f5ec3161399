"""Exports opened in readers that are not ours: two published mjai readers, one of tenhou.net/6, one of PMN; Botzone's text
against the grammar that the data set's README gives, which the shared records obey."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import riichienv
from at_hand import files
from jansou.io.mjai import parse_mjai
from jansou.io.replay import replay_paifu
from jansou.io.tenhou_json import parse_tenhou_json

from table_engine.records.export import export
from table_engine.records.load import load
from table_engine.records.model import BREAKS_OFF, GameRecord
from table_engine.wire.actions import Called, Konged, WinShown

ODD = ("confusing_nakis_2.json", "confusing_nakis_5.json", "gimite_kuikae", "script.json#17")
"""Written by hand: a win that cannot be, more tiles than a set has, one seat's view; a draw with an indicator turned for a
kong that the reader holds not to be due."""
FORMS = ("tenhou-xml", "tenhou6", "mjai", "majsoul", "majiang")


def riichi_games(shared: Path, form: str) -> Iterator[GameRecord]:
    """Whole games: the readers refuse those that break off."""
    for path in files(shared, form):
        for game in load(path):
            odd = any(name in game.source for name in ODD)
            if not odd and not any(BREAKS_OFF in hand.notes for hand in game.hands):
                yield game


@pytest.mark.parametrize("form", FORMS)
def test_mjai_is_accepted_by_riichienv(shared: Path, tmp_path: Path, form: str) -> None:
    path = tmp_path / "game.jsonl"
    hands = wins = 0
    for game in riichi_games(shared, form):
        path.write_text(export(game, "mjai"), encoding="utf-8")
        kyokus = list(riichienv.MjaiReplay.from_jsonl(str(path)).take_kyokus())
        assert len(kyokus) == len(game.hands), game.source
        for kyoku, hand in zip(kyokus, game.hands, strict=True):
            assert [kyoku.chang, kyoku.ju, kyoku.ben] == [hand.round_wind, int(hand.dealer), hand.honba]
            if hand.scores:
                assert tuple(kyoku.scores) == hand.scores
            wins += len(list(kyoku.take_win_result_contexts()))
        hands += len(kyokus)
    assert hands
    assert wins


@pytest.mark.parametrize("form", FORMS)
def test_mjai_is_replayed_by_jansou(shared: Path, tmp_path: Path, form: str) -> None:
    """Its engine plays the game again and refuses whatever cannot be done."""
    path = tmp_path / "game.jsonl"
    decisions = 0
    for game in riichi_games(shared, form):
        path.write_text(export(game, "mjai"), encoding="utf-8")
        paifu = parse_mjai(path)
        assert len(paifu.rounds) == len(game.hands)
        decisions += sum(1 for _ in replay_paifu(paifu))
    assert decisions > 100


@pytest.mark.parametrize("form", FORMS)
def test_tenhou6_is_replayed_by_jansou(shared: Path, tmp_path: Path, form: str) -> None:
    path = tmp_path / "game.json"
    decisions = 0
    for game in riichi_games(shared, form):
        path.write_text(export(game, "tenhou6"), encoding="utf-8")
        paifu = parse_tenhou_json(path)
        assert len(paifu.rounds) == len(game.hands)
        decisions += sum(1 for _ in replay_paifu(paifu))
    assert decisions > 100


TILE = r"(?:1[1-9]|2[1-9]|3[1-9]|4[1-7]|5[123])"
TAKE = re.compile(rf"c{TILE}{{3}}|(?:{TILE}){{0,2}}p(?:{TILE}){{1,3}}|(?:{TILE}){{0,3}}m(?:{TILE}){{1,4}}")
DISCARD = re.compile(rf"r(?:{TILE}|60)|(?:{TILE}){{0,2}}k(?:{TILE}){{2,4}}|(?:{TILE}){{3}}a{TILE}")
WORTH = re.compile(r"(?:\d+符\d+飜|満貫|跳満|倍満|三倍満|役満|数え役満)(?:\d+点|\d+点∀|\d+-\d+点)")
YAKU = re.compile(r".+\((?:\d+飜|役満)\)")


@pytest.mark.parametrize("form", FORMS)
def test_tenhou6_has_the_shape_mjai_reviewer_reads(shared: Path, form: str) -> None:
    """The rows of convlog's `RawKyoku`, and win lines as the viewer of tenhou.net/6 needs them: it waits for ever where they
    do not end in 点 and 飜) or 役満)."""
    lines = 0
    for game in riichi_games(shared, form):
        log = json.loads(export(game, "tenhou6"))
        assert len(log["name"]) == 4
        assert isinstance(log["rule"]["disp"], str)
        assert log["rule"]["aka"] in (0, 1)
        for rows in log["log"]:
            assert len(rows) == 17
            meta, scores, dora, ura, *columns, result = rows
            assert [len(meta), len(scores)] == [3, 4]
            assert all(re.fullmatch(TILE, str(n)) for n in (*dora, *ura))
            for dealt, takes, discards in zip(columns[::3], columns[1::3], columns[2::3], strict=True):
                assert len(dealt) == 13
                assert all(re.fullmatch(TILE, str(n)) for n in dealt)
                assert all(re.fullmatch(TILE, str(n)) or TAKE.fullmatch(str(n)) for n in takes), takes
                assert all(n in (0, 60) or re.fullmatch(TILE, str(n)) or DISCARD.fullmatch(str(n)) for n in discards)
            assert isinstance(result[0], str)
            for deltas, win in zip(result[1::2], result[2::2], strict=False):
                assert len(deltas) == 4
                assert all(seat in range(4) for seat in win[:3])
                assert WORTH.fullmatch(win[3]), win
                assert all(YAKU.fullmatch(text) for text in win[4:]), win
                assert win[4:], win
                lines += 1
    assert lines


def test_win_lines_are_those_tenhou_wrote(shared: Path) -> None:
    """Games that lie there as XML and as Tenhou's own JSON: the line and the yaku come out letter by letter."""
    known = {}
    for path in files(shared, "tenhou6"):
        for rows in json.loads(path.read_text(encoding="utf-8"))["log"]:
            known[json.dumps([sorted(rows[n]) for n in (4, 7, 10, 13)])] = rows[16]
    compared = 0
    for path in files(shared, "tenhou-xml"):
        (game,) = load(path)
        for rows in json.loads(export(game, "tenhou6"))["log"]:
            theirs = known.get(json.dumps([sorted(rows[n]) for n in (4, 7, 10, 13)]))
            if theirs and theirs[0] == "和了":
                assert rows[16][1::2] == theirs[1::2], path.name
                for ours, other in zip(rows[16][2::2], theirs[2::2], strict=True):
                    assert ours[:4] == other[:4], path.name
                    assert sorted(ours[4:]) == sorted(other[4:]), path.name
                    compared += 1
    assert compared > 30


@pytest.mark.parametrize("form", ["botzone", "pmn"])
def test_pmn_opens_in_python_majiang(shared: Path, tmp_path: Path, form: str) -> None:
    """The published reader plays every hand to its end but those with a kong (it does not expect the replacement, not even
    in its own examples) or without a winner."""
    opened = 0
    for path in files(shared, form):
        for game in load(path):
            (hand,) = game.hands
            kong = any(isinstance(m, Konged) or (isinstance(m, Called) and m.call == "kong") for m in hand.moves)
            if kong or not any(isinstance(move, WinShown) for move in hand.moves):
                continue
            out = tmp_path / "hand.pmn"
            out.write_text(export(game, "pmn"), encoding="utf-8")
            board = _fresh_board(out)
            board.to_last_action()
            (winner, *_) = [move for move in hand.moves if isinstance(move, WinShown)]
            assert len(board.get_private_tile_list(int(winner.seat))) == len(winner.hand)
            opened += 1
    assert opened


def _fresh_board(path: Path) -> object:
    """The reader keeps its tiles in a module: each game needs it anew."""
    for name in [name for name in sys.modules if name == "majiang" or name.startswith("majiang.")]:
        del sys.modules[name]
    return importlib.import_module("majiang.board").Board(str(path))


CODE = r"(?:[WBT][1-9]|F[1-4]|J[1-3])"
MOVE = rf"Player [0-3] (?:Draw|Play|Chi|Peng|Gang|AnGang|BuGang|Hu) {CODE}"
IGNORE = rf"(?: Ignore Player [0-3] (?:Chi|Peng|Gang|Hu) {CODE})*"
GRAMMAR = re.compile(
    r"(?:Match \S+\n"
    r"Wind [0-3]\n"
    rf"(?:Player [0-3] Deal {CODE}(?: {CODE}){{12}}\s*\n){{4}}"
    rf"(?:{MOVE}{IGNORE}(?: # FALSE WIN)?\s*\n)+"
    r"(?:Fan \d+ [^\n]+\nScore(?: -?\d+){4}\s*\n|Huang\s*\nScore 0 0 0 0\s*\n|Score(?: -?\d+){4}\s*\n)\s*)+"
)


def test_botzones_grammar_is_that_of_the_shared_records(shared: Path) -> None:
    for path in files(shared, "botzone"):
        text = path.read_text(encoding="utf-8")
        assert GRAMMAR.fullmatch(text.rstrip() + "\n"), path.name


@pytest.mark.parametrize("form", ["botzone", "botzone-judge", "pmn"])
def test_botzone_text_obeys_the_grammar_of_the_shared_records(shared: Path, form: str) -> None:
    told = 0
    for path in files(shared, form):
        for game in load(path):
            text = export(game, "botzone")
            assert GRAMMAR.fullmatch(text), text[-300:]
            told += 1
    assert told


def test_botzone_text_of_the_shared_records_is_what_they_say(shared: Path) -> None:
    """Line by line, claims that lost precedence aside."""
    for path in files(shared, "botzone"):
        ours = "".join(export(game, "botzone") for game in load(path)).split()
        theirs = re.sub(r" Ignore Player \d \w+ \w+", "", path.read_text(encoding="utf-8")).split()
        assert ours == theirs, path.name
