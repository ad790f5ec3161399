"""Where a text contradicts itself a setting chooses the reading: both readings work, for every such setting of every rule set."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from judged import Judged
from sheets import Case, Trial

from table_engine import ask, claim, deal
from table_engine.ledger import Ledger, standings
from table_engine.penalties import Circumstances, penalty
from table_engine.rules import RULESETS, RuleSet, load_ruleset
from table_engine.state import Ending, State
from table_engine.wire.actions import HandStarted, WinShown
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.moves import tiles

S0, S1, S2, S3 = Seat


class Readings(NamedTuple):
    """A setting's two readings and what each leads to, in a situation of which the passages speak."""

    ruleset: str
    setting: str
    one: object
    other: object
    found: Callable[[RuleSet], object]
    first: object
    """What the first reading leads to."""
    second: object


def told(moves: str) -> Callable[[RuleSet], object]:
    """The fouls that stand after a hand in words."""

    def found(rules: RuleSet) -> object:
        case = Case(name="", kind="", moves=moves)

        class Fixed(Trial):
            @property
            def rules(self) -> RuleSet:
                return rules

        judged = Judged(Fixed("", case, rules.id))
        return {f"{alert.code} {int(alert.seat) + 1}" for alert in judged.told.values()}

    return found


def paid(rules: RuleSet) -> object:
    """Which of three winners on one discard are paid."""
    state = _discarded(rules)
    hands = ("23m456p789s111p55z222s", "23m456s789p333s66z444p", "23m456p789s333p77z555s")
    wins = [WinShown(seat=S0.step(n), source=S0, tile=Tile("1m"), hand=tiles(hand)) for n, hand in enumerate(hands, 1)]
    return [int(verdict.seat) + 1 for verdict in claim.several(state, wins, rules) if verdict.score is not None]


def _two_paid(rules: RuleSet) -> object:
    state = _discarded(rules)
    wins = [
        WinShown(seat=S1, source=S0, tile=Tile("1m"), hand=tiles("23m456p789s55566z")),
        WinShown(seat=S2, source=S0, tile=Tile("1m"), hand=tiles("23m456s789p66677z")),
    ]
    return [int(verdict.seat) + 1 for verdict in claim.several(state, wins, rules) if verdict.score is not None]


def _discarded(rules: RuleSet) -> State:
    case = Case(name="", kind="", moves="1 discards 1m")
    return Judged(Trial("", case, rules.id)).state


def fine(tai: int | None) -> Callable[[RuleSet], object]:
    """What a false win costs each of the others, the own hand worth so many tai."""

    def found(rules: RuleSet) -> object:
        ruling = rules.ruling("false_win", "not_valid")
        assert ruling is not None
        return penalty(ruling, rules, Circumstances(S0, own_tai=tai)).points[S1]

    return found


def dealt_by(how: Ending, winner: Seat | None = None, discarder: Seat | None = None) -> Callable[[RuleSet], object]:
    """Who deals after a hand of chair 1 that ended like this."""

    def found(rules: RuleSet) -> object:
        state = Judged(Trial("", Case(name="", kind="", moves=f"{(discarder or 0) + 1} discards 1m"), rules.id)).state
        return int(deal.next_dealer(replace(state, ended=how, winners=() if winner is None else (winner,)), rules)) + 1

    return found


def wind(rules: RuleSet) -> object:
    """The seat wind of chair 1 in the second hand, which chair 2 deals."""
    first = replace(State(), hand=1, match=1, match_hand=1, dealer=S0, first_dealer=S0, ended="exhaustive")
    state = deal.started(first, HandStarted(dealer=S1), rules)
    return str(ask.wind(state, S0, rules))


def placement(rules: RuleSet) -> object:
    """Placement points of everybody before the first hand, in tenths."""
    book = Ledger()
    state = standings(book, (), 1, rules)
    assert [one.points for one in state] == [rules.match.start_points] * 4
    return state[S0].placement_tenths


