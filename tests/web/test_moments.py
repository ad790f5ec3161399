"""Splashes: what makes one, and what takes it back."""

from __future__ import annotations

import boards

from table_engine.web.moments import Moments
from table_engine.wire.seats import Seat
from table_engine.wire.view import TableView


def view(seq: int, *, hand: int = 1, ready: tuple[int, ...] = (), won: tuple[int, ...] = ()) -> TableView:
    plain = boards.view(seq)
    seats = tuple(s.model_copy(update={"ready": s.seat in ready, "won": s.seat in won}) for s in plain.seats)
    return plain.model_copy(update={"seats": seats, "hand": hand})


def told(moments: Moments) -> list[tuple[str, bool]]:
    return [(moment.id, moment.undone) for moment in moments.all]


def test_a_declared_ready_is_a_moment_once() -> None:
    moments = Moments()
    assert not moments.see(None, view(1))
    assert moments.see(view(1), view(2, ready=(1,)))
    assert not moments.see(view(2, ready=(1,)), view(3, ready=(1,)))
    assert told(moments) == [("ready-1-1", False)]


def test_what_was_so_when_we_came_is_no_moment() -> None:
    moments = Moments()
    assert not moments.see(None, view(1, ready=(0, 1), won=(2,)))
    assert told(moments) == []


def test_one_that_did_not_hold_is_undone_under_its_name_and_may_hold_after_all() -> None:
    moments = Moments()
    moments.see(view(1), view(2, won=(3,)))
    assert moments.see(view(2, won=(3,)), view(3))
    assert told(moments) == [("win-1-3", True)]
    assert moments.see(view(3), view(4, won=(3,)))
    assert told(moments) == [("win-1-3", False)]


def test_a_new_hand_begins_without_undoing_the_last() -> None:
    moments = Moments()
    moments.see(view(1), view(2, ready=(0,)))
    moments.see(view(2, ready=(0,)), view(3, hand=2))
    assert told(moments) == [("ready-1-0", False)]
    moments.see(view(3, hand=2), view(4, hand=2, ready=(0,)))
    assert told(moments) == [("ready-1-0", False), ("ready-2-0", False)]


def test_a_foul_is_a_moment_when_it_is_confirmed_and_no_longer_when_overturned() -> None:
    moments = Moments()
    assert not moments.decided(boards.alert())
    assert not moments.decided(boards.alert(state="dismissed"))
    assert moments.decided(boards.alert(state="confirmed"))
    assert moments.all[0].seat == Seat.S3
    assert moments.decided(boards.alert(state="overturned"))
    assert told(moments) == [("foul-a1", True)]
