"""What an engine told as a record: everything a journal holds is in our own form, and comes back."""

from __future__ import annotations

import json
from pathlib import Path

from jantaku.fast import Fast, envelopes, play_fast
from jantaku.games import game as game_at
from jantaku.games import games
from table_engine.journal import Journal
from table_engine.records.export import export
from table_engine.records.journal_game import Account, game_of
from table_engine.records.load import load
from table_engine.replay import recorded, replay
from table_engine.rules import load_ruleset
from table_engine.wire.actions import (
    CallAnnounced,
    CountSeen,
    Discarded,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    TileCorrected,
)
from table_engine.wire.alerts import Alert
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = SEATS
FOUL = Alert(
    id="a1",
    table="t",
    code="tile_count",
    rule="TW-F3",
    ruleset="taiwan16",
    seat=S3,
    severity="foul",
    confidence=0.97,
    at_ms=9_000,
    hand=1,
    turn=3,
    says="North holds one tile too many.",
    citation="…",
    penalty="dead hand",
    state="confirmed",
    by="referee",
    points=(10, -10, 0, 0),
)
ACTIONS = (
    HandStarted(dealer=S2, dice=(3, 4, 5), break_side=S1, break_stack=4, at_ms=1_000),
    FlowersShown(seat=S2, tiles=(Tile("3f"),), at_ms=2_000, evidence=("vision:1:7",), confidence=0.93),
    Drew(seat=S2, end="tail", at_ms=2_500),
    Discarded(seat=S2, tile=Tile("9m"), at_ms=3_000, drawn=True),
    CallAnnounced(seat=S0, call="pung", at_ms=3_200),
    CountSeen(seat=S3, concealed=17, at_ms=3_300),
    Drew(seat=S3, at_ms=4_000),
    Discarded(seat=S3, tile=Tile("1p"), at_ms=5_000),
    TileCorrected(seat=S3, zone="pond", index=0, was=Tile("1p"), tile=Tile("7p"), at_ms=5_500),
    HandShown(seat=S1, hand=(Tile("1z"),) * 3, at_ms=6_000),
    HandEnded(won=False, at_ms=7_000),
    HandStarted(dealer=S3, at_ms=8_000),
    Drew(seat=S3, at_ms=8_100),
)


def test_fouls_times_flowers_dice_and_confidence_are_kept(tmp_path: Path) -> None:
    game = game_of(
        ACTIONS,
        load_ruleset("taiwan16"),
        "table-1",
        ("a", "b", "c", "d"),
        accounts={1: Account((0, 0, 0, 0), (4, -4, 0, 0), 0)},
        alerts=[FOUL],
        overrides={"judging.settle_ms": 900},
    )
    first, second = game.hands
    assert game.names == ("c", "d", "a", "b")
    assert (first.dealer, first.dice, first.began_ms) == (S0, (3, 4, 5), 1_000)
    assert (first.break_side, first.break_stack) == (S3, 4)
    assert first.deltas == (0, 0, 4, -4)
    assert first.rules().judging.settle_ms == 900
    flowers = first.moves[0]
    assert (flowers.at_ms, flowers.evidence, flowers.confidence) == (2_000, ("vision:1:7",), 0.93)
    assert [m.tile for m in first.moves if isinstance(m, Discarded)] == ["9m", "7p"]
    assert [type(aside) for aside in first.asides] == [CallAnnounced, CountSeen, TileCorrected, HandShown]
    assert first.asides[0].seat == S2
    assert first.shown == (None, None, None, ("1z",) * 3)
    (alert,) = first.alerts
    assert (alert.seat, alert.points, alert.state, alert.by) == (S1, (0, 0, 10, -10), "confirmed", "referee")
    assert second.notes
    assert second.alerts == ()
    path = tmp_path / "table-1"
    path.write_text(export(game, "jantaku"), encoding="utf-8")
    assert list(load(path)) == [game]


def test_a_record_without_its_end_keeps_what_is_there(tmp_path: Path) -> None:
    text = export(game_of(ACTIONS[:11], load_ruleset("taiwan16"), "t"), "jantaku")
    lines = text.splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(lines[:5]) + lines[5][:20], encoding="utf-8")
    (game,) = load(path)
    (hand,) = game.hands
    assert hand.notes
    assert [type(move) for move in hand.moves] == [FlowersShown, Drew, Discarded, HandEnded]


def test_a_journal_exports_points_and_win_lines_and_plays_again(shared: Path, tmp_path: Path) -> None:
    """What was seen at a table: hidden hands, but the ledger's points, scored wins, and moves that can be played again."""
    rules = load_ruleset("riichi")
    path = shared / "data" / "game_records" / "majsoul" / "fatpig_paipu_record.json.gz"
    played = game_at(path, 0, 2)
    with Journal(tmp_path / "t1.sqlite3", table="t1", ruleset="riichi", overrides={}) as journal:
        journal.append(list(envelopes(played, Fast(rules))))
    seen = recorded(replay(tmp_path / "t1.sqlite3"), "t1")
    assert [hand.deltas for hand in seen.hands] == [hand.deltas for hand in played.record.hands]
    log = json.loads(export(seen, "tenhou6"))["log"]
    theirs = json.loads(export(played.record, "tenhou6"))["log"]
    assert [rows[1] for rows in log] == [rows[1] for rows in theirs]
    assert [rows[16][:2] for rows in log] == [rows[16][:2] for rows in theirs]
    assert log[0][16][2][3] == "跳満12000点"
    (tmp_path / "t1.jsonl").write_text(export(seen, "jantaku"), encoding="utf-8")
    (again,) = games(tmp_path / "t1.jsonl")
    result = play_fast(again, Fast(rules))
    assert [hand.all_equal for hand in result.hands] == [True, True]
    assert result.alerts == []
