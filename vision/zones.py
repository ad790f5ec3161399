"""What the tiles seen in a zone say, zone by zone: pure functions from sightings to observations.

Order and grouping are those of `wire/observations`. Positions follow `wire/layout`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from table_engine.wire.arrangement import apart, in_sets
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
_CENTRE_SURE, _CENTRE_SCORE = 0.9, 0.6


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
    tiles.sort(key=lambda t: (row(layout, t), t.u_mm))
    return ZoneSeen(zone=Zone.POND, seat=seat, tiles=tuple(tiles), frame=frame)


def row(layout: Layout, tile: TileSeen) -> int:
    """Which row a pond's tile lies in, by its edge towards the player: turned and upright tiles share that line."""
    reach = (layout.tile.width if tile.sideways else layout.tile.length) / 2
    pitch = layout.tile.length + layout.scale
    return round((layout.pond_top - layout.tile.length - (tile.v_mm - reach)) / pitch)


def strip(layout: Layout, seat: Seat, sightings: Iterable[Sighting], frame: int) -> tuple[ZoneSeen, ZoneSeen]:
    """The front strip as (MELD, FLOWER): flower faces lie at the left, everything else in sets parted by gaps."""
    flowers: list[TileSeen] = []
    rest: list[TileSeen] = []
    for sighting in sightings:
        if sighting.what == FACE and is_flower(_likeliest(sighting)):
            flowers.append(seen_by(sighting, seat))
        else:
            rest.append(seen_by(sighting, seat))
    flowers.sort(key=lambda t: t.u_mm)
    return (
        ZoneSeen(zone=Zone.MELD, seat=seat, tiles=in_sets(layout.tile, rest), frame=frame),
        ZoneSeen(zone=Zone.FLOWER, seat=seat, tiles=tuple(flowers), frame=frame),
    )


def _likeliest(sighting: Sighting) -> Tile:
    """The code, or of an unread face the best candidate: a flower that is not told from its sisters is still a flower."""
    return sighting.candidates[0][0] if sighting.code == UNKNOWN and sighting.candidates else sighting.code


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
        apart=apart(layout.tile, standing),
        open=tuple(lying),
        confidence=round(sure, 3),
        frame=frame,
    )


def centre(sightings: Iterable[Sighting], frame: int) -> ZoneSeen:
    """Whatever lies face up in the middle, reported under seat 0. Lamps, digits and dice live there too: only sure faces count."""
    faces = [s for s in sightings if s.what == FACE and s.confidence >= _CENTRE_SURE and s.score >= _CENTRE_SCORE]
    tiles = sorted((seen_by(s, Seat.S0) for s in faces), key=lambda t: (-t.v_mm, t.u_mm))
    return ZoneSeen(zone=Zone.CENTRE, seat=Seat.S0, tiles=tuple(tiles), frame=frame)
