"""Comparing a record with a reconstruction: what counts as equal, and how differences are counted and worded."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jantaku.comparison import _common, canonical, compare
from table_engine.wire.actions import (
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
    WinShown,
)
from table_engine.wire.seats import Seat

A, B = Seat.S0, Seat.S1


def test_times_evidence_and_drawn_faces_do_not_count() -> None:
    record = [Drew(seat=A, tile="3m"), Discarded(seat=A, tile="3m")]
    engine = [Drew(seat=A, at_ms=5, evidence=("cam:1:1",)), Discarded(seat=A, tile="3m", at_ms=9, confidence=0.8)]
    result = compare("h", record, engine)
    assert (result.expected, result.seen, result.equal, result.all_equal) == (2, 2, 2, True)


def test_what_the_engine_adds_is_left_out() -> None:
    record = [Discarded(seat=A, tile="3m"), HandEnded(won=False)]
    engine = [HandStarted(dealer=A), CountSeen(seat=A, concealed=13), *record]
    assert compare("h", record, engine).all_equal


def test_the_end_of_the_wall_the_tile_and_the_turn_of_a_discard_count() -> None:
    record = [Drew(seat=A, end="head"), Discarded(seat=A, tile="5p"), Discarded(seat=B, tile="1z")]
    engine = [Drew(seat=A, end="tail"), Discarded(seat=A, tile="0p"), Discarded(seat=B, tile="1z", sideways=True)]
    assert compare("h", record, engine).equal == 0


def test_tiles_of_a_set_and_of_a_shown_hand_compare_in_any_order() -> None:
    record = [
        Called(seat=B, call="chow", tile="3s", source=A, tiles=("2s", "3s", "4s")),
        FlowersShown(seat=A, tiles=("1f", "5f")),
        WinShown(seat=A, tile="1m", hand=("1m", "2m", "3m")),
    ]
    engine = [
        Called(seat=B, call="chow", tile="3s", source=A, tiles=("3s", "4s", "2s")),
        FlowersShown(seat=A, tiles=("5f", "1f")),
        WinShown(seat=A, tile="1m", hand=("3m", "1m", "2m")),
    ]
    assert compare("h", record, engine).all_equal


def test_a_concealed_kong_is_its_kind_with_or_without_a_red_five() -> None:
    assert canonical([Konged(seat=A, kong="concealed", tile="0p")]) == [("konged", 0, "concealed", "5p")]
    assert canonical([Konged(seat=A, kong="added", tile="0p")]) == [("konged", 0, "added", "0p")]


def test_a_correction_is_carried_out_on_the_newest_such_action() -> None:
    record = [Discarded(seat=A, tile="3m"), Discarded(seat=A, tile="4m"), DoraShown(tile="1z")]
    engine = [
        Discarded(seat=A, tile="3m"),
        Discarded(seat=A, tile="3m"),
        TileCorrected(seat=A, zone="pond", index=1, was="3m", tile="4m"),
        DoraShown(tile="2z"),
        TileCorrected(seat=A, zone="dora", index=0, was="2z", tile="1z"),
    ]
    assert compare("h", record, engine).all_equal


def test_a_correction_of_the_called_tile_changes_the_set_too() -> None:
    engine = [
        Called(seat=B, call="chow", tile="1p", source=A, tiles=("1p", "2p", "3p")),
        TileCorrected(seat=B, zone="meld", index=0, was="1p", tile="4p"),
    ]
    assert canonical(engine) == [("called", 1, "chow", "4p", 0, "2p", "3p", "4p")]


def test_a_correction_of_another_tile_of_the_set_leaves_the_called_one() -> None:
    engine = [
        Called(seat=B, call="pung", tile="1p", source=A, tiles=("1p", "1p", "1p")),
        TileCorrected(seat=B, zone="meld", index=0, was="1p", tile="2p"),
    ]
    assert canonical(engine) == [("called", 1, "pung", "1p", 0, "1p", "1p", "2p")]


def test_differences_are_counted_and_worded() -> None:
    record = [
        Drew(seat=A),
        Discarded(seat=A, tile="3m"),
        Drew(seat=B),
        Discarded(seat=B, tile="9p"),
        HandEnded(won=False),
    ]
    engine = [
        Drew(seat=A),
        Discarded(seat=A, tile="3m"),
        Discarded(seat=B, tile="9p"),
        Drew(seat=B),
        HandEnded(won=False),
    ]
    result = compare("h", record, engine)
    assert (result.expected, result.seen, result.equal, result.all_equal) == (5, 5, 4, False)
    assert any("drew 1 head" in d for d in result.differences)


def test_an_engine_that_saw_nothing_is_equal_in_nothing() -> None:
    result = compare("h", [Drew(seat=A), HandEnded(won=False)], [])
    assert (result.expected, result.seen, result.equal) == (2, 0, 0)
    assert result.differences == ("move 1: record has drew 0 head; ended 0, engine has nothing",)


def test_without_a_camera_only_draws_and_discards_count() -> None:
    record = [DoraShown(tile="1z"), Drew(seat=A), Discarded(seat=A, tile="3m", sideways=True), HandEnded(won=False)]
    engine = [Drew(seat=A), Discarded(seat=A, tile="?")]
    assert compare("h", record, engine, blind=True).all_equal
    assert compare("h", record, [Drew(seat=A, end="tail"), Discarded(seat=B, tile="3m")], blind=True).equal == 0


rows = st.lists(st.tuples(st.sampled_from("abc")), max_size=12)


@given(rows, rows)
def test_common_is_a_common_subsequence_at_least_as_long_as_any_matcher_finds(a: list, b: list) -> None:
    pairs = _common(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert pairs == sorted(set(pairs))
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(pairs))
    assert len(pairs) >= sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
