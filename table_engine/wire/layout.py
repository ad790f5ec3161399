"""Where things lie on a table: the shared convention of site file, cameras and people who set a table up.

Table frame: millimetres, origin at the centre of the playing field, x to the right and y away from seat 0, z up.
Local frame of a seat: u to the player's right, v towards the centre (negative in front of the player); the local frame of
seat s is the table frame turned by s quarter turns counter-clockwise, so seat 0's local frame is the table frame.

From the centre to the player: dice window, pond (rows of six), wall (two high), front strip (melds from the right
end inwards, flowers from the left end inwards), rack (the standing hand), edge. Everything scales with the tile's width.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import cos, pi, sin

from table_engine.wire.seats import Seat

MARKER_DICTIONARY = "DICT_4X4_50"


class Zone(StrEnum):
    """A named region in front of one seat (`CENTRE` belongs to the table; reported under seat 0)."""

    POND = "pond"
    WALL = "wall"
    MELD = "meld"
    FLOWER = "flower"
    RACK = "rack"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Rect:
    """Axis-aligned region in a seat's local frame, mm."""

    u0: float
    v0: float
    u1: float
    v1: float

    def holds(self, u: float, v: float) -> bool:
        return self.u0 <= u <= self.u1 and self.v0 <= v <= self.v1

    def out(self, mm: float) -> Rect:
        """So much nearer to the player."""
        return Rect(self.u0, self.v0 - mm, self.u1, self.v1 - mm)


@dataclass(frozen=True, slots=True)
class TileSize:
    """A tile's body in mm: width and length of the face, thickness."""

    width: float = 26.0
    length: float = 35.0
    depth: float = 20.0

    @classmethod
    def of_width(cls, width: float) -> TileSize:
        """A tile of the usual proportions for this width of face."""
        return cls(width, round(width * 35 / 26, 1), round(width * 20 / 26, 1))


def to_table(seat: Seat, u: float, v: float) -> tuple[float, float]:
    """Local (u, v) of a seat → table (x, y), mm."""
    c, s = _TURNS[seat]
    return u * c - v * s, u * s + v * c


def to_seat(seat: Seat, x: float, y: float) -> tuple[float, float]:
    """Table (x, y) → local (u, v) of a seat, mm."""
    c, s = _TURNS[seat]
    return x * c + y * s, -x * s + y * c


_TURNS = tuple((round(cos(n * pi / 2)), round(sin(n * pi / 2))) for n in range(4))


@dataclass(frozen=True, slots=True)
class Moves:
    """How far the zones of one table lie from their usual places, mm: outwards, from the centre to the player. `pond_wide`: by
    how much a pond reaches further to both sides."""

    pond: float = 0.0
    wall: float = 0.0
    meld: float = 0.0
    rack: float = 0.0
    pond_wide: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """The zones of a table for one tile size and number of stacks per wall side (17 for 136 tiles, 18 for 144)."""

    tile: TileSize = TileSize()
    stacks: int = 17
    moves: Moves = Moves()

    @property
    def scale(self) -> float:
        return self.tile.width / 26.0

    @property
    def half(self) -> float:
        """Half the side of the square that holds everything that matters, racks included."""
        return 430.0 * self.scale

    @property
    def wall_v(self) -> float:
        """v of the wall's middle line. Stack i, counted from the player's right, lies at `wall_u(i)`."""
        return -252.0 * self.scale - self.moves.wall

    def wall_u(self, index: int) -> float:
        """u of the middle of stack `index`, counted from the right end of the side as its player sees it (0-based)."""
        return (self.stacks / 2 - 0.5 - index) * self.tile.width

    @property
    def pond_columns(self) -> int:
        return 6

    @property
    def pond_top(self) -> float:
        """v of the edge of the first pond row that is nearest to the centre."""
        return -90.0 * self.scale - self.moves.pond

    @property
    def meld_v(self) -> float:
        return -306.0 * self.scale - self.moves.meld

    @property
    def meld_right(self) -> float:
        """u where the first meld's right edge lies; later melds follow to the left."""
        return 420.0 * self.scale

    @property
    def flower_left(self) -> float:
        """u where the first flower's left edge lies; later flowers follow to the right."""
        return -235.0 * self.scale

    @property
    def rack_v(self) -> float:
        """v of the middle line of the standing hand; a hand laid open lies on the same line."""
        return -358.0 * self.scale - self.moves.rack

    @property
    def marker_side(self) -> float:
        """Side of a printed position marker (ArUco, `MARKER_DICTIONARY`), its white margin not counted."""
        return 34.0 * self.scale

    @property
    def marker_centres(self) -> tuple[tuple[float, float], ...]:
        """Table (x, y) of the middles of markers 0..3: marker s lies in the corner at the right hand of seat s, outside
        every zone. All are printed upright as seat 0 reads."""
        d = self.half - 22 * self.scale
        return ((d, -d), (d, d), (-d, d), (-d, -d))

    def zone(self, zone: Zone) -> Rect:
        """The region of a zone in local coordinates. FLOWER and MELD share the front strip and meet where they meet:
        flower faces mark the boundary; the strip is reported whole under both."""
        k, moves = self.scale, self.moves
        wide = moves.pond_wide
        wall_half = self.stacks / 2 * self.tile.width + 8 * k
        strip = Rect(-245 * k, -334 * k, 428 * k, -277 * k).out(moves.meld)
        return {
            Zone.CENTRE: Rect(-72 * k, -72 * k, 72 * k, 72 * k),
            Zone.POND: Rect(-95 * k - wide, -232 * k, 180 * k + wide, -88 * k).out(moves.pond),
            Zone.WALL: Rect(-wall_half, -276 * k, wall_half, -229 * k).out(moves.wall),
            Zone.MELD: strip,
            Zone.FLOWER: strip,
            Zone.RACK: Rect(-275 * k, -395 * k, 275 * k, -335 * k).out(moves.rack),
        }[zone]
