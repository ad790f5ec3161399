"""What people's hands do under each rule set: where the wall is broken, how a set is laid, how long a row grows.

The numbers come from the engine's rule sets; what is here is habit that no judge needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from table_engine.rules import RuleSet, load_ruleset
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import FLOWERS, KINDS, Tile

_REDS = (Tile("0m"), Tile("0p"), Tile("0s"), Tile("0p"))


@dataclass(frozen=True, slots=True)
class Habits:
    """`kong_on_top`: the fourth tile of an added kong lies on the table side of the turned tile, else beside the set.
    `concealed_kong`: which of its tiles lie face down. `rows`: rows of six before the last one goes on past its sixth
    tile (RI-S2). `ready_stick`: who declares ready lays a stick down (RI-S4)."""

    kong_on_top: bool = False
    concealed_kong: Literal["outer backs", "backs"] = "backs"
    rows: int = 4
    ready_stick: bool = False


_HABITS = {"riichi": Habits(kong_on_top=True, concealed_kong="outer backs", rows=3, ready_stick=True)}


@dataclass(frozen=True)
class Customs:
    """How a game under one rule set is played with the hands."""

    rules: RuleSet

    @property
    def ruleset(self) -> str:
        return self.rules.id

    @cached_property
    def habits(self) -> Habits:
        return _HABITS.get(self.rules.id, Habits())

    @property
    def tiles(self) -> int:
        """Tiles in the set: 136, or 144 with flowers."""
        return self.rules.set.tiles

    @property
    def hand(self) -> int:
        """Tiles of a hand off turn."""
        return self.rules.set.hand

    @property
    def sets(self) -> int:
        """Sets of a complete hand, the pair aside."""
        return (self.hand - 1) // 3

    @property
    def unplayed(self) -> int:
        """Tiles left in the wall at an exhaustive draw."""
        return self.rules.set.reserved

    @property
    def stacks(self) -> int:
        """Stacks per side of the wall."""
        return self.tiles // 8

    @property
    def rounds(self) -> int:
        """Rounds of four tiles each in the deal."""
        return self.hand // 4

    @property
    def chow_turned(self) -> bool:
        """Called tiles lie sideways, left, middle or right by who gave them; else upright, a chowed tile in the middle."""
        return self.rules.calls.called_chow_place == "turned"

    @property
    def reds(self) -> tuple[Tile, ...]:
        """Red fives in a set of our own; each stands in for a plain five."""
        return _REDS[: self.rules.set.red_fives]

    def faces(self, reds: tuple[Tile, ...]) -> tuple[Tile, ...]:
        """Every tile of the set with these red fives in it, in a fixed order."""
        faces: list[Tile] = []
        for face in KINDS:
            red = [r for r in reds if face == f"5{r[1]}"]
            faces += [*red, *[face] * (4 - len(red))]
        return (*faces, *FLOWERS) if self.tiles == 144 else tuple(faces)

    def break_at(self, dealer: Seat, dice: tuple[int, ...]) -> tuple[Seat, int]:
        """The side and the stack (0-based from its player's right) at which the first tile is taken.

        One roll: its sum counts seats counter-clockwise from the dealer and stacks from that seat's right (TW-S2,
        RI-S1). Two rolls: the first names the seat, the sum of both counts the stacks (CO-S1).
        """
        first = sum(dice[: self.rules.deal.rolls[0]])
        side, stack = dealer.step(first - 1), sum(dice)
        while stack >= self.stacks:
            side, stack = side.step(3), stack - self.stacks
        return side, stack


def customs_of(ruleset: str | RuleSet) -> Customs:
    """Raises SettingsError for a rule set that does not exist."""
    return Customs(load_ruleset(ruleset) if isinstance(ruleset, str) else ruleset)
