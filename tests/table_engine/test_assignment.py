"""Which rules a table is played by: the site file's, or those chosen since."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_engine.assignment import choice_path, choose, in_force
from table_engine.journal import Journal, read
from table_engine.wire.errors import SettingsError
from table_engine.wire.observations import Envelope, Watermark
from table_engine.wire.settings import TableSettings

TABLE = TableSettings(id="t1", ruleset="riichi", overrides={"match": {"start_points": 25000}})


def test_a_choice_holds_until_it_is_taken_back_or_the_site_file_says_otherwise(tmp_path: Path) -> None:
    assert in_force(TABLE, tmp_path) == TABLE
    chosen = choose(TABLE, tmp_path, "taiwan16")
    assert (chosen.ruleset, chosen.overrides) == ("taiwan16", {})
    assert in_force(TABLE, tmp_path) == chosen
    rewritten = TABLE.model_copy(update={"ruleset": "world_series"})
    assert in_force(rewritten, tmp_path) == rewritten
    assert choose(TABLE, tmp_path, "riichi") == TABLE
    assert not choice_path(tmp_path, "t1").exists()


def test_what_cannot_be_chosen_or_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no rule set 'bridge'"):
        choose(TABLE, tmp_path, "bridge")
    with pytest.raises(SettingsError, match="cannot be written"):
        choose(TABLE, tmp_path / "nowhere", "taiwan16")
    choice_path(tmp_path, "t1").write_text("{}", encoding="utf-8")
    with pytest.raises(SettingsError, match="delete it and choose the rules anew"):
        in_force(TABLE, tmp_path)


def test_a_journal_laid_aside_is_whole_and_leaves_its_place_free(tmp_path: Path) -> None:
    path = tmp_path / "t1.sqlite3"
    envelope = Envelope.of("cam", 1, 1, 5, 5, Watermark())
    with Journal(path, "t1", "riichi") as one:
        one.append([envelope])
        kept = one.lay_aside()
        assert one.closed
    assert kept is not None
    assert list(read(kept)) == [envelope]
    assert not path.exists()
    with Journal(path, "t1", "taiwan16") as other:
        assert len(other) == 0
        assert other.lay_aside() is None
    assert not path.exists()
