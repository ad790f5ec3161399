"""A record played with things is the record: same moves, and at the end the same tiles lie in the same places."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from virtual_hands import RULES, director_of, own_records, untimed

from table_engine.records.load import load
from table_engine.records.model import HandRecord
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
from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, Tile, kind
from virtual_table.motion import Swallowed
from virtual_table.perfect import PerfectSensors
from virtual_table.recorded import settings_of
from virtual_table.sensing import spot_of
from virtual_table.table import Pose, TileThing


def _expected(record: HandRecord) -> dict[tuple[Seat, str], Counter[Tile]]:
    """Faces per seat and heap after the last move, from the record's moves alone."""
    hand = {s: Counter(record.hands[s]) for s in SEATS}
    pond: dict[Seat, list[Tile]] = {s: [] for s in SEATS}
    front: dict[Seat, Counter[Tile]] = {s: Counter() for s in SEATS}
    for move in record.moves:
        match move:
            case Drew(seat=seat, tile=tile):
                hand[seat][tile] += 1
            case Discarded(seat=seat, tile=tile):
                hand[seat][tile] -= 1
                pond[seat].append(tile)
            case Called(seat=seat, source=source, tile=tile, tiles=tiles):
                assert pond[source].pop() == tile
                hand[seat].subtract(Counter(tiles) - Counter((tile,)))
                front[seat].update(tiles)
            case Konged(seat=seat, kong=how, tile=tile):
                for face, count in [(f, n) for f, n in hand[seat].items() if kind(f) == kind(tile)]:
                    moved = count if how == "concealed" else min(count, 1)
                    hand[seat][face] -= moved
                    front[seat][face] += moved
            case FlowersShown(seat=seat, tiles=tiles):
                hand[seat].subtract(tiles)
                front[seat].update(tiles)
    heaps = {(s, "rack"): +hand[s] for s in SEATS}
    heaps |= {(s, "pond"): Counter(pond[s]) for s in SEATS}
    return heaps | {(s, "meld"): front[s] for s in SEATS}


def _lying(tiles: dict[int, TileThing], sensors: PerfectSensors) -> dict[tuple[Seat, str], Counter[Tile]]:
    heaps: dict[tuple[Seat, str], Counter[Tile]] = {
        (s, zone): Counter() for s in SEATS for zone in ("rack", "pond", "meld")
    }
    for thing in tiles.values():
        spot = spot_of(sensors.layout, thing.place)
        assert spot is not None
        if spot[1] is not Zone.WALL:
            heaps[spot[0], spot[1].value][thing.face] += 1
    return heaps


def _played(record: HandRecord) -> tuple[list, dict[int, TileThing], PerfectSensors]:
    """Plays one record up to the moment at which everything is about to be pushed away."""
    director = director_of(record.ruleset)
    sensors = PerfectSensors(director.places.layout)
    for batch in director.play(settings_of([record], 1)):
        if any(isinstance(h, Swallowed) for h in batch.happenings):
            first = min(h.start_ms for h in batch.happenings if hasattr(h, "start_ms"))
            sensors.until(first)
            break
        sensors.feed(batch)
    return director.performed[0].moves, sensors.stage.tiles, sensors


@pytest.mark.parametrize("ruleset", RULES)
def test_replaying_what_own_players_played_plays_the_same(ruleset):
    for record in own_records(ruleset, seed=11, hands=4):
        moves, tiles, sensors = _played(record)
        assert untimed(moves) == list(record.moves)
        assert _lying(tiles, sensors) == _expected(record)


def _files(shared: Path) -> list[Path]:
    data = shared / "data" / "game_records"
    return [
        *sorted((data / "mjx_tenhou_mjlog").glob("*.mjlog"))[:6],
        data / "botzone_mcr_sample" / "sample16.txt",
        data / "taiwan_selfplay" / "selfplay.jsonl",
    ]


@pytest.mark.slow
def test_real_records_come_out_as_recorded(shared):
    hands = 0
    for path in _files(shared):
        for game in load(path):
            for record in game.hands[:6]:
                moves, tiles, sensors = _played(record)
                assert len(untimed(moves)) == len(record.moves), record.title
                for mine, theirs in zip(untimed(moves), record.moves, strict=True):
                    assert _comparable(mine) == _comparable(theirs), record.title
                assert _lying(tiles, sensors) == _expected(record), record.title
                hands += 1
    assert hands > 60


def _comparable(move):
    """A shown hand in a set order; everything else as it is."""
    if isinstance(move, WinShown):
        return (move.seat, move.source, move.tile, tuple(sorted(move.hand)))
    return move


def test_a_wins_hand_lies_open_and_dora_lies_face_up():
    record = next(
        r for seed in range(20) for r in own_records("riichi", seed, 1) if any(isinstance(m, WinShown) for m in r.moves)
    )
    _, tiles, sensors = _played(record)
    win = next(m for m in record.moves if isinstance(m, WinShown))
    layout = sensors.layout
    mine = [t for t in tiles.values() if spot_of(layout, t.place) == (win.seat, Zone.RACK)]
    assert {t.pose for t in mine} == {Pose.UP}
    assert len(mine) % 3 == (2 if win.source is None else 1)
    shown = [t.face for t in tiles.values() if t.pose is Pose.UP and spot_of(layout, t.place)[1] is Zone.WALL]
    assert sorted(shown) == sorted(m.tile for m in record.moves if isinstance(m, DoraShown))
    assert BACK not in {t.face for t in tiles.values()}


def test_an_impossible_move_names_the_hand():
    record = own_records("riichi", seed=11, hands=1)[0]
    broken = [m for m in record.moves if not isinstance(m, DoraShown)][:1]
    moves = (Discarded(seat=Seat((broken[0].seat + 1) % 4), tile=Tile("9f")), HandEnded(won=False))
    with pytest.raises(RecordError, match=r"hand 1: cannot play Discarded.*holds no 9f"):
        _played(HandRecord("riichi", record.dealer, record.hands, moves, title="hand 1"))
