"""Importers: what is in a file is in the record, tile by tile; what is broken is refused with file and place."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from table_engine.records.load import load
from table_engine.records.model import GameRecord, HandRecord
from table_engine.wire.actions import (
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    Konged,
    WinShown,
)
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile, kind

PATTERNS = (
    *("mjx_tenhou_mjlog/*.mjlog", "pantheon_tenhou/*.xml", "mjai_jsonl/*.mjlog"),
    *("botzone_mcr_*/*.txt", "taiwan_selfplay/*.jsonl"),
)


def files(shared: Path, pattern: str) -> list[Path]:
    found = sorted((shared / "data" / "game_records").glob(pattern))
    return [path for path in found if "README" not in path.name]


def games(shared: Path, pattern: str) -> Iterator[tuple[Path, GameRecord]]:
    for path in files(shared, pattern):
        for game in load(path):
            yield path, game


@pytest.mark.parametrize("pattern", ["mjx_tenhou_mjlog/*.mjlog", "pantheon_tenhou/*.xml"])
def test_winning_hands_are_those_tenhou_wrote_down(shared: Path, pattern: str) -> None:
    """`hai` of an AGARI is the concealed hand with the winning tile, which the importer never reads."""
    compared = 0
    for path in files(shared, pattern):
        tags = [t for t in ElementTree.parse(path).getroot() if t.tag == "AGARI"]  # noqa: S314 - test data at hand
        wins = [m for game in load(path) for hand in game.hands for m in hand.moves if isinstance(m, WinShown)]
        assert len(tags) == len(wins), path.name
        for tag, win in zip(tags, wins, strict=True):
            ids = [int(n) for n in tag.attrib["hai"].split(",")]
            assert sorted((*win.hand, win.tile)) == sorted(_face(n) for n in ids), path.name
            assert win.seat == int(tag.attrib["who"])
            assert (win.seat if win.source is None else win.source) == int(tag.attrib["fromWho"])
            compared += 1
    assert compared > 80


def _face(number: int) -> str:
    if number in (16, 52, 88):
        return "0" + "mps"[number // 36]
    return f"{number // 4 % 9 + 1}{'mpsz'[number // 36]}"


def test_sets_are_those_of_the_same_game_as_mjai_events(shared: Path) -> None:
    """gimite's converter wrote this game down as mjai events: every draw, discard, set and indicator agrees."""
    folder = shared / "data" / "game_records" / "mjai_jsonl"
    (game,) = load(folder / "gimite_test.mjlog")
    events = [json.loads(line) for line in (folder / "gimite_test_golden.mjson").read_text().splitlines()]
    theirs = [e for e in (_mjai(event) for event in events) if e]
    ours = []
    for hand in game.hands:
        dealt = _without_extra(hand)
        ours += [("deal", int(s), tuple(sorted(dealt[s]))) for s in map(hand.dealer.step, range(4))]
        ours.append(("draw", int(hand.dealer), hand.hands[hand.dealer][-1]))
        ours += [e for e in (_plain(move) for move in hand.moves[1:]) if e]
    assert ours == theirs


def _without_extra(hand: HandRecord) -> list[tuple[Tile, ...]]:
    return [h[:-1] if seat == hand.dealer else h for seat, h in enumerate(hand.hands)]


def _plain(move: object) -> tuple[object, ...] | None:
    match move:
        case Drew(seat=seat, tile=tile):
            return "draw", int(seat), tile
        case Discarded(seat=seat, tile=tile, sideways=sideways):
            return "discard", int(seat), tile, sideways
        case Called(seat=seat, source=source, tile=tile, tiles=tiles):
            return "call", int(seat), int(source), tile, tuple(sorted(tiles))
        case Konged(seat=seat, kong=kong, tile=tile):
            return kong, int(seat), tile
        case DoraShown(tile=tile):
            return "dora", tile
        case WinShown(seat=seat, source=source):
            return "win", int(seat), int(seat if source is None else source)
        case _:
            return None


_READY: set[int] = set()
_HONOURS = dict(zip("ESWNPFC", "1234567", strict=True))


def _tile(pai: str) -> str:
    if pai in _HONOURS:
        return _HONOURS[pai] + "z"
    return "0" + pai[1] if pai.endswith("r") else pai


def _mjai(event: dict) -> tuple[object, ...] | None:
    match event:
        case {"type": "haipai", "actor": actor, "pais": hand}:
            return "deal", actor, tuple(sorted(map(_tile, hand)))
        case {"type": "tsumo", "actor": actor, "pai": pai}:
            return "draw", actor, _tile(pai)
        case {"type": "reach", "actor": actor}:
            _READY.add(actor)
            return None
        case {"type": "dahai", "actor": actor, "pai": pai}:
            sideways = actor in _READY
            _READY.discard(actor)
            return "discard", actor, _tile(pai), sideways
        case {"type": "chi" | "pon" | "daiminkan", "actor": actor, "target": target, "pai": pai, "consumed": own}:
            return "call", actor, target, _tile(pai), tuple(sorted(map(_tile, (*own, pai))))
        case {"type": "kakan", "actor": actor, "pai": pai}:
            return "added", actor, _tile(pai)
        case {"type": "ankan", "actor": actor, "consumed": own}:
            return "concealed", actor, kind(Tile(_tile(own[0])))
        case {"type": "dora", "dora_marker": pai}:
            return "dora", _tile(pai)
        case {"type": "hora", "actor": actor, "target": target}:
            return "win", actor, target
        case _:
            return None


