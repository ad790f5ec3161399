"""Play described by hand, and what is told of it."""

from __future__ import annotations

from random import Random

import pytest
from following import Told, bare, tell
from table_script import BRIDGE, CAMERA, Script, shuffle_within

from table_engine.wire.actions import (
    Action,
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
    WinShown,
)
from table_engine.wire.observations import Bay, DiscardZone, TileSeen, WallCount, ZoneSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = SEATS
BOTH = {"camera": True, "bridge": True}
ALONE = {"camera": True, "bridge": False}
T = Tile


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(T(t) for t in text.split())


def started(ruleset: str = "riichi", **sensors: bool) -> Script:
    script = Script(ruleset, **sensors)
    script.build(S0)
    script.deal(S0)
    if ruleset == "riichi":
        script.dora(T("3z"))
    return script


def turn(script: Script, seat: Seat, tile: str) -> None:
    script.draw(seat)
    script.discard(seat, tile)


def told(script: Script, wait_ms: int = 6_000) -> Told:
    script.wait(wait_ms)
    return tell(script.stream(), script.ruleset)


def turns(*moves: tuple[Seat, str]) -> list[Action]:
    return [m for seat, tile in moves for m in (Drew(seat=seat), Discarded(seat=seat, tile=T(tile)))]


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_a_riichi_hand(sensors: dict[str, bool]) -> None:
    script = started(**sensors)
    script.discard(S0, "9m")
    turn(script, S1, "1z")
    script.call(S3, S1, (T("1z"), T("1z"), T("1z")), T("1z"))
    script.discard(S3, "5p")
    script.call(S0, S3, (T("4p"), T("5p"), T("6p")), T("5p"))
    script.discard(S0, "2s")
    script.draw(S1)
    script.kong(S1, "concealed", T("7s"))
    script.dora(T("4s"))
    script.draw(S1, "tail")
    script.discard(S1, "9p", sideways=True)
    script.stick(S1)
    turn(script, S2, "6z")
    script.draw(S3)
    script.kong(S3, "added", T("1z"))
    script.draw(S3, "tail")
    script.dora(T("8s"))
    script.discard(S3, "3m")
    hand = tiles("1m 2m 4p 5p 6p 7p 8p 9p 5z 5z")
    script.win(S1, hand, T("3m"), S3)
    script.sweep()
    result = told(script)
    assert result.actions[1].type == "dora_shown"
    assert result.moves == [
        Discarded(seat=S0, tile=T("9m")),
        *turns((S1, "1z")),
        Called(seat=S3, call="pung", tile=T("1z"), source=S1, tiles=(T("1z"),) * 3),
        Discarded(seat=S3, tile=T("5p")),
        Called(seat=S0, call="chow", tile=T("5p"), source=S3, tiles=(T("4p"), T("5p"), T("6p"))),
        Discarded(seat=S0, tile=T("2s")),
        Drew(seat=S1),
        Konged(seat=S1, kong="concealed", tile=T("7s")),
        DoraShown(tile=T("4s")),
        Drew(seat=S1, end="tail"),
        Discarded(seat=S1, tile=T("9p"), sideways=True),
        *turns((S2, "6z")),
        Drew(seat=S3),
        Konged(seat=S3, kong="added", tile=T("1z")),
        Drew(seat=S3, end="tail"),
        DoraShown(tile=T("8s")),
        Discarded(seat=S3, tile=T("3m")),
        WinShown(seat=S1, source=S3, tile=T("3m"), hand=hand),
        HandEnded(won=True),
    ]
    assert result.faults == set()


