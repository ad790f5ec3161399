"""A hand to be scored, the circumstances of its win, and what came of it: a score with its items, or why it is no win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from table_engine.state import Meld
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat, Wind
from table_engine.wire.tiles import Tile

Unit = Literal["han", "tai", "fan", "point"]


@dataclass(frozen=True, slots=True)
class Hand:
    """`concealed` are the standing tiles without the winning tile, in any order; `melds` all sets shown, concealed kongs
    included; `flowers` the flowers laid out."""

    concealed: tuple[Tile, ...]
    win: Tile
    melds: tuple[Meld, ...] = ()
    flowers: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """The circumstances of a win. `source` gave the tile (None: self-draw).

    `last_tile`: the last tile that is drawn, or the discard after it. `replacement`: drawn for a kong (or flower).
    `first_turn`: before anybody has called and before the winner's own first discard. `one_round`: within one go-round
    of declaring ready without a call (ippatsu). `last_copy`: the other three of the winning kind lie open.
    `liable` pays for a set of sets it made certain; None: found by the melds where the rules know liability.
    `streak`: how often the dealer has stayed. `honba` counters and `sticks` of earlier ready bets go to the winner.
    """

    winner: Seat = Seat.S0
    source: Seat | None = None
    dealer: Seat = Seat.S0
    seat_wind: Wind = Wind.EAST
    round_wind: Wind = Wind.EAST
    ready: bool = False
    double_ready: bool = False
    one_round: bool = False
    last_tile: bool = False
    replacement: bool = False
    robbing: bool = False
    first_turn: bool = False
    last_copy: bool = False
    dora: tuple[Tile, ...] = ()
    """Indicators turned up, not the dora themselves."""
    ura: tuple[Tile, ...] = ()
    honba: int = 0
    sticks: int = 0
    streak: int = 0
    liable: Seat | None = None
    marks: tuple[str, ...] = ()
    """Patterns that only the course of the game decides and only some houses know, by their names in the tariff."""

    @property
    def self_drawn(self) -> bool:
        return self.source is None or self.source == self.winner


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a hand scores for: `name` in the rule set's own terms, `value` in its unit."""

    name: str
    english: str
    value: int


@dataclass(frozen=True, slots=True)
class Score:
    """A valid win. `total` is the sum of the items in `unit`; `points` what the winner gains from the players, without the
    ready sticks; `payments` each seat's change by seat number, which add up to the value of the sticks taken."""

    winner: Seat
    unit: Unit
    items: tuple[Item, ...]
    total: int
    points: int
    payments: tuple[int, int, int, int]
    fu: int = 0
    limit: str = ""
    """Name of the limit hand, e.g. `mangan`; empty below."""


Why = Literal["tiles", "shape", "no_yaku", "minimum"]
"""`tiles`: more copies of a kind than a set holds, or the wrong number of tiles. `shape`: not a winning shape. `no_yaku`: a
shape that scores nothing where something is asked. `minimum`: scores less than the rules ask."""


@dataclass(frozen=True, slots=True)
class NoWin:
    """Why a hand is no win: the kind of reason and one sentence without its full stop. `distance` is how many tiles away
    from ready the hand without the winning tile is (0: ready), where that is known."""

    why: Why
    says: Phrase
    distance: int | None = None


Outcome = Score | NoWin
