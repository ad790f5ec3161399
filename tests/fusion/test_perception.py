"""What sensors misread, miss or say again is put right by what they see later, and nothing is told that nobody did."""

from __future__ import annotations

from random import Random

import pytest
from following import bare, tell
from scripted_hand import S0, S1, S2, S3, T, started, tiles, told, turn, turns
from table_script import BRIDGE, CAMERA, Script, shuffle_within

from table_engine.wire.actions import (
    Called,
    CountSeen,
    Discarded,
    Drew,
    HandEnded,
    TileCorrected,
    TileReturned,
    WinShown,
)
from table_engine.wire.observations import Bay, DiscardZone, TileSeen, WallCount, ZoneSeen
from table_engine.wire.seats import SEATS


def test_a_tile_read_better_later_is_corrected() -> None:
    script = started()
    script.discard(S0, "6s")
    script.wait(1_000)
    script.ponds[S0][0] = TileSeen(code="8s")
    script.see_pond(S0)
    script.wait(2_000)
    turn(script, S1, "1m")
    correction = TileCorrected(seat=S0, zone="pond", index=0, was=T("6s"), tile=T("8s"))
    assert told(script).moves == [Discarded(seat=S0, tile=T("6s")), correction, *turns((S1, "1m"))]


def test_a_reading_that_flickers_is_left_alone() -> None:
    script = started()
    script.discard(S0, "6s")
    for code in ("8s", "6s", "?", "6s"):
        script.wait(300)
        script.ponds[S0][0] = TileSeen(code=code)
        script.see_pond(S0)
    assert told(script).moves == [Discarded(seat=S0, tile=T("6s"))]


def test_a_fifth_copy_is_unknown_and_a_possible_candidate_is_taken() -> None:
    script = started()
    script.discard(S0, "6s")
    for seat in (S1, S2, S3):
        turn(script, seat, "6s")
    turn(script, S0, "6s")
    script.draw(S1)
    script.racks[S1] -= 1
    script.see_rack(S1)
    script.ponds[S1].append(TileSeen(code="6s", confidence=0.5, candidates=(("6s", 0.5), ("8s", 0.5))))
    script.see_pond(S1)
    discards = [m.tile for m in told(script).moves if isinstance(m, Discarded)]
    assert discards == ["6s", "6s", "6s", "6s", "?", "8s"]


def test_the_set_says_what_a_misread_discard_was() -> None:
    script = started()
    script.discard(S0, "6s")
    script.racks[S2] -= 2
    script.see_rack(S2)
    script.wait(300)
    script.ponds[S0].clear()
    script.see_pond(S0)
    script.sets[S2].append([TileSeen(code="8s"), TileSeen(code="8s", sideways=True), TileSeen(code="8s")])
    script.see_sets(S2)
    script.wait(2_000)
    assert told(script).moves == [
        Discarded(seat=S0, tile=T("6s")),
        TileCorrected(seat=S0, zone="pond", index=0, was=T("6s"), tile=T("8s")),
        Called(seat=S2, call="pung", tile=T("8s"), source=S0, tiles=(T("8s"),) * 3),
    ]


def test_a_discard_that_was_called_before_it_could_be_seen() -> None:
    script = started()
    script.discard(S0, "9m")
    script.draw(S1)
    script.racks[S1] -= 1
    script.see_rack(S1)
    script.racks[S3] -= 2
    script.see_rack(S3)
    script.wait(500)
    script.sets[S3].append([TileSeen(code="7z"), TileSeen(code="7z", sideways=True), TileSeen(code="7z")])
    script.see_sets(S3)
    script.wait(4_000)
    script.discard(S3, "1p")
    assert told(script).moves[2:] == [
        Discarded(seat=S1, tile=T("7z")),
        Called(seat=S3, call="pung", tile=T("7z"), source=S1, tiles=(T("7z"),) * 3),
        Discarded(seat=S3, tile=T("1p")),
    ]


def test_a_lost_zone_is_healed_by_the_next() -> None:
    script = started()
    script.discard(S0, "9m")
    for n, tile in enumerate(("1m", "2m", "3m", "4m")):
        turn(script, SEATS[(n + 1) % 4], tile)
    turn(script, S1, "5m")
    turn(script, S2, "6m")
    ponds = [e for e in script.out if isinstance(e.data, ZoneSeen) and e.data.zone == "pond" and e.data.seat == S2]
    first = next(e for e in ponds if len(e.data.tiles) == 1)
    script.out.remove(first)
    result = told(script)
    settled = [m.tile for m in result.state.players[S2].pond]
    assert settled == ["2m", "6m"]
    assert [type(m) for m in result.moves if isinstance(m, CountSeen | TileReturned)] == []


def test_counters_that_jump_without_anything_moving_are_in_doubt_and_accuse_nobody() -> None:
    script = started()
    script.discard(S0, "9m")
    script.wait(2_000)
    script.say("bridge", DiscardZone(seat=S2, count=1))
    script.say("bridge", WallCount(side=S3, count=33, slot=4))
    script.wait(12_000)
    result = told(script)
    assert result.moves == [Discarded(seat=S0, tile=T("9m"))]
    assert {f for f in result.faults if f.startswith("differs")} == {"differs_discard_zone_2", "differs_wall_counter"}


def _blackout(script: Script, source: str, from_ms: int, to_ms: int) -> None:
    script.out = [e for e in script.out if e.src != source or not from_ms <= e.at_ms < to_ms]


