"""The things on the table, as they lie at one moment. This is all a renderer or a sensor may look at.

Table frame as in `table_engine/wire/layout.py`: mm, origin at the centre of the felt, x to the right and y away from
seat 0, z up from the felt. Angles are degrees counter-clockwise seen from above.

How a tile is turned is two numbers:
- `angle_deg` turns it on the felt: 0 reads upright for seat 0, 90 for seat 1, 180 for seat 2, -90 (270) for seat 3.
- `tilt_deg` tips it about its own short middle axis: 0 lies face up, 90 stands on its lower short edge with the face
  towards the reader (for angle 0 the face looks along -y), 180 lies face down. In between it is being tipped over.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile


class Pose(StrEnum):
    UP = "up"
    DOWN = "down"
    STANDING = "standing"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing is and how it is turned. (x, y) is the middle of its footprint, z its lowest point above the felt."""

    x: float
    y: float
    z: float = 0.0
    angle_deg: float = 0.0
    tilt_deg: float = 0.0

    @property
    def pose(self) -> Pose:
        if self.tilt_deg < 45:
            return Pose.UP
        return Pose.STANDING if self.tilt_deg < 135 else Pose.DOWN


@dataclass(frozen=True, slots=True)
class TileThing:
    """One tile. `id` stays with it for the life of the set; `back` numbers the set (a table has two, of different backs)."""

    id: int
    face: Tile
    back: int
    place: Place
    held: Seat | None = None
    """The seat whose arm carries it; None when it rests."""

    @property
    def pose(self) -> Pose:
        return self.place.pose


@dataclass(frozen=True, slots=True)
class ArmThing:
    """A player's forearm and hand while it is over the table: a limb from the shoulder point (outside the picture) to
    the palm, palm down, fingers pointing away from the shoulder. Absent arms are not listed."""

    seat: Seat
    palm_x: float
    palm_y: float
    palm_z: float
    shoulder_x: float
    shoulder_y: float
    carrying: tuple[int, ...] = ()
    """Ids of the tiles between its fingers."""


@dataclass(frozen=True, slots=True)
class DieThing:
    """A die behind the window in the middle, `pips` up."""

    x: float
    y: float
    angle_deg: float
    pips: int


@dataclass(frozen=True, slots=True)
class StickThing:
    """A 1000-point stick lying on the felt: (x, y) its middle, 0 degrees lies along x. About 90 by 7 mm at tile width 26."""

    owner: Seat
    x: float
    y: float
    angle_deg: float


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """Everything on the table at one moment of simulated time."""

    at_ms: int
    tiles: tuple[TileThing, ...]
    arms: tuple[ArmThing, ...] = ()
    dice: tuple[DieThing, ...] = ()
    sticks: tuple[StickThing, ...] = ()
    dealer: Seat = Seat.S0
    """Whose dealer lamp is lit in the middle."""
    bay_open: bool = False
    """The plate in the middle (layout's CENTRE zone) is raised and the opening round it takes the used tiles."""
