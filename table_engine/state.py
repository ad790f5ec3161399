"""The facts of one table's game at one moment. Frozen values; `apply` makes the next one, `ask` answers questions.

Counts are what the moves add up to. Where a hand was counted and the count differs, `Player.off` keeps by how much, so
that moves and counts can each be wrong without the other being lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from table_engine.passed import Passed
from table_engine.wire.effects import Effect
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

Phase = Literal["waiting", "discard", "draw", "over"]
"""`waiting`: no hand has begun. `discard`: `actor` holds the extra tile (or waits for a replacement) and must discard.
`draw`: a discard lies open, `actor` is next to draw, others may call. `over`: somebody has won or the hand has ended."""

FOREVER: Final = 2**62
_NOTHING_PASSED: Final = Passed()
Ending = Literal[
    "won",
    "exhaustive",
    "nine_terminals",
    "four_winds",
    "four_kongs",
    "four_ready",
    "three_winners",
    "ruling",
    "time",
    "unknown",
]
"""`exhaustive`: the wall is played out. `ruling`: by a foul or the referee. `time`: the match was over. `unknown`: the
tiles went back into the machine and nothing says why."""


@dataclass(frozen=True, slots=True)
class PondTile:
    """One discard, in the order of discarding. A called one stays in the list; `taken` says who has it now."""

    tile: Tile
    sideways: bool = False
    at_ms: int = 0
    taken: Seat | None = None


@dataclass(frozen=True, slots=True)
class Meld:
    """A set shown. `called` came from `source`; a concealed kong has neither. `added` is the fourth tile put to a pung."""

    call: Literal["chow", "pung", "kong", "concealed"]
    tiles: tuple[Tile, ...]
    called: Tile | None = None
    source: Seat | None = None
    added: Tile | None = None

    @property
    def is_kong(self) -> bool:
        return self.call in ("kong", "concealed") or self.added is not None


@dataclass(frozen=True, slots=True)
class Player:
    """One seat. `concealed` is the count of the standing tiles by the moves, `off` what a count at rest showed beyond it,
    `known` those standing tiles whose faces are known."""

    concealed: int = 0
    off: int = 0
    known: tuple[Tile, ...] = ()
    pond: tuple[PondTile, ...] = ()
    melds: tuple[Meld, ...] = ()
    flowers: tuple[Tile, ...] = ()
    owed: int = 0
    """Replacements from the tail still to be drawn."""
    early: int = 0
    """Tiles taken from the tail although nothing was known to replace: the flower or kong is told once it is seen."""
    replaced: bool = False
    """The last draw was a replacement."""
    drawn_from: Literal["head", "tail"] | None = None
    """Which end the tile drawn last came from; None after the discard."""
    ready: bool = False
    open: tuple[Tile, ...] | None = None
    """The hand as laid open for a win or to show that it is ready."""
    exposed: tuple[Tile, ...] = ()
    """Standing tiles that everybody has seen, in the order of their showing."""
    drawn: int = 0
    """Tiles drawn since the own last discard, the deal not counted."""
    flowered: int = 0
    """Flowers shown since the own last discard."""
    konged: Literal["exposed", "concealed", "added"] | None = None
    """The last kong made since the own last discard."""
    ahead_ms: int | None = None
    """When this seat drew although it was the upper seat's turn to discard."""
    surplus: int = 0
    """Tiles drawn out of turn and not given back, known as such."""
    effects: tuple[Effect, ...] = ()
    """What stands against this player, oldest first."""
    pinned: tuple[tuple[str, int], ...] = ()
    """Zone and index of tiles that a person has named: no sensor reads them otherwise any more."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The tile that lies open for a call or win: a discard, or a tile just added to a pung (`robbing`)."""

    seat: Seat
    tile: Tile
    at_ms: int
    robbing: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that was announced and not carried out yet. `offer` is the tile it was for (None: an own kong or win).
    `discards`: how many discards there were in the hand."""

    seat: Seat
    call: Literal["chow", "pung", "kong", "win", "ready"]
    at_ms: int
    offer: Offer | None
    discards: int
    evidence: tuple[str, ...] = ()
    confidence: float = 1.0
    discarded: bool = False
    """The caller has already discarded and still owes the set."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is and what is to be done."""

    phase: Phase
    actor: Seat
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class State:
    """One table. `head` and `tail` count the tiles taken from either end of the wall, the deal included."""

    turn: Turn = Turn("waiting", Seat.S0)
    players: tuple[Player, Player, Player, Player] = (Player(), Player(), Player(), Player())
    hand: int = 0
    """Counts from 1 since the engine began to watch."""
    dealer: Seat = Seat.S0
    first_dealer: Seat = Seat.S0
    rotations: int = 0
    """How often the deal has passed on; four make a round wind."""
    honba: int = 0
    streak: int = 0
    """How often the dealer has stayed, one after the other."""
    sticks: int = 0
    """Ready bets of earlier hands that still lie on the table."""
    match: int = 0
    """Matches are counted from 1; a new one begins with the hand after the last one of the old."""
    match_hand: int = 0
    """Hands of the match, from 1."""
    match_over: bool = False
    """Its time is up, or somebody has ended it."""
    opens: int = 0
    """Rotations the next match begins with: more than none where it was begun elsewhere."""
    hand_ms: int = 0
    """When the hand began: the deal was finished."""
    pauses: tuple[tuple[int, int], ...] = ()
    """Spans of event time in which no clock runs; the last one is open to `FOREVER` while it lasts."""
    dice: tuple[int, ...] = ()
    break_side: Seat | None = None
    break_stack: int | None = None
    head: int = 0
    tail: int = 0
    dora: tuple[Tile, ...] = ()
    discards: int = 0
    """Discards of this hand by all seats; the turn number alerts tell is one more."""
    winners: tuple[Seat, ...] = ()
    ended: Ending | None = None
    """How the hand ended, once it has."""
    tenpai: tuple[Seat, ...] = ()
    """Who was ready at an exhaustive draw, as far as known."""
    passed: Passed = _NOTHING_PASSED
    """What each seat let go, and what declaring ready came to."""
    before_win: Turn | None = None
    """The turn as it was before the first win shown: a false win that does not end the hand restores it."""
    claims: tuple[Claim, ...] = ()
    """Calls announced and not carried out, oldest first, until the hand ends or the caller draws or announces again."""
    discarded_ms: int = 0
    """When the last discard came to lie; before the first one, when the hand began."""
    opening: tuple[Seat, ...] = ()
    """Who showed flowers before the first discard, showing by showing."""
    held: tuple[Seat, ...] = ()
    """Who was asked not to draw in the free time after the deal."""
    turned_up: tuple[Tile, ...] = ()
    """Tiles of the wall that everybody has seen by accident."""
    before_discard: Turn | None = None
    """The turn as it was before the last discard: taking the tile back restores it."""
    at_ms: int = 0

    def with_player(self, seat: Seat, player: Player, turn: Turn | None = None) -> State:
        """The state with one player changed, and the turn where it is given."""
        a, b, c, d = self.players
        match seat:
            case Seat.S0:
                players = (player, b, c, d)
            case Seat.S1:
                players = (a, player, c, d)
            case Seat.S2:
                players = (a, b, player, d)
            case Seat.S3:
                players = (a, b, c, player)
        return replace(self, players=players, turn=turn or self.turn)

    def resumes(self, seat: Seat, phase: Phase) -> bool:
        """Whether it is still this seat's turn to draw or discard since the last discard came out of turn: the order of
        play goes on from there, unless the seat after the discarder goes on."""
        was, offer = self.before_discard, self.turn.offer
        if was is None or offer is None or offer.robbing:
            return False
        return was.actor == seat != offer.seat and was.phase == phase

    @property
    def running(self) -> bool:
        return self.turn.phase in ("discard", "draw")