def test_the_start_of_a_hand_knows_dealer_dice_and_break() -> None:
    script = Script("taiwan16")
    script.build(S2, (2, 5, 4), S0, 11)
    script.deal(S2)
    start = told(script).actions[0]
    assert isinstance(start, HandStarted)
    assert (start.dealer, start.dice, start.break_side, start.break_stack) == (S2, (2, 5, 4), S0, 11)


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_flowers_laid_one_after_the_other_are_one_showing(sensors: dict[str, bool]) -> None:
    script = started("taiwan16", **sensors)
    script.flowers(S0, (T("3f"), T("7f")))
    script.draw(S0, "tail")
    script.draw(S0, "tail")
    script.flowers(S2, (T("6f"),))
    script.draw(S2, "tail")
    script.discard(S0, "9s")
    assert told(script).moves == [
        FlowersShown(seat=S0, tiles=(T("3f"), T("7f"))),
        Drew(seat=S0, end="tail"),
        Drew(seat=S0, end="tail"),
        FlowersShown(seat=S2, tiles=(T("6f"),)),
        Drew(seat=S2, end="tail"),
        Discarded(seat=S0, tile=T("9s")),
    ]


def test_only_the_first_sideways_discard_declares_ready() -> None:
    script = started()
    script.discard(S0, "9m")
    script.draw(S1)
    script.discard(S1, "1z", sideways=True)
    script.call(S3, S1, (T("1z"), T("1z"), T("1z")), T("1z"))
    script.discard(S3, "5p")
    turn(script, S0, "2s")
    script.draw(S1)
    script.discard(S1, "2z", sideways=True)
    discards = [m for m in told(script).moves if isinstance(m, Discarded) and m.seat == S1]
    assert discards == [Discarded(seat=S1, tile=T("1z"), sideways=True), Discarded(seat=S1, tile=T("2z"))]


# what players do that they should not -------------------------------------------------------------------------------


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_a_draw_before_the_discard_has_reached_the_pond(sensors: dict[str, bool]) -> None:
    script = started(**sensors)
    script.discard(S0, "9m")
    script.draw(S1)
    script.draw(S2)
    script.discard(S1, "1m")
    script.discard(S2, "2m")
    assert told(script).moves == [
        Discarded(seat=S0, tile=T("9m")),
        Drew(seat=S1),
        Drew(seat=S2),
        Discarded(seat=S1, tile=T("1m")),
        Discarded(seat=S2, tile=T("2m")),
    ]


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_a_draw_by_somebody_else_two_tiles_and_the_wrong_end(sensors: dict[str, bool]) -> None:
    script = started("taiwan16", **sensors)
    script.discard(S0, "9m")
    script.draw(S3)
    turn(script, S1, "1m")
    script.draw(S2)
    script.draw(S2)
    script.discard(S2, "2m")
    script.draw(S3, "tail")
    script.discard(S3, "3m")
    assert told(script).moves == [
        Discarded(seat=S0, tile=T("9m")),
        Drew(seat=S3),
        *turns((S1, "1m")),
        Drew(seat=S2),
        Drew(seat=S2),
        Discarded(seat=S2, tile=T("2m")),
        Drew(seat=S3, end="tail"),
        Discarded(seat=S3, tile=T("3m")),
    ]


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_a_discard_without_a_draw(sensors: dict[str, bool]) -> None:
    script = started(**sensors)
    script.discard(S0, "9m")
    script.discard(S1, "1m")
    assert told(script).moves == [Discarded(seat=S0, tile=T("9m")), Discarded(seat=S1, tile=T("1m"))]


@pytest.mark.parametrize(("told_ms", "other_ms"), [(0, 3_000), (2_000, 3_000), (2_000, 1_000)])
def test_a_discard_taken_back(told_ms: int, other_ms: int) -> None:
    script = started()
    script.discard(S0, "9m")
    script.draw(S1)
    script.discard(S1, "1m")
    script.wait(told_ms)
    script.ponds[S1].clear()
    script.racks[S1] += 1
    script.see_pond(S1)
    script.see_rack(S1)
    script.wait(other_ms)
    script.discard(S1, "2m")
    assert told(script).moves[-2:] == [
        TileReturned(seat=S1, what="discard", tile=T("1m")),
        Discarded(seat=S1, tile=T("2m")),
    ]


