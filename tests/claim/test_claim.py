"""A declared win at the table: what stands, what does not, and the one line for the referee."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_hand import S0, S1, S2, S3, TableHand, shown

from table_engine import claim
from table_engine.apply import apply
from table_engine.rules import RULESETS, load_ruleset
from table_engine.scoring import Hand, NoWin, Score
from table_engine.state import State
from table_engine.wire.actions import Called, Discarded, Drew, HandStarted, Konged, WinShown
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import UNKNOWN, Tile

READY = "34m567m345p678s66s"  # waits for 2m, 5m and 8m
TAIWAN = "23m456m789m123p45677s"  # waits for 1m and 4m


def kinds(verdict: claim.Verdict) -> list[str]:
    return [objection.kind for objection in verdict.objections]


def test_a_valid_win_is_scored_and_said_in_one_line() -> None:
    hand = TableHand("riichi").turn(S0, "9p").turn(S1, "2m")
    verdict = hand.win(S2, S1, "2m", READY)
    assert verdict.valid is True
    assert str(verdict.says) == "West (seat 3) wins on 2m from South (seat 2): 2 han 30 fu, 2000 points."
    assert verdict.score is not None
    assert verdict.score.payments == (0, -2000, 2000, 0)
    assert verdict.waits == ("2m", "5m", "8m")


def test_circumstances_are_known_from_the_moves() -> None:
    hand = TableHand("riichi", dora="4p").turn(S0, "9p").turn(S1, "9p").turn(S2, "9p", ready=True)
    hand.turn(S3, "9s").turn(S0, "9s").turn(S1, "5m")
    context = hand.win(S2, S1, "5m", READY).context
    assert (context.ready, context.double_ready, context.one_round, context.sticks) == (True, True, True, 1)
    assert (context.dora, context.dealer, context.seat_wind.value) == (("4p",), S0, "west")
    assert not context.first_turn
    hand.pung(S3, "5m", S1).turn(S3, "1z").turn(S0, "2m")
    assert not hand.win(S2, S0, "2m", READY).context.one_round


def test_a_bet_on_the_winning_discard_is_not_paid() -> None:
    hand = TableHand("riichi").turn(S0, "9p").turn(S1, "2m", ready=True)
    verdict = hand.win(S2, S1, "2m", READY)
    assert verdict.context.sticks == 0
    assert claim.betting(hand.state) == ()


def test_the_first_turn() -> None:
    heaven = TableHand("riichi").win(S0, None, "2m", READY)
    assert isinstance(heaven.outcome, Score)
    assert [item.name for item in heaven.outcome.items] == ["天和"]
    earth = TableHand("riichi").turn(S0, "9p").draw(S1).win(S1, None, "2m", READY)
    assert isinstance(earth.outcome, Score)
    assert [item.name for item in earth.outcome.items] == ["地和"]


@pytest.mark.parametrize(
    ("tile", "hand", "grade", "says"),
    [
        ("9m", READY, "not_valid", "no win, the hand is ready but not for 9m"),
        ("2m", "34m57m345p678s66s9p", "one_short", "one tile short of ready"),
        ("2m", "147m258p369s1234z", "more_short", "tiles short of ready"),
    ],
)
def test_a_false_win_is_graded(tile: str, hand: str, grade: str, says: str) -> None:
    """错和, 诈和, 有意诈和: CO-F6, CO-F7, CO-F8, RI-F9, WS-F8, TW-F17."""
    for rules in ("riichi", "world_series"):
        at = TableHand(rules).turn(S0, "9p").turn(S1, tile)
        verdict = at.win(S2, S1, tile, hand)
        assert verdict.valid is False
        assert kinds(verdict) == [grade]
        assert says in str(verdict.says)
        assert verdict.score is None


def test_too_few_fan_are_ready_but_not_valid() -> None:
    """CO-S7."""
    pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed, so fan cannot be counted")
    at = TableHand("chinese_official").turn(S0, "9p").turn(S1, "3p").pung(S2, "3p", S1).turn(S2, "1z").turn(S3, "1m")
    verdict = at.win(S2, S3, "1m", "23m567m678s99s")
    assert verdict.valid is False
    assert kinds(verdict) == ["not_valid"]
    assert "at least 4 are asked" in str(verdict.says)


def test_no_yaku_is_no_win() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "9s").pung(S2, "9s", S1).turn(S2, "1z").turn(S3, "2m")
    verdict = at.win(S2, S3, "2m", "34m567m345p66s")
    assert kinds(verdict) == ["not_valid"]
    assert "no yaku" in str(verdict.says)


def test_the_right_tile() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "5m")
    assert kinds(at.win(S2, S1, "2m", READY)) == ["wrong_tile"]
    assert kinds(at.win(S2, S0, "5m", READY)) == ["wrong_tile"]
    assert kinds(at.win(S2, None, "5m", READY)) == ["no_draw"]
    at.draw(S2)
    assert kinds(at.win(S2, None, "5m", READY)) == []
    assert "no_draw" in kinds(at.win(S3, None, "5m", READY))


def test_a_self_draw_begins_with_a_draw() -> None:
    """自摸必须始於摸牌 (TW-P9)."""
    at = TableHand("taiwan16").turn(S0, "9p").turn(S1, "9s").pung(S2, "9s", S1)
    assert kinds(at.win(S2, None, "1m", "23m456m789m456p77s")) == ["no_draw"]


@pytest.mark.parametrize("effect", ["dead_hand", "no_win", "no_win_no_call", "draw_discard_only"])
def test_a_standing_penalty_forbids_a_win(effect: str) -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "2m").effect(S2, effect)
    verdict = at.win(S2, S1, "2m", READY)
    assert kinds(verdict) == ["effect"]
    assert isinstance(verdict.outcome, Score)
    assert str(verdict.says) == "West (seat 3): no win, a standing penalty forbids a win."


def test_furiten_by_the_own_pond() -> None:
    """RI-S5."""
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "9p").turn(S2, "5m").turn(S3, "9p").turn(S0, "9p").turn(S1, "2m")
    assert kinds(at.win(S2, S1, "2m", READY)) == ["passed"]
    at.draw(S2)
    assert at.win(S2, None, "2m", READY).valid is True


def test_furiten_of_the_go_round_ends_with_the_own_draw() -> None:
    at = TableHand("riichi").turn(S0, "2m").turn(S1, "5m")
    assert kinds(at.win(S2, S1, "5m", READY)) == ["passed"]
    at.turn(S2, "9p").turn(S3, "5m")
    assert at.win(S2, S3, "5m", READY).valid is True


def test_the_tile_that_lies_open_is_not_let_go_yet() -> None:
    at = TableHand("riichi").turn(S0, "2m")
    assert at.win(S2, S0, "2m", READY).valid is True


def test_furiten_after_ready_is_for_good() -> None:
    """RI-S5."""
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "9p").turn(S2, "9s", ready=True).turn(S3, "2m").turn(S0, "9s")
    at.turn(S1, "9s").turn(S2, "1z").turn(S3, "5m")
    assert kinds(at.win(S2, S3, "5m", READY)) == ["passed"]
    at.turn(S0, "9s").turn(S1, "9s").draw(S2)
    assert at.win(S2, None, "5m", READY).valid is True


def test_passed_win_of_the_taiwanese_text() -> None:
    """过水 (TW-P10, TW-F18): released by an own discard of a tile that does not win; one that wins releases nothing; a call releases."""
    at = TableHand("taiwan16").turn(S0, "1m").turn(S1, "4m")
    assert kinds(at.win(S2, S1, "4m", TAIWAN)) == ["passed"]
    at.turn(S2, "1m").turn(S3, "4m")
    assert kinds(at.win(S2, S3, "4m", TAIWAN)) == ["passed"]
    at.turn(S0, "9p").turn(S1, "9p").turn(S2, "9p").turn(S3, "4m")
    assert at.win(S2, S3, "4m", TAIWAN).valid is True
    called = TableHand("taiwan16").turn(S0, "1m").turn(S1, "9s").pung(S2, "9s", S1).turn(S2, "9p").turn(S3, "4m")
    assert called.win(S2, S3, "4m", "23m456m789m456p77s").valid is True


def test_other_texts_know_no_passed_win() -> None:
    at = TableHand("world_series").turn(S0, "2m").turn(S1, "5m")
    assert at.win(S2, S1, "5m", READY).valid is True


def test_exposed_tiles_may_not_be_won_on() -> None:
    """TW-P7, TW-P8, TW-F18."""
    at = TableHand("taiwan16").turn(S0, "9p").turn(S1, "1m")
    assert kinds(at.exposed(S2, "1m").win(S2, S1, "1m", TAIWAN)) == ["exposed"]
    assert kinds(at.exposed(S2, "23m").win(S2, S1, "1m", TAIWAN)) == ["exposed"]
    assert at.exposed(S2, "77s").win(S2, S1, "1m", TAIWAN).valid is True
    other = TableHand("riichi").turn(S0, "9p").turn(S1, "2m").exposed(S2, "34m")
    assert other.win(S2, S1, "2m", READY).valid is True


def test_the_replacement_of_an_exposed_kong_passes() -> None:
    """明碰杠後的岭上摸牌若自摸强制过水 (TW-P3); a concealed kong's stands."""
    at = TableHand("taiwan16").turn(S0, "9p").turn(S1, "9s").kong(S3, "9s", S1).draw(S3, "tail")
    assert kinds(at.win(S3, None, "1m", "23m456m789m123p77s")) == ["replacement"]
    own = TableHand("taiwan16").turn(S0, "9p").draw(S1).konged(S1, "9s").draw(S1, "tail")
    verdict = own.win(S1, None, "1m", "23m456m789m123p77s")
    assert verdict.valid is True
    assert verdict.context.replacement


