"""Rows that no foul carries out: the course of play, scores, and what a referee records with one act."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_engine import ask, claim, clocks, deal
from table_engine.apply import apply
from table_engine.clocks import Clocks
from table_engine.ledger import noten
from table_engine.referee import Docket
from table_engine.rules import RULESETS, load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Score, score
from table_engine.state import Meld, State
from table_engine.verdicts import decide, refusal
from table_engine.wire.actions import Action, Discarded, HandEnded, HandStarted, WinShown
from table_engine.wire.acts import Appeal, RecordRow, RefereeAct
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.moves import Step, Turns, hand, tiles

S0, S1, S2, S3 = Seat


def played(ruleset: str, moves: str, state: State | None = None) -> State:
    """The state after a hand in words; turns are drawn and discarded."""
    rules, now = load_ruleset(ruleset), 0
    state = state or State()

    def do(action: Action, after_ms: int = 1000) -> None:
        nonlocal state, now
        now += after_ms
        state = apply(state, replace(action, at_ms=now), rules)

    lines = hand(moves)
    if not (isinstance(lines[0], Step) and isinstance(lines[0].action, HandStarted)):
        do(HandStarted(dealer=S0))
    for line in lines:
        match line:
            case Step(action=action, after_ms=after_ms):
                do(action, after_ms)
            case Turns(until=left) if left is not None:
                while ask.wall_left(state, rules) > left:
                    seat = state.turn.actor
                    for step in hand(f"{seat + 1} draws\n{seat + 1} discards {state.discards % 9 + 1}p"):
                        assert isinstance(step, Step)
                        do(step.action)
            case _:
                raise AssertionError(line)
    return state


def test_sixteen_hands_without_repeats_and_ninety_minutes() -> None:
    """TW-S1."""
    rules = load_ruleset("taiwan16")
    state = played("taiwan16", "1 discards 1z\n2 wins on 1z of 1 with 1z\nend won")
    assert deal.next_dealer(state, rules) == S1, "the dealer does not repeat"
    won = played("taiwan16", "1 wins by 1z with 1z\nend won")
    assert deal.next_dealer(won, rules) == S1, "not even after a win"
    assert not deal.last_hand(replace(state, match_hand=15), rules)
    assert deal.last_hand(replace(state, match_hand=16), rules)
    assert clocks.match_limit_ms(Clocks(match_ms=0), rules) == 90 * 60_000
    assert clocks.match_limit_ms(Clocks(match_ms=0, extra_ms=60_000), rules) == 91 * 60_000


@pytest.mark.parametrize(("left", "ending"), [(16, "exhaustive"), (17, "unknown")])
def test_the_hand_is_drawn_with_sixteen_tiles_left_and_the_deal_passes(left: int, ending: str) -> None:
    """TW-S8."""
    rules = load_ruleset("taiwan16")
    state = played("taiwan16", f"1 discards 1z\nuntil {left}\nend")
    assert state.ended == ending
    if ending == "exhaustive":
        assert deal.next_dealer(state, rules) == S1


@pytest.mark.parametrize("ruleset", RULESETS)
def test_whatever_falls_into_the_pond_is_a_discard(ruleset: str) -> None:
    """TW-S9, RI-S2, CO-S3: into the own pond, in order."""
    state = played(ruleset, "1 discards 1z\n2 draws 5p\n2 discards 5p\n3 draws\n3 discards 2z\n4 draws\n4 discards 3z")
    assert [one.tile for one in state.players[S1].pond] == ["5p"]
    assert ask.whose_turn(state) == S0
    assert ask.deviation(state, S1, load_ruleset(ruleset)) == 0


def test_noten_pays_three_thousand_and_a_ready_dealer_stays() -> None:
    """RI-S7."""
    rules = load_ruleset("riichi")
    assert noten((S0,), 3000) == (3000, -1000, -1000, -1000)
    assert noten((S0, S2), 3000) == (1500, -1500, 1500, -1500)
    assert noten((S0, S1, S2), 3000) == (1000, 1000, 1000, -3000)
    assert noten((), 3000) == noten(tuple(Seat), 3000) == (0, 0, 0, 0)
    drawn = played("riichi", "1 discards 1z\nuntil 14\nend")
    assert deal.next_dealer(replace(drawn, tenpai=(S0,)), rules) == S0
    assert deal.next_dealer(replace(drawn, tenpai=(S1,)), rules) == S1
    assert rules.match.counter == 300


def test_who_feeds_the_third_dragon_is_liable() -> None:
    """RI-S9: all of a self-draw."""
    rules = load_ruleset("riichi")
    melds = tuple(Meld("pung", (Tile(t),) * 3, Tile(t), source) for t, source in (("5z", S1), ("6z", S3), ("7z", S2)))
    outcome = score(Hand(tiles("12m99p"), Tile("3m"), melds), Context(winner=S0, dealer=S0), rules)
    assert isinstance(outcome, Score)
    assert outcome.payments == (48_000, 0, -48_000, 0)
    half = score(Hand(tiles("12m99p"), Tile("3m"), melds), Context(winner=S0, source=S1, dealer=S0), rules)
    assert isinstance(half, Score)
    assert half.payments == (48_000, -24_000, -24_000, 0)


def test_four_fan_and_the_shapes_of_the_chinese_text() -> None:
    """CO-S7, CO-S8: a shape and four fan, counted by the table of 81."""
    rules = load_ruleset("chinese_official")
    before = played("chinese_official", "1 discards 9p\n2 draws\n2 discards 1m")
    right = claim.check(before, WinShown(seat=S3, source=S1, tile=Tile("1m"), hand=tiles("23m456m789m55577z")), rules)
    assert right.valid
    assert right.score is not None
    assert right.score.unit == "fan"
    assert right.score.total >= 4
    poor = score(
        Hand(tiles("23m567m234p99p"), Tile("1m"), (Meld("pung", tiles("555p"), Tile("5p"), S0),)), Context(), rules
    )
    assert isinstance(poor, NoWin)
    assert poor.why == "minimum"
    pairs = score(Hand(tiles("1122m3344p5566s7z"), Tile("7z")), Context(), rules)
    assert isinstance(pairs, Score)


def test_self_draws_are_paid_by_each_and_discards_by_the_discarder_alone() -> None:
    """CO-S9, with table points 4, 3, 2, 1."""
    rules = load_ruleset("chinese_official")
    whole = Hand(tiles("23m456m789m55577z"), Tile("1m"))
    drawn, given = score(whole, Context(winner=S0), rules), score(whole, Context(winner=S0, source=S2), rules)
    assert isinstance(drawn, Score)
    assert isinstance(given, Score)
    assert drawn.payments == (3 * drawn.total, -drawn.total, -drawn.total, -drawn.total)
    assert given.payments == (given.total, 0, -given.total, 0)
    assert rules.match.table_points == (4, 3, 2, 1)


def test_ready_may_be_announced() -> None:
    """CO-S10: it is known, and binds to nothing."""
    state = played("chinese_official", "1 discards 1z\n2 draws\n2 announces ready")
    assert [(claim.seat, claim.call) for claim in state.claims] == [(S1, "ready")]


def test_the_first_fifteen_seconds_are_free() -> None:
    """WS-F12: the dealer's turn is counted from then on."""
    rules = load_ruleset("world_series")
    state = played("world_series", "deal 1")
    running = clocks.moved(Clocks(), State(), HandStarted(dealer=S0, at_ms=1000), state, rules)
    assert clocks.turn_ends_ms(running, state, rules) == 1000 + 30_000


