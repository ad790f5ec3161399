"""Who has which things in one hand: what every player at the table could tell by looking, concealed hands included."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, order
from virtual_table.customs import Customs
from virtual_table.deal import tail

MeldKind = Literal["chow", "pung", "kong", "concealed", "added"]


@dataclass(slots=True)
class Meld:
    kind: MeldKind
    tiles: list[int]
    """Left to right as they lie; the fourth tile of an added kong last."""
    called: int | None = None
    source: Seat | None = None


@dataclass(slots=True)
class Side:
    """One seat's things, by id."""

    hand: list[int] = field(default_factory=list)
    """Racked tiles, left to right."""
    drawn: list[int] = field(default_factory=list)
    """Tiles standing apart at the right: drawn, not racked."""
    melds: list[Meld] = field(default_factory=list)
    flowers: list[int] = field(default_factory=list)
    pond: list[int] = field(default_factory=list)
    ready: bool = False

    @property
    def concealed(self) -> list[int]:
        return self.hand + self.drawn


@dataclass(slots=True)
class Position:
    """One hand in progress. `wall` lists tile ids in the order of `deal.wall_order`; None where a tile was taken."""

    customs: Customs
    dealer: Seat
    faces: dict[int, Tile]
    wall: list[int | None]
    sides: tuple[Side, ...] = field(default_factory=lambda: tuple(Side() for _ in SEATS))
    discard: tuple[Seat, int] | None = None
    """The last discard while it may be claimed: who and which tile."""
    turned: int = 0
    """Dora indicators turned up."""
    first: bool = True
    """Nobody has discarded yet."""
    _head: int = 0

    def side(self, seat: Seat) -> Side:
        return self.sides[seat]

    @property
    def left(self) -> int:
        """Tiles in the wall, dead wall included."""
        return sum(t is not None for t in self.wall)

    def head(self) -> int | None:
        """Index of the tile a turn takes next; None when the wall is empty."""
        while self._head < len(self.wall) and self.wall[self._head] is None:
            self._head += 1
        return self._head if self._head < len(self.wall) else None

    def tail(self) -> int | None:
        """Index of the tile a replacement takes next."""
        return next((i for i in tail(len(self.wall)) if self.wall[i] is not None), None)

    def take(self, index: int) -> int:
        """Takes a tile out of the wall and gives its id."""
        tile = self.wall[index]
        if tile is None:
            raise LookupError(f"no tile lies at place {index} of the wall")
        self.wall[index] = None
        return tile

    def put_back(self, index: int, tile: int) -> None:
        """Lays a tile back where it was taken."""
        self.wall[index] = tile
        self._head = min(self._head, index)

    def find(self, seat: Seat, face: Tile) -> int:
        """A tile of this face in a seat's hand, one that stands apart first."""
        side = self.side(seat)
        for tile in (*side.drawn, *reversed(side.hand)):
            if self.faces[tile] == face:
                return tile
        raise LookupError(f"seat {int(seat)} holds no {face}")

    def remove(self, seat: Seat, tile: int) -> None:
        side = self.side(seat)
        (side.drawn if tile in side.drawn else side.hand).remove(tile)

    def rack(self, seat: Seat) -> None:
        """Sorts the tiles standing apart into the hand."""
        side = self.side(seat)
        side.hand = sorted(side.concealed, key=lambda t: (order(self.faces[t]), t))
        side.drawn = []

    def tiles(self, seat: Seat) -> tuple[Tile, ...]:
        """Faces of a seat's concealed tiles."""
        return tuple(self.faces[t] for t in self.side(seat).concealed)
