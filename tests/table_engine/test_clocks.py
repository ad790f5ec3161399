"""Clocks run by event times alone, stand still in pauses, and are told when they run out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_engine.account import clocks_view, ledger_view
from table_engine.engine import Engine, Outputs, act_on, begin, move_on, step
from table_engine.rules import RuleSet, load_ruleset
from table_engine.wire.actions import Action, Called, ClockRan, Discarded, Drew, HandStarted, Konged
from table_engine.wire.acts import Count, Did, ExtraTime, Pause, RefereeAct, Resume, Undo
from table_engine.wire.observations import Envelope, Watermark
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = Seat
START = 1_000_000


class Clocked:
    """Moves and waits by the second since the deal."""

    def __init__(self, ruleset: str, overrides: dict[str, object] | None = None) -> None:
        self.rules: RuleSet = load_ruleset(ruleset, overrides)
        self.engine: Engine = begin("t1")
        self.ran: list[tuple[str, int, int, float]] = []
        self.seq = self.acts = 0
        self.at(0, HandStarted(dealer=S0))

    def at(self, second: float, action: Action) -> Clocked:
        self.wait(second)
        self._note(move_on(self.engine, replace(action, at_ms=START + int(second * 1000)), self.rules))
        return self

    def wait(self, second: float) -> Clocked:
        """The table's time runs on, four words of a sensor a second."""
        self.seq += 1
        now = START + int(second * 1000)
        word = Envelope.of("cam1", 1, self.seq, now, now, Watermark())
        self._note(step(self.engine, word, self.rules))
        return self

    def act(self, second: float, did: Did) -> Outputs:
        self.wait(second)
        self.acts += 1
        act = RefereeAct(id=f"a{self.acts}", at_ms=START + int(second * 1000), did=did)
        self.engine, out = act_on(self.engine, act, self.rules)
        return out

    def _note(self, done: tuple[Engine, Outputs]) -> None:
        self.engine, out = done
        for _, action in out.actions:
            if isinstance(action, ClockRan):
                self.ran.append((action.clock, int(action.seat), action.periods, action.spent_ms / 1000))


def first(ruleset: str, second: float = 10, overrides: dict[str, object] | None = None) -> Clocked:
    return Clocked(ruleset, overrides).at(second, Discarded(seat=S0, tile=Tile("1z")))


def test_the_dealers_first_discard_has_its_own_time() -> None:
    slow = Clocked("chinese_official").wait(29.9)
    assert slow.ran == []
    slow.wait(30.5)
    assert [row[:3] for row in slow.ran] == [("first_discard", 0, 1)]
    slow.wait(90)
    assert len(slow.ran) == 1


def test_a_turn_runs_from_the_discard_before_it_to_the_own() -> None:
    table = first("chinese_official")
    table.at(11, Drew(seat=S1)).at(24.9, Discarded(seat=S1, tile=Tile("2z"))).wait(39.8)
    assert table.ran == []
    table.wait(40.4)
    assert [row[:3] for row in table.ran] == [("turn", 2, 1)]


def test_the_window_for_a_pung_is_told() -> None:
    table = first("chinese_official")
    assert clocks_view(table.engine, table.rules).claim_ends_ms == START + 13_000
    table.at(11, Drew(seat=S1))
    assert clocks_view(table.engine, table.rules).claim_ends_ms is None


def test_a_call_runs_from_the_discard_called() -> None:
    table = first("chinese_official")
    table.at(20, Called(seat=S3, call="pung", tile=Tile("1z"), source=S0, tiles=(Tile("1z"),) * 3)).wait(25.5)
    assert [row[:3] for row in table.ran] == [("turn", 3, 1)]


