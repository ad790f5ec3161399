"""Hands that players lay open without a win: as a record says, else by their own waits."""

from __future__ import annotations

import pytest
from virtual_hands import RULES, play

from table_engine import scoring
from table_engine.apply import apply
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.actions import HandEnded, HandShown, WinShown
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from virtual_table.director import Performed
from virtual_table.script import Foul

NEVER = Foul(what="too_many", seat=Seat.S0, turn=99)
"""A foul that is still to come lets nobody win."""


def drawn(ruleset: str, seeds: range) -> list[Performed]:
    """Hands of own players that are played to the end of the wall."""
    played = [one for seed in seeds for one in play(ruleset, (NEVER,), seed=seed)[1].performed]
    assert not any(isinstance(move, WinShown) for one in played for move in one.moves)
    return played


def test_own_players_show_exactly_the_hands_that_are_ready() -> None:
    """RI-S7, against the engine's own waits, from the dealer on."""
    rules, shown, short = load_ruleset("riichi"), 0, 0
    for hand in drawn("riichi", range(5)):
        state = apply(State(), hand.start, rules)
        open_: list[HandShown] = []
        for move in hand.moves:
            if isinstance(move, HandShown):
                open_.append(move)
            state = apply(state, replace(move, at_ms=max(move.at_ms, state.at_ms)), rules)
        assert isinstance(hand.moves[-1], HandEnded)
        for move in open_:
            assert scoring.waits(move.hand, state.players[move.seat].melds, rules), hand.title
        turns = [(move.seat - hand.start.dealer) % 4 for move in open_]
        assert turns == sorted(turns)
        shown, short = shown + len(open_), short + 4 - len(open_)
    assert shown > 0
    assert short > 0


@pytest.mark.parametrize("ruleset", [name for name in RULES if name != "riichi"])
def test_where_the_text_has_no_such_showing_nobody_shows(ruleset: str) -> None:
    for hand in drawn(ruleset, range(2)):
        assert not any(isinstance(move, HandShown) for move in hand.moves)
