"""What holds for every score under every rule set."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hands_made import RULES, complete_hand, context, counted, shuffled
from hypothesis import example, given, settings
from hypothesis import strategies as st

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import NoWin, Score
from table_engine.scoring.liability import liable_for
from table_engine.scoring.taiwan_terms import TERMS
from table_engine.tariff import RiichiTariff, TaiwanTariff
from table_engine.wire.tiles import FLOWERS

RULE_SETS = {name: counted(load_ruleset(name)) if name != "riichi" else load_ruleset(name) for name in RULES}


@pytest.fixture(autouse=True)
def _fan() -> None:
    pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed, so fan cannot be counted")


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32))
@example(seed=17864)  # found by search: somebody else is liable for the limit hand
@settings(max_examples=120, deadline=None)
def test_payments_add_up_to_the_sticks_and_items_to_the_total(name: str, seed: int) -> None:
    rules, rng = RULE_SETS[name], random.Random(seed)
    hand = complete_hand(rules, rng)
    if name == "taiwan16":
        hand = replace(hand, flowers=tuple(rng.sample(FLOWERS, rng.randrange(5))))
    told = context(rng, closed=all(meld.call == "concealed" for meld in hand.melds))
    outcome = scoring.score(hand, told, rules)
    if isinstance(outcome, NoWin):
        assert outcome.why == "no_yaku"
        assert name == "riichi"
        return
    stick = rules.scoring.stick if isinstance(rules.scoring, RiichiTariff) else 0
    assert sum(outcome.payments) == stick * told.sticks
    assert outcome.payments[told.winner] > 0
    assert all(paid <= 0 for seat, paid in enumerate(outcome.payments) if seat != told.winner)
    if not told.self_drawn and name != "world_series":
        payers = {told.winner, told.source}
        if isinstance(rules.scoring, RiichiTariff):
            payers.add(liable_for(hand, told, rules.scoring)[0])  # pays half of the limit hand it made certain (RI-S9)
        assert all(outcome.payments[seat] == 0 for seat in range(4) if seat not in payers)
    if not (name == "world_series" and outcome.limit):
        assert sum(item.value for item in outcome.items) == outcome.total


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_the_order_of_tiles_and_sets_changes_no_score(name: str, seed: int) -> None:
    rules, rng = RULE_SETS[name], random.Random(seed)
    hand = complete_hand(rules, rng)
    told = context(rng, closed=all(meld.call == "concealed" for meld in hand.melds))
    if name == "riichi":  # the last of the sets decides who is liable
        hand = replace(hand, melds=tuple(replace(meld, source=told.source or told.winner.next) for meld in hand.melds))
    one, other = scoring.score(hand, told, rules), scoring.score(shuffled(hand, rng), told, rules)
    assert type(one) is type(other)
    if isinstance(one, Score) and isinstance(other, Score):
        assert (one.total, one.fu, one.payments) == (other.total, other.fu, other.payments)
        assert sorted(one.items, key=str) == sorted(other.items, key=str)


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_what_is_no_win_says_how_far_it_is(name: str, seed: int) -> None:
    rules, rng = RULE_SETS[name], random.Random(seed)
    hand = complete_hand(rules, rng)
    told = context(rng, closed=False)
    waits = scoring.waits(hand.concealed, hand.melds, rules)
    other = next(
        (tile for tile in ("1z", "5z", "9m", "1p") if tile not in waits and hand.concealed.count(tile) == 0), None
    )
    if other is None or any(other in meld.tiles for meld in hand.melds):
        return
    outcome = scoring.score(replace(hand, win=other), told, rules)
    assert isinstance(outcome, NoWin)
    assert (outcome.why, outcome.distance) == ("shape", 0)


def test_every_pattern_of_the_taiwanese_text_has_its_words() -> None:
    tariff = load_ruleset("taiwan16").scoring
    assert isinstance(tariff, TaiwanTariff)
    assert set(tariff.tai) <= set(TERMS)
    assert set(tariff.instead) <= set(TERMS)


def test_too_few_tiles_are_told() -> None:
    rules = load_ruleset("riichi")
    hand = complete_hand(rules, random.Random(1))
    outcome = scoring.score(replace(hand, concealed=hand.concealed[1:]), scoring.Context(), rules)
    assert isinstance(outcome, NoWin)
    assert outcome.why == "tiles"
    assert "are right" in str(outcome.says)
