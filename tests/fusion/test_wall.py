from __future__ import annotations

import itertools

import pytest

from table_engine.fusion.look import look
from table_engine.fusion.picture import Picture
from table_engine.fusion.wall import Course, Tally, broken_at, broken_by_counts, counted, seen
from table_engine.wire.observations import Envelope, WallCount, WallSeen
from table_engine.wire.seats import SEATS, Seat

S0, S1, S2, S3 = SEATS


def test_the_wall_is_taken_leftwards_and_then_by_the_player_to_the_left() -> None:
    course = Course(S2, 15, 17)
    assert [course.place(S2, 15), course.place(S2, 16), course.place(S1, 0), course.place(S1, 16)] == [0, 1, 2, 18]
    assert course.place(S2, 14) == 67
    assert course.from_break(S2, 14) == 1
    assert course.from_break(S2, 12) == 3


@pytest.mark.parametrize(
    ("side", "stack", "head", "tail", "end"),
    [
        (S0, 5, 0, 0, "head"),
        (S0, 6, 2, 0, "head"),
        (S0, 4, 53, 0, "tail"),
        (S0, 3, 53, 2, "tail"),
        (S2, 13, 100, 10, None),
    ],
)
def test_the_end_a_tile_left_is_the_nearer_one(side: Seat, stack: int, head: int, tail: int, end: str | None) -> None:
    course = Course(S0, 5, 17)
    if end is None:
        front, back = head // 2, 67 - tail // 2
        place = (front + back) / 2
        assert place == int(place)
        lengths = [(s, n) for s in SEATS for n in range(17) if course.place(s, n) == place]
        side, stack = lengths[0]
    assert course.end(side, stack, head, tail) == end


def test_where_a_wall_was_broken_is_seen_from_its_gap() -> None:
    gone = [[False] * 17 for _ in SEATS]
    course = Course(S1, 9, 17)
    for side in SEATS:
        for stack in range(17):
            gone[side][stack] = course.place(side, stack) < 26
    assert broken_at(gone) == course
    assert broken_at([[False] * 17 for _ in SEATS]) is None
    gone[S3][8] = True
    assert broken_at(gone) is None


def test_where_a_wall_was_broken_follows_from_the_counts() -> None:
    assert broken_by_counts(34, [34, 13, 34, 20], S3) == Course(S3, 10, 17)


def _picture(*observations: WallCount | WallSeen) -> list[Picture]:
    pictures = [Picture()]
    for n, data in enumerate(observations, start=1):
        pictures.append(look(pictures[-1], Envelope.of("x", 1, n, n * 100, n * 100, data), n * 100))
    return pictures


def test_tallies_count_what_left_and_forget_what_came_back() -> None:
    full = [WallCount(side=s, count=34) for s in SEATS]
    pictures = _picture(*full, WallCount(side=S0, count=32, slot=5), WallCount(side=S0, count=33, slot=5))
    tally = Tally()
    for old, new in itertools.pairwise(pictures[:5]):
        tally = counted(tally, old, new)
    assert tally.left == 136
    tally = counted(tally, pictures[4], pictures[5])
    assert [(t.side, t.stack) for t in tally.pending(136)] == [(S0, 5), (S0, 5)]
    assert tally.beyond(136) == 2
    tally = counted(tally, pictures[5], pictures[6])
    assert len(tally.pending(136)) == 1
    assert tally.pending(135) == ()
    assert tally.beyond(134) == -1


def test_the_camera_sees_at_which_stack_a_tile_left() -> None:
    sides = [WallSeen(seat=s, heights=(2,) * 17) for s in SEATS]
    less = WallSeen(seat=S2, heights=(2,) * 4 + (1, 0) + (2,) * 11)
    pictures = _picture(*sides, less)
    tally = seen(Tally(left=136), pictures[4], pictures[5])
    assert [(t.side, t.stack, t.late) for t in tally.takings] == [(S2, 4, True), (S2, 5, True), (S2, 5, True)]