def test_final_hands_are_those_the_taiwanese_engine_wrote_down(shared: Path) -> None:
    for path in files(shared, "taiwan_selfplay/*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        hands = [hand for game in load(path) for hand in game.hands]
        for line, hand in zip(lines, hands, strict=True):
            ends = _ends(hand)
            for seat, final in enumerate(line["final_hands"]):
                concealed, flowers = ends[seat]
                assert sorted(flowers) == sorted(final["flowers"]), line["id"]
                extra = Counter(final["hand"]) - Counter(concealed)
                assert not Counter(concealed) - Counter(final["hand"]), line["id"]
                # That engine hands out one tile of the reserved ones before it sees that the wall is at its end.
                assert not extra or (extra.total() == 1 and line["result"]["winner"] is None), line["id"]


def _ends(hand: HandRecord) -> list[tuple[list[Tile], list[Tile]]]:
    hands = [list(h) for h in hand.hands]
    flowers: list[list[Tile]] = [[], [], [], []]
    for move in hand.moves:
        match move:
            case Drew(seat=seat, tile=tile):
                hands[seat].append(tile)
            case Discarded(seat=seat, tile=tile) | Konged(seat=seat, kong="added", tile=tile):
                hands[seat].remove(tile)
            case Called(seat=seat, tile=tile, tiles=tiles):
                hands[seat].append(tile)
                for one in tiles:
                    hands[seat].remove(one)
            case Konged(seat=seat, tile=tile):
                hands[seat] = [t for t in hands[seat] if t != tile]
            case FlowersShown(seat=seat, tiles=tiles):
                flowers[seat] += tiles
                for one in tiles:
                    hands[seat].remove(one)
            case WinShown(seat=seat, source=source, tile=tile) if source is not None:
                hands[seat].append(tile)
    return list(zip(hands, flowers, strict=True))


def test_the_dealers_extra_tile_is_dealt(shared: Path) -> None:
    for pattern in PATTERNS:
        for path, game in games(shared, pattern):
            for hand in game.hands:
                sizes = [len(h) - (seat == hand.dealer) for seat, h in enumerate(hand.hands)]
                assert len(set(sizes)) == 1, path.name
                assert not isinstance(hand.moves[0], Drew), path.name


def test_records_with_a_wall_agree_with_it(shared: Path) -> None:
    """The Taiwanese wall is written in the order tiles are taken: the deal and the draws come off its two ends."""
    for _, game in games(shared, "taiwan_selfplay/*.jsonl"):
        for hand in game.hands:
            assert hand.wall is not None
            head, tail = 65, len(hand.wall)
            assert sorted(hand.wall[:65]) == sorted(t for h in hand.hands for t in h)
            for move in hand.moves:
                if isinstance(move, Drew) and move.end == "head":
                    assert move.tile == hand.wall[head]
                    head += 1
                elif isinstance(move, Drew):
                    tail -= 1
                    assert move.tile in hand.wall[tail - 1 : tail + 2]


@pytest.mark.parametrize(
    ("name", "broken_off"),
    [
        ("2011020401gm-00a9-0000-f6eff225-no-game-end.mjlog", False),
        ("2011020401gm-00a9-0000-f6eff225-no-round-end.mjlog", True),
        ("2010091009gm-00a9-0000-83af2648_tw=2.mjlog", False),
    ],
)
def test_files_with_odd_names_and_ends(shared: Path, name: str, broken_off: bool) -> None:
    path = shared / "data" / "game_records" / "mjx_tenhou_mjlog" / name
    (game,) = load(path)
    notes = [hand.notes for hand in game.hands]
    assert bool(notes[-1]) is broken_off
    assert not any(notes[:-1])
    assert game.hands[-1].moves[-1] == HandEnded(won=not broken_off)


def test_two_winners_on_one_tile(shared: Path) -> None:
    path = shared / "data" / "game_records" / "mjx_tenhou_mjlog" / "2010091009gm-00a9-0000-83af2648_tw=2.mjlog"
    (game,) = load(path)
    *_, added, first, second, _end = game.hands[-1].moves
    assert isinstance(added, Konged)
    assert [(w.seat, w.source, w.tile) for w in (first, second)] == [(3, 2, "2m"), (0, 2, "2m")]


def test_a_robbed_kong_is_won_from_who_added_it(shared: Path) -> None:
    robbed = 0
    for path, game in games(shared, "mjx_tenhou_mjlog/*.mjlog"):
        for hand in game.hands:
            for kong, win in zip(hand.moves, hand.moves[1:], strict=False):
                if isinstance(kong, Konged) and isinstance(win, WinShown):
                    assert (win.source, kind(win.tile)) == (kong.seat, kind(kong.tile)), path.name
                    robbed += 1
    assert robbed


def test_scores_run_on_from_hand_to_hand(shared: Path) -> None:
    """Deltas with the ready sticks in them lead to the next hand's scores."""
    steps = 0
    for _, game in games(shared, "mjx_tenhou_mjlog/*.mjlog"):
        for hand, following in zip(game.hands, game.hands[1:], strict=False):
            if hand.deltas and hand.scores:
                assert following.scores == tuple(a + b for a, b in zip(hand.scores, hand.deltas, strict=True))
                steps += 1
    assert steps > 200


def test_a_false_win_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(MATCH + "Player 0 Hu W1 # FALSE WIN\nScore -30 10 10 10\n")
    (game,) = load(path)
    (hand,) = game.hands
    assert hand.notes == ("FALSE WIN",)
    assert hand.deltas == (-30, 10, 10, 10)
    assert isinstance(hand.moves[-2], WinShown)


MATCH = """Match 1
Wind 0
Player 0 Deal W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 B4
Player 1 Deal W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 B4
Player 2 Deal T1 T2 T3 T4 T5 T6 T7 T8 T9 F1 F2 F3 F4
Player 3 Deal T1 T2 T3 T4 T5 T6 T7 T8 T9 J1 J2 J3 J1
Player 0 Draw F1
"""


def test_botzone_tiles_and_ignored_claims(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    path.write_text(
        MATCH
        + "Player 0 Play W2\nPlayer 1 Chi W3 Ignore Player 2 Peng W2\nPlayer 1 Play B4\nPlayer 2 Draw J3\nHuang\nScore 0 0 0 0\n"
    )
    (game,) = load(path)
    (hand,) = game.hands
    assert hand.hands[3][-4:] == ("7z", "6z", "5z", "7z"), "J1 J2 J3 are red, green, white"
    assert hand.hands[0][-1] == "1z"
    assert [m for m in hand.moves if isinstance(m, Called)] == [
        Called(seat=SEATS[1], call="chow", tile=Tile("2m"), source=SEATS[0], tiles=(Tile("2m"), Tile("3m"), Tile("4m")))
    ]
    assert hand.moves[-2:] == (Drew(seat=SEATS[2], tile=Tile("5z")), HandEnded(won=False))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.xml", "<mjloggm><INIT", "not valid XML"),
        ("a.xml", "<mjloggm></mjloggm>", "no hand"),
        ("a.xml", '<mjloggm><GO type="25"/></mjloggm>', "three-player"),
        ("a.xml", '<!DOCTYPE x [<!ENTITY a "b">]><mjloggm>&a;</mjloggm>', "not valid XML"),
        ("a.xml", '<mjloggm><INIT seed="0,0,0,1,2,3" ten="1" oya="0" hai0="1"/></mjloggm>', "hand 1"),
        ("b.txt", "Match 1\nPlayer 0 Deal W1\nPlayer 0 Draw W2\n", "line 3: player 0 is dealt 1 tiles"),
        ("b.txt", MATCH + "Player 0 Play T9\n", "line 8: seat 0 plays 9s, which it does not hold"),
        ("b.txt", MATCH + "Player 0 Play X9\n", "line 8: 'X9' is not a Botzone tile"),
        ("b.txt", MATCH + "Player 0 Dance W1\n", "line 8: unknown move 'dance'"),
        ("b.txt", MATCH + "Player 7 Play W1\n", "line 8: player '7'"),
        ("b.txt", MATCH + "Player 0 Play W1\nPlayer 2 Chi B2\n", "line 9: a chow of 1p2p3p"),
        ("c.jsonl", '{"events": [], "wall": [], "id": "x", "dealer": 9}', "line 1: dealer"),
        ("c.jsonl", '{"events": [], "wall": [], "id": "x-1", "dealer": 0}', "hand x-1: seat 0 is dealt 0 tiles"),
        ("c.jsonl", '{"events": [], "wall": [], "id": "x-1", "dealer": 0', "line 1: not valid JSON"),
        ("d.txt", "a letter to my aunt", "not a game record I know"),
        ("d.txt", "", "not a game record I know"),
    ],
)
def test_broken_files_are_refused_with_the_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordError, match=re.escape(says)) as error:
        list(load(path))
    assert name in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        list(load(tmp_path / "absent.mjlog"))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"<mjloggm></mjloggm>" * 9)[:20])
    with pytest.raises(RecordError, match="gzip"):
        list(load(tmp_path / "cut.gz"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="UTF-8"):
        list(load(tmp_path / "bytes"))


def test_a_gzipped_log_is_read(shared: Path, tmp_path: Path) -> None:
    plain = files(shared, "mjx_tenhou_mjlog/*.mjlog")[0]
    packed = tmp_path / plain.name
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [g.hands for g in load(packed)] == [g.hands for g in load(plain)]