def test_every_period_over_a_turn_is_told_and_a_kong_begins_a_new_one() -> None:
    table = first("world_series", 20)
    table.at(21, Drew(seat=S1)).at(30, Konged(seat=S1, kong="concealed", tile=Tile("9s")))
    table.at(32, Drew(seat=S1, end="tail")).wait(47.3)
    assert table.ran == []
    table.wait(47.5).wait(62.5).wait(77.6)
    assert [row[:3] for row in table.ran] == [("turn", 1, 1), ("turn", 1, 2), ("turn", 1, 3)]
    (line,) = ledger_view(table.engine, table.rules).hands
    assert [(one.seat, one.clock, one.periods) for one in line.time_outs] == [(S1, "turn", 3)]


def test_the_first_seconds_after_the_deal_are_free() -> None:
    table = Clocked("world_series").wait(29.9)
    assert table.ran == []
    table.wait(30.5)
    assert [row[:3] for row in table.ran] == [("turn", 0, 1)]


def test_a_players_turns_of_a_hand_add_up() -> None:
    table = first("world_series", 15, {"clocks.turn_s": None, "clocks.hand_s": 20})
    table.at(16, Drew(seat=S1)).at(27, Discarded(seat=S1, tile=Tile("2z")))
    table.at(28, Discarded(seat=S2, tile=Tile("2z"))).at(29, Discarded(seat=S3, tile=Tile("2z")))
    table.at(30, Discarded(seat=S0, tile=Tile("2z"))).wait(37.9)
    assert table.ran == []
    table.wait(38.5)
    assert [row[:3] for row in table.ran] == [("hand", 1, 1)]
    assert clocks_view(table.engine, table.rules).hand_used_ms[1] == pytest.approx(20_500, abs=1)


def test_the_count_of_five_seconds_ends_with_the_move() -> None:
    quick, slow = first("taiwan16"), first("taiwan16")
    quick.act(30, Count(seat=S1))
    quick.at(34.9, Drew(seat=S1)).wait(60)
    assert quick.ran == []
    slow.act(30, Count(seat=S1))
    slow.wait(35.5)
    assert [row[:3] for row in slow.ran] == [("count", 1, 1)]


def test_a_count_taken_back_never_ran() -> None:
    table = first("taiwan16")
    table.act(30, Count(seat=S1))
    table.act(31, Undo(of="a1"))
    table.wait(60)
    assert table.ran == []


def test_clocks_stand_still_while_the_referee_pauses_them() -> None:
    table = first("chinese_official")
    table.act(15, Pause(reason="a tile fell"))
    assert table.act(16, Pause()).refused == "the clocks stand still already"
    table.wait(600)
    assert table.ran == []
    view = clocks_view(table.engine, table.rules)
    assert view.paused
    assert view.turn_ends_ms is not None
    assert view.turn_ends_ms - view.now_ms == 10_000  # what is left stays on show: 610 - 600
    table.act(600, Resume())
    table.wait(609.9)
    assert table.ran == []
    table.wait(610.5)
    assert [row[:3] for row in table.ran] == [("turn", 1, 1)]


def test_the_match_ends_after_its_minutes_and_extra_time_prolongs_it() -> None:
    table = first("taiwan16")
    table.act(100, ExtraTime(seconds=60, reason="a broken machine"))
    table.wait(90 * 60 + 59)
    assert not table.engine.game.match_over
    table.wait(91 * 60)
    assert [row[:3] for row in table.ran] == [("match", 0, 1)]
    assert table.engine.game.match_over
    table.act(91 * 60 + 5, ExtraTime(seconds=600))
    assert not table.engine.game.match_over
    assert clocks_view(table.engine, table.rules).match_ends_ms == START + 101 * 60_000


def test_a_move_told_late_that_was_in_time_takes_the_clock_back() -> None:
    """Folding anew knows when the discard was; so does the engine once it is told."""
    table = first("chinese_official")
    table.at(11, Drew(seat=S1)).wait(25.6)
    assert len(table.ran) == 1
    late = Discarded(seat=S1, tile=Tile("2z"), at_ms=START + 24_000)
    table.engine, _ = move_on(table.engine, late, table.rules)
    assert [alert.rule for alert in table.engine.docket.open] == []
