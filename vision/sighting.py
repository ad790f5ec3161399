"""A tile as one look at the table gives it: where it lies and what it shows, in millimetres."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from table_engine.wire.layout import to_seat
from table_engine.wire.observations import TileSeen
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from vision.colour import Colour

_SAME_MM = 9.0
"""A tile that lies within this of where it lay (at tile width 26) has not been lifted."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One tile. (x, y) is the middle of what is seen of it, in the table frame, as if it lay face up on the felt: parallax
    of what is higher is not taken off yet."""

    x: float
    y: float
    angle_deg: float
    """Turn of its up direction from seat 0's upright, counter-clockwise, -180..180. Of a back or a top: of its long axis."""
    what: int
    """`labels.FACE`, `BACK_UP` or `TOP`."""
    code: Tile
    confidence: float
    score: float
    """Of the detector, 0..1."""
    level: float = 1.0
    """Height of the quad in thicknesses of a tile as the detector judges it."""
    size: float = 1.0
    """Area of the quad over that of a face lying on the felt."""
    candidates: tuple[tuple[Tile, float], ...] = ()
    track: int = 0
    colour: Colour | None = None
    """In the middle of a back or of a white dragon."""


def unlifted(one: Sighting, two: Sighting, scale: float) -> bool:
    """Whether two sightings lie so near to one another that a tile seen as one and then as the other has not been lifted.
    `scale` is the layout's."""
    return hypot(one.x - two.x, one.y - two.y) < _SAME_MM * scale


def seen_by(sighting: Sighting, seat: Seat, *, group: int = 0) -> TileSeen:
    """The sighting as the wire says it, in a seat's local frame."""
    u, v = to_seat(seat, sighting.x, sighting.y)
    angle = turned(sighting.angle_deg - 90.0 * seat)
    return TileSeen(
        code=sighting.code,
        confidence=round(min(max(sighting.confidence, 0.0), 1.0), 3),
        candidates=sighting.candidates,
        u_mm=round(u, 1),
        v_mm=round(v, 1),
        angle_deg=round(angle, 1),
        sideways=45 < abs(angle) < 135,
        group=group,
        track=sighting.track,
    )


def turned(degrees: float) -> float:
    """The same direction within -180..180."""
    return (degrees + 180.0) % 360.0 - 180.0