def test_a_camera_that_was_dead_for_ten_seconds_reads_what_was_missed() -> None:
    script = started()
    script.discard(S0, "9m")
    turn(script, S1, "1m")
    begin = script.now
    turn(script, S2, "2m")
    turn(script, S3, "3m")
    script.draw(S0)
    script.wait(max(0, begin + 10_000 - script.now))
    _blackout(script, CAMERA, begin, script.now)
    for seat in SEATS:
        script.see_pond(seat)
        script.see_rack(seat)
        script.see_wall(seat)
    script.wait(1_000)
    script.discard(S0, "4m")
    result = told(script)
    assert "silent" in result.faults
    assert [p.tile for s in SEATS for p in result.state.players[s].pond] == ["9m", "4m", "1m", "2m", "3m"]
    unknown = [a for a in result.actions if isinstance(a, Discarded) and a.tile == "?"]
    assert unknown
    assert all(a.confidence < 0.8 for a in unknown)
    corrected = [a for a in result.actions if isinstance(a, TileCorrected)]
    assert len(corrected) == len(unknown)
    draws = [(a.seat, a.end) for a in result.actions if isinstance(a, Drew)]
    assert draws == [(S1, "head"), (S2, "head"), (S3, "head"), (S0, "head")]


def test_a_dead_controller_is_missed_by_nobody() -> None:
    script = started()
    script.discard(S0, "9m")
    begin = script.now
    for seat, tile in ((S1, "1m"), (S2, "2m"), (S3, "3m")):
        turn(script, seat, tile)
    _blackout(script, "bridge", begin, script.now)
    turn(script, S0, "4m")
    result = told(script)
    assert "silent" in result.faults
    assert result.moves == [
        Discarded(seat=S0, tile=T("9m")),
        *turns((S1, "1m"), (S2, "2m"), (S3, "3m"), (S0, "4m")),
    ]


@pytest.mark.parametrize("source", [CAMERA, "bridge"])
def test_a_sensor_that_starts_anew_says_everything_again_and_nothing_moves(source: str) -> None:
    script = started()
    script.discard(S0, "9m")
    turn(script, S1, "1m")
    script.wait(1_000)
    before = len(script.out)
    for seat in SEATS:
        script.see_pond(seat)
        script.see_sets(seat)
        script.see_flowers(seat)
        script.see_rack(seat)
        script.see_wall(seat)
        script.say("bridge", WallCount(side=seat, count=sum(script.heights[seat])))
    again = [e for e in script.out[before:] if e.src == source]
    script.out[before:] = [e.model_copy(update={"boot": 2, "seq": n}) for n, e in enumerate(again, start=1)]
    script.boots = {source: (2, len(again))}
    kept = len(script.out)
    turn(script, S2, "2m")
    script.wait(6_000)
    extra = [
        e.model_copy(update={"boot": 2, "seq": len(again) + n})
        for n, e in enumerate((e for e in script.out[kept:] if e.src == source), start=1)
    ]
    script.out[kept:] = [e for e in script.out[kept:] if e.src != source] + extra
    assert told(script).moves == [Discarded(seat=S0, tile=T("9m")), *turns((S1, "1m"), (S2, "2m"))]


@pytest.mark.parametrize("seed", range(6))
def test_duplicates_and_other_orders_of_arrival_change_nothing(seed: int) -> None:
    script = started()
    script.discard(S0, "9m")
    for n, tile in enumerate(("1m", "2m", "3m", "4m", "5m")):
        turn(script, SEATS[(n + 1) % 4], tile)
    script.wait(3_000)
    stream = script.stream()
    rng = Random(seed)
    mixed = stream[:2] + [e for e in shuffle_within(stream[2:], 25, rng) for _ in range(1 + (rng.random() < 0.2))]
    assert [bare(a) for a in tell(mixed, "riichi").actions] == [bare(a) for a in tell(stream, "riichi").actions]


def test_the_controller_alone_follows_turns_without_faces() -> None:
    script = started(camera=False, bridge=True)
    script.discard(S0, "9m")
    turn(script, S1, "1z")
    script.call(S3, S1, (T("1z"), T("1z"), T("1z")), T("1z"))
    script.discard(S3, "5p")
    turn(script, S0, "2m")
    assert told(script).moves == [
        Discarded(seat=S0, tile=T("?")),
        Drew(seat=S1),
        Discarded(seat=S1, tile=T("?")),
        Called(seat=S3, call="pung", tile=T("?"), source=S1, tiles=(T("?"),) * 3),
        Discarded(seat=S3, tile=T("?")),
        Drew(seat=S0),
        Discarded(seat=S0, tile=T("?")),
    ]


def test_a_hand_first_seen_when_the_bay_has_opened_has_won() -> None:
    """The camera was away when it was shown and is back before the tiles are swept away."""
    script = started()
    script.discard(S0, "3m")
    hand = tiles("1m 2m 4p 5p 6p 7p 8p 9p 1s 1s 1s 5z 5z")
    script.say(BRIDGE, Bay(open=True))
    script.wait(200)
    script.win(S2, hand, T("3m"), S0)
    script.sweep()
    assert told(script).moves[-2:] == [
        WinShown(seat=S2, source=S0, tile=T("3m"), hand=hand),
        HandEnded(won=True),
    ]
