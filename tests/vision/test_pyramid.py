"""Which of several finds on one another is the tile."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vision.detect import Found
from vision.labels import CLASSES, FACE, INDEX
from vision.pyramid import LARGEST_PX, SMALLEST_PX, added_up, chosen, fitting, steps, worthy


def found(*boxes: tuple[float, float, float, float, float]) -> Found:
    """Upright faces: left, top, width, height, score; given best first."""
    corners = [[[x, y], [x + w, y], [x + w, y + h], [x, y + h]] for x, y, w, h, _ in boxes]
    count = len(boxes)
    return Found(
        np.array(corners, np.float32),
        np.full(count, FACE, np.int64),
        np.array([b[4] for b in boxes], np.float32),
        np.ones(count, np.float32),
    )


def scores(some: Found) -> list[float]:
    return [round(float(s), 2) for s in some.score]


def test_the_circles_of_a_tile_are_no_tiles():
    tile = (0, 0, 60, 80, 0.9)
    circles = [(10 + 25 * (n % 2), 5 + 25 * (n // 2), 18, 18, 0.5) for n in range(6)]
    assert scores(chosen(found(tile, *circles))) == [0.9]


def test_a_group_of_tiles_is_no_tile():
    tiles = [(62 * (n % 3), 82 * (n // 3), 60, 80, 0.9) for n in range(6)]
    assert scores(chosen(found(*tiles, (0, 0, 184, 162, 0.55)))) == [0.9] * 6


def test_two_alike_are_one():
    assert scores(chosen(found((0, 0, 60, 80, 0.9), (6, 4, 58, 78, 0.8)))) == [0.9]


def test_tiles_side_by_side_stay():
    assert len(chosen(found((0, 0, 60, 80, 0.9), (58, 0, 60, 80, 0.8)))) == 2


def test_halves_of_a_tile_give_way_among_tiles_of_its_size():
    row = [(62 * n, 0, 60, 80, 0.9) for n in range(5)]
    halves = [(310, 0, 60, 40, 0.92), (310, 40, 60, 40, 0.92)]
    whole = (310, 0, 60, 80, 0.8)
    both = found(*halves, *row, whole)
    assert 0.8 not in scores(chosen(both))
    after = chosen(fitting(both, chosen(both)))
    assert len(after) == 6
    assert 0.8 in scores(after)


def test_a_heap_is_no_tile_however_sure_its_name():
    tiles = [(62 * (n % 4), 82 * (n // 4), 60, 80, 0.5) for n in range(16)]
    assert scores(chosen(found((0, 0, 250, 330, 0.95), *tiles))) == [0.5] * 16


def test_few_tiles_do_not_tell_a_size():
    both = found((0, 0, 300, 400, 0.9), *((310, 130 * n, 90, 120, 0.7) for n in range(3)))
    assert scores(fitting(both, both)) == [0.9, 0.7, 0.7, 0.7]
    more = found((0, 0, 300, 400, 0.9), *((310, 130 * n, 90, 120, 0.7) for n in range(4)))
    assert 0.9 not in scores(fitting(more, more))


class Names:
    """Reads every quad as its name, by its left edge."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def shares(self, _image, corners):
        out = np.zeros((len(corners), len(CLASSES)), np.float32)
        for row, quad in zip(out, corners, strict=True):
            row[INDEX[self.names[int(quad[:, 0].min())]]] = 0.9
        return out


HALVES = found((10, 0, 60, 40, 0.8), (11, 40, 60, 40, 0.7))
WHOLE = found((9, 0, 62, 80, 0.5))
NAMES = {9: "4p", 10: "2p", 11: "2p"}
CROP, TABLE = np.zeros((85, 80, 3), np.uint8), np.zeros((400, 400, 3), np.uint8)


def test_parts_that_add_up_to_a_face_are_that_face():
    after = added_up(Names(NAMES), CROP, WHOLE, HALVES)
    assert len(after) == 1
    assert (after.corners == WHOLE.corners).all()
    assert scores(after) == [0.8]


def test_two_tiles_by_themselves_stay_two():
    assert len(added_up(Names(NAMES), TABLE, WHOLE, HALVES)) == 2


@pytest.mark.parametrize("wrong", [{9: "5p"}, {9: "4s"}, {9: "4m", 10: "2m", 11: "2m"}, {11: "2s"}, {9: "6f"}])
def test_parts_that_do_not_add_up_stay(wrong):
    assert len(added_up(Names(NAMES | wrong), CROP, WHOLE, HALVES)) == 2


@pytest.mark.parametrize(("high", "left"), [(80, 4), (40, 5)])
def test_tiles_around_tell_whether_there_are_two_or_one(high, left):
    around = [(80 + 62 * n, 0, 60, high, 0.85) for n in range(3)]
    best = found(*around, (10, 0, 60, 40, 0.8), (11, 40, 60, 40, 0.7))
    assert len(added_up(Names(NAMES), TABLE, WHOLE, best)) == left


def test_a_bare_cloth_is_not_what_tiles_are_measured_by():
    tiles = [(62 * n, 0, 60, 80, 0.85) for n in range(40)]
    assert len(worthy(found(*tiles, (0, 100, 700, 900, 0.6)))) == 41
    assert len(worthy(found((0, 100, 700, 900, 0.9), (0, 0, 60, 80, 0.85)))) == 1


def test_what_is_hardly_worth_anything_goes():
    assert scores(worthy(found((0, 0, 60, 80, 0.9), (100, 0, 60, 80, 0.6), (200, 0, 60, 80, 0.3)))) == [0.9, 0.6]
    assert len(worthy(Found.none())) == 0


def test_looks_run_from_one_tile_to_many():
    sizes = list(steps(4096))
    assert sizes[0] == SMALLEST_PX
    assert sizes[-1] <= LARGEST_PX
    assert all(1.4 < b / a < 1.6 for a, b in itertools.pairwise(sizes))
    assert max(steps(100)) <= 160
