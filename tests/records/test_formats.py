"""Every format: each hand written is there, tiles are conserved, points run on, and the same game in two formats is the same."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from at_hand import PATTERNS, files, hands_written, texts

from table_engine.records.complete import completed
from table_engine.records.load import FORMATS, format_of, load
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord
from table_engine.wire.actions import Called, Discarded, DoraShown, Drew, FlowersShown, HandEnded, Konged, WinShown
from table_engine.wire.tiles import UNKNOWN, Tile, copies, kind, order
from virtual_table.deal import reds_of

WRITTEN_BY_HAND = ("confusing_nakis_2.json",)
"""A win that nobody could pay."""


@cache
def games(shared: Path, form: str) -> list[tuple[Path, GameRecord]]:
    return [(path, game) for path in files(shared, form) for game in load(path)]


def test_every_format_is_tried() -> None:
    assert set(PATTERNS) | {"jantaku"} == set(FORMATS)


@pytest.mark.parametrize("form", PATTERNS)
def test_every_hand_of_every_file_is_there(shared: Path, form: str) -> None:
    assert files(shared, form)
    there = Counter[Path]()
    for path, game in games(shared, form):
        there[path] += len(game.hands)
    for path in files(shared, form):
        assert there[path] == sum(hands_written(text, form) for text in texts(path)), path.name


@pytest.mark.parametrize("form", PATTERNS)
def test_a_file_is_recognised_as_what_it_is(shared: Path, form: str) -> None:
    for path in files(shared, form):
        for text in texts(path):
            found = format_of(text)
            assert found is None or found is FORMATS[form], path.name
        assert format_of(next(texts(path))) is not None or form == "tenhou-client", path.name


@pytest.mark.parametrize("form", PATTERNS)
def test_tiles_are_conserved(shared: Path, form: str) -> None:
    """Hidden tiles are completed first: what is made up must conserve tiles as what was seen."""
    for path, seen in games(shared, form)[:200]:
        game = completed(seen)
        reds = Counter(reds_of(game.hands))
        for hand in game.hands:
            where = f"{path.name}: {game.source} {hand.title}"
            _conserved(hand, where, reds)
            assert isinstance(hand.moves[-1], HandEnded), where
            assert sum(isinstance(m, HandEnded) for m in hand.moves) == 1, where
            assert hand.moves[-1].won == any(isinstance(m, WinShown) for m in hand.moves), where


def _conserved(hand: HandRecord, where: str, reds: Counter[Tile]) -> None:
    """Carries every tile through the hand without the builder's help."""
    hands = [Counter(h) for h in hand.hands]
    everything = sum(hands, Counter())
    last: Tile | None = None
    for move in hand.moves:
        match move:
            case Drew(seat=seat, tile=tile):
                hands[seat][tile] += 1
                everything[tile] += 1
            case Discarded(seat=seat, tile=tile):
                hands[seat][tile] -= 1
                last = tile
            case Called(seat=seat, tile=tile, tiles=tiles):
                assert tile == last, where
                hands[seat].subtract(tiles)
                hands[seat][tile] += 1
            case Konged(seat=seat, kong="added", tile=tile):
                hands[seat][tile] -= 1
            case Konged(seat=seat, tile=tile):
                four = [t for t in hands[seat].elements() if kind(t) == tile]
                assert len(four) == 4, where
                hands[seat].subtract(four)
            case FlowersShown(seat=seat, tiles=tiles):
                hands[seat].subtract(tiles)
            case WinShown(seat=seat, source=source, tile=tile, hand=shown):
                won = Counter(shown) + Counter([tile] if source is None else [])
                assert won == +hands[seat], where
            case DoraShown(tile=tile):
                everything[tile] += 1
        assert min((n for h in hands for n in h.values()), default=0) >= 0, where
    assert UNKNOWN not in everything, where
    by_kind: Counter[Tile] = Counter()
    for tile, count in everything.items():
        by_kind[kind(tile)] += count
    assert all(count <= copies(tile) for tile, count in by_kind.items()), where
    for red, count in reds.items():
        assert everything[kind(red)] <= 4 - count, where
        assert everything[red] <= count, where