def test_robbing_a_kong() -> None:
    at = (
        TableHand("riichi")
        .turn(S0, "9p")
        .turn(S1, "2m")
        .pung(S3, "2m", S1)
        .turn(S3, "1z")
        .turn(S0, "9s")
        .turn(S1, "9s")
    )
    at.turn(S2, "9s").draw(S3).konged(S3, "2m", "added")
    verdict = at.win(S0, S3, "2m", READY)
    assert verdict.context.robbing
    assert isinstance(verdict.outcome, Score)
    assert "槍槓" in {item.name for item in verdict.outcome.items}


def test_a_concealed_kong_cannot_be_robbed_but_for_thirteen_orphans() -> None:
    at = TableHand("riichi").turn(S0, "9p").draw(S1).konged(S1, "2m")
    assert kinds(at.win(S2, S1, "2m", READY)) == ["wrong_tile"]
    orphans = TableHand("riichi").turn(S0, "9p").draw(S1).konged(S1, "1m")
    assert orphans.win(S2, S1, "1m", "19p19s1234567z99m").valid is True
    other = TableHand("world_series").turn(S0, "9p").draw(S1).konged(S1, "1m")
    assert kinds(other.win(S2, S1, "1m", "19p19s1234567z99m")) == ["wrong_tile"]


