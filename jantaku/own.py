"""Games of the virtual table's own players: what they will play, known beforehand because the same seed plays the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jantaku.games import Game
from table_engine.records.model import GameRecord, HandRecord
from table_engine.wire.layout import Layout, TileSize
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.games import own_hands
from virtual_table.motion import PACES
from virtual_table.script import Foul


def own_game(ruleset: str, hands: int, seed: int, fouls: Sequence[Foul], pace: str) -> Game:
    """So many hands under a rule set, with the fouls scripted for them. Raises SettingsError for an unknown rule set or a
    foul it does not have."""
    customs = customs_of(ruleset)
    director = Director(customs, Layout(TileSize(), customs.stacks), PACES[pace], seed)
    for _ in director.play(own_hands(customs, seed, fouls, hands)):
        pass
    played = tuple(
        HandRecord(ruleset, hand.start.dealer, (), tuple(hand.moves), dice=hand.start.dice, title=hand.title)
        for hand in director.performed
    )
    return Game(Path(f"own-{ruleset}"), 0, GameRecord(f"own players, seed {seed}", ruleset, played), own=True)