CHOW = "1 discards 1z\nuntil 21\n4 draws\n4 discards 5m\n1 chows 5m of 4 with 34m\n1 discards 9p"
KONG = "1 discards 1z\nuntil 19\n2 draws\n2 kongs 9s\n2 draws from the tail\n2 discards 1z"
WRONG = "1 discards 2p\n2 chows 2p of 1 with 45p\n2 discards 9m\n3 draws\n3 discards 2z"  # nobody has moved it since
ENDS = (
    "1 discards 1z\n2 draws\n2 discards 6m\n3 draws\n3 discards 2z\n4 draws\n4 discards 3z\n1 draws\n1 discards 3m\n"
    "2 chows 3m of 1 with 45m\n2 discards 9p"
)
UPPER = "1 discards 1z\nturns 3\n1 draws\n1 discards 5m\n2 announces pung\n2 draws\n2 discards 9m"
BACK = "1 discards 1z\n3 draws\n+500 3 takes back the draw\n2 draws\n2 discards 9m"
PART = "1 discards 1m\n2 wins on 1m of 1 with 23m456m789m111s"
AFTER_PUNG = "1 discards 9p\n2 pungs 9p of 1\n2 kongs 9s\n2 draws from the tail\n2 discards 1z"

READINGS = [
    Readings("taiwan16", "match.dealer_stays", (), ("win",), dealt_by("won", S0), 2, 1),
    Readings("taiwan16", "call_ban.discards", 20, 19, told(CHOW), {"call_ban 1", "dead_hand 1"}, set()),
    Readings("taiwan16", "call_ban.own_kongs", 16, 20, told(KONG), set(), {"call_ban 2", "dead_hand 2"}),
    Readings("taiwan16", "wins.three", "all", "nearest", paid, [2, 3, 4], [2]),
    Readings("taiwan16", "wins.false_win_pays", "own_hand", "base_and_tai", fine(3), 5 + 2 * 3, 5 + 2 * 8),
    Readings("taiwan16", "wins.false_win_pays", "own_hand", "points", fine(None), 5 + 2 * 8, 12),
    Readings("taiwan16", "wins.whole_hand_only", True, False, told(PART), {"false_win 2"}, {"false_win 2"}),
    Readings("taiwan16", "calls.wrong_set_until", "own_move", "at_once", told(WRONG), set(), {"wrong_set 2"}),
    Readings("taiwan16", "calls.chow_back_other_end", False, True, told(ENDS), {"call_right 2"}, set()),
    Readings("taiwan16", "calls.empty_pung_of_upper_free", True, False, told(UPPER), set(), {"empty_call 2"}),
    Readings("taiwan16", "fouls.draw_order.turn.returned_cures", True, False, told(BACK), set(), {"draw_order 3"}),
    Readings("riichi", "match.last_to_first", 5000, 0, lambda rules: rules.match.last_to_first, 5000, 0),
    Readings("riichi", "match.start_points", 30000, 25000, placement, 0, -50),
    Readings("riichi", "match.triple_off_dealer_passes", True, False, dealt_by("three_winners", discarder=S0), 2, 1),
    Readings("riichi", "wins.several", 2, 1, _two_paid, [2, 3], [2]),
    Readings("chinese_official", "match.winds", "first", "dealer", wind, "east", "north"),
    Readings("chinese_official", "calls.kong_after_pung", True, False, told(AFTER_PUNG), set(), {"call_right 2"}),
]


@pytest.mark.parametrize("reading", READINGS, ids=lambda r: f"{r.ruleset}-{r.setting}-{r.other}")
def test_both_readings_work(reading: Readings) -> None:
    assert reading.found(load_ruleset(reading.ruleset, {reading.setting: reading.one})) == reading.first
    assert reading.found(load_ruleset(reading.ruleset, {reading.setting: reading.other})) == reading.second
    assert reading.found(load_ruleset(reading.ruleset)) == reading.first, "the reading chosen is the default"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_contradiction_has_its_readings_tested(ruleset: str) -> None:
    tested = {r.setting.removesuffix(".returned_cures") for r in READINGS if r.ruleset == ruleset}
    assert {c.setting for c in load_ruleset(ruleset).contradictions} == tested
