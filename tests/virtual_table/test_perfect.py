"""Perfect sensors say what is on the table, no more, in order, and no earlier than it is so."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from virtual_hands import RULES, director_of, layout_of, own_records

from table_engine.records.load import load
from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    OBSERVATION,
    Dice,
    DiscardZone,
    HandZone,
    RackSeen,
    ReadyStick,
    SetComplete,
    WallCount,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import SEATS, Seat
from virtual_table.customs import customs_of
from virtual_table.games import own_hands
from virtual_table.motion import Motion
from virtual_table.perfect import observe, observe_players, sense
from virtual_table.sensing import pond_seen, rack_seen, spot_of, strip_seen, wall_seen
from virtual_table.simulation import Simulation


@pytest.mark.parametrize("ruleset", RULES)
def test_everything_said_is_valid_and_in_order(ruleset):
    last = {"serial": 0, "camera": 0}
    marks = {"serial": 0, "camera": 0}
    for source, at_ms, seen in observe_players(ruleset, 1, seed=9):
        assert OBSERVATION.validate_json(OBSERVATION.dump_json(seen)) == seen
        assert at_ms >= last[source]
        assert at_ms >= marks[source], "said after the watermark"
        last[source] = at_ms
        if isinstance(seen, Watermark):
            assert at_ms - marks[source] <= 500
            marks[source] = at_ms
    assert min(marks.values()) > 40_000


@pytest.mark.parametrize("ruleset", RULES)
def test_what_is_said_agrees_with_the_things(ruleset):
    """The last word on each zone against the simulation's things, at moments at which nothing moves."""
    customs, layout = customs_of(ruleset), layout_of(ruleset)
    simulation = Simulation(customs, own_hands(customs, 6, hands=1), layout=layout, seed=6)
    director = director_of(ruleset, seed=6)
    said, compared = {}, 0
    for source, at_ms, seen in sense(director.play(own_hands(customs, 6, hands=1)), layout):
        if source == "camera" and isinstance(seen, ZoneSeen | RackSeen | WallSeen):
            said[seen.seat, getattr(seen, "zone", seen.type)] = seen
        if not isinstance(seen, Watermark) or source != "serial":
            continue
        simulation.step(at_ms - simulation.at_ms)
        table = simulation.snapshot()
        if table.arms or not table.tiles or any(t.place.z < 0 for t in table.tiles):
            continue
        compared += 1
        for seat in SEATS:
            there = {
                zone: [t for t in table.tiles if spot_of(layout, t.place) == (seat, zone)]
                for zone in (Zone.POND, Zone.MELD, Zone.RACK, Zone.WALL)
            }
            melds, flowers = strip_seen(layout, seat, there[Zone.MELD])
            assert said[seat, Zone.POND] == pond_seen(layout, seat, there[Zone.POND])
            assert said[seat, Zone.MELD] == melds
            assert said[seat, Zone.FLOWER] == flowers
            assert said[seat, "rack"] == rack_seen(layout, seat, there[Zone.RACK])
            assert said[seat, "wall_seen"] == wall_seen(layout, seat, there[Zone.WALL])
    assert compared > 20


def test_ponds_read_in_the_order_of_discarding():
    record = own_records("riichi", seed=2, hands=1)[0]
    ponds: dict[Seat, list[str]] = {s: [] for s in SEATS}
    best: dict[Seat, list[str]] = {s: [] for s in SEATS}
    for _, _, seen in observe([record]):
        if isinstance(seen, ZoneSeen) and seen.zone is Zone.POND and seen.tiles:
            best[seen.seat] = [t.code for t in seen.tiles]
    for move in record.moves:
        if move.type == "discarded":
            ponds[move.seat].append(move.tile)
        if move.type == "called":
            ponds[move.source].pop()
    assert best == ponds
    assert max(len(p) for p in ponds.values()) > 6


def _seen(ruleset: str, hands: int, seed: int, kind: type) -> list:
    return [(t, s) for _, t, s in observe_players(ruleset, hands, seed=seed) if isinstance(s, kind)]


def test_called_tiles_lie_as_the_rule_set_lays_them():
    turned, upright = Counter(), Counter()
    for seed in range(6):
        for move_set, counts in (("world_series", turned), ("taiwan16", upright)):
            for _, seen in _seen(move_set, 1, seed, ZoneSeen):
                if seen.zone is Zone.MELD and seen.tiles:
                    newest = [t for t in seen.tiles if t.group == max(x.group for x in seen.tiles)]
                    counts[sum(t.sideways for t in newest)] += 1
    assert turned[1] > 10
    assert set(turned) <= {0, 1}
    assert set(upright) == {0}


