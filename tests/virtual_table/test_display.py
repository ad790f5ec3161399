"""A set laid out before the camera is whole, lies apart and face up, and the same seed lays it the same way."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from table_engine.wire.layout import Layout, TileSize
from virtual_table.customs import customs_of
from virtual_table.display import laid_out
from virtual_table.table import Pose

RULES = ("riichi", "chinese_official", "taiwan16", "world_series")


@pytest.mark.parametrize("ruleset", RULES)
@pytest.mark.parametrize("turned", [False, True])
def test_every_tile_of_the_set_lies_there_once(ruleset, turned):
    customs = customs_of(ruleset)
    laid = laid_out(customs, Layout(), 1, turned=turned)
    assert Counter(thing.face for thing in laid) == Counter(customs.faces(customs.reds))
    assert len({thing.id for thing in laid}) == len(laid) == customs.tiles
    assert all(thing.held is None and thing.place.z == 0 for thing in laid)


@pytest.mark.parametrize("width", [24.0, 26.0, 38.0])
@pytest.mark.parametrize("ruleset", ["riichi", "taiwan16"])
def test_tiles_lie_apart_within_the_square(ruleset, width):
    layout = Layout(TileSize.of_width(width))
    places = [thing.place for thing in laid_out(customs_of(ruleset), layout, 3)]
    assert all(max(abs(p.x), abs(p.y)) + layout.tile.length < layout.half for p in places)
    for a, b in combinations(places, 2):
        assert abs(a.x - b.x) > 1.1 * layout.tile.width or abs(a.y - b.y) > 1.1 * layout.tile.length


def test_all_lie_face_up_or_about_a_dozen_face_down():
    customs = customs_of("riichi")
    up, some = laid_out(customs, Layout(), 1), laid_out(customs, Layout(), 1, turned=True)
    assert {thing.pose for thing in up} == {Pose.UP}
    assert 11 <= sum(thing.pose is Pose.DOWN for thing in some) <= 13
    assert [thing.face for thing in some] != [
        thing.face for thing in up
    ]  # laid anew, no tile is face down twice running


def test_the_same_seed_lays_the_same_way_with_the_back_asked_for():
    customs = customs_of("riichi")
    assert laid_out(customs, Layout(), 5, back=1) == laid_out(customs, Layout(), 5, back=1)
    assert laid_out(customs, Layout(), 5) != laid_out(customs, Layout(), 6)
    assert {thing.back for thing in laid_out(customs, Layout(), 5, back=1)} == {1}
