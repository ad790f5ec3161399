"""Things stay things: none is lost or doubled, none lies in another, all come from where the rules take them."""

from __future__ import annotations

from collections import Counter
from math import cos, radians, sin
from random import Random

import pytest
from virtual_hands import RULES, director_of, layout_of, play, set_of

from table_engine.wire.actions import Drew
from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import Seat
from virtual_table.customs import customs_of
from virtual_table.deal import WallPlace, tail, takes, wall_order
from virtual_table.games import own_hands
from virtual_table.places import Places
from virtual_table.script import Foul
from virtual_table.sensing import spot_of, stack_of
from virtual_table.simulation import Simulation
from virtual_table.table import Place, Pose, TableSnapshot, TileThing


def _corners(layout: Layout, place: Place) -> list[tuple[float, float]]:
    size = layout.tile
    w, h = size.width / 2, (size.depth if place.pose is Pose.STANDING else size.length) / 2
    c, s = cos(radians(place.angle_deg)), sin(radians(place.angle_deg))
    return [(place.x + a * c - b * s, place.y + a * s + b * c) for a, b in ((w, h), (-w, h), (-w, -h), (w, -h))]


def _depth(layout: Layout, a: Place, b: Place) -> float:
    """How deep two footprints lie in each other, mm (separating axes); 0 when they do not."""
    pa, pb = _corners(layout, a), _corners(layout, b)
    least = 1e9
    for angle in (a.angle_deg, a.angle_deg + 90, b.angle_deg, b.angle_deg + 90):
        c, s = cos(radians(angle)), sin(radians(angle))
        sa, sb = [x * c + y * s for x, y in pa], [x * c + y * s for x, y in pb]
        least = min(least, min(max(sa), max(sb)) - max(min(sa), min(sb)))
    return max(0.0, least)


def _worst(layout: Layout, tiles: tuple[TileThing, ...]) -> float:
    cells: dict[tuple[int, int], list[Place]] = {}
    worst = 0.0
    for thing in tiles:
        place = thing.place
        if thing.held is not None or place.z < 0:
            continue
        x, y = int(place.x // 50), int(place.y // 50)
        for near in (q for dx in (-1, 0, 1) for dy in (-1, 0, 1) for q in cells.get((x + dx, y + dy), ())):
            if abs(near.z - place.z) < layout.tile.depth - 1:
                worst = max(worst, _depth(layout, place, near))
        cells.setdefault((x, y), []).append(place)
    return worst


@pytest.mark.parametrize("ruleset", RULES)
@pytest.mark.parametrize("width", [26.0, 38.0])
def test_no_tile_is_lost_or_lies_in_another(ruleset, width):
    """Looked at twice a second through a whole hand, tiles being carried aside."""
    customs = customs_of(ruleset)
    simulation = Simulation.of_players(customs, hands=1, seed=8, tile_width_mm=width)
    whole, on_table = set_of(ruleset), 0
    while not simulation.finished:
        simulation.step(500)
        table = simulation.snapshot()
        if not table.tiles or table.bay_open:
            continue
        on_table += 1
        assert Counter(t.face for t in table.tiles) == whole
        assert len({t.id for t in table.tiles}) == customs.tiles
        assert _worst(simulation.layout, table.tiles) < 0.3 * simulation.layout.scale
        resting = [t for t in table.tiles if t.held is None and t.place.z >= 0]
        assert all(spot_of(simulation.layout, t.place) for t in resting)
    assert on_table > 100


@pytest.mark.parametrize("ruleset", RULES)
def test_every_tile_is_taken_from_where_the_rules_take_it(ruleset):
    """The deal and then every draw takes the next place of the wall from its end."""
    customs = customs_of(ruleset)
    settings, director = play(ruleset, seed=4, hands=3)
    for setting, performed in zip(settings, director.performed, strict=True):
        start = performed.start
        assert (start.break_side, start.break_stack) == customs.break_at(setting.dealer, setting.dice)
        left = list(range(customs.tiles))
        for _, places in takes(customs, setting.dealer):
            for index in places:
                left.remove(index)
        for move in performed.moves:
            if isinstance(move, Drew):
                index = left[0] if move.end == "head" else next(i for i in tail(customs.tiles) if i in left)
                assert move.tile == setting.wall[index]
                left.remove(index)


def test_tiles_leave_the_wall_stack_by_stack_clockwise():
    """Seen from outside: the places of the wall, by where tiles lie, empty in the order of `wall_order`."""
    customs, layout = customs_of("taiwan16"), layout_of("taiwan16")
    director = director_of("taiwan16", seed=2)
    order: list[WallPlace] = []
    before: dict[int, Place] = {}
    for batch in director.play(own_hands(customs, 2, hands=1)):
        now = dict(director.timeline.where)
        for tile, place in before.items():
            spot = spot_of(layout, place)
            if spot and spot[1] is Zone.WALL and tile in now and spot_of(layout, now[tile]) != spot:
                level = round(place.z / layout.tile.depth)
                order.append(WallPlace(spot[0], stack_of(layout, spot[0], place), level))
        before = now
        if len(order) >= 65:
            break
        assert batch.happenings
    start = director.performed[0].start
    wanted = wall_order(customs, start.break_side, start.break_stack)[:65]
    assert set(order[:65]) == set(wanted)
    assert order[60:64] == list(wanted[60:64])


def _frames(seed: int, ruleset: str = "riichi", fouls: tuple[Foul, ...] = ()) -> list[TableSnapshot]:
    simulation = Simulation.of_players(customs_of(ruleset), hands=1, seed=seed, fouls=fouls)
    frames = []
    for _ in range(120):
        simulation.step(370)
        frames.append(simulation.snapshot())
    return frames


def test_same_seed_same_everything():
    foul = (Foul(what="too_many", seat=Seat.S2, turn=2),)
    assert _frames(5, fouls=foul) == _frames(5, fouls=foul)
    assert _frames(5) != _frames(6)


def test_step_size_changes_nothing():
    """A table stepped by 20 ms and one stepped by a second look alike at the same moment."""
    fine = Simulation.of_players(customs_of("taiwan16"), hands=1, seed=3)
    coarse = Simulation.of_players(customs_of("taiwan16"), hands=1, seed=3)
    for _ in range(60):
        coarse.step(1000)
        for _ in range(50):
            fine.step(20)
        assert fine.snapshot() == coarse.snapshot()


@pytest.mark.parametrize("ruleset", RULES)
def test_a_long_pond_stays_off_the_wall_and_in_its_zone(ruleset):
    layout = layout_of(ruleset)
    places = Places(layout)
    rng = Random(3)
    rows = customs_of(ruleset).habits.rows
    for seat in Seat:
        lying: tuple[Place, ...] = ()
        for n in range(24):
            lying = (*lying, places.pond(seat, lying, rows, n == 8, rng))
        for n, place in enumerate(lying):
            assert spot_of(layout, place) == (seat, Zone.POND), f"discard {n + 1}"
        things = tuple(TileThing(n, "1m", 0, p) for n, p in enumerate(lying))
        assert _worst(layout, things) < 0.05
        wall = [places.wall(seat, n, 0) for n in range(layout.stacks)]
        assert max(_depth(layout, p, w) for p in lying for w in wall) < 0.6
