"""What players do that they should not is told as they did it, and so is what they take back."""

from __future__ import annotations

import pytest
from scripted_hand import ALONE, BOTH, S0, S1, S2, S3, T, started, tiles, told, turn, turns

from table_engine.wire.actions import Called, CountSeen, Discarded, Drew, TileReturned, WinShown
from table_engine.wire.observations import TileSeen, WallCount


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
