"""Which of several finds on one another is the tile."""

from __future__ import annotations

import itertools

import numpy as np

from vision.detect import Found
from vision.labels import FACE
from vision.pyramid import LARGEST_PX, SMALLEST_PX, chosen, fitting, steps, worthy


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


def test_what_is_hardly_worth_anything_goes():
    assert scores(worthy(found((0, 0, 60, 80, 0.9), (100, 0, 60, 80, 0.6), (200, 0, 60, 80, 0.3)))) == [0.9, 0.6]
    assert len(worthy(Found.none())) == 0


def test_looks_run_from_one_tile_to_many():
    sizes = list(steps(4096))
    assert sizes[0] == SMALLEST_PX
    assert sizes[-1] <= LARGEST_PX
    assert all(1.4 < b / a < 1.6 for a, b in itertools.pairwise(sizes))
    assert max(steps(100)) <= 160
