"""What the tiles seen in a zone say, zone by zone: pure functions from sightings to observations.

Order and grouping are those of `wire/observations`. Positions follow `wire/layout`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from table_engine.wire.layout import Layout, Rect, Zone, to_seat
from table_engine.wire.observations import RackSeen, TileSeen, ZoneSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_flower
from vision.labels import FACE, TOP
from vision.sighting import Sighting, seen_by

Spot = tuple[Seat, Zone]
"""A seat's zone. The front strip counts as MELD; CENTRE belongs to seat 0."""
SPOTS: tuple[Spot, ...] = (
    *((seat, zone) for seat in SEATS for zone in (Zone.RACK, Zone.WALL, Zone.POND, Zone.MELD)),
    (Seat.S0, Zone.CENTRE),
)
_APART = 0.3
"""A gap in the rack of this share of a tile's width says that what follows stands apart."""
_CENTRE_SURE, _CENTRE_SCORE = 0.9, 0.6
_GAP_MM = 4.0
"""A wider gap, at tile width 26, parts two sets."""


@lru_cache(maxsize=16)
def rects(layout: Layout) -> tuple[tuple[Zone, Rect], ...]:
    """Zones of one seat, in the order in which they claim a tile."""
    return tuple((zone, layout.zone(zone)) for zone in (Zone.RACK, Zone.WALL, Zone.POND, Zone.MELD))


def spot_at(layout: Layout, x: float, y: float) -> Spot | None:
    """The seat's zone that holds a point of the table, mm; None between zones."""
    for seat in SEATS:
        u, v = to_seat(seat, x, y)
        if v < 0:
            for zone, rect in rects(layout):
                if rect.holds(u, v):
                    return seat, zone
    return (Seat.S0, Zone.CENTRE) if layout.zone(Zone.CENTRE).holds(x, y) else None


def spot_of(layout: Layout, sighting: Sighting) -> Spot | None:
    """Where a sighting belongs; the top of a standing tile only to a rack."""
    spot = spot_at(layout, sighting.x, sighting.y)
    if sighting.what == TOP and spot is not None and spot[1] != Zone.RACK:
        return None
    return spot


def pond(layout: Layout, seat: Seat, sightings: Iterable[Sighting], frame: int) -> ZoneSeen:
    """Rows from the centre outwards, each from left to right."""
    tiles = [seen_by(s, seat) for s in sightings]
    tiles.sort(key=lambda t: (_row(layout, t), t.u_mm))
    return ZoneSeen(zone=Zone.POND, seat=seat, tiles=tuple(tiles), frame=frame)


def _row(layout: Layout, tile: TileSeen) -> int:
    """Which row a pond's tile lies in, by its edge towards the player: turned and upright tiles share that line."""
    reach = (layout.tile.width if tile.sideways else layout.tile.length) / 2
    pitch = layout.tile.length + layout.scale
    return round((layout.pond_top - layout.tile.length - (tile.v_mm - reach)) / pitch)


def strip(layout: Layout, seat: Seat, sightings: Iterable[Sighting], frame: int) -> tuple[ZoneSeen, ZoneSeen]:
    """The front strip as (MELD, FLOWER): flower faces lie at the left, everything else in sets parted by gaps."""
    flowers: list[TileSeen] = []
    rest: list[Sighting] = []
    for sighting in sightings:
        if sighting.what == FACE and is_flower(_likeliest(sighting)):
            flowers.append(seen_by(sighting, seat))
        else:
            rest.append(sighting)
    melds = [t for n, group in enumerate(_sets(layout, seat, rest)) for t in _in_order(seat, group, n)]
    flowers.sort(key=lambda t: t.u_mm)
    return (
        ZoneSeen(zone=Zone.MELD, seat=seat, tiles=tuple(melds), frame=frame),
        ZoneSeen(zone=Zone.FLOWER, seat=seat, tiles=tuple(flowers), frame=frame),
    )


def _likeliest(sighting: Sighting) -> Tile:
    """The code, or of an unread face the best candidate: a flower that is not told from its sisters is still a flower."""
    return sighting.candidates[0][0] if sighting.code == UNKNOWN and sighting.candidates else sighting.code


def _sets(layout: Layout, seat: Seat, sightings: Sequence[Sighting]) -> list[list[Sighting]]:
    """Tiles of the front strip parted by gaps, from the player's right on."""
    placed = []
    for sighting in sightings:
        tile = seen_by(sighting, seat)
        half = (layout.tile.length if tile.sideways else layout.tile.width) / 2
        placed.append((tile.u_mm - half, tile.u_mm + half, sighting))
    placed.sort(key=lambda p: -p[1])
    groups: list[list[Sighting]] = []
    edge = 0.0
    for left, right, sighting in placed:
        if groups and edge - right < _GAP_MM * layout.scale:
            groups[-1].append(sighting)
            edge = min(edge, left)
        else:
            groups.append([sighting])
            edge = left
    return groups


def _in_order(seat: Seat, group: Iterable[Sighting], number: int) -> list[TileSeen]:
    """A set from left to right; of two that lie over one another the lower one first."""
    tiles = sorted((seen_by(s, seat, group=number) for s in group), key=lambda t: t.u_mm)
    for n in range(len(tiles) - 1):
        one, two = tiles[n], tiles[n + 1]
        if abs(one.u_mm - two.u_mm) < 6 and two.v_mm < one.v_mm:
            tiles[n], tiles[n + 1] = two, one
    return tiles


def rack(layout: Layout, seat: Seat, sightings: Iterable[Sighting], frame: int) -> RackSeen:
    """Standing tiles counted, lying ones read (backs too), from left to right. The tops' parallax moves all alike."""
    standing = []
    lying: list[TileSeen] = []
    sure = 1.0
    for sighting in sightings:
        if sighting.what == TOP:
            standing.append(to_seat(seat, sighting.x, sighting.y)[0])
            sure = min(sure, sighting.score)
        else:
            lying.append(seen_by(sighting, seat))
            sure = min(sure, sighting.confidence)
    standing.sort()
    lying.sort(key=lambda t: t.u_mm)
    return RackSeen(
        seat=seat,
        standing=len(standing),
        apart=_apart(layout, standing),
        open=tuple(lying),
        confidence=round(sure, 3),
        frame=frame,
    )


def _apart(layout: Layout, us: Sequence[float]) -> int:
    for n in range(len(us) - 1, 0, -1):
        if us[n] - us[n - 1] > layout.tile.width * (1 + _APART):
            return len(us) - n
    return 0


def centre(sightings: Iterable[Sighting], frame: int) -> ZoneSeen:
    """Whatever lies face up in the middle, reported under seat 0. Lamps, digits and dice live there too: only sure faces count."""
    faces = [s for s in sightings if s.what == FACE and s.confidence >= _CENTRE_SURE and s.score >= _CENTRE_SCORE]
    tiles = sorted((seen_by(s, Seat.S0) for s in faces), key=lambda t: (-t.v_mm, t.u_mm))
    return ZoneSeen(zone=Zone.CENTRE, seat=Seat.S0, tiles=tuple(tiles), frame=frame)
