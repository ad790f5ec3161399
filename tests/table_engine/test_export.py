"""Exports: a game in one format comes out as the same game others wrote down in another."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from playing import S0, S1, S2, S3

from table_engine.records.export import export
from table_engine.records.journal_game import game_of
from table_engine.records.load import load
from table_engine.records.model import GameRecord
from table_engine.records.settled import settled
from table_engine.rules import load_ruleset
from table_engine.wire.actions import (
    CallAnnounced,
    Called,
    CountSeen,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
)
from table_engine.wire.errors import RecordError
from table_engine.wire.tiles import Tile


def lines(game: GameRecord) -> list[dict]:
    return [json.loads(line) for line in export(game, "mjai").splitlines()]


def test_mjai_of_a_tenhou_log_is_what_gimite_made_of_it(shared: Path) -> None:
    folder = shared / "data" / "game_records" / "mjai_jsonl"
    (game,) = load(folder / "gimite_test.mjlog")
    theirs = [json.loads(line) for line in (folder / "gimite_test_golden.mjson").read_text().splitlines()]
    keep = ("type", "actor", "target", "pai", "consumed", "dora_marker", "oya")
    types = {"tsumo", "dahai", "chi", "pon", "daiminkan", "kakan", "ankan", "dora", "reach", "reach_accepted"}
    types |= {"start_kyoku", "hora", "ryukyoku"}
    ours = [_plain(e, keep) for e in lines(game) if e["type"] in types]
    assert ours == [_plain(e, keep) for e in theirs if e["type"] in types]


def _plain(event: dict, keep: tuple[str, ...]) -> dict:
    plain = {key: event[key] for key in keep if key in event}
    if event["type"] == "hora":
        plain.pop("pai", None)
    if "consumed" in plain:
        plain["consumed"] = sorted(plain["consumed"])
    return plain


def test_tenhou6_is_what_tenhou_itself_made_of_the_same_games(shared: Path) -> None:
    """Some games of the data lie there both as XML and as tenhou.net/6 JSON."""
    folder = shared / "data" / "game_records" / "pantheon_tenhou"
    known = {}
    for path in folder.glob("*.json"):
        for hand in json.loads(path.read_text()).get("log", []):
            known[_deal(hand)] = hand
    compared = 0
    for path in folder.glob("*.xml"):
        (game,) = load(path)
        for ours in json.loads(export(game, "tenhou6"))["log"]:
            theirs = known.get(_deal(ours))
            if theirs:
                compared += 1
                assert ours[:4] == theirs[:4], path.name
                for seat in range(4):
                    assert ours[5 + 3 * seat] == theirs[5 + 3 * seat], path.name
                    assert _discards(ours, seat) == _discards(theirs, seat), path.name
                assert ours[16][0] == theirs[16][0]
                if len(theirs[16]) == 3:
                    assert ours[16][1] == theirs[16][1], path.name
                    assert ours[16][2][:2] == theirs[16][2][:2], path.name
    assert compared > 30


def _deal(hand: list) -> str:
    return json.dumps([sorted(hand[n]) for n in (4, 7, 10, 13)])


def _discards(hand: list, seat: int) -> list[object]:
    """Discards with 60 replaced by the tile it stands for."""
    takes, discards = hand[5 + 3 * seat], hand[6 + 3 * seat]
    out = []
    for take, discard in zip(takes, discards, strict=False):
        ready = isinstance(discard, str) and discard.startswith("r")
        tile = discard[1:] if ready else discard
        out.append((ready, str(take if str(tile) == "60" else tile)))
    return out


@pytest.mark.parametrize("form", ["mjai", "tenhou6"])
def test_every_riichi_record_can_be_exported(shared: Path, form: str) -> None:
    for path in sorted((shared / "data" / "game_records" / "mjx_tenhou_mjlog").glob("*.mjlog")):
        for game in load(path):
            text = export(game, form)
            events = [json.loads(line) for line in text.splitlines()]
            if form == "mjai":
                assert sum(e["type"] == "start_kyoku" for e in events) == len(game.hands)
            else:
                assert len(events[0]["log"]) == len(game.hands)


def test_tenhou6_writes_calls_by_who_gave_the_tile() -> None:
    actions = [HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("3s"))]
    for caller, text in ((S1, "p333333"), (S2, "33p3333"), (S3, "3333p33")):
        pung = Called(seat=caller, call="pung", tile=Tile("3s"), source=S0, tiles=(Tile("3s"),) * 3)
        added = Konged(seat=caller, kong="added", tile=Tile("3s"))
        log = _log([*actions, pung, Discarded(seat=caller, tile=Tile("1z")), added])
        assert log[5 + 3 * caller][0] == text
        assert log[6 + 3 * caller][1] == text.replace("p33", "k3333")
    chow = Called(seat=S1, call="chow", tile=Tile("3s"), source=S0, tiles=(Tile("2s"), Tile("3s"), Tile("4s")))
    assert _log([*actions, chow])[8][0] == "c333234"
    kong = Called(seat=S2, call="kong", tile=Tile("3s"), source=S0, tiles=(Tile("3s"),) * 4)
    log = _log([*actions, kong, Drew(seat=S2, end="tail")])
    assert log[11] == ["33m333333", 0]
    assert log[12] == [0]
    concealed = Konged(seat=S1, kong="concealed", tile=Tile("1s"))
    assert _log([*actions, Drew(seat=S1), concealed])[9] == ["313131a31"]


def _log(actions: list) -> list:
    game = game_of(actions, load_ruleset("riichi"), "table")
    return json.loads(export(game, "tenhou6"))["log"][0]


def test_a_journal_tells_what_was_seen_and_no_more() -> None:
    rules = load_ruleset("riichi")
    actions = [
        HandStarted(dealer=S2),
        DoraShown(tile=Tile("4p")),
        Discarded(seat=S2, tile=Tile("9m")),
        CallAnnounced(seat=S3, call="pung"),
        CountSeen(seat=S3, concealed=13),
        Drew(seat=S3),
        Discarded(seat=S3, tile=Tile("5p")),
        TileCorrected(seat=S3, zone="pond", index=0, was=Tile("5p"), tile=Tile("0p")),
        Drew(seat=S1),
        TileReturned(seat=S1, what="draw"),
        Drew(seat=S0),
        Discarded(seat=S0, tile=Tile("1z"), sideways=True),
    ]
    game = game_of(actions, rules, "journal", ("a", "b", "c", "d"))
    assert game.names == ("c", "d", "a", "b")
    assert game.hands[0].notes
    events = lines(game)
    assert events[1]["tehais"] == [["?"] * 13] * 4
    assert events[1]["oya"] == 0
    told = [(e["type"], e.get("actor"), e.get("pai")) for e in events[2:-2]]
    assert told == [
        ("tsumo", 0, "?"),
        ("dahai", 0, "9m"),
        ("tsumo", 1, "?"),
        ("dahai", 1, "5pr"),
        ("tsumo", 2, "?"),
        ("reach", 2, None),
        ("dahai", 2, "E"),
        ("reach_accepted", 2, None),
        ("ryukyoku", None, None),
    ]


def test_what_was_taken_back_or_misread_is_settled() -> None:
    discard, other = Discarded(seat=S0, tile=Tile("1m")), Discarded(seat=S0, tile=Tile("2m"))
    assert settled([discard, TileReturned(seat=S0, what="discard"), other]) == [other]
    chow = Called(seat=S1, call="chow", tile=Tile("2m"), source=S0, tiles=(Tile("2m"), Tile("3m"), Tile("5m")))
    (better,) = settled([chow, TileCorrected(seat=S1, zone="meld", index=2, was=Tile("5m"), tile=Tile("4m"))])
    assert better.tiles == ("2m", "3m", "4m")
    dora = DoraShown(tile=Tile("1s"))
    fixed = TileCorrected(seat=S0, zone="dora", index=0, was=Tile("1s"), tile=Tile("7s"))
    assert settled([dora, HandEnded(won=False), fixed])[0] == DoraShown(tile=Tile("7s"))


def test_what_was_seen_late_stands_before_its_replacements() -> None:
    """Told by the wall counter alone: S1 drew, took a replacement, discarded; again after S2's turn; then its flowers were seen."""
    drew, first, second = (Drew(seat=S1, end=end, at_ms=at) for end, at in (("head", 1), ("tail", 2), ("tail", 9)))
    away = Discarded(seat=S1, tile=Tile("1m"), at_ms=3)
    flowers = FlowersShown(seat=S1, tiles=(Tile("1f"), Tile("5f"), Tile("2f")), at_ms=20)
    assert settled([drew, first, away, drew, second, away, flowers]) == [
        drew,
        FlowersShown(seat=S1, tiles=(Tile("1f"),), at_ms=2),
        first,
        away,
        drew,
        FlowersShown(seat=S1, tiles=(Tile("5f"),), at_ms=9),
        second,
        away,
        FlowersShown(seat=S1, tiles=(Tile("2f"),), at_ms=20),
    ]
    kong = Konged(seat=S1, kong="concealed", tile=Tile("7z"), at_ms=5)
    assert settled([drew, first, away, kong]) == [drew, replace(kong, at_ms=2), first, away]
    # A replacement that was owed, one by another seat, or a tile drawn from the wrong end is none of these.
    for told in ([drew, kong, first], [drew, away, first], [drew, replace(first, seat=S0)]):
        assert settled([*told, flowers]) == [*told, flowers]


def test_what_cannot_be_exported_is_said(shared: Path) -> None:
    (game, *_) = load(shared / "data" / "game_records" / "taiwan_selfplay" / "selfplay.jsonl")
    with pytest.raises(RecordError, match="riichi games only, this one is taiwan16"):
        export(game, "mjai")
    with pytest.raises(RecordError, match="no export 'pgn'; there are mjai, tenhou6"):
        export(game, "pgn")
    with pytest.raises(RecordError, match="no hand was played"):
        export(game_of([], load_ruleset("riichi"), "journal"), "mjai")
