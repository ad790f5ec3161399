"""What moved: the game as the engine believes it was played. A closed union of frozen records, also the language of
imported game records (`records/`) and of what a virtual table is told to play.

Actions are facts, legal or not. A concealed draw has tile `?`. `at_ms` is when it happened, `evidence` the ids of the
observations it was concluded from, `confidence` 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from table_engine.wire.seats import Seat
from table_engine.wire.tiles import UNKNOWN, Tile

Clock = Literal["first_discard", "turn", "hand", "count", "match"]
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What every action carries."""

    __pydantic_config__ = _STRICT
    at_ms: int = 0
    evidence: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStarted(Moved):
    """Walls built and tiles dealt: each seat holds its starting hand (dealer one more) before flowers are replaced.
    `dice` are the rolls in order; `break_side`/`break_stack` the wall side and the stack (0-based from its player's
    right) at which the first tile was taken (None: unknown)."""

    type: Literal["hand_started"] = "hand_started"
    dealer: Seat
    dice: tuple[int, ...] = ()
    break_side: Seat | None = None
    break_stack: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(Moved):
    """A tile taken from the wall into a hand."""

    type: Literal["drew"] = "drew"
    seat: Seat
    end: Literal["head", "tail"] = "head"
    tile: Tile = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded(Moved):
    """A tile laid into the pond. `sideways` declares ready under riichi rules. `drawn`: it is the tile that was drawn just
    before (None: nobody saw which)."""

    type: Literal["discarded"] = "discarded"
    seat: Seat
    tile: Tile
    sideways: bool = False
    drawn: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(Moved):
    """A discard taken up into an open set. `tiles` is the whole set, the called `tile` included."""

    type: Literal["called"] = "called"
    seat: Seat
    call: Literal["chow", "pung", "kong"]
    tile: Tile
    source: Seat
    tiles: tuple[Tile, ...]
    place: int | None = None
    """Where the called tile lies in its set, from the player's left, counted from 0: the one lying sideways, or in a chow
    the face itself (None: nobody saw)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Konged(Moved):
    """A kong on one's own turn. Faces of a concealed kong may be unknown until shown."""

    type: Literal["konged"] = "konged"
    seat: Seat
    kong: Literal["concealed", "added"]
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowersShown(Moved):
    type: Literal["flowers_shown"] = "flowers_shown"
    seat: Seat
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoraShown(Moved):
    """A dora indicator turned up on the dead wall (the first one belongs to the deal)."""

    type: Literal["dora_shown"] = "dora_shown"
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class WinShown(Moved):
    """A hand laid open as a win. `source` is who gave the tile (None: self-draw)."""

    type: Literal["win_shown"] = "win_shown"
    seat: Seat
    source: Seat | None = None
    tile: Tile = UNKNOWN
    hand: tuple[Tile, ...] = ()
    """The concealed tiles as laid open, without the sets and without the winning tile (a self-drawn one lies apart)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(Moved):
    """A hand laid open that is no win: to show that it is ready when the wall is played out, or after another's win.
    `hand` is the concealed tiles."""

    type: Literal["hand_shown"] = "hand_shown"
    seat: Seat
    hand: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesExposed(Moved):
    """Tiles that lie open although they belong to nobody's set, pond or win: of the own hand (`hand`: knocked over or
    shown for a call that was not made), or of the wall before `seat` (`wall`: turned up by accident)."""

    type: Literal["tiles_exposed"] = "tiles_exposed"
    seat: Seat
    tiles: tuple[Tile, ...]
    where: Literal["hand", "wall"] = "hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnded(Moved):
    """The tiles go back into the machine. `won` if somebody showed a win."""

    type: Literal["hand_ended"] = "hand_ended"
    won: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnnounced(Moved):
    """A call made by voice, button or referee key, whether or not it is carried out."""

    type: Literal["call_announced"] = "call_announced"
    seat: Seat
    call: Literal["chow", "pung", "kong", "win", "ready"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileReturned(Moved):
    """Something was taken back: a discard back into the hand, a called tile back into the pond, a drawn tile back to the wall."""

    type: Literal["tile_returned"] = "tile_returned"
    seat: Seat
    what: Literal["discard", "call", "draw"]
    tile: Tile = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class TileCorrected(Moved):
    """A tile believed to be `was` is really `tile` (a better look, the game's own logic, or a person). `sideways`: the
    better look also shows a discard to declare ready."""

    type: Literal["tile_corrected"] = "tile_corrected"
    seat: Seat
    zone: Literal["pond", "meld", "flower", "dora"]
    index: int
    was: Tile
    tile: Tile
    sideways: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSeen(Moved):
    """The tiles standing in a hand were counted at rest; differs from or confirms what the moves add up to."""

    type: Literal["count_seen"] = "count_seen"
    seat: Seat
    concealed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCorrected(Moved):
    """A person says whose turn it is and what is to be done."""

    type: Literal["turn_corrected"] = "turn_corrected"
    seat: Seat
    phase: Literal["draw", "discard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawHeld(Moved):
    """Who still arranges the hand after the deal asks that this seat does not draw yet (WS-F12)."""

    type: Literal["draw_held"] = "draw_held"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRan(Moved):
    """A clock ran past its limit, pauses and free time taken off: for the first time (`periods` 1), or once more by a whole
    period of the rule set. `since_ms` is when it began and tells one turn from another; `match` belongs to no seat."""

    type: Literal["clock_ran"] = "clock_ran"
    seat: Seat
    clock: Clock
    since_ms: int
    spent_ms: int
    limit_ms: int
    periods: int = 1


Action = Annotated[
    HandStarted
    | Drew
    | Discarded
    | Called
    | Konged
    | FlowersShown
    | DoraShown
    | WinShown
    | HandShown
    | TilesExposed
    | HandEnded
    | CallAnnounced
    | TileReturned
    | TileCorrected
    | CountSeen
    | TurnCorrected
    | DrawHeld
    | ClockRan,
    Field(discriminator="type"),
]
ACTION: TypeAdapter[Action] = TypeAdapter(Action)
