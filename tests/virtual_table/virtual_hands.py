"""Hands to play with: own players' games, and the same as records."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from table_engine.records.model import HandRecord
from table_engine.rules import RULESETS
from table_engine.wire.actions import HandShown
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile
from virtual_table.customs import customs_of
from virtual_table.deal import takes
from virtual_table.deed import Setting
from virtual_table.director import Director, Performed
from virtual_table.games import own_hands
from virtual_table.motion import BRISK
from virtual_table.script import Foul

RULES = sorted(RULESETS)


def layout_of(ruleset: str, width: float = 26.0) -> Layout:
    return Layout(TileSize.of_width(width), customs_of(ruleset).stacks)


def director_of(ruleset: str, seed: int = 1, width: float = 26.0) -> Director:
    return Director(customs_of(ruleset), layout_of(ruleset, width), BRISK, seed)


def play(ruleset: str, fouls: tuple[Foul, ...] = (), seed: int = 1, hands: int = 1) -> tuple[list[Setting], Director]:
    """Own players' hands played to their end without being looked at."""
    director = director_of(ruleset, seed)
    settings = list(own_hands(customs_of(ruleset), seed, fouls, hands))
    for _ in director.play(iter(settings)):
        pass
    return settings, director


def untimed(moves: list) -> list:
    """Moves as a record has them: without times, and without hands that are merely shown at the end."""
    return [replace(m, at_ms=0) for m in moves if not isinstance(m, HandShown)]


def as_record(ruleset: str, setting: Setting, performed: Performed) -> HandRecord:
    """What own players played, as a record of it."""
    hands: dict[int, list[Tile]] = {seat: [] for seat in SEATS}
    for seat, places in takes(customs_of(ruleset), setting.dealer):
        hands[seat] += [setting.wall[i] for i in places]
    return HandRecord(
        ruleset,
        setting.dealer,
        tuple(tuple(hands[s]) for s in SEATS),
        tuple(untimed(performed.moves)),
        dice=setting.dice,
        title=setting.title,
    )


def own_records(ruleset: str, seed: int, hands: int) -> list[HandRecord]:
    settings, director = play(ruleset, seed=seed, hands=hands)
    return [as_record(ruleset, s, p) for s, p in zip(settings, director.performed, strict=True)]


def set_of(ruleset: str) -> Counter[Tile]:
    customs = customs_of(ruleset)
    return Counter(customs.faces(customs.reds))