ACTS = [
    (ruleset, row, kind) for ruleset in RULESETS for row, kinds in load_ruleset(ruleset).acts.items() for kind in kinds
]


@pytest.mark.parametrize(("ruleset", "row", "kind"), ACTS)
def test_a_referee_records_a_row_with_one_act(ruleset: str, row: str, kind: str) -> None:
    """TW-P9, TW-P15, TW-P16, TW-P17, TW-F19, TW-F20, TW-F22, TW-F23, TW-F24, TW-F27, TW-F28, RI-S3, RI-F3, RI-F4, RI-F6, RI-F11, CO-F9,
    CO-F10, CO-F11, CO-F12, CO-F14, CO-F15, CO-S11, WS-F14, WS-F15: penalty, effect and citation come with it."""
    rules = load_ruleset(ruleset)
    state = played(ruleset, "1 discards 1z\n2 draws")
    did = RecordRow(row=row, kind=kind, seat=S1, tiles=(Tile("5p"),), other=S2)
    assert refusal(Docket("t1"), did, rules) == ""
    decision = decide(Docket("t1"), RefereeAct(id="a1", by="referee", at_ms=9000, did=did), did, state, rules)
    ruling = rules.acts[row][kind]
    change = decision.changes[-1]
    alert = change.after
    assert (alert.rule, alert.seat, alert.state, alert.penalty) == (row, S1, "confirmed", ruling.penalty)
    assert rules.row(row).cite in alert.citation
    assert decision.booked is not None
    booked = decision.booked.booked
    assert booked is not None
    kinds = {effect.kind for effect in booked.effects}
    assert kinds == {
        k for k in (ruling.effect, {"live": "penalty_tile", "forced": "forced_discard"}.get(ruling.tiles or "")) if k
    }
    fine = ruling.fine
    if fine and (fine.points or fine.bases or fine.tai or any(fine.choices[:1])):
        assert booked.points[S1] < 0
        assert sum(booked.points) == (0 if fine.to != "nobody" else booked.points[S1])
    assert booked.ends_hand == ruling.ends_hand
    assert booked.disqualifies == ruling.disqualifies


def test_an_appeal_is_recorded_with_the_decision_it_is_against() -> None:
    """CO-F15."""
    rules = load_ruleset("chinese_official")
    state = played("chinese_official", "1 discards 1z\n2 draws")
    record = RecordRow(row="CO-F14", kind="information", seat=S1)
    first = decide(Docket("t1"), RefereeAct(id="a1", at_ms=9000, did=record), record, state, rules)
    alert = first.changes[-1].after
    appeal = Appeal(alert=alert.id, seat=S1, text="The player was speaking to the referee.")
    second = decide(first.docket, RefereeAct(id="a2", at_ms=20_000, did=appeal), appeal, state, rules)
    assert second.changes[-1].after.appeal == "open"
    assert second.changes[-1].after.id == alert.id
    assert rules.clocks.appeal_minutes == 30


def test_hands_end_only_once() -> None:
    """TW-S8: a hand that is over is not ended again by what is pushed about afterwards."""
    state = played("taiwan16", "1 discards 1z\nuntil 16\nend")
    after = apply(state, Discarded(seat=S2, tile=Tile("2z"), at_ms=state.at_ms + 1), load_ruleset("taiwan16"))
    again = apply(after, HandEnded(won=False, at_ms=state.at_ms + 2), load_ruleset("taiwan16"))
    assert again.ended == state.ended == "exhaustive"
