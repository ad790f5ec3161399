"""What happens on the table, with its times: arms and tiles move from rest to rest, the machine does things at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from table_engine.wire.seats import Seat
from virtual_table.table import Place, TileThing


@dataclass(frozen=True, slots=True)
class Motion:
    """An arm goes somewhere, tiles go with it. From wherever they are at `start_ms` to rest at `end_ms`."""

    start_ms: int
    end_ms: int
    arm: Seat | None
    """Whose arm; None: the machine's lift."""
    palm: tuple[float, float] | None = None
    """Table (x, y) of the palm at the end; None: the arm has left the picture."""
    tiles: tuple[tuple[int, Place], ...] = ()
    rise_mm: float = 0.0
    """Height of the arc the tiles are carried on."""


@dataclass(frozen=True, slots=True)
class Built:
    """The machine puts a set down as walls; the tiles then rise by a `Motion`."""

    at_ms: int
    tiles: tuple[TileThing, ...]


@dataclass(frozen=True, slots=True)
class Completed:
    """The walls stand: the machine says that a hand may begin."""

    at_ms: int
    tiles: int


@dataclass(frozen=True, slots=True)
class Swallowed:
    """Tiles fall into the bay."""

    at_ms: int
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BayMoved:
    at_ms: int
    open: bool


@dataclass(frozen=True, slots=True)
class DealerLit:
    at_ms: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Rolled:
    at_ms: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StickMoved:
    """A ready stick is laid down in front of a seat's pond, or taken away."""

    at_ms: int
    seat: Seat
    present: bool


@dataclass(frozen=True, slots=True)
class Pressed:
    """A player presses a call button."""

    at_ms: int
    seat: Seat
    call: Literal["chow", "pung", "kong", "win", "ready"]


Sudden = Built | Completed | Swallowed | BayMoved | DealerLit | Rolled | StickMoved | Pressed
Happening = Motion | Sudden


@dataclass(frozen=True, slots=True)
class Batch:
    """Happenings of one deed. Nothing in a later batch starts before `until_ms`."""

    until_ms: int
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long people take, ms. `spread` is the share by which every figure varies."""

    reach: int
    """Arm to a tile."""
    carry: int
    """A tile from hand to place."""
    withdraw: int
    rest: int
    """Least time a zone lies still before it changes again."""
    think: int
    """Between a tile drawn and a tile chosen, beyond `rest`."""
    pause: int
    """Between a discard at rest and the next player's move: the time to claim."""
    take: int
    """One take of the deal, from one reach to the next."""
    machine: int
    """Each step of the machine: lamps, dice, bay, walls rising."""
    spread: float


LIFELIKE = Pace(
    reach=420, carry=620, withdraw=380, rest=800, think=1100, pause=900, take=1250, machine=2200, spread=0.35
)
BRISK = Pace(reach=250, carry=350, withdraw=180, rest=700, think=0, pause=330, take=700, machine=800, spread=0.0)
PACES = {"lifelike": LIFELIKE, "brisk": BRISK}