def test_unknown_faces_are_asked_for() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "2m")
    win = shown(S2, S1, "2m", READY)
    verdict = claim.check(at.state, replace(win, hand=(UNKNOWN, *win.hand[1:])), at.rules)
    assert verdict.valid is None
    assert str(verdict.says) == "West (seat 3): 1 tiles of the hand are not known; enter them to check the win."
    entered = claim.rescored(at.state, verdict, at.rules, Hand(win.hand, Tile("2m")))
    assert entered.valid is True
    assert entered.score is not None


def test_the_winning_tile_is_the_one_that_lies_open() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "2m")
    verdict = claim.check(at.state, replace(shown(S2, S1, "2m", READY), tile=UNKNOWN), at.rules)
    assert verdict.valid is True
    assert verdict.hand.win == "2m"


def test_more_copies_than_there_are_are_a_misread_tile() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "2m")
    verdict = at.win(S2, S1, "2m", "333334m567m345p66s")
    assert verdict.valid is None or verdict.valid is False
    assert "3m" in str(verdict.says)


def test_a_kong_of_fives_holds_the_red_one() -> None:
    at = TableHand("riichi").turn(S0, "9p").draw(S1).konged(S1, "5m").draw(S1, "tail").turn(S1, "1z")
    at.turn(S2, "9p").turn(S3, "2p")
    verdict = at.win(S1, S3, "2p", "34p345s678s66s")
    assert isinstance(verdict.outcome, Score)
    assert {"赤ドラ"} <= {item.name for item in verdict.outcome.items}


