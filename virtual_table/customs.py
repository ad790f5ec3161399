"""What people's hands do under each rule set: which set of tiles, how it is dealt, where replacements come from, how a
set is laid. Physical habits only; numbers a judge needs live in the engine's rule sets.

Sources: `rules/texts` of the project's rule catalogue (TW-S2..S11, RI-S1..S4, CO-S1..S5). The world series text says
nothing about set-up; it is played as the other 136-tile games without a dead wall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import FLOWERS, KINDS, Tile


@dataclass(frozen=True, slots=True)
class Customs:
    """How one rule set is played with the hands."""

    ruleset: str
    tiles: int
    """Tiles in the set: 136, or 144 with flowers."""
    hand: int
    """Tiles of a hand off turn."""
    rolls: tuple[int, ...]
    """Dice of each roll before the wall is broken."""
    rounds: int
    """Rounds of four tiles each in the deal."""
    jump: bool
    """After the rounds the dealer takes the top tiles of two stacks with one between."""
    unplayed: int
    """Tiles left in the wall at an exhaustive draw."""
    indicators: bool = False
    """The dead wall shows dora indicators."""
    called_sideways: bool = True
    """The called tile lies sideways, left/middle/right by who gave it; otherwise a chowed tile lies upright in the middle."""
    kong_on_top: bool = False
    """The fourth tile of an added kong lies on the table side of the turned tile; otherwise beside the set."""
    concealed_kong: Literal["outer backs", "backs"] = "backs"
    rows: int = 4
    """Rows of six in a pond before the last one goes on past its sixth tile."""
    reds: tuple[Tile, ...] = ()
    """Red fives in a set of our own; each stands in for a plain five."""
    ready_stick: bool = False

    @property
    def stacks(self) -> int:
        """Stacks per side."""
        return self.tiles // 8

    def faces(self, reds: tuple[Tile, ...]) -> tuple[Tile, ...]:
        """Every tile of the set with these red fives in it, in a fixed order."""
        faces: list[Tile] = []
        for kind in KINDS:
            red = [r for r in reds if kind == f"5{r[1]}"]
            faces += [*red, *[kind] * (4 - len(red))]
        return (*faces, *FLOWERS) if self.tiles == 144 else tuple(faces)

    def break_at(self, dealer: Seat, dice: tuple[int, ...]) -> tuple[Seat, int]:
        """The side and the stack (0-based from its player's right) at which the first tile is taken.

        One roll: its sum counts seats counter-clockwise from the dealer and stacks from that seat's right (TW-S2,
        RI-S1). Two rolls: the first names the seat, the sum of both counts the stacks (CO-S1).
        """
        first = sum(dice[: self.rolls[0]])
        side, stack = dealer.step(first - 1), sum(dice)
        while stack >= self.stacks:
            side, stack = side.step(3), stack - self.stacks
        return side, stack


RIICHI = Customs(
    "riichi",
    136,
    13,
    (2,),
    3,
    jump=True,
    unplayed=14,
    indicators=True,
    kong_on_top=True,
    concealed_kong="outer backs",
    rows=3,
    reds=(Tile("0m"), Tile("0p"), Tile("0p"), Tile("0s")),
    ready_stick=True,
)
TAIWAN16 = Customs("taiwan16", 144, 16, (3,), 4, jump=False, unplayed=16, called_sideways=False)
CHINESE_OFFICIAL = Customs("chinese_official", 136, 13, (2, 2), 3, jump=True, unplayed=0)
WORLD_SERIES = Customs("world_series", 136, 13, (2,), 3, jump=True, unplayed=0)

CUSTOMS = {c.ruleset: c for c in (RIICHI, TAIWAN16, CHINESE_OFFICIAL, WORLD_SERIES)}


def customs_of(ruleset: str) -> Customs:
    """Raises SettingsError for a rule set nobody here knows how to play."""
    try:
        return CUSTOMS[ruleset]
    except KeyError:
        raise SettingsError(f"no virtual player knows {ruleset!r}; they know {', '.join(sorted(CUSTOMS))}") from None
