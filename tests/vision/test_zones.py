"""Zones against what the simulation knows to lie in them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from vision_truth import calibrated, contents, essence, sighted

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import SEATS, Seat
from virtual_table.places import Places
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision import zones
from vision.labels import TOP
from vision.train.tables import TableMaker
from vision.wall import stacks_seen, wall


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


@pytest.mark.parametrize("seed", range(12))
def test_every_zone_of_a_tidy_table_is_told_as_it_lies(seed):
    rng = random.Random(seed)
    layout = Layout(stacks=17)
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


@pytest.mark.parametrize("tilt", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_walls_are_counted_by_where_their_tops_seem_to_lie(seed, tilt):
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
        said = wall(calibration, seat, by_spot[seat, Zone.WALL], 0)
        assert said.heights == truth[seat, "wall_seen"].heights
        assert essence(said) == essence(truth[seat, "wall_seen"])


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