@pytest.mark.parametrize("form", ["tenhou-xml", "tenhou6", "mjai", "majsoul", "majiang", "tenhou-client"])
def test_scores_run_on_from_hand_to_hand(shared: Path, form: str) -> None:
    """Changes with the ready sticks in them lead to the next hand's scores, and the last to the final ones, when the first
    of the game has taken the sticks that are left."""
    steps = 0
    for path, game in games(shared, form):
        told = [(hand.scores, hand.deltas, hand.title) for hand in game.hands]
        for (scores, deltas, title), (then, _, _) in pairwise(told):
            if scores and deltas and then:
                assert then == tuple(a + b for a, b in zip(scores, deltas, strict=True)), f"{path.name}: {title}"
                steps += 1
        scores, deltas, title = told[-1]
        if scores and deltas and game.final:
            left = [f - a - b for f, a, b in zip(game.final, scores, deltas, strict=True)]
            first = max(range(4), key=lambda seat: game.final[seat])
            assert [n for seat, n in enumerate(left) if seat != first] == [0, 0, 0], f"{path.name}: {title}"
            assert left[first] % 1000 == 0
            assert left[first] >= 0
    assert steps > {"majsoul": 5, "mjai": 20}.get(form, 100)


@pytest.mark.parametrize("form", PATTERNS)
def test_points_are_told_and_sum_to_the_sticks(shared: Path, form: str) -> None:
    """What a hand moves sums to nothing, but for sticks that are laid or taken; a duplicate event pays every winner."""
    for path, game in games(shared, form):
        for hand in game.hands:
            if hand.deltas is None or form == "pmn" or path.name in WRITTEN_BY_HAND:
                continue
            assert len(hand.deltas) == 4
            laid = sum(isinstance(move, Discarded) and move.sideways for move in hand.moves)
            assert -laid * 1000 <= sum(hand.deltas) <= hand.sticks * 1000, f"{path.name}: {hand.title}"
            for win in hand.wins:
                assert win.deltas is None or win.deltas[win.seat] > 0, f"{path.name}: {hand.title}"


def test_the_same_games_as_xml_and_as_json_are_the_same(shared: Path) -> None:
    """Pantheon has games in both forms: everything but dice, order of the deal and indicators must be equal."""
    known = {_deal(hand): hand for _, game in games(shared, "tenhou6") for hand in game.hands}
    compared = 0
    for path, game in games(shared, "tenhou-xml"):
        for hand in game.hands:
            other = known.get(_deal(hand))
            if other is None:
                continue
            compared += 1
            where = f"{path.name}: {hand.title}"
            assert _plays(hand) == _plays(other), where
            keys = ("dealer", "round_wind", "honba", "sticks", "scores", "deltas", "ending", "ura", "title")
            assert [getattr(hand, key) for key in keys] == [getattr(other, key) for key in keys], where
            for ours, theirs in zip(hand.wins, other.wins, strict=True):
                assert (ours.points, ours.payments, ours.limit, ours.yakuman, ours.liable) == (
                    theirs.points,
                    theirs.payments,
                    theirs.limit,
                    theirs.yakuman,
                    theirs.liable,
                ), where
                assert Counter(ours.items) == Counter(theirs.items), where
    assert compared > 30


def _deal(hand: HandRecord) -> str:
    return json.dumps([sorted(tiles[:13]) for tiles in hand.hands])


def _plays(hand: HandRecord) -> list[object]:
    return [move for move in hand.moves if not isinstance(move, DoraShown)]


def test_the_same_matches_as_judge_logs_and_as_text_are_the_same(shared: Path) -> None:
    folder = shared / "data" / "game_records" / "botzone_mcr_matches"
    text = {game.source.rpartition("#")[2]: game.hands for game in load(folder / "matches.txt")}
    judge = {game.source.rpartition("#")[2]: game.hands for game in load(folder / "matches_lite.jsonl.gz")}
    assert len(judge) == 56
    assert judge == text


def test_requests_and_answers_alone_tell_the_match(shared: Path, tmp_path: Path) -> None:
    """Logs without the judge's own display and last word: the end is who claimed a win, or that nobody did."""
    folder = shared / "data" / "game_records" / "botzone_mcr_matches"
    lines = []
    for line in gzip.decompress((folder / "matches_lite.jsonl.gz").read_bytes()).decode().splitlines():
        match = json.loads(line)
        outputs = [entry["output"] for entry in match["logs"] if "output" in entry]
        log = [e["output"]["content"] if "output" in e else e for e in match["logs"] if not _last(e)]
        scores = outputs[-1]["display"].get("score", [0] * 4)
        lines.append(json.dumps({"id": match["id"], "log": log, "scores": scores}))
    path = tmp_path / "plain.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    ours = [replace(hand, wins=()) for game in load(path) for hand in game.hands]
    theirs = [replace(hand, wins=()) for game in load(folder / "matches_lite.jsonl.gz") for hand in game.hands]
    assert ours == theirs


