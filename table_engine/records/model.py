"""A played game with everything known: the common form of all imported records.

Conventions, so that a record and the engine's reconstruction compare action by action:
- `hands[dealer]` holds the dealer's extra tile; `moves` does not contain that draw. It begins with `DoraShown` under riichi
  rules and with flower replacements where the set has flowers.
- A flower is `FlowersShown` followed by one `Drew(end="tail")` per flower. A kong is followed by `Drew(end="tail")`.
- `Discarded.sideways` is true only for the discard that declares ready. `Discarded.drawn` is always told; where a record does
  not tell, a discard that looks like the tile just drawn counts as it.
- The last move is `HandEnded`, after one `WinShown` per winner. `WinShown.hand` is without sets and without the winning tile.
  A record that breaks off inside a hand ends it with `HandEnded(won=False)` and says so in `notes`.
- `Called.tiles` and `WinShown.hand` are sorted by `tiles.order`; a concealed kong's `tile` is the plain kind, an added
  kong's the very tile that was added (which may be a red five).
- `moves` does not contain `HandStarted`; `start()` makes it.
- `?` is a tile nobody saw. `complete.completed` puts a tile there that fits everything seen, so that the hand can be played.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_engine.rules import RuleSet, load_ruleset
from table_engine.wire.actions import Action, HandStarted
from table_engine.wire.alerts import Alert
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.tiles import Tile


@dataclass(frozen=True, slots=True)
class WinRecord:
    """What a record says one winner's hand was worth. Whatever it does not tell is None or empty."""

    seat: Seat
    source: Seat | None = None
    """Who gave the tile; None: self-draw."""
    deltas: tuple[int, ...] | None = None
    """Payments of this win alone, honba and collected sticks included, without the sticks laid during the hand."""
    points: int | None = None
    """The hand's value without honba and sticks: what a discarder pays, or all three together."""
    payments: tuple[int, ...] = ()
    """What each pays for a self-draw: `(each,)` to the dealer, `(from the others, from the dealer)` to another seat."""
    fu: int | None = None
    han: int | None = None
    yakuman: int = 0
    limit: str = ""
    """`mangan`, `haneman`, `baiman`, `sanbaiman`, `counted yakuman`, `yakuman`; empty below them."""
    items: tuple[tuple[str, int | None], ...] = ()
    """Yaku or fan by the record's own names, with what each counts (None: a yakuman, or not told)."""
    liable: Seat | None = None
    """Who answers for the hand (responsibility payment)."""
    fan: int | None = None
    """Total under Chinese rules."""


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
    wins: tuple[WinRecord, ...] = ()
    """One for each `WinShown`, in the same order; empty where the record does not tell."""
    shown: tuple[tuple[Tile, ...] | None, ...] = ()
    """By seat, the concealed tiles laid open at a draw, None: not laid open; empty where the record does not tell."""
    overrides: tuple[tuple[str, object], ...] = ()
    """Settings of the rule set this hand was played by otherwise, by their dotted names, e.g. `("set.tiles", 144)`."""
    alerts: tuple[Alert, ...] = ()
    """Fouls the referee was told of, as they stood in the end."""
    asides: tuple[Action, ...] = ()
    """What was seen and is no move: announced calls, counts, corrections, things taken back."""

    began_ms: int = 0
    """When the walls stood, for records that tell times."""
    break_side: Seat | None = None
    break_stack: int | None = None
    """Where the wall was broken, as in `HandStarted`."""

    def rules(self) -> RuleSet:
        """The rule set with what was otherwise. Raises SettingsError."""
        return load_ruleset(self.ruleset, dict(self.overrides))

    def start(self) -> HandStarted:
        return HandStarted(
            at_ms=self.began_ms,
            dealer=self.dealer,
            dice=self.dice,
            break_side=self.break_side,
            break_stack=self.break_stack,
        )


@dataclass(frozen=True, slots=True)
class GameRecord:
    source: str
    """File and game within it."""
    ruleset: str
    hands: tuple[HandRecord, ...]
    names: tuple[str, ...] = field(default=("", "", "", ""))
    final: tuple[int, ...] | None = None
    """Scores at the end of the game, where the record tells."""
    notes: tuple[str, ...] = ()
    """What is odd about the record as a whole: what is missing, what was left out."""

    @property
    def overrides(self) -> dict[str, object]:
        """Settings of the rule set its hands were played by otherwise."""
        return {name: value for hand in self.hands for name, value in hand.overrides}

    def rules(self) -> RuleSet:
        """The rule set its hands were played by. Raises SettingsError."""
        return load_ruleset(self.ruleset, self.overrides)


BREAKS_OFF = "the record breaks off inside this hand"


def riichi_title(round_wind: int, number: int, honba: int, ending: str = "") -> str:
    """How a riichi hand is called: round wind, hand within the round (from 1), honba, and the ending without a winner."""
    title = f"{WINDS[round_wind % 4]} {number}, honba {honba}"
    return f"{title}, {ending}" if ending else title
