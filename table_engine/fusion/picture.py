"""What lies where, as far as the sensors said: the latest content of every zone and reading, with the moment it changed.

`look.look` is the only way a picture changes. Nothing here knows the rules of the game or what was believed before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from table_engine.wire.frozen import replace
from table_engine.wire.layout import Zone
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

LONG_AGO: Final = -(2**62)


@dataclass(frozen=True, slots=True)
class Face:
    """One tile that lies face up or face down in a zone."""

    code: Tile
    sideways: bool = False
    group: int = 0
    confidence: float = 1.0
    candidates: tuple[tuple[Tile, float], ...] = ()
    u_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Lying:
    """The content of one zone. `at_ms`: since when it is so; `came_ms`: how far all sources had been heard when that was
    learnt (later than `at_ms` for news that comes late); `proof`: the id of the observation that said so first."""

    faces: tuple[Face, ...] = ()
    at_ms: int = LONG_AGO
    came_ms: int = LONG_AGO
    proof: str = ""

    @property
    def codes(self) -> tuple[Tile, ...]:
        return tuple(face.code for face in self.faces)

    @property
    def known(self) -> bool:
        return self.at_ms != LONG_AGO


@dataclass(frozen=True, slots=True)
class Rack:
    """A hand: tiles standing (how many of them apart), and those that lie open."""

    standing: int = 0
    apart: int = 0
    open: tuple[Face, ...] = ()
    at_ms: int = LONG_AGO
    came_ms: int = LONG_AGO
    proof: str = ""
    count_ms: int = LONG_AGO
    """Since when it holds so many tiles."""

    @property
    def count(self) -> int:
        return self.standing + len(self.open)

    @property
    def known(self) -> bool:
        return self.at_ms != LONG_AGO


@dataclass(frozen=True, slots=True)
class Side:
    """One wall side as the camera sees it."""

    heights: tuple[int, ...] = ()
    open: tuple[Face, ...] = ()
    at_ms: int = LONG_AGO
    came_ms: int = LONG_AGO
    proof: str = ""

    @property
    def known(self) -> bool:
        return self.at_ms != LONG_AGO


@dataclass(frozen=True, slots=True)
class Reading:
    """A number a table controller reads."""

    value: int = 0
    at_ms: int = LONG_AGO
    came_ms: int = LONG_AGO
    proof: str = ""

    @property
    def known(self) -> bool:
        return self.at_ms != LONG_AGO


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm in the picture, or one that has left it: over which zone, from when until when (None: still there)."""

    seat: Seat
    zone: Zone
    owner: Seat
    since_ms: int
    until_ms: int | None = None


_FOUR_ZONES: Final = (Lying(), Lying(), Lying(), Lying())
_FOUR_READINGS: Final = (Reading(), Reading(), Reading(), Reading())
_ARMS_KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything by seat. `wall_counts`, `discard_counts`, `sticks`, `walls_touched` and what follows are the controller's."""

    ponds: tuple[Lying, ...] = _FOUR_ZONES
    melds: tuple[Lying, ...] = _FOUR_ZONES
    flowers: tuple[Lying, ...] = _FOUR_ZONES
    centre: Lying = Lying()
    racks: tuple[Rack, ...] = (Rack(), Rack(), Rack(), Rack())
    walls: tuple[Side, ...] = (Side(), Side(), Side(), Side())
    arms: tuple[Arm, ...] = ()
    wall_counts: tuple[Reading, ...] = _FOUR_READINGS
    wall_slots: tuple[int, ...] = (-1, -1, -1, -1)
    discard_counts: tuple[Reading, ...] = _FOUR_READINGS
    walls_touched: tuple[Reading, ...] = _FOUR_READINGS
    sticks: tuple[Reading, ...] = _FOUR_READINGS
    dice: tuple[tuple[int, ...], ...] = ()
    dice_ms: int = LONG_AGO
    dealer: Seat | None = None
    bay: Reading = Reading()
    complete: Reading = Reading()
    buttons: tuple[tuple[int, Seat, str], ...] = ()

    def forget_camera(self) -> Picture:
        """Nothing a camera said: it starts anew and will say everything."""
        fresh = Picture()
        return replace(
            self,
            ponds=fresh.ponds,
            melds=fresh.melds,
            flowers=fresh.flowers,
            centre=fresh.centre,
            racks=fresh.racks,
            walls=fresh.walls,
            arms=fresh.arms,
        )

    def wall_seen(self) -> int | None:
        """Tiles in the wall by the camera; None before all four sides were seen."""
        return sum(sum(s.heights) for s in self.walls) if all(s.known for s in self.walls) else None

    def wall_counted(self) -> int | None:
        """Tiles in the wall by the controller; None before all four sides were read."""
        return sum(r.value for r in self.wall_counts) if all(r.known for r in self.wall_counts) else None
