"""Standing tiles of which only one half of the top was found."""

from __future__ import annotations

import numpy as np
import pytest

from table_engine.wire.layout import Layout, to_table
from table_engine.wire.seats import SEATS, Seat
from vision.detect import Found
from vision.halves import completed
from vision.labels import BACK_UP, TOP

LAYOUT = Layout()
TOPS_V, BACKS_V = LAYOUT.rack_v * 1.01, LAYOUT.rack_v * 1.01 + 13


def row(seat: Seat, *marks: tuple[int, float, float]) -> tuple[Found, np.ndarray, np.ndarray]:
    """Finds at (what, u, v) of a seat: those, their places (n, 2) mm and areas (n,)."""
    places = np.array([to_table(seat, u, v) for _, u, v in marks])
    square = np.array([[-5, 5], [5, 5], [5, -5], [-5, -5]], np.float32)
    corners = (places * (1, -1))[:, None].astype(np.float32) + square
    what = np.array([what for what, _, _ in marks])
    ones = np.ones(len(marks), np.float32)
    return Found(corners, what, ones * np.float32(0.5), ones), places, ones.astype(np.float64) * 0.45


def pairs(*numbers: int) -> list[tuple[int, float, float]]:
    return [(what, 26.0 * n, v) for n in numbers for what, v in ((TOP, TOPS_V), (BACK_UP, BACKS_V))]


@pytest.mark.parametrize("seat", SEATS)
def test_the_back_s_half_alone_is_the_tile_where_its_neighbours_show_both(seat):
    found, places, size = row(seat, *pairs(0, 1, 2, 4), (BACK_UP, 78.0, BACKS_V))
    told = completed(found, places, size, LAYOUT)
    assert told.what[-1] == TOP
    assert told.what[:-1].tolist() == found.what[:-1].tolist()
    middle = told.corners[-1].mean(axis=0) * (1, -1)
    assert middle == pytest.approx(np.array(to_table(seat, 78.0, TOPS_V)), abs=0.1)


@pytest.mark.parametrize(
    "marks",
    [
        [*pairs(0, 1), (BACK_UP, 52.0, BACKS_V)],  # too few show both
        [*pairs(0, 1, 2, 4), (BACK_UP, 78.0, TOPS_V)],  # a flank, in line with the tops
        [*pairs(0, 1, 2, 4), (BACK_UP, 78.0, BACKS_V + 9)],
        pairs(0, 1, 2, 4),
    ],
)
def test_nothing_else_becomes_a_tile(marks):
    found, places, size = row(Seat.S0, *marks)
    assert completed(found, places, size, LAYOUT).what.tolist() == found.what.tolist()


def test_a_back_as_large_as_a_tile_stays_one():
    found, places, size = row(Seat.S0, *pairs(0, 1, 2, 4), (BACK_UP, 78.0, BACKS_V))
    size[-1] = 0.9
    assert completed(found, places, size, LAYOUT).what[-1] == BACK_UP


def test_nothing_found_is_nothing():
    none = Found.none()
    assert len(completed(none, np.zeros((0, 2)), np.zeros(0), LAYOUT)) == 0
