"""The three fouls the product is named for: for every rule set that has them what must raise and what must stay quiet."""

from __future__ import annotations

import ast
import inspect
import sys

import pytest
from playing import S0, S1, S2, S3, Play

from table_engine.fouls import FOULS
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.actions import CountSeen, Discarded, FlowersShown, TileReturned
from table_engine.wire.phrases import Phrase
from table_engine.wire.tiles import Tile


def opening(rules: str) -> Play:
    """The dealer has discarded, seat 1 is to draw."""
    return Play(rules).discard(S0)


# tile_count ---------------------------------------------------------------------------------------------------------

MANY = {"taiwan16": "TW-F3", "riichi": "RI-F7", "chinese_official": "CO-F13", "world_series": "WS-F2"}
FEW = MANY | {"world_series": "WS-F1"}


@pytest.mark.parametrize("rules", RULESETS)
def test_two_tiles_drawn_and_one_discarded_is_one_too_many(rules: str) -> None:
    play = opening(rules).draw(S1).draw(S1).discard(S1)
    assert play.raised == []
    assert play.wait(1000).raised == [(MANY[rules], "foul", 1)]
    assert play.turns(8).raised == [(MANY[rules], "foul", 1)], "one breach, one alert"


@pytest.mark.parametrize("rules", RULESETS)
def test_a_discard_without_a_draw_is_one_too_few(rules: str) -> None:
    assert opening(rules).discard(S1).wait(1000).raised == [(FEW[rules], "foul", 1)]


@pytest.mark.parametrize("rules", RULESETS)
def test_a_kong_counts_as_three_when_it_is_replaced(rules: str) -> None:
    play = opening(rules).draw(S1).concealed_kong(S1).draw(S1, "tail").discard(S1)
    assert play.turns(8).raised == []


@pytest.mark.parametrize("rules", RULESETS)
def test_a_kong_not_replaced_leaves_the_hand_short(rules: str) -> None:
    play = opening(rules).draw(S1).concealed_kong(S1).discard(S1).wait(1000)
    assert play.raised == [(FEW[rules], "foul", 1)]
    assert "counting as three: 1" in play.docket.open[0].says


@pytest.mark.parametrize("rules", RULESETS)
def test_a_discard_taken_back_at_once_is_no_short_hand(rules: str) -> None:
    play = opening(rules).discard(S1).do(TileReturned(seat=S1, what="discard"), after_ms=300)
    assert play.turns(4).raised == []


@pytest.mark.parametrize("rules", RULESETS)
def test_a_count_that_contradicts_the_moves_withdraws_the_alert(rules: str) -> None:
    play = opening(rules).draw(S1).draw(S1).discard(S1).wait(1000)
    hand = play.rules.set.hand
    play.do(CountSeen(seat=S1, concealed=hand + 1))
    assert play.open == [MANY[rules]], "the count agrees that there is one too many"
    play.do(CountSeen(seat=S1, concealed=hand))
    assert play.open == []
    assert play.changes[-1].type == "end"
    assert play.changes[-1].after.state == "withdrawn"


@pytest.mark.parametrize("rules", RULESETS)
def test_a_hand_counted_short_at_rest_is_short(rules: str) -> None:
    play = opening(rules)
    play.do(CountSeen(seat=S3, concealed=play.rules.set.hand - 1)).wait(1000)
    assert play.raised == [(FEW[rules], "foul", 3)]


@pytest.mark.parametrize("rules", RULESETS)
def test_a_count_not_sure_enough_is_only_a_check(rules: str) -> None:
    play = opening(rules)
    play.do(CountSeen(seat=S3, concealed=play.rules.set.hand - 1, confidence=0.6)).wait(1000)
    assert play.raised == [(FEW[rules], "check", 3)]


@pytest.mark.parametrize("rules", RULESETS)
def test_many_tiles_at_once_are_only_a_check(rules: str) -> None:
    play = opening(rules)
    play.do(CountSeen(seat=S3, concealed=play.rules.set.hand - 5)).wait(1000)
    assert play.raised == [(FEW[rules], "check", 3)]
    assert "so many tiles" in play.docket.open[0].missing[0]


@pytest.mark.parametrize("rules", ["taiwan16", "riichi", "chinese_official"])
def test_a_draw_that_may_have_been_another_players_accuses_nobody_for_sure(rules: str) -> None:
    """Seat 3 seems to draw, seat 1 discards without a draw: rather the one was the other's draw."""
    play = opening(rules).draw(S3, confidence=0.7).wait(900)
    assert [severity for _, severity, _ in play.raised] == ["check"]
    play.discard(S1).wait(900)
    assert [(rule, severity) for rule, severity, seat in play.raised if seat == 1] == [(FEW[rules], "check")]
    assert play.open == [FEW[rules]], "the draw out of turn is withdrawn"