def test_a_call_taken_back() -> None:
    script = started()
    script.discard(S0, "9m")
    script.call(S2, S0, (T("9m"), T("9m"), T("9m")), T("9m"))
    script.wait(2_000)
    script.sets[S2].pop()
    script.racks[S2] += 2
    script.ponds[S0].append(TileSeen(code="9m"))
    script.see_sets(S2)
    script.see_pond(S0)
    script.see_rack(S2)
    script.wait(3_000)
    turn(script, S1, "1m")
    result = told(script)
    assert result.moves == [
        Discarded(seat=S0, tile=T("9m")),
        Called(seat=S2, call="pung", tile=T("9m"), source=S0, tiles=(T("9m"),) * 3),
        TileReturned(seat=S2, what="call", tile=T("9m")),
        *turns((S1, "1m")),
    ]
    assert result.state.players[S0].pond[0].taken is None


def test_a_drawn_tile_put_back() -> None:
    script = started()
    script.discard(S0, "9m")
    turn(script, S1, "1m")
    script.draw(S3)
    script.wait(1_500)
    script.racks[S3] -= 1
    script.head -= 1
    side, stack = script.line[script.head // 2]
    script.heights[side][stack] += 1
    script.say("bridge", WallCount(side=side, count=sum(script.heights[side]), slot=stack))
    script.see_wall(side)
    script.see_rack(S3)
    script.wait(3_000)
    turn(script, S2, "2m")
    assert told(script).moves[-4:] == [
        Drew(seat=S3),
        TileReturned(seat=S3, what="draw"),
        *turns((S2, "2m")),
    ]


def test_a_hand_counted_at_rest_and_counted_again() -> None:
    script = started()
    script.discard(S0, "9m")
    script.racks[S2] -= 1
    script.see_rack(S2)
    script.wait(4_000)
    script.racks[S2] += 1
    script.see_rack(S2)
    script.wait(4_000)
    counts = [m for m in told(script).moves if isinstance(m, CountSeen)]
    assert counts == [CountSeen(seat=S2, concealed=12), CountSeen(seat=S2, concealed=13)]


def test_a_tile_between_the_fingers_is_not_missing() -> None:
    script = started()
    script.discard(S0, "9m")
    script.draw(S1)
    script.racks[S1] -= 1
    script.see_rack(S1)
    script.wait(8_000)
    script.racks[S1] += 1
    script.discard(S1, "1m")
    assert told(script).moves == [Discarded(seat=S0, tile=T("9m")), *turns((S1, "1m"))]


# what sensors do ------------------------------------------------------------------------------------------------------


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


def test_a_hand_merely_shown_after_a_win_is_no_win() -> None:
    script = started()
    script.discard(S0, "3m")
    hand = tiles("1m 2m 4p 5p 6p 7p 8p 9p 1s 1s 1s 5z 5z")
    script.win(S2, hand, T("3m"), S0)
    other = tiles("1m 4m 4p 5p 6p 7p 8p 9p 1s 2s 2s 5z 6z")
    script.win(S3, other, T("3m"), S0)
    wins = [m for m in told(script).moves if isinstance(m, WinShown)]
    assert wins == [WinShown(seat=S2, source=S0, tile=T("3m"), hand=hand)]


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


def test_a_false_win_is_a_win_shown() -> None:
    script = started()
    script.discard(S0, "3m")
    hand = tiles("1m 4m 4p 5p 6p 7p 8p 9p 1s 2s 2s 5z 6z")
    turn(script, S1, "2z")
    turn(script, S2, "2z")
    script.draw(S3)
    script.discard(S3, "9s")
    script.win(S2, hand, T("9s"), S3)
    assert told(script).moves[-1] == WinShown(seat=S2, source=S3, tile=T("9s"), hand=hand)
