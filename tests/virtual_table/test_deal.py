"""Walls are broken, taken and dealt as the rule texts say, and laid so that a record comes out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from virtual_hands import RULES, own_records

from table_engine.wire.actions import Drew
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile
from virtual_table.customs import customs_of
from virtual_table.deal import WallPlace, arranged, indicators, reds_of, roll, tail, takes, wall_order


@pytest.mark.parametrize(
    ("ruleset", "dealer", "dice", "where"),
    [
        ("taiwan16", 1, (2, 1, 2), (1, 5)),  # TW-S2: five counts back to the dealer, opened at the sixth stack
        ("taiwan16", 0, (6, 6, 6), (0, 0)),  # eighteen: the whole of seat 1's side, so the next side's first stack
        ("riichi", 2, (3, 4), (0, 7)),  # RI-S1: seven is the opposite seat
        ("chinese_official", 0, (4, 5, 2, 1), (0, 12)),  # CO-S1: nine is east, four rolls' sum of stacks
        ("chinese_official", 0, (1, 1, 6, 6), (1, 14)),  # two is south
        ("chinese_official", 0, (6, 6, 6, 5), (2, 6)),  # twelve is north; 23 stacks reach six into the next side
    ],
)
def test_the_wall_is_broken_where_the_dice_say(ruleset, dealer, dice, where):
    assert customs_of(ruleset).break_at(Seat(dealer), dice) == where


def test_turns_take_clockwise_upper_tile_first():
    order = wall_order(customs_of("riichi"), Seat.S1, 15)
    assert order[:6] == tuple(
        WallPlace(Seat(s), stack, level) for s, stack in ((1, 15), (1, 16), (0, 0)) for level in (1, 0)
    )
    assert len(set(order)) == 136
    assert order[-1] == WallPlace(Seat.S1, 14, 0)


def test_replacements_take_the_last_stack_upper_tile_first():
    order = wall_order(customs_of("riichi"), Seat.S0, 5)
    first = [order[i] for i in tail(136)[:4]]
    assert first == [WallPlace(Seat.S0, stack, level) for stack in (4, 3) for level in (1, 0)]
    assert [order[i] for i in indicators(136)[:2]] == [WallPlace(Seat.S0, 2, 1), WallPlace(Seat.S0, 1, 1)]


@pytest.mark.parametrize("ruleset", RULES)
def test_everybody_is_dealt_a_hand_and_the_dealer_one_more(ruleset):
    customs = customs_of(ruleset)
    deal = takes(customs, Seat.S2)
    counts = Counter({seat: sum(len(p) for s, p in deal if s == seat) for seat in SEATS})
    assert counts == {s: customs.hand + (s == Seat.S2) for s in SEATS}
    assert sorted(i for _, places in deal for i in places) == list(range(4 * customs.hand + 1))


def test_the_dealer_jumps_one_stack_where_the_text_says_so():
    assert takes(customs_of("chinese_official"), Seat.S0)[12:] == (
        (Seat.S0, (48, 52)),
        (Seat.S1, (49,)),
        (Seat.S2, (50,)),
        (Seat.S3, (51,)),
    )
    assert takes(customs_of("taiwan16"), Seat.S0)[16:] == ((Seat.S0, (64,)),)


def test_dice_of_a_record_are_kept_and_missing_ones_thrown():
    assert roll(customs_of("taiwan16"), Random(1), (2, 5, 4)) == (2, 5, 4)
    thrown = roll(customs_of("chinese_official"), Random(1), (2, 5))
    assert thrown[:2] == (2, 5)
    assert len(thrown) == 4


@pytest.mark.parametrize("ruleset", RULES)
def test_an_arranged_wall_is_a_whole_set(ruleset):
    records = own_records(ruleset, seed=3, hands=2)
    customs, reds = customs_of(ruleset), reds_of(records)
    for record in records:
        wall = arranged(record, customs, reds, Random(1))
        assert Counter(wall) == Counter(customs.faces(reds))


def test_what_a_record_knows_of_its_wall_is_laid_as_it_was():
    record = own_records("taiwan16", seed=3, hands=1)[0]
    customs = customs_of("taiwan16")
    wall = arranged(record, customs, (), Random(1))
    again = arranged(replace(record, wall=wall), customs, (), Random(2))
    assert again == wall


def test_a_record_with_five_of_a_kind_is_refused():
    record = own_records("riichi", seed=3, hands=1)[0]
    hands = list(record.hands)
    hands[0] = (Tile("1z"),) * len(hands[0])
    with pytest.raises(RecordError, match="holds more 1z than a set has"):
        arranged(replace(record, hands=tuple(hands)), customs_of("riichi"), reds_of([record]), Random(1))


def test_a_record_that_draws_too_much_or_deals_wrongly_is_refused():
    record = own_records("riichi", seed=3, hands=1)[0]
    customs = customs_of("riichi")
    drawn = replace(record, moves=(Drew(seat=Seat.S0, tile=Tile("?")),) * 90)
    with pytest.raises(RecordError, match="draws more tiles than the wall of 136"):
        arranged(drawn, customs, (), Random(1))
    short = (record.hands[0], record.hands[1][1:], *record.hands[2:])
    with pytest.raises(RecordError, match="seat 1 is dealt too few"):
        arranged(replace(record, hands=short), customs, (), Random(1))
    long = (record.hands[0], (*record.hands[1], Tile("1m")), *record.hands[2:])
    with pytest.raises(RecordError, match="dealt more tiles than riichi deals"):
        arranged(replace(record, hands=long), customs, (), Random(1))
