"""What lies where, from the things' physical places alone: the ground truth every sensor of the table is derived from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from table_engine.wire.layout import Layout, Rect, Zone, to_seat
from table_engine.wire.observations import RackSeen, TileSeen, WallSeen, ZoneSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, is_flower
from virtual_table.places import local
from virtual_table.table import Place, Pose, TileThing

Spot = tuple[Seat, Zone]
"""One zone of one seat."""
_ZONES = (Zone.RACK, Zone.WALL, Zone.POND, Zone.MELD)
APART_GAP = 0.3
"""Share of a tile's width from which a gap in the rack says that a tile stands apart."""


@lru_cache(maxsize=16)
def _rects(layout: Layout) -> tuple[tuple[Zone, Rect], ...]:
    return tuple((zone, layout.zone(zone)) for zone in _ZONES)


def spot_of(layout: Layout, place: Place) -> Spot | None:
    """The seat's zone a resting tile lies in, by its middle; the front strip counts as MELD. None: in no zone."""
    return zone_at(layout, place.x, place.y)


def zone_at(layout: Layout, x: float, y: float) -> Spot | None:
    """The seat's zone that holds a point of the table (CENTRE under seat 0)."""
    for seat in SEATS:
        u, v = to_seat(seat, x, y)
        if v < 0:
            for zone, rect in _rects(layout):
                if rect.holds(u, v):
                    return seat, zone
    return (Seat.S0, Zone.CENTRE) if layout.zone(Zone.CENTRE).holds(x, y) else None


def tile_seen(seat: Seat, thing: TileThing, group: int = 0) -> TileSeen:
    """A lying tile as a faultless camera reads it."""
    u, v, angle = local(seat, thing.place)
    code = thing.face if thing.pose is Pose.UP else BACK
    return TileSeen.model_construct(
        code=code,
        confidence=1.0,
        candidates=(),
        u_mm=round(u, 1),
        v_mm=round(v, 1),
        angle_deg=round(angle, 1),
        sideways=45 < abs(angle) < 135,
        group=group,
        track=0,
    )


def pond_seen(layout: Layout, seat: Seat, things: Iterable[TileThing]) -> ZoneSeen:
    """Rows from the centre outwards, each left to right."""
    found = [tile_seen(seat, t) for t in things]
    pitch = layout.tile.length + layout.scale
    bottom = layout.pond_top - layout.tile.length

    def row(tile: TileSeen) -> int:
        low = tile.v_mm - (layout.tile.width if tile.sideways else layout.tile.length) / 2
        return round((bottom - low) / pitch)

    found.sort(key=lambda t: (row(t), t.u_mm))
    return zone_seen(Zone.POND, seat, tuple(found))


def strip_seen(layout: Layout, seat: Seat, things: Iterable[TileThing]) -> tuple[ZoneSeen, ZoneSeen]:
    """The front strip as (MELD, FLOWER): flower faces from the left end, everything else in sets told apart by gaps."""
    flowers: list[TileThing] = []
    melds: list[TileThing] = []
    for thing in things:
        flower = thing.pose is Pose.UP and is_flower(thing.face)
        (flowers if flower else melds).append(thing)
    seen = sorted((tile_seen(seat, t) for t in flowers), key=lambda t: t.u_mm)
    sets = _groups(layout, seat, melds)
    return (
        zone_seen(Zone.MELD, seat, tuple(t for n, tiles in enumerate(sets) for t in _group_seen(seat, tiles, n))),
        zone_seen(Zone.FLOWER, seat, tuple(seen)),
    )


def _groups(layout: Layout, seat: Seat, things: Iterable[TileThing]) -> list[list[TileThing]]:
    """Sets from the player's right on."""
    placed = []
    for thing in things:
        u, _, angle = local(seat, thing.place)
        half = (layout.tile.length if 45 < abs(angle) < 135 else layout.tile.width) / 2
        placed.append((u - half, u + half, thing))
    placed.sort(key=lambda p: -p[1])
    groups: list[list[TileThing]] = []
    edge = 0.0
    for left, right, thing in placed:
        if groups and edge - right < 4.0 * layout.scale:
            groups[-1].append(thing)
            edge = min(edge, left)
        else:
            groups.append([thing])
            edge = left
    return groups


def _group_seen(seat: Seat, things: Iterable[TileThing], group: int) -> list[TileSeen]:
    seen = [tile_seen(seat, t, group) for t in things]
    return sorted(seen, key=lambda t: (round(t.u_mm / 4), t.v_mm))


def zone_seen(zone: Zone, seat: Seat, tiles: tuple[TileSeen, ...]) -> ZoneSeen:
    return ZoneSeen.model_construct(type="zone", zone=zone, seat=seat, tiles=tiles, frame=0)


def rack_seen(layout: Layout, seat: Seat, things: Iterable[TileThing]) -> RackSeen:
    """How many tiles stand in a hand, how many of them apart at the right, and what lies open in it, left to right."""
    standing: list[TileThing] = []
    lying: list[TileThing] = []
    for thing in things:
        (standing if thing.pose is Pose.STANDING else lying).append(thing)
    us = sorted(local(seat, t.place)[0] for t in standing)
    apart = 0
    for n in range(len(us) - 1, 0, -1):
        if us[n] - us[n - 1] > layout.tile.width * (1 + APART_GAP):
            apart = len(us) - n
            break
    seen = sorted((tile_seen(seat, t) for t in lying), key=lambda t: t.u_mm)
    return RackSeen.model_construct(
        type="rack", seat=seat, standing=len(standing), apart=apart, open=tuple(seen), confidence=1.0, frame=0
    )


def stack_of(layout: Layout, side: Seat, place: Place) -> int:
    """The stack (0-based from the player's right) at which a tile in a wall side lies."""
    u, _, _ = local(side, place)
    stack = round(layout.stacks / 2 - 0.5 - u / layout.tile.width)
    return min(layout.stacks - 1, max(0, stack))


def wall_seen(layout: Layout, side: Seat, things: Iterable[TileThing]) -> WallSeen:
    """Heights of one side's stacks and the tiles that lie face up in it."""
    heights = [0] * layout.stacks
    seen = []
    for thing in things:
        stack = stack_of(layout, side, thing.place)
        heights[stack] += 1
        if thing.pose is Pose.UP:
            seen.append(tile_seen(side, thing, stack))
    seen.sort(key=lambda t: t.group)
    return WallSeen.model_construct(
        type="wall_seen", seat=side, heights=tuple(heights), open=tuple(seen), confidence=1.0, frame=0
    )