@pytest.mark.parametrize(
    ("rules", "winners", "paid"),
    [
        ("riichi", (S2, S3), (S2, S3)),
        ("riichi", (S2, S3, S0), ()),  # three draw the hand
        ("taiwan16", (S0, S2), (S2,)),  # the nearer of two
        ("taiwan16", (S0, S2, S3), (S0, S2, S3)),  # all three
        ("world_series", (S0, S3), (S3,)),
        ("world_series", (S0, S2, S3), (S2,)),
    ],
)
def test_several_winners_on_one_tile(rules: str, winners: tuple, paid: tuple) -> None:
    """TW-P13, RI-S8, CO-S6."""
    hand = TAIWAN if rules == "taiwan16" else READY
    at = TableHand(rules).turn(S0, "9p").turn(S1, "2m" if hand == READY else "1m")
    wins = [shown(seat, S1, "2m" if hand == READY else "1m", hand) for seat in winners]
    verdicts = claim.several(at.state, wins, at.rules)
    assert tuple(verdict.seat for verdict in verdicts if verdict.score) == paid
    assert all(verdict.valid for verdict in verdicts)
    assert all("Not paid" in str(verdict.says) for verdict in verdicts if verdict.seat not in paid)


def test_a_view_for_screens() -> None:
    at = TableHand("riichi").turn(S0, "9p").turn(S1, "2m")
    view = claim.view(at.win(S2, S1, "2m", READY))
    assert (view.valid, view.total, view.unit, view.points) == (True, 2, "han", 2000)
    assert [item.name for item in view.items] == ["平和", "断幺九"]
    assert view.payments == (0, -2000, 2000, 0)
    refused = claim.view(at.win(S2, S1, "2m", "34m57m345p678s66s9p"))
    assert (refused.valid, refused.payments, refused.total) == (False, (), None)
    assert refused.objections == ("the hand is one tile short of ready",)


def test_without_the_fan_library_a_win_is_still_checked_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from table_engine.scoring import chinese

    chinese.fan_counter.cache_clear()
    monkeypatch.setitem(sys.modules, "MahjongGB", None)
    at = TableHand("chinese_official").turn(S0, "9p").turn(S1, "2m")
    verdict = at.win(S2, S1, "2m", READY)
    assert verdict.valid is None
    assert "pip install" in str(verdict.says)
    refused = at.win(S2, S1, "2m", "34m57m345p678s66s9p")
    assert refused.valid is False
    assert isinstance(refused.outcome, NoWin)
    chinese.fan_counter.cache_clear()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_win_with_a_wrong_kong_is_no_win_and_nothing_breaks(ruleset: str) -> None:
    """A fourth tile laid to a pung of another kind makes no set."""
    rules = load_ruleset(ruleset)
    state = apply(State(), HandStarted(dealer=Seat.S0, at_ms=1), rules)
    five, six, one = Tile("5p"), Tile("6p"), Tile("1m")
    for action in (
        Discarded(seat=Seat.S0, tile=five, at_ms=2),
        Called(seat=Seat.S1, call="pung", tile=five, source=Seat.S0, tiles=(five,) * 3, at_ms=3),
        Konged(seat=Seat.S1, kong="added", tile=six, at_ms=4),
        Drew(seat=Seat.S1, end="tail", tile=one, at_ms=5),
    ):
        state = apply(state, action, rules)
    rest = tuple(map(Tile, ("2m", "3m", "4s", "5s", "6s", "7s", "8s", "9s", "7z", "7z")))
    more = tuple(map(Tile, ("1s", "1s", "1s"))) if rules.set.hand == 16 else ()
    verdict = claim.check(state, WinShown(seat=Seat.S1, tile=one, hand=(*rest, *more)), rules)
    assert verdict.valid is False
    assert verdict.score is None
