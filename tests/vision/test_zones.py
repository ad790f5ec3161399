"""Zones against what the simulation knows to lie in them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from vision_truth import calibrated, contents, essence, sighted

from table_engine.wire.layout import Layout, Moves, Zone, to_table
from table_engine.wire.observations import WallSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile
from virtual_table.places import Places
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot, TileThing
from vision import zones
from vision.labels import TOP
from vision.sighting import Sighting
from vision.train.tables import TableMaker
from vision.wall import Before, stacks_seen, wall


def random_table(seed: int) -> tuple[TableMaker, TableSnapshot]:
    """A table without loose tiles: everything lies in the zone it was put into."""
    maker = TableMaker(random.Random(seed))
    snapshot = maker.make()
    return maker, replace(snapshot, arms=(), tiles=tuple(t for t in snapshot.tiles if t.held is None))


def seen(layout: Layout, snapshot: TableSnapshot, tilt: float) -> tuple[dict, object]:
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half, tilt_deg=tilt), layout)
    tops: dict[tuple[int, int], tuple[float, object]] = {}
    for thing, sighting, top in sighted(calibration, list(snapshot.tiles)):
        key = (round(thing.place.x / 8), round(thing.place.y / 8))
        if tops.get(key, (-1.0,))[0] < top:
            tops[key] = (top, sighting)
    by_spot: dict[zones.Spot, list] = {spot: [] for spot in zones.SPOTS}
    for _, sighting in tops.values():
        spot = zones.spot_of(layout, sighting)
        if spot is not None:
            by_spot[spot].append(sighting)
    return by_spot, calibration


PUSHED = Moves(pond=12, wall=14, meld=14, rack=12, pond_wide=20)
"""A table whose walls rise further out, with everything that lies around them."""


def test_zones_lie_where_a_table_has_them():
    usual, pushed = Layout(), Layout(moves=PUSHED)
    for seat in SEATS:
        x, y = to_table(seat, 0, usual.zone(Zone.RACK).v0 - 8)
        assert zones.spot_at(usual, x, y) is None
        assert zones.spot_at(pushed, x, y) == (seat, Zone.RACK)
        x, y = to_table(seat, -110, -225)
        assert zones.spot_at(usual, x, y) != (seat, Zone.POND)
        assert zones.spot_at(pushed, x, y) == (seat, Zone.POND)
        x, y = to_table(seat, 0, pushed.wall_v)
        assert zones.spot_at(pushed, x, y) == (seat, Zone.WALL)


@pytest.mark.parametrize("moves", [Moves(), PUSHED], ids=["usual", "pushed"])
@pytest.mark.parametrize("seed", range(12))
def test_every_zone_of_a_tidy_table_is_told_as_it_lies(seed, moves):
    rng = random.Random(seed)
    layout = Layout(stacks=17, moves=moves)
    maker = TableMaker(rng)
    maker.layout, maker.places, maker.tiles = layout, Places(layout, 1.0), []
    for seat in SEATS:
        maker._pond(seat, rng.randint(0, 20))
        maker._front(seat, 1.0)
        maker._rack(seat)
    snapshot = TableSnapshot(0, tuple(maker.tiles))
    by_spot, _ = seen(layout, snapshot, tilt=2.0)
    truth = contents(layout, snapshot)
    for seat in SEATS:
        assert essence(zones.pond(layout, seat, by_spot[seat, Zone.POND], 0)) == essence(truth[seat, "pond"])
        melds, flowers = zones.strip(layout, seat, by_spot[seat, Zone.MELD], 0)
        assert essence(melds) == essence(truth[seat, "meld"])
        assert essence(flowers) == essence(truth[seat, "flower"])
        assert essence(zones.rack(layout, seat, by_spot[seat, Zone.RACK], 0)) == essence(truth[seat, "rack"])


def walls(seed: int, tilt: float) -> Iterator[tuple[WallSeen, WallSeen]]:
    """What is told of the sides of a messy table, whose single tiles stand anywhere, and how they are."""
    rng = random.Random(seed)
    layout = Layout(stacks=rng.choice((17, 18)))
    maker = TableMaker(rng)
    maker.layout, maker.places, maker.tiles = layout, Places(layout, 0.0), []
    for seat in SEATS:
        maker._wall(seat)
    snapshot = TableSnapshot(0, tuple(maker.tiles))
    by_spot, calibration = seen(layout, snapshot, tilt)
    truth = contents(layout, snapshot)
    for seat in SEATS:
        yield wall(calibration, seat, by_spot[seat, Zone.WALL], 0), truth[seat, "wall_seen"]


@pytest.mark.parametrize("tilt", [0.0, 3.0])
def test_stacks_of_messy_walls_are_counted_by_where_their_tops_seem_to_lie(tilt):
    stacks = right = 0
    for seed in range(12):
        for said, true in walls(seed, tilt):
            assert [h > 0 for h in said.heights] == [h > 0 for h in true.heights]
            stacks += sum(h > 0 for h in true.heights)
            right += sum(a == b > 0 for a, b in zip(said.heights, true.heights, strict=True))
    assert right >= 0.975 * stacks


@pytest.mark.parametrize("tilt", [0.0, 3.0, 8.0])
@pytest.mark.parametrize("eaten", range(0, 30, 3))
def test_a_side_eaten_from_its_end_is_counted_though_the_detector_takes_every_stack_for_two(eaten, tilt):
    layout = Layout(stacks=17)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half, height_mm=1400, tilt_deg=tilt), layout)
    for seat in SEATS:
        rng = random.Random(eaten)
        places = Places(layout, 0.0)
        shift = to_table(seat, rng.gauss(0, 1.0), rng.gauss(0, 1.0))
        heights = [0] * (eaten // 2) + [1] * (eaten % 2) + [2] * (17 - eaten // 2 - eaten % 2)
        things = [
            TileThing(2 * n + level, Tile("1m"), 0, replace(place, x=place.x + shift[0], y=place.y + shift[1]))
            for n, height in enumerate(heights)
            for level in range(height)
            if level == height - 1 and (place := places.wall(seat, n, level))
        ]
        tops = [replace(s, level=1.98) for _, s, _ in sighted(calibration, things)]
        assert wall(calibration, seat, tops, 0).heights == tuple(heights)


@pytest.mark.parametrize("off", [-2.5, 2.5])
def test_a_stack_that_lost_its_upper_tile_is_told_from_before_though_the_camera_is_off(off):
    """Whatever a camera sees all of a side off by, what moved of it moved."""
    layout = Layout(stacks=17)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half), layout)
    places = Places(layout, 0.0)

    def tops(heights: Sequence[int]) -> list[Sighting]:
        things = [TileThing(n, Tile("1m"), 0, places.wall(Seat.S0, n, h - 1)) for n, h in enumerate(heights) if h]
        return [replace(s, level=1.98, y=s.y + off) for _, s, _ in sighted(calibration, things)]

    heights = [0] * 14 + [2] * 3
    before = Before(tuple(tops(heights)), tuple(heights))
    for index in range(14, 17):
        for height in (1, 0):
            heights[index] = height
            here = tops(heights)
            said = wall(calibration, Seat.S0, here, 0, before)
            assert said.heights == tuple(heights)
            before = Before(tuple(here), said.heights)


def test_right_under_the_camera_a_side_that_was_touched_has_lost_a_tile_at_its_end_and_nowhere_else():
    """There no height shows: the picture has changed at the end, and no stack is gone."""
    layout = Layout(stacks=17)
    camera = Camera.overhead(1920, 1080, layout.half, height_mm=1900, tilt_deg=7.0)
    calibration = calibrated(camera, layout)
    places = Places(layout, 0.0)
    heights = (*[0] * 7, *[2] * 10)
    things = [TileThing(n, Tile("1m"), 0, places.wall(Seat.S0, n, 1)) for n in range(7, 17)]
    tops = [replace(s, level=1.98) for _, s, _ in sighted(calibration, things)]
    (lower,) = (s for _, s, _ in sighted(calibration, [TileThing(7, Tile("1m"), 0, places.wall(Seat.S0, 7, 0))]))
    assert abs(lower.y - tops[0].y) < 0.5, "a place where the camera sees no height"
    before = Before(tuple(tops), heights)
    beside = replace(tops[1], x=tops[1].x - 0.3)
    end = replace(lower, level=1.98)
    there = np.array([[end.x + dx, end.y] for dx in (-6, 0, 6)], np.float32)

    def told(seen: list[Sighting], changed: np.ndarray | None) -> tuple[int, ...]:
        return wall(calibration, Seat.S0, seen, 0, before, changed).heights

    assert told([end, beside, *tops[2:]], there) == (*[0] * 7, 1, *[2] * 9)
    assert told([beside, *tops[2:]], there) == (*[0] * 8, *[2] * 9)
    # Nobody touched it, or elsewhere: another look alone takes nothing.
    assert told([replace(tops[0], x=tops[0].x - 0.3), beside, *tops[2:]], None) == heights
    assert told([replace(tops[0], x=tops[0].x - 0.3), beside, *tops[2:]], there + 60) == heights
    assert told([replace(s, x=s.x + 0.1) for s in tops], there) == heights


@pytest.mark.parametrize("push", [2.5, 3.5, 4.0])
def test_a_side_that_is_pushed_has_lost_nothing(push):
    layout = Layout(stacks=17)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half, height_mm=1500), layout)
    places = Places(layout, 0.0)

    def tops(off: float) -> list[Sighting]:
        places_ = [places.wall(Seat.S0, n, 1) for n in range(17)]
        things = [TileThing(n, Tile("1m"), 0, replace(place, y=place.y + off)) for n, place in enumerate(places_)]
        return [replace(s, level=1.98) for _, s, _ in sighted(calibration, things)]

    before = Before(tuple(tops(0.0)), (2,) * 17)
    assert wall(calibration, Seat.S0, tops(push), 0, before).heights == (2,) * 17


def test_a_wall_that_is_built_by_hand_row_on_row_grows():
    layout = Layout(stacks=17)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half, height_mm=1500), layout)
    places = Places(layout, 0.0)
    rows = []
    for level in (0, 1):
        things = [TileThing(n, Tile("1m"), 0, places.wall(Seat.S0, n, level)) for n in range(17)]
        rows.append([replace(s, level=1.0 + level) for _, s, _ in sighted(calibration, things)])
    before = Before(tuple(rows[0]), (1,) * 17)
    assert wall(calibration, Seat.S0, rows[1], 0, before).heights == (2,) * 17


def test_the_flank_at_a_sides_end_is_no_stack():
    layout = Layout(stacks=17)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half), layout)
    places = Places(layout, 0.0)
    things = [TileThing(n, Tile("1m"), 0, places.wall(Seat.S0, n, 1)) for n in range(3, 17)]
    tops = [replace(s, level=1.98) for _, s, _ in sighted(calibration, things)]
    flank = replace(tops[0], x=tops[0].x + 24, y=tops[0].y + 3, score=0.45)
    assert wall(calibration, Seat.S0, [flank, *tops], 0).heights == (0,) * 3 + (2,) * 14


def test_the_number_of_stacks_is_seen_from_their_places():
    rng = np.random.default_rng(0)
    for stacks in (17, 18):
        layout = Layout(stacks=stacks)
        us = [layout.wall_u(n) + rng.normal(0, 1.0) for n in range(3, 15)]
        assert stacks_seen(layout, us) == stacks
    assert stacks_seen(Layout(), [0.0, 26.0]) is None
    assert stacks_seen(Layout(), list(rng.uniform(-200, 200, 12))) is None


def test_tops_of_standing_tiles_belong_to_racks_only():
    layout = Layout()
    _, snapshot = random_table(3)
    by_spot, _ = seen(layout, snapshot, 0.0)
    for (_, zone), sightings in by_spot.items():
        assert zone == Zone.RACK or all(s.what != TOP for s in sightings)


def test_a_wall_without_tiles_is_reported_empty():
    layout = Layout(stacks=18)
    calibration = calibrated(Camera.overhead(1920, 1080, layout.half), layout)
    assert wall(calibration, Seat.S2, [], 0).heights == (0,) * 18
