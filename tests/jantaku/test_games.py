"""Which games a file or folder holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from jantaku.games import game, games
from table_engine.wire.errors import RecordError


def test_a_file_of_many_games_gives_them_in_order(records: Path) -> None:
    found = list(games(records / "taiwan_selfplay" / "selfplay.jsonl"))
    assert len(found) > 1
    assert [g.index for g in found] == list(range(len(found)))
    again = game(found[1].path, 1)
    assert again == found[1]


def test_hands_are_counted_over_games(records: Path) -> None:
    found = list(games(records / "botzone_mcr_sample", hands=3))
    assert sum(len(g.record.hands) for g in found) == 3


def test_a_folder_passes_over_what_is_no_record(records: Path) -> None:
    assert {g.path.suffix for g in games(records / "botzone_mcr_sample", hands=20)} == {".txt"}


def test_a_folder_without_records_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(RecordError, match="none of its files is a game record"):
        list(games(tmp_path))


def test_a_file_of_no_known_format_names_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing to see")
    with pytest.raises(RecordError, match="Tenhou"):
        list(games(path))


def test_a_game_that_is_not_there_is_named(riichi_game: Path) -> None:
    with pytest.raises(RecordError, match="has no game 7"):
        game(riichi_game, 7)
