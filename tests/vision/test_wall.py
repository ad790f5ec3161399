"""Heights of stacks where the look alone does not tell."""

from __future__ import annotations

from vision.wall import _open_as_neighbours


def test_a_tile_turned_up_leaves_its_stack_as_high_as_those_beside_it():
    heights = [2, 2, 1, 2, 0]
    _open_as_neighbours(heights, {2})
    assert heights == [2, 2, 2, 2, 0]


def test_at_the_end_of_a_side_one_neighbour_decides():
    heights = [1, 2, 2, 0]
    _open_as_neighbours(heights, {0})
    assert heights == [2, 2, 2, 0]


def test_neighbours_that_differ_decide_nothing():
    heights = [2, 1, 1]
    _open_as_neighbours(heights, {1})
    assert heights == [2, 1, 1]
