"""The course of matches: who deals, how hands end, when a match is over; and what the ledger makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_engine import deal
from table_engine.account import ledger_view
from table_engine.apply import apply
from table_engine.engine import Engine, act_on, begin, move_on
from table_engine.ledger import noten
from table_engine.rules import RuleSet, load_ruleset
from table_engine.sheets import sheet
from table_engine.state import State, Turn
from table_engine.wire.actions import Action, Discarded, Drew, HandEnded, HandShown, HandStarted, WinShown
from table_engine.wire.acts import (
    Appeal,
    ConfirmWin,
    Did,
    EndHand,
    EndMatch,
    RecordRow,
    RefereeAct,
    SeatPlayers,
    StartMatch,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = Seat


class Session:
    """A table whose hands are told in a few words."""

    def __init__(self, ruleset: str, **overrides: object) -> None:
        self.rules: RuleSet = load_ruleset(ruleset, overrides or None)
        self.engine: Engine = begin("t1")
        self.now_ms = 0
        self.acts = 0

    def play(self, *actions: Action) -> Session:
        for action in actions:
            self.now_ms += 1000
            self.engine, _ = move_on(self.engine, replace(action, at_ms=self.now_ms), self.rules)
        return self

    def act(self, did: Did, after_ms: int = 0) -> str:
        self.now_ms += after_ms
        self.acts += 1
        act = RefereeAct(id=f"a{self.acts}", by="Mei", at_ms=self.now_ms, did=did)
        self.engine, out = act_on(self.engine, act, self.rules)
        return out.refused

    def hand(self, dealer: Seat, *payments: int) -> Session:
        """One hand that a self-draw of its dealer ends, paying what the referee says."""
        a, b, c, d = payments or (9, -3, -3, -3)
        self.play(HandStarted(dealer=dealer), WinShown(seat=dealer, tile=Tile("1m")))
        assert not self.act(ConfirmWin(seat=dealer, payments=(a, b, c, d)))
        return self.play(HandEnded(won=True))

    @property
    def game(self) -> State:
        return self.engine.game

    @property
    def next_dealer(self) -> Seat:
        return deal.next_dealer(self.game, self.rules)

    def points(self) -> list[int]:
        return [one.points for one in ledger_view(self.engine, self.rules).standings]


@pytest.mark.parametrize("ruleset", ["taiwan16", "chinese_official"])
def test_the_dealer_never_repeats_and_sixteen_hands_are_a_match(ruleset: str) -> None:
    session = Session(ruleset)
    dealer = S0
    for n in range(1, 17):
        assert not deal.match_ended(session.game, session.rules)
        session.hand(dealer)
        assert session.game.match_hand == n
        assert session.next_dealer == dealer.next
        dealer = dealer.next
    assert deal.match_ended(session.game, session.rules)
    assert ledger_view(session.engine, session.rules).over
    session.hand(S0)
    assert (session.game.match, session.game.match_hand) == (2, 1)
    assert session.points() == [9, -3, -3, -3]
    assert [one.points for one in ledger_view(session.engine, session.rules, 1).standings] == [144, -48, -48, -48]


def test_riichi_dealers_stay_on_a_win_and_a_half_game_ends_with_souths_last_hand() -> None:
    session = Session("riichi").hand(S0, 12000, -4000, -4000, -4000)
    assert session.next_dealer == S0
    session.hand(S0)
    assert (session.game.honba, session.game.streak) == (1, 1)
    for n in range(7):
        session.hand(SEATS[(n + 1) % 4])
    assert session.game.rotations == 7
    assert not deal.match_ended(session.game, session.rules)
    session.play(HandStarted(dealer=S3), WinShown(seat=S1, source=S3, tile=Tile("1m")), HandEnded(won=True))
    assert session.next_dealer == S0
    assert deal.match_ended(session.game, session.rules)


READY = ("1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "1p", "2s", "3s")
SHORT = ("1m", "4m", "7m", "1p", "4p", "7p", "1s", "4s", "7s", "1z", "2z", "3z", "4z")


def exhaust(session: Session, dealer: Seat) -> Session:
    session.play(HandStarted(dealer=dealer))
    while deal.ending(session.game, session.rules) != "exhaustive":
        seat = session.game.turn.actor
        if session.game.turn.phase == "draw":
            session.play(Drew(seat=seat))
        session.play(Discarded(seat=seat, tile=Tile("?")))
    return session


@pytest.mark.parametrize(("shows", "stays"), [(S0, True), (S2, False)])
def test_a_ready_dealer_stays_at_an_exhaustive_draw_and_the_others_pay(shows: Seat, *, stays: bool) -> None:
    session = exhaust(Session("riichi"), S0)
    session.play(HandShown(seat=shows, hand=tuple(map(Tile, READY))), HandShown(seat=S1, hand=tuple(map(Tile, SHORT))))
    session.play(HandEnded(won=False))
    assert (session.game.ended, session.game.tenpai) == ("exhaustive", (shows,))
    assert session.next_dealer == (S0 if stays else S1)
    line = ledger_view(session.engine, session.rules).hands[-1]
    assert line.points == noten((shows,), 3000)
    session.play(HandStarted(dealer=session.next_dealer))
    assert session.game.honba == 1


def test_taiwanese_deal_passes_after_an_exhaustive_draw_with_sixteen_left() -> None:
    session = exhaust(Session("taiwan16"), S1).play(HandEnded(won=False))
    assert session.game.ended == "exhaustive"
    assert session.rules.set.tiles - session.game.head - session.game.tail == 16
    assert session.next_dealer == S2


def test_ready_bets_lie_until_somebody_wins() -> None:
    session = Session("riichi").play(HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("1z"), sideways=True))
    session.play(Drew(seat=S1))
    assert session.act(EndHand(how="nine_terminals")) == ""
    assert deal.bets(session.game) == (S0,)
    assert session.points() == [29000, 30000, 30000, 30000]
    assert session.next_dealer == S0
    session.play(HandStarted(dealer=S0))
    assert session.game.sticks == 1
    session.play(WinShown(seat=S1, source=S0, tile=Tile("1z")), HandEnded(won=True), HandStarted(dealer=S1))
    assert session.game.sticks == 0


def test_a_bet_that_is_won_on_at_once_is_not_paid() -> None:
    session = Session("riichi").play(HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("1z"), sideways=True))
    session.play(WinShown(seat=S1, source=S0, tile=Tile("1z")))
    assert deal.bets(session.game) == ()


def _after(ruleset: str, *actions: Action) -> State:
    state, rules = State(), load_ruleset(ruleset)
    for action in (HandStarted(dealer=S0), *actions):
        state = apply(state, action, rules)
    return state


def _firsts(*tiles: str) -> list[Action]:
    moves: list[Action] = []
    for seat, tile in zip(SEATS, tiles, strict=True):
        moves += [Drew(seat=seat)] if seat else []
        moves.append(Discarded(seat=seat, tile=Tile(tile)))
    return moves


@pytest.mark.parametrize(
    ("ruleset", "tiles", "how"),
    [
        ("riichi", ("2z", "2z", "2z", "2z"), "four_winds"),
        ("riichi", ("2z", "2z", "2z", "3z"), None),
        ("riichi", ("5z", "5z", "5z", "5z"), None),
        ("taiwan16", ("2z", "2z", "2z", "2z"), None),
    ],
)
def test_four_equal_winds(ruleset: str, tiles: tuple[str, str, str, str], how: str | None) -> None:
    assert deal.abortive(_after(ruleset, *_firsts(*tiles)), load_ruleset(ruleset)) == how


def test_four_ready_and_three_winners_draw_the_hand() -> None:
    rules = load_ruleset("riichi")
    ready = _after("riichi", *(Discarded(seat=seat, tile=Tile("1z"), sideways=True) for seat in SEATS))
    assert deal.ending(ready, rules) == "four_ready"
    shown = _after("riichi", Discarded(seat=S3, tile=Tile("1z")))
    for seat in (S0, S1, S2):
        shown = apply(shown, WinShown(seat=seat, source=S3, tile=Tile("1z")), rules)
    shown = apply(shown, HandEnded(won=True), rules)
    assert shown.ended == "three_winners"
    assert deal.next_dealer(shown, rules) == S0
    off_dealer = replace(shown, dealer=S3)
    assert deal.next_dealer(off_dealer, rules) == S0
    kept = load_ruleset("riichi", {"match.triple_off_dealer_passes": False})
    assert deal.next_dealer(off_dealer, kept) == S3


def test_kongs_of_several_players_draw_the_hand() -> None:
    rules = load_ruleset("riichi")
    state = _after("riichi")
    meld = apply(state, Discarded(seat=S0, tile=Tile("1z")), rules)
    assert deal.abortive(meld, rules) is None


def test_a_foul_that_ends_the_hand_ends_it_on_the_ledger() -> None:
    session = Session("taiwan16").play(HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("1z")))
    session.play(WinShown(seat=S1, source=S0, tile=Tile("1z"), hand=()))
    assert not session.act(RecordRow(row="TW-F17", seat=S1))
    line = ledger_view(session.engine, session.rules).hands[-1]
    assert line.how == "ruling"
    assert line.points == (0, 0, 0, 0)
    assert session.points()[1] < 0


def test_play_goes_on_after_a_false_win_where_the_text_says_so() -> None:
    session = Session("chinese_official").play(HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("1z")))
    session.play(WinShown(seat=S1, source=S0, tile=Tile("1z"), hand=()))
    assert not session.game.running
    assert not session.act(RecordRow(row="CO-F6", seat=S1))
    assert session.game.turn == Turn("draw", S1, session.game.turn.offer)
    assert session.points() == [10, -30, 10, 10]
    assert [effect.kind for effect in session.game.players[S1].effects] == ["no_win"]


def test_an_escalating_fine_is_a_warning_first_and_doubles() -> None:
    session = Session("chinese_official").play(HandStarted(dealer=S0))
    paid = []
    for _ in range(5):
        assert not session.act(RecordRow(row="CO-F2", seat=S2), 1000)
        paid.append(session.engine.match.bookings[-1].points[S2])
    assert paid == [0, -5, -10, -20, -40]
    assert session.engine.match.bookings[0].warning
    session.play(HandStarted(dealer=S1))
    assert not session.act(RecordRow(row="CO-F2", seat=S2), 1000)
    assert session.engine.match.bookings[-1].warning


def test_table_points_by_rank_are_shared_by_equals() -> None:
    session = Session("chinese_official").hand(S0, 24, -8, -8, -8)
    lines = ledger_view(session.engine, session.rules).standings
    assert [(one.rank, one.table_points) for one in lines] == [(1, 4.0), (2, 2.0), (2, 2.0), (2, 2.0)]


def test_placement_points_and_foul_points_of_a_half_game() -> None:
    session = Session("riichi").hand(S0, 12000, -4000, -4000, -4000)
    assert not session.act(RecordRow(row="RI-F6", seat=S0))
    lines = ledger_view(session.engine, session.rules).standings
    assert lines[0].foul_points == 1
    assert lines[0].placement == 12 + 5 + 20 - 20
    assert [one.rank_points for one in lines] == [5000, -1700, -1700, -1600]
    assert lines[1].placement == pytest.approx(-4 - 1.7 + (10 - 10 - 20) / 3, abs=0.1)


def test_points_pass_from_the_last_to_the_first() -> None:
    """半庄顺位点, and the other reading: placement points alone."""
    session = Session("riichi").hand(S0, 9000, -2000, -3000, -4000)
    lines = ledger_view(session.engine, session.rules).standings
    assert [one.points for one in lines] == [39000, 28000, 27000, 26000], "what lies on the table stays as it is"
    assert [one.placement for one in lines] == [9 + 5 + 20, -2 + 10, -3 - 10, -4 - 5 - 20]
    session = Session("riichi", match={"last_to_first": 0}).hand(S0, 9000, -2000, -3000, -4000)
    lines = ledger_view(session.engine, session.rules).standings
    assert [one.placement for one in lines] == [9 + 20, -2 + 10, -3 - 10, -4 - 20]
    level = ledger_view(Session("riichi").hand(S0, 0, 0, 0, 0).engine, session.rules).standings
    assert [one.rank_points for one in level] == [0, 0, 0, 0]


def test_players_substitutes_and_the_end_of_a_match() -> None:
    session = Session("chinese_official")
    assert not session.act(SeatPlayers(names=("An", "Bo", "Chi", "Di"), substitutes=(S3,)))
    session.hand(S0)
    assert not session.act(EndMatch(reason="a player fell ill"))
    view = ledger_view(session.engine, session.rules)
    assert (view.over, view.ended) == (True, "a player fell ill")
    assert [one.ranked for one in view.standings] == [True, True, True, False]
    session.play(HandStarted(dealer=S1))
    assert session.game.match == 2
    assert session.game.first_dealer == S1


def test_a_match_begins_anew_when_somebody_says_so() -> None:
    session = Session("riichi").hand(S0).hand(S0)
    assert not session.act(StartMatch(points=25000))
    session.play(HandStarted(dealer=S2))
    assert (session.game.match, session.game.match_hand, session.game.rotations, session.game.honba) == (2, 1, 0, 0)
    assert session.points() == [25000] * 4


def test_appeals_are_open_for_half_an_hour_after_the_session() -> None:
    session = Session("chinese_official").play(HandStarted(dealer=S0))
    assert not session.act(RecordRow(row="CO-F13", seat=S2))
    alert = session.engine.docket.told[0].id
    assert not session.act(EndMatch())
    assert session.act(Appeal(alert=alert, text="thirteen stood"), 31 * 60_000) == (
        "appeals were open for 30 minutes after the session"
    )
    session.now_ms -= 2 * 60_000
    assert not session.act(Appeal(alert=alert, text="thirteen stood"))
    assert session.engine.docket.told[0].appeal == "open"


@pytest.mark.parametrize("form", ["text", "json", "csv", "html"])
@pytest.mark.parametrize("what", ["results", "ruling"])
def test_sheets_name_what_was_played_and_ruled(what: str, form: str) -> None:
    session = Session("chinese_official")
    session.act(SeatPlayers(names=("An <b>", "Bo", "Chi", "Di")))
    session.hand(S0, 24, -8, -8, -8)
    session.act(RecordRow(row="CO-F13", seat=S2, note="twelve stood"))
    text = sheet(what, session.engine, session.rules, form)  # type: ignore[arg-type]
    assert "CO-F13" in text
    assert text.endswith("\n")
    assert ("An" in text) if what == "results" else ("twelve stood" in text)
    assert "<b>" not in text or form != "html"
