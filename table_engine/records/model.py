"""A played game with everything known: the common form of all imported records.

Conventions, so that a record and the engine's reconstruction compare action by action:
- `hands[dealer]` holds the dealer's extra tile; `moves` does not contain that draw. It begins with `DoraShown` under riichi
  rules and with flower replacements where the set has flowers.
- A flower is `FlowersShown` followed by one `Drew(end="tail")` per flower. A kong is followed by `Drew(end="tail")`.
- `Discarded.sideways` is true only for the discard that declares ready.
- The last move is `HandEnded`, after one `WinShown` per winner. `WinShown.hand` is without sets and without the winning tile.
  A record that breaks off inside a hand ends it with `HandEnded(won=False)` and says so in `notes`.
- `Called.tiles` and `WinShown.hand` are sorted by `tiles.order`; a concealed kong's `tile` is the plain kind, an added
  kong's the very tile that was added (which may be a red five).
- `moves` does not contain `HandStarted`; `start()` makes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_engine.wire.actions import Action, HandStarted
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand. Seats are the record's player numbers; the dealer may be any of them."""

    ruleset: str
    dealer: Seat
    hands: tuple[tuple[Tile, ...], ...]
    moves: tuple[Action, ...]
    round_wind: int = 0
    honba: int = 0
    sticks: int = 0
    scores: tuple[int, ...] | None = None
    dice: tuple[int, ...] = ()
    wall: tuple[Tile, ...] | None = None
    """All tiles in the order a wall is taken from the break on, where the record knows them."""
    deltas: tuple[int, ...] | None = None
    """Change of each seat's score over the hand, ready sticks included, where the record tells."""
    ura: tuple[Tile, ...] = ()
    """Indicators shown under the dora by a winner, which are no moves of the game."""
    title: str = ""
    ending: str = ""
    """How the hand ended where nobody won: `exhaustive draw`, `nine terminals`, `four winds`, `four kongs`, `four ready`,
    `triple win`, `all terminals discarded`; empty after a win or where the record does not tell."""
    notes: tuple[str, ...] = ()
    """What is odd about this hand in the record itself (a false win, an impossible move)."""

    def start(self) -> HandStarted:
        return HandStarted(dealer=self.dealer, dice=self.dice)


@dataclass(frozen=True, slots=True)
class GameRecord:
    source: str
    """File and game within it."""
    ruleset: str
    hands: tuple[HandRecord, ...]
    names: tuple[str, ...] = field(default=("", "", "", ""))
