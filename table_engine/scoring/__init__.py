"""Wins: is it one, what is it worth, and who pays what, under any rule set.

complete(tiles, sets, rules)       whether it is a winning shape
waits(concealed, melds, rules)     the kinds that complete a hand
distance(concealed, melds, rules)  -1 complete, 0 ready, n tiles away from ready
score(hand, context, rules)        Score with items, total and payments, or NoWin with the reason
settle(wins, rules)                the same for several winners on one tile
"""

from __future__ import annotations

from collections.abc import Sequence

from table_engine.rules import RuleSet
from table_engine.scoring import chinese, shapes, suits
from table_engine.scoring.model import Context, Hand, Item, NoWin, Outcome, Score
from table_engine.scoring.scorers import score, settle
from table_engine.scoring.tally import TooManyError
from table_engine.state import Meld
from table_engine.wire.tiles import Tile


def complete(tiles: Sequence[Tile], sets: int, rules: RuleSet) -> bool:
    """Whether standing tiles, the winning one among them, are a winning shape beside `sets` sets shown."""
    return shapes.complete(tiles, sets, rules.scoring.shapes)


def waits(concealed: Sequence[Tile], melds: Sequence[Meld], rules: RuleSet) -> tuple[Tile, ...]:
    """The kinds that complete a hand of 3n+1 standing tiles, in the order of tiles; none where it is not ready."""
    return shapes.waits(concealed, melds, rules.scoring.shapes)


def distance(concealed: Sequence[Tile], melds: Sequence[Meld], rules: RuleSet) -> int:
    """How many tiles have to be exchanged until a hand is ready: 0 ready, -1 complete (3n+1 or 3n+2 standing tiles)."""
    return shapes.distance(concealed, melds, rules.scoring.shapes)


def unavailable(rules: RuleSet) -> str:
    """What is missing to score wins under a rule set, in words; empty where nothing is."""
    if rules.scoring.by != "chinese":
        return ""
    try:
        chinese.fan_counter()
    except chinese.MissingFanError:
        return "PyMahjongGB is not installed, so fan are not counted; everything else works"
    return ""


def prepare() -> None:
    """Builds the tables (half a second), so that the first question of a game does not wait for them."""
    suits.tables()


__all__ = [
    "Context",
    "Hand",
    "Item",
    "NoWin",
    "Outcome",
    "Score",
    "TooManyError",
    "complete",
    "distance",
    "prepare",
    "score",
    "settle",
    "unavailable",
    "waits",
]