def test_sets_are_numbered_from_the_players_right():
    for seed in range(8):
        for _, seen in _seen("world_series", 1, seed, ZoneSeen):
            if seen.zone is Zone.MELD and len({t.group for t in seen.tiles}) >= 2:
                first = min(t.u_mm for t in seen.tiles if t.group == 0)
                second = max(t.u_mm for t in seen.tiles if t.group == 1)
                assert second < first
                return
    pytest.fail("no hand with two sets")


def test_serial_alone_and_camera_alone_say_their_own():
    record = own_records("riichi", seed=2, hands=1)
    serial = list(observe(record, sensors=("serial",)))
    camera = list(observe(record, sensors=("camera",)))
    both = list(observe(record))
    assert {s for s, _, _ in serial} == {"serial"}
    assert {s for s, _, _ in camera} == {"camera"}
    assert [x for x in both if x[0] == "serial"] == serial
    assert [x for x in both if x[0] == "camera"] == camera
    kinds = {type(s) for _, _, s in serial}
    assert {WallCount, HandZone, DiscardZone, Dice, SetComplete, Watermark} <= kinds
    assert not kinds & {ZoneSeen, RackSeen, WallSeen}


def test_a_draw_is_hand_wall_rack_and_a_discard_hand_pond():
    """One turn in the order in which it can be sensed."""
    moves = own_records("world_series", seed=2, hands=1)[0].moves
    at = next(i for i, m in enumerate(moves) if m.type == "drew" and moves[i + 1].type == "discarded")
    seat = moves[at].seat
    story = []
    wall = 136
    for _, _, seen in observe(own_records("world_series", seed=2, hands=1)):
        match seen:
            case WallCount(slot=slot) if slot >= 0:
                wall -= 1
                story.append("wall") if wall else None
            case HandZone(present=True):
                story.append("hand")
            case RackSeen(seat=s, standing=n, apart=1) if s == seat and n % 3 == 2:
                story.append("rack")
            case ZoneSeen(zone=Zone.POND, seat=s, tiles=tiles) if s == seat and tiles:
                story.append("pond")
    first = story.index("rack")
    assert story[first - 2 : first] == ["hand", "wall"]
    assert story[first:].index("pond") >= 1


def test_ready_lays_a_stick_and_the_sideways_tile():
    for seed in range(30):
        record = own_records("riichi", seed=seed, hands=1)[0]
        ready = next((m for m in record.moves if m.type == "discarded" and m.sideways), None)
        if ready:
            break
    seen = list(observe([record]))
    sticks = [(t, s) for _, t, s in seen if isinstance(s, ReadyStick)]
    assert (sticks[0][1].seat, sticks[0][1].present) == (ready.seat, True)
    lying = [s for _, t, s in seen if isinstance(s, ZoneSeen) and s.zone is Zone.POND and s.seat == ready.seat]
    assert any(t.sideways and t.code == ready.tile for t in lying[-2].tiles)


def test_ready_hands_lie_open_at_an_exhaustive_draw(shared):
    """RI-S7, in a real game: whoever was ready by the record, declared or not, shows the hand when the wall is played out."""
    path = shared / "data" / "game_records" / "mjx_tenhou_mjlog"
    drawn = 0
    for file in sorted(path.glob("*.mjlog")):
        for record in [r for game in load(file) for r in game.hands]:
            if record.ending != "exhaustive draw" or not record.shown:
                continue
            ready = {m.seat for m in record.moves if m.type == "discarded" and m.sideways}
            shown = {seat for seat, hand in zip(SEATS, record.shown, strict=True) if hand is not None}
            open_ = {s.seat for _, _, s in observe([record]) if isinstance(s, RackSeen) and s.open}
            assert open_ == shown, record.title
            drawn += bool(shown - ready)
        if drawn >= 3:
            return
    pytest.fail("no exhaustive draw with hands that are ready undeclared in the records")


def test_zones_are_left_still_between_changes():
    """Each tile that comes to rest in a pond or strip rests 0.7 s, seen by a camera that arms hide it from, before that
    zone changes again (within one meld, its tiles come together)."""
    director = director_of("riichi", seed=3)
    changes: dict[tuple, list[tuple[int, int]]] = {}
    layout = layout_of("riichi")
    for batch in director.play(own_hands(customs_of("riichi"), 3, hands=2)):
        for happening in batch.happenings:
            if isinstance(happening, Motion) and len(happening.tiles) == 1:
                spot = spot_of(layout, happening.tiles[0][1])
                if spot and spot[1] is Zone.POND:
                    changes.setdefault(spot, []).append((happening.start_ms, happening.end_ms))
    for times in changes.values():
        assert all(b[0] - a[1] >= 700 for a, b in pairwise(times))
