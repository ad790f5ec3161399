"""The public picture of one table: what `engine/state` carries and every screen draws. Concealed tiles are counts only."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from table_engine.wire.effects import Effect
from table_engine.wire.observations import Code, Wired
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat, Wind


class PondTile(Wired):
    """`index` counts all discards of the seat, called ones too: its name in a correction."""

    tile: Code
    sideways: bool = False
    index: int = 0


class MeldView(Wired):
    """`turned` is the index of the tile that shows whom it was called from; none for a concealed kong."""

    kind: Literal["chow", "pung", "kong", "added", "concealed"]
    tiles: tuple[Code, ...]
    turned: int | None = None
    source: Seat | None = None
    indices: tuple[int, ...] = ()
    """Of the tiles as they are listed here: their names in a correction, counted over all sets of the seat."""


class SeatView(Wired):
    seat: Seat
    name: str = ""
    wind: Wind | None = None
    dealer: bool = False
    concealed: int = 0
    open: tuple[Code, ...] = ()
    """A hand laid open: its faces."""
    pond: tuple[PondTile, ...] = ()
    melds: tuple[MeldView, ...] = ()
    flowers: tuple[Code, ...] = ()
    ready: bool = False
    won: bool = False
    """The hand was laid open as a win."""
    effects: tuple[str, ...] = ()
    """Standing effects of fouls, e.g. `dead_hand`."""
    standing: tuple[Effect, ...] = ()
    """The same with what belongs to them: tiles, the rule's row."""


class TableView(Wired):
    """`state_seq` grows with every change, `hand` counts hands since the match began, `wall_left` the tiles still to be
    drawn before the reserved ones."""

    v: Literal[1] = 1
    table: str
    ruleset: str
    state_seq: int
    at_ms: int
    phase: Literal["waiting", "dealing", "playing", "ended"]
    hand: int = 0
    turn: Seat | None = None
    turns: int = 0
    wall_left: int | None = None
    dora: tuple[Code, ...] = ()
    dice: tuple[int, ...] = ()
    last: str = ""
    """The last move in words."""
    seats: tuple[SeatView, SeatView, SeatView, SeatView]
    degraded: tuple[str, ...] = ()
    """What the engine does not know now, in words; no foul is ruled from it."""
    phrases: tuple[Phrase, ...] = ()
    """What `degraded` is made of."""
    sensors: dict[str, str] = Field(default_factory=dict)
    """State in words of every camera and bridge of the table."""