def test_flowers_are_beside_the_hand() -> None:
    """TW-F3: a flower shown and replaced leaves sixteen tiles, one not replaced leaves fifteen."""
    right = opening("taiwan16").draw(S1).do(FlowersShown(seat=S1, tiles=(Tile("3f"),))).draw(S1, "tail").discard(S1)
    assert right.turns(4).raised == []
    wrong = opening("taiwan16").draw(S1).do(FlowersShown(seat=S1, tiles=(Tile("3f"),))).discard(S1)
    assert wrong.turns(1).raised == [("TW-F3", "foul", 1)]


# draw_order ---------------------------------------------------------------------------------------------------------

EARLY = {"taiwan16": "TW-F11", "riichi": "RI-F5", "chinese_official": "CO-F3"}
OUT_OF_TURN = {"taiwan16": "TW-F10", "riichi": "RI-F5", "chinese_official": "CO-F3"}
WRONG_END = {"taiwan16": "TW-F9", "riichi": "RI-F11"}


@pytest.mark.parametrize("rules", EARLY)
def test_a_draw_before_the_upper_discard(rules: str) -> None:
    play = opening(rules).draw(S1).draw(S2).discard(S1, after_ms=900).discard(S2)
    assert play.turns(8).raised == [(EARLY[rules], "foul", 2)]


@pytest.mark.parametrize("rules", RULESETS)
def test_draw_and_discard_at_the_same_time_are_no_foul(rules: str) -> None:
    play = opening(rules).draw(S1).draw(S2).discard(S1, after_ms=300).discard(S2)
    assert play.turns(8).raised == []


def test_a_discard_known_late_withdraws_the_early_draw() -> None:
    play = opening("riichi").draw(S1).draw(S2)
    drawn_ms = play.now_ms
    play.wait(2000)
    assert play.open == ["RI-F5"]
    play.do(Discarded(seat=S1, tile=Tile("1z"), at_ms=drawn_ms + 200))
    assert play.open == []


@pytest.mark.parametrize("rules", OUT_OF_TURN)
def test_a_draw_out_of_turn(rules: str) -> None:
    play = opening(rules).draw(S3).draw(S1).discard(S1).draw(S2).discard(S2)
    assert play.raised == [(OUT_OF_TURN[rules], "foul", 3)]
    play.discard(S3)
    assert play.turns(8).raised == [(OUT_OF_TURN[rules], "foul", 3)], "the order of play stays, nobody else is accused"


@pytest.mark.parametrize("rules", OUT_OF_TURN)
def test_the_tile_drawn_out_of_turn_is_not_counted_twice(rules: str) -> None:
    play = opening(rules).draw(S3).draw(S1).discard(S1).draw(S2).discard(S2).draw(S3).discard(S3)
    assert play.turns(8).raised == [(OUT_OF_TURN[rules], "foul", 3)]


def test_a_tile_put_back_before_it_is_racked_is_no_foul_in_taiwan() -> None:
    play = opening("taiwan16").draw(S3).do(TileReturned(seat=S3, what="draw"), after_ms=500)
    assert play.turns(8).raised == []


def test_a_tile_put_back_does_not_cure_drawing_ahead_under_riichi_rules() -> None:
    play = opening("riichi").draw(S3).do(TileReturned(seat=S3, what="draw"), after_ms=500)
    assert play.turns(8).raised == [("RI-F5", "foul", 3)]


@pytest.mark.parametrize("rules", WRONG_END)
def test_a_draw_from_the_tail_without_need(rules: str) -> None:
    assert opening(rules).draw(S1, "tail").discard(S1).turns(4).raised == [(WRONG_END[rules], "foul", 1)]


@pytest.mark.parametrize("rules", WRONG_END)
def test_a_replacement_from_the_head(rules: str) -> None:
    play = opening(rules).draw(S1).concealed_kong(S1).draw(S1, "head").discard(S1)
    assert play.turns(4).raised == [(WRONG_END[rules], "foul", 1)]


def test_the_wrong_end_is_no_foul_where_the_text_names_none() -> None:
    assert opening("chinese_official").draw(S1, "tail").discard(S1).turns(4).raised == []


def test_world_series_knows_drawing_out_of_turn_only_as_a_long_hand() -> None:
    """WS-F2: fourteen tiles off turn."""
    play = opening("world_series").draw(S3).draw(S1).discard(S1)
    assert play.raised == [("WS-F2", "foul", 3)]
    early = opening("world_series").draw(S1).draw(S2).discard(S1).discard(S2)
    assert early.turns(8).raised == [], "the count is right again before anyone is off turn with it"


