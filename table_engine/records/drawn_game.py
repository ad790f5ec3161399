"""Why nobody won a riichi hand, where its record does not say: as far as the moves tell."""

from __future__ import annotations

from table_engine.records.build import HandBuilder
from table_engine.records.tenhou_words import EXHAUSTIVE
from table_engine.rules import load_ruleset
from table_engine.wire.actions import Called, Discarded, Drew, Konged
from table_engine.wire.tiles import kind

_WINDS = ("1z", "2z", "3z", "4z")
_TURNS = 4


def ending_of(build: HandBuilder) -> str:
    """The ending, empty when the moves do not tell."""
    rules = load_ruleset(build.ruleset)
    draws = [move for move in build.moves if isinstance(move, Drew)]
    discards = [move for move in build.moves if isinstance(move, Discarded)]
    calls = [move for move in build.moves if isinstance(move, Called | Konged)]
    kongs = [move for move in calls if isinstance(move, Konged) or move.call == "kong"]
    if len(draws) >= rules.set.tiles - 4 * rules.set.hand - 1 - rules.set.reserved:
        return EXHAUSTIVE
    if sum(move.sideways for move in discards) == _TURNS:
        return "four ready"
    if len(kongs) >= _TURNS:
        return "four kongs"
    if calls or len(discards) > _TURNS:
        return ""
    if len(discards) == _TURNS and len({kind(move.tile) for move in discards}) == 1 and discards[0].tile in _WINDS:
        return "four winds"
    return "nine terminals" if build.last_drawn is not None else ""
