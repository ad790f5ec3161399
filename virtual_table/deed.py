"""What a player is about to do, and who decides it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from table_engine.wire.actions import Action
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.position import Position
from virtual_table.script import Foul


class Manner(Enum):
    """How a move is made."""

    PLAIN = "plain"
    LINGER = "linger"
    """A discard that hovers on its way, so that somebody may be quicker."""
    HURRIED = "hurried"
    """A draw that does not wait for the previous discard to come to rest."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One move a player makes, and how."""

    move: Action
    manner: Manner = Manner.PLAIN
    wait_ms: int = 0
    """How long the player lets pass first."""
    tiles: tuple[Tile, ...] = ()
    """The tiles of a concealed kong that is none."""


class Mover(Protocol):
    """Who decides what happens next in a hand."""

    fouls: list[Foul]
    """Fouls still to be committed in this hand; may be added to while it runs."""
    committed: list[Foul]

    def next(self, position: Position) -> Deed | None:
        """The next deed; None when the hand is over. A `HandEnded` ends it too."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One hand to be played: the wall face by face in the order of `deal.wall_order`, and who moves."""

    dealer: Seat
    dice: tuple[int, ...]
    wall: tuple[Tile, ...]
    mover: Mover
    title: str = ""
    broken: tuple[Seat, int] | None = None
    """Side and stack at which the wall is broken, where that is not what the dice say."""
    covered: frozenset[Seat] = frozenset()
    """Who does not turn up the own concealed kongs at the end."""