def _last(entry: dict) -> bool:
    return "output" in entry and entry["output"]["display"]["action"] in ("HU", "HUANG")


def test_the_same_game_as_xml_and_as_mjai_is_the_same(shared: Path) -> None:
    folder = shared / "data" / "game_records" / "mjai_jsonl"
    (xml,) = load(folder / "gimite_test.mjlog")
    (mjai,) = load(folder / "gimite_test_golden.mjson")
    assert len(xml.hands) == len(mjai.hands)
    for one, other in zip(xml.hands, mjai.hands, strict=True):
        assert one.hands == other.hands
        assert [m for m in one.moves if not isinstance(m, Discarded)] == [
            m for m in other.moves if not isinstance(m, Discarded)
        ]
        assert (one.dealer, one.round_wind) == (other.dealer, other.round_wind)


@pytest.mark.parametrize("form", ["botzone", "botzone-judge", "open-mahjong"])
def test_fan_add_up_to_the_total_the_record_names(shared: Path, form: str) -> None:
    """With the usual values of the 81 fan; a winning bot's hand or a person's."""
    compared = 0
    for _, game in games(shared, form):
        for hand in game.hands:
            for win in hand.wins:
                if win.fan and all(value is not None for _, value in win.items):
                    assert sum(value or 0 for _, value in win.items) == win.fan, (game.source, win.items)
                    compared += 1
    assert compared


def test_a_client_sees_one_hand_and_what_is_laid_open(shared: Path) -> None:
    hidden = shown = 0
    for _, game in games(shared, "tenhou-client"):
        for hand in game.hands:
            seen = [UNKNOWN not in tiles for tiles in hand.hands]
            assert seen.count(True) == 1
            me = seen.index(True)
            for move in hand.moves:
                if isinstance(move, Drew):
                    assert move.seat != me or move.tile != UNKNOWN
                    hidden += move.tile == UNKNOWN
                if isinstance(move, WinShown):
                    assert UNKNOWN not in (*move.hand, move.tile)
                    shown += 1
    assert hidden > 1000
    assert shown > 1000


def test_hidden_tiles_are_completed_the_same_way_every_time(shared: Path) -> None:
    for _, game in games(shared, "tenhou-client")[:5]:
        whole = completed(game)
        assert whole == completed(game)
        for before, after in zip(game.hands, whole.hands, strict=True):
            for tiles, filled in zip(before.hands, after.hands, strict=True):
                assert all(a in (UNKNOWN, b) for a, b in zip(tiles, filled, strict=True))
            assert len(before.moves) == len(after.moves)
    _, known = games(shared, "tenhou-xml")[0]
    assert completed(known) is known


def test_flowers_make_a_set_of_144(shared: Path) -> None:
    for _, game in games(shared, "open-mahjong"):
        assert game.rules().set.tiles == 144
        for hand in game.hands:
            flowers = [move for move in hand.moves if isinstance(move, FlowersShown)]
            assert flowers
            owed = 0
            for move in hand.moves:
                if isinstance(move, FlowersShown):
                    owed += len(move.tiles)
                elif isinstance(move, Drew) and owed:
                    assert move.end == "tail"
                    owed -= 1
            assert owed == 0
    assert not games(shared, "pmn")[0][1].hands[0].overrides


def test_times_are_kept_where_they_are_told(shared: Path) -> None:
    ((_, game),) = games(shared, "majsoul")
    times = [move.at_ms for hand in game.hands for move in hand.moves if isinstance(move, Discarded)]
    assert times == sorted(times)
    assert times[0] > 0


def test_hands_shown_at_a_draw_are_kept(shared: Path) -> None:
    ((_, game),) = games(shared, "majsoul")
    (draw,) = [hand for hand in game.hands if hand.ending == "exhaustive draw"]
    assert [hand is not None for hand in draw.shown] == [False, True, False, False]
    assert draw.deltas
    held = Counter(draw.hands[1])
    for move in draw.moves:
        match move:
            case Drew(seat=1, tile=tile):
                held[tile] += 1
            case Discarded(seat=1, tile=tile):
                held[tile] -= 1
            case Called(seat=1, tile=tile, tiles=tiles):
                held.subtract(tiles)
                held[tile] += 1
    assert sorted(draw.shown[1] or (), key=order) == sorted((+held).elements(), key=order)


def test_a_hand_that_breaks_off_says_so(shared: Path) -> None:
    for _, game in games(shared, "mjai"):
        if "akadora" in game.source:
            assert game.hands[-1].notes == (BREAKS_OFF,)
            return
    raise AssertionError
