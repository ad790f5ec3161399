"""The rule sets: complete against the catalogue, open to overrides, plain about mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playing import S0, S1, Play

from table_engine import ask
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.errors import SettingsError

PREFIX = {"taiwan16": "TW", "riichi": "RI", "chinese_official": "CO", "world_series": "WS"}


def test_every_row_of_the_catalogue_is_there(shared: Path) -> None:
    text = (shared / "rules" / "CATALOGUE.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| ([A-Z]{2}-[SPF]\d+) \|.*?\| ((?:auto|call|ref)[^|]*)", text, re.MULTILINE)
    catalogue = dict(found)
    assert len(catalogue) > 100
    rows = {row.id: row for ruleset in RULESETS for row in load_ruleset(ruleset).rows}
    assert set(rows) == set(catalogue)
    for row, how in catalogue.items():
        assert set(rows[row].how) == {word for word in ("auto", "call", "ref") if re.match(rf"(.*/)?{word}\b", how)}, (
            row
        )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_rows_are_of_their_rule_set_and_say_where_they_stand(ruleset: str) -> None:
    rules = load_ruleset(ruleset)
    for row in rules.rows:
        assert row.id.startswith(PREFIX[ruleset])
        assert row.text.endswith((".", ")"))
        assert row.cite
        assert bool(row.follows) or not re.search(r"-F\d", row.id) or row.id == "WS-F12", row.id


@pytest.mark.parametrize("ruleset", RULESETS)
def test_chapters_cited_are_in_the_text(shared: Path, ruleset: str) -> None:
    """At least one word of every citation occurs in the rule text itself."""
    rules = load_ruleset(ruleset)
    written = (shared / "rules" / "texts" / rules.text).read_text(encoding="utf-8")
    text = re.sub(r"\s", "", written)
    for row in rules.rows:
        words = re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]{2,}", row.cite)
        assert any(word in text for word in words), f"{row.id}: {row.cite}"


def test_a_rule_set_nobody_knows() -> None:
    with pytest.raises(SettingsError, match="no rule set 'cantonese'; there are taiwan16, riichi"):
        load_ruleset("cantonese")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"set.hands": 13}, r"set\.hands"),
        ({"call_ban": {"discards": "many"}}, r"call_ban\.discards"),
        ({"call_ban.discards.more": 1}, "is one value, not a table"),
        ({"nonsense": 1}, "nonsense"),
        ({"fouls.tile_count.many.row": "TW-F99"}, "TW-F99"),
    ],
)
def test_overrides_that_are_wrong_are_named(overrides: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_ruleset("taiwan16", overrides)


def test_overrides_change_one_setting_and_leave_the_rest() -> None:
    plain, changed = (
        load_ruleset("taiwan16"),
        load_ruleset("taiwan16", {"call_ban.discards": 19, "scoring": {"base": 3}}),
    )
    assert changed.call_ban.discards == 19
    assert changed.call_ban.own_kongs == plain.call_ban.own_kongs
    assert changed.scoring.base == 3
    assert changed.scoring.unit == plain.scoring.unit
    assert load_ruleset("taiwan16") == plain


@pytest.mark.parametrize("ruleset", RULESETS)
def test_contradictions_name_settings_that_exist(ruleset: str) -> None:
    rules = load_ruleset(ruleset)
    for contradiction in rules.contradictions:
        thing: object = rules
        for name in contradiction.setting.split("."):
            thing = thing[name] if isinstance(thing, dict) else getattr(thing, name)
        assert thing is not None


def test_the_deal() -> None:
    """TW-S3, CO-S2: seventeen against sixteen tiles, fourteen against thirteen."""
    for ruleset, size in (("taiwan16", 16), ("chinese_official", 13), ("riichi", 13), ("world_series", 13)):
        play = Play(ruleset)
        assert [p.concealed for p in play.state.players] == [size + 1, size, size, size]
        assert ask.wall_left(play.state, play.rules) == play.rules.set.tiles - 4 * size - 1


def test_turns_run_counter_clockwise() -> None:
    """TW-S7: the seat to the right of the discarder draws next."""
    play = Play("taiwan16").discard(S0)
    assert ask.whose_turn(play.state) == S1 == S0.next