@pytest.mark.parametrize("rules", OUT_OF_TURN)
def test_an_uncertain_draw_is_only_a_check(rules: str) -> None:
    assert opening(rules).draw(S3, confidence=0.5).wait(1000).raised == [(OUT_OF_TURN[rules], "check", 3)]


# call_ban -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "left", "rule"), [("taiwan16", 20, "TW-F14"), ("taiwan16", 16, "TW-F14"), ("riichi", 14, "RI-S10")]
)
def test_a_discard_called_when_the_wall_is_short(rules: str, left: int, rule: str) -> None:
    play = opening(rules).until_wall(left)
    caller = play.state.turn.actor
    assert _first(play.pung(caller)) == (rule, "foul", caller)


@pytest.mark.parametrize(("rules", "left"), [("taiwan16", 21), ("riichi", 15)])
def test_one_tile_more_in_the_wall_and_the_call_stands(rules: str, left: int) -> None:
    """TW-P5, RI-S10: the near miss."""
    play = opening(rules).until_wall(left)
    assert play.pung(play.state.turn.actor).raised == []


def test_the_narrow_reading_of_the_last_three_draws_is_a_setting() -> None:
    """TW-P5: 19 tiles, the last three draws, by an override."""
    narrow = load_ruleset("taiwan16", {"call_ban.discards": 19})
    quiet = Play(narrow).discard(S0).until_wall(20)
    assert quiet.pung(quiet.state.turn.actor).raised == []
    loud = Play(narrow).discard(S0).until_wall(19)
    assert _first(loud.pung(loud.state.turn.actor))[0] == "TW-F14"


@pytest.mark.parametrize(("rules", "left", "rule"), [("taiwan16", 17, "TW-F14"), ("riichi", 15, "RI-S10")])
def test_no_own_kong_after_the_last_draw(rules: str, left: int, rule: str) -> None:
    """TW-P6, RI-S10: there is no tile left to replace it with."""
    play = opening(rules).until_wall(left)
    seat = play.state.turn.actor
    assert _first(play.draw(seat).concealed_kong(seat)) == (rule, "foul", seat)


def _first(play: Play) -> tuple[str, str, int]:
    """Under Taiwan rules a dead hand so late is a second foul (TW-F16)."""
    assert [rule for rule, *_ in play.raised[1:]] in ([], ["TW-F16"])
    return play.raised[0]


@pytest.mark.parametrize("rules", ["taiwan16", "riichi"])
def test_an_own_kong_with_a_tile_left_to_draw(rules: str) -> None:
    play = opening(rules).until_wall(load_ruleset(rules).set.reserved + 2)
    seat = play.state.turn.actor
    assert play.draw(seat).concealed_kong(seat).raised == []


@pytest.mark.parametrize("rules", ["chinese_official", "world_series"])
def test_no_text_no_ban(rules: str) -> None:
    play = opening(rules).until_wall(1)
    assert play.pung(play.state.turn.actor).raised == []
    assert "call_ban" in play.rules.silent


# all of them --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULESETS)
def test_a_degraded_table_accuses_nobody(rules: str) -> None:
    play = Play(rules, degraded=(Phrase("the camera is covered"),)).discard(S0).discard(S1).wait(1000)
    assert [severity for _, severity, _ in play.raised] == ["check"]
    assert play.docket.open[0].missing == ("the camera is covered",)


@pytest.mark.parametrize("rules", RULESETS)
def test_an_ordinary_hand_is_quiet(rules: str) -> None:
    play = opening(rules).turns(6).pung(S0).discard(S0).turns(3).kong(S1).draw(S1, "tail").discard(S1)
    assert play.until_wall(play.rules.set.reserved).raised == []


@pytest.mark.parametrize("code", FOULS)
def test_a_foul_says_what_a_referee_would_say(code: str) -> None:
    module = sys.modules[FOULS[code].judge.__module__]
    assert module.__doc__
    assert module.__doc__.strip().endswith(".")


@pytest.mark.parametrize("code", FOULS)
def test_a_foul_never_asks_which_rule_set_it_is_in(code: str) -> None:
    tree = ast.parse(inspect.getsource(sys.modules[FOULS[code].judge.__module__]))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    texts = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert "id" not in names
    assert not texts & set(RULESETS)


@pytest.mark.parametrize("rules", RULESETS)
def test_every_ruling_is_of_a_foul_that_exists_and_every_foul_is_ruled_or_said_to_be_missing(rules: str) -> None:
    ruleset = load_ruleset(rules)
    assert set(ruleset.fouls) <= set(FOULS)
    for code, rule in FOULS.items():
        ruled = set(ruleset.fouls.get(code, ()))
        assert ruled <= set(rule.kinds)
        said = {kind for kind in rule.kinds if code in ruleset.silent or f"{code}.{kind}" in ruleset.silent}
        assert ruled | said == set(rule.kinds), code
        assert not ruled & said, code
