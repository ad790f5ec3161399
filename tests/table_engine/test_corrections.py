"""Corrections and undo: a correction equals having seen the right thing at first, what no longer holds is taken back visibly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_engine import ask, effects
from table_engine.engine import Engine, Outputs, act_on, begin, move_on
from table_engine.records.load import load
from table_engine.rules import RuleSet, load_ruleset
from table_engine.state import Player, State
from table_engine.wire.actions import Action, CallAnnounced, Called, CountSeen, Discarded, Drew, HandEnded, HandStarted
from table_engine.wire.acts import (
    AddMove,
    Confirm,
    CorrectCall,
    CorrectCount,
    CorrectSeat,
    CorrectTile,
    CorrectTurn,
    Did,
    Dismiss,
    Overturn,
    RecordRow,
    RefereeAct,
    RemoveMove,
    Undo,
)
from table_engine.wire.effects import Effect
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import KINDS, Tile

S0, S1, S2, S3 = Seat


class Table:
    """A table whose moves are told by hand, a second apart."""

    def __init__(self, ruleset: str = "taiwan16") -> None:
        self.rules: RuleSet = load_ruleset(ruleset)
        self.engine: Engine = begin("t1")
        self.outputs: list[Outputs] = []
        self.now_ms = 0
        self.acts = 0

    def move(self, action: Action, *, after_ms: int = 1000) -> int:
        """Tells a move and gives its number."""
        self.now_ms += after_ms
        self.engine, out = move_on(
            self.engine, action if action.at_ms else replace(action, at_ms=self.now_ms), self.rules
        )
        self.outputs.append(out)
        return self.engine.seq

    def play(self, *actions: Action) -> Table:
        for action in actions:
            self.move(action)
        return self

    def turn(self, seat: Seat, tile: str) -> Table:
        return self.play(Drew(seat=seat), Discarded(seat=seat, tile=Tile(tile)))

    def act(self, did: Did, *, by: str = "Mei") -> Outputs:
        self.acts += 1
        act = RefereeAct(id=f"act-{self.acts}", by=by, at_ms=self.now_ms, did=did)
        self.engine, out = act_on(self.engine, act, self.rules)
        self.outputs.append(out)
        return out

    @property
    def open(self) -> list[tuple[str, int]]:
        return [(alert.rule, int(alert.seat)) for alert in self.engine.docket.open]


def facts(engine: Engine) -> tuple[object, ...]:
    """Everything that follows from what happened, without who named which tile by hand and where it was read."""
    game = engine.game
    players = tuple(replace(player, pinned=()) for player in game.players)
    alerts = {(a.id, a.state, a.says, a.points, a.effects) for a in engine.docket.told}
    plain = replace(game, players=(players[0], players[1], players[2], players[3]))
    return plain, alerts, engine.match.ledger, engine.match.clocks


def dealt(ruleset: str = "taiwan16") -> Table:
    table = Table(ruleset)
    table.move(HandStarted(dealer=S0, at_ms=1000))
    return table.play(Discarded(seat=S0, tile=Tile("1z")))


def test_a_wrong_chow_that_was_a_misreading_is_taken_back_visibly() -> None:
    table = dealt()
    table.turn(S1, "4m")
    table.play(
        Called(seat=S2, call="chow", tile=Tile("4m"), source=S1, tiles=(Tile("4m"), Tile("5m"), Tile("9m"))),
        Discarded(seat=S2, tile=Tile("2z")),
    )
    table.turn(S3, "3z").turn(S0, "3z").turn(S1, "3z").turn(S2, "3z").turn(S3, "4z").turn(S0, "4z")
    assert ("TW-F26", 2) in table.open
    out = table.act(CorrectTile(seat=S2, zone="meld", index=2, tile=Tile("6m")))
    assert out.amended
    assert table.open == []
    (ended,) = out.changes
    assert (ended.type, ended.after.state, ended.after.rule) == ("end", "withdrawn", "TW-F26")
    assert [alert.rule for alert in table.engine.retracted] == ["TW-F26"]
    assert table.engine.game.players[S2].melds[0].tiles == ("4m", "5m", "6m")
    back = table.act(Undo(of="act-1"))
    assert [change.type for change in back.changes] == ["new"]
    assert table.open == [("TW-F26", 2)]
    assert table.engine.retracted == ()


def test_overturning_takes_penalty_and_effect_back() -> None:
    table = dealt("chinese_official")
    table.turn(S1, "4m")
    table.act(RecordRow(row="CO-F13", seat=S2))
    assert [effect.kind for effect in table.engine.game.players[S2].effects] == ["no_win"]
    (alert,) = table.engine.docket.told
    assert alert.state == "confirmed"
    table.act(Overturn(alert=alert.id, reason="counted again"))
    assert table.engine.game.players[S2].effects == ()
    assert table.engine.match.bookings == ()
    assert table.engine.docket.told[0].state == "overturned"
    refused = table.act(Confirm(alert=alert.id))
    assert "overturned by Mei" in refused.refused


def test_a_recorded_foul_pays_and_its_undo_pays_back() -> None:
    table = dealt("taiwan16")
    table.act(RecordRow(row="TW-F20", seat=S1))
    (booking,) = table.engine.match.bookings
    assert booking.points == (21, -63, 21, 21)
    table.act(Undo(of="act-1"))
    assert table.engine.match.bookings == ()
    assert table.engine.docket.told == ()
    table.act(Undo(of="act-2"))
    assert len(table.engine.match.bookings) == 1


def test_one_alert_is_decided_once() -> None:
    table = dealt("riichi")
    table.play(Drew(seat=S1), Drew(seat=S1), Discarded(seat=S1, tile=Tile("2z")))
    table.turn(S2, "2z").turn(S3, "2z")
    alert = table.engine.docket.open[0]
    assert not table.act(Dismiss(alert=alert.id, reason="a tile of the wall fell")).refused
    assert table.act(Confirm(alert=alert.id), by="Bo").refused == (
        "dismissed by Mei already; overturn it to change that"
    )


def test_an_act_that_comes_twice_counts_once() -> None:
    table = dealt("taiwan16")
    act = RefereeAct(id="one", at_ms=5, did=RecordRow(row="TW-F20", seat=S1))
    engine, _ = act_on(table.engine, act, table.rules)
    again, out = act_on(engine, act, table.rules)
    assert out.refused
    assert again is engine


def test_turn_and_count_are_put_right_by_a_person() -> None:
    table = dealt("chinese_official")
    table.act(CorrectTurn(seat=S3, phase="draw"))
    assert (table.engine.game.turn.actor, table.engine.game.turn.phase) == (S3, "draw")
    table.act(CorrectCount(seat=S2, concealed=12))
    assert table.engine.game.players[S2].off == -1


def _amend_seat(table: Table) -> None:
    table.play(Drew(seat=S1))
    number = table.move(Discarded(seat=S2, tile=Tile("5p")))
    table.act(CorrectSeat(move=number, seat=S1))


def _amend_call(table: Table) -> None:
    table.turn(S1, "5p")
    number = table.move(
        Called(seat=S2, call="chow", tile=Tile("5p"), source=S1, tiles=(Tile("5p"), Tile("6p"), Tile("6p")))
    )
    table.act(CorrectCall(move=number, call="chow", tiles=(Tile("5p"), Tile("6p"), Tile("7p"))))
    table.play(Discarded(seat=S2, tile=Tile("1s")))


def _removed(table: Table) -> None:
    table.play(Drew(seat=S1))
    number = table.move(Drew(seat=S3))
    table.act(RemoveMove(move=number))
    table.now_ms -= 1000
    table.play(Discarded(seat=S1, tile=Tile("5p")))


def _added(table: Table) -> None:
    number = table.move(Drew(seat=S1))
    table.play(Discarded(seat=S1, tile=Tile("5p")))
    table.play(Discarded(seat=S2, tile=Tile("6p")), Drew(seat=S3))
    missed = Drew(seat=S2, at_ms=table.now_ms - 1500)
    table.act(AddMove(action=missed, after=number + 1))


RIGHT = {
    _amend_seat: (Drew(seat=S1), Discarded(seat=S1, tile=Tile("5p"))),
    _amend_call: (
        Drew(seat=S1),
        Discarded(seat=S1, tile=Tile("5p")),
        Called(seat=S2, call="chow", tile=Tile("5p"), source=S1, tiles=(Tile("5p"), Tile("6p"), Tile("7p"))),
        Discarded(seat=S2, tile=Tile("1s")),
    ),
    _removed: (Drew(seat=S1), Discarded(seat=S1, tile=Tile("5p"))),
    _added: (
        Drew(seat=S1),
        Discarded(seat=S1, tile=Tile("5p")),
        Drew(seat=S2, at_ms=4500),
        Discarded(seat=S2, tile=Tile("6p"), at_ms=5000),
        Drew(seat=S3, at_ms=6000),
    ),
}


@pytest.mark.parametrize("wrong", RIGHT, ids=lambda f: f.__name__.strip("_"))
@pytest.mark.parametrize("ruleset", ["taiwan16", "riichi", "chinese_official", "world_series"])
def test_a_corrected_move_equals_having_seen_it_right(wrong: object, ruleset: str) -> None:
    corrected, right = dealt(ruleset), dealt(ruleset)
    wrong(corrected)  # type: ignore[operator]
    right.play(*RIGHT[wrong])  # type: ignore[index]
    assert facts(corrected.engine) == facts(right.engine)


RECORDS = {
    "riichi": "mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog",
    "taiwan16": "taiwan_selfplay/selfplay.jsonl",
    "chinese_official": "botzone_mcr_sample/sample16.txt",
}


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, list[list[Action]]]:
    hands: dict[str, list[list[Action]]] = {}
    for ruleset, name in RECORDS.items():
        game = next(iter(load(shared / "data" / "game_records" / name)))
        hands[ruleset] = [[hand.start(), *hand.moves] for hand in game.hands[:6]]
    return hands


@given(
    data=st.data(),
    ruleset=st.sampled_from(sorted(RECORDS)),
    late=st.integers(0, 30),
    tile=st.sampled_from([*KINDS]),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_correction_equals_having_seen_the_right_thing_at_first(
    recorded: dict[str, list[list[Action]]], data: st.DataObject, ruleset: str, late: int, tile: Tile
) -> None:
    """Any discard of any recorded hand misread as any tile and put right any number of moves later."""
    hand = recorded[ruleset][data.draw(st.integers(0, len(recorded[ruleset]) - 1))]
    spots = [n for n, move in enumerate(hand) if isinstance(move, Discarded)]
    spot = data.draw(st.sampled_from(spots))
    right, wrong = Table(ruleset), Table(ruleset)
    for n, move in enumerate(hand):
        right.move(move)
        wrong.move(replace(move, tile=tile) if n == spot and isinstance(move, Discarded) else move)
        if n == min(spot + late, len(hand) - 1):
            seat = hand[spot].seat  # type: ignore[union-attr]
            index = sum(isinstance(m, Discarded) and m.seat == seat for m in hand[:spot])
            truth = hand[spot].tile  # type: ignore[union-attr]
            assert not wrong.act(CorrectTile(seat=seat, zone="pond", index=index, tile=truth)).refused
    assert facts(wrong.engine) == facts(right.engine)


@given(data=st.data(), ruleset=st.sampled_from(sorted(RECORDS)))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_done_and_undone_leaves_no_trace(
    recorded: dict[str, list[list[Action]]], data: st.DataObject, ruleset: str
) -> None:
    """Any acts in any hand, all taken back again, in any order: the game is what it was."""
    hand = recorded[ruleset][data.draw(st.integers(0, len(recorded[ruleset]) - 1))]
    plain, busy = Table(ruleset), Table(ruleset)
    first = next(n for n, move in enumerate(hand) if isinstance(move, Discarded))
    doing: list[Did] = [
        CorrectTurn(seat=S2, phase="draw"),
        CorrectCount(seat=S1, concealed=9),
        RemoveMove(move=first + 1),
        CorrectSeat(move=first + 1, seat=S3),
        AddMove(action=Drew(seat=S2)),
        AddMove(action=CallAnnounced(seat=S2, call="pung"), after=2),
        RecordRow(row={"riichi": "RI-F6", "taiwan16": "TW-F20", "chinese_official": "CO-F14"}[ruleset], seat=S1),
    ]
    chosen = data.draw(st.lists(st.tuples(st.integers(first, len(hand) - 1), st.sampled_from(doing)), max_size=4))
    for n, move in enumerate(hand):
        plain.move(move)
        busy.move(move)
        for at, did in chosen:
            if at == n:
                assert not busy.act(did).refused
    for number in data.draw(st.permutations(range(1, len(chosen) + 1))):
        assert not busy.act(Undo(of=f"act-{number}")).refused
    assert facts(busy.engine) == facts(plain.engine)


def test_the_state_of_a_table_with_acts_counts_moves_and_acts() -> None:
    table = dealt()
    table.act(AddMove(action=CountSeen(seat=S1, concealed=16)))
    assert table.engine.game.hand == 1
    assert isinstance(table.engine.game, State)


def test_an_act_of_an_earlier_hand_is_taken_back_in_a_later_one() -> None:
    table = dealt("chinese_official")
    table.act(RecordRow(row="CO-F2", seat=S1))
    table.act(RecordRow(row="CO-F2", seat=S1))
    table.play(HandEnded(won=False), HandStarted(dealer=S1), Discarded(seat=S1, tile=Tile("1z")))
    assert [one.points[S1] for one in table.engine.match.bookings] == [0, -5]
    assert not table.act(Undo(of="act-1")).refused
    assert [(one.points[S1], one.warning) for one in table.engine.match.bookings] == [(0, True)]
    assert table.engine.game.hand == 2


def test_alerts_of_one_incident_are_bundled_and_what_follows_falls_with_its_cause() -> None:
    table = Table("taiwan16")
    table.play(HandStarted(dealer=S0), Discarded(seat=S0, tile=Tile("1z")))
    while table.rules.set.tiles - table.engine.game.head - table.engine.game.tail > 20:
        seat = table.engine.game.turn.actor
        table.turn(seat, "?")
    offer = table.engine.game.turn.offer
    assert offer is not None
    caller = offer.seat.opposite
    table.play(Called(seat=caller, call="pung", tile=Tile("1z"), source=offer.seat, tiles=(Tile("1z"),) * 3))
    table.play(Discarded(seat=caller, tile=Tile("?")), Drew(seat=caller.next))
    late = {alert.rule: alert for alert in table.engine.docket.open}
    assert {"TW-F14", "TW-F16"} <= set(late)
    assert late["TW-F16"].incident == late["TW-F14"].incident
    out = table.act(Dismiss(alert=late["TW-F14"].id, reason="21 tiles stood"))
    assert {(c.after.rule, c.after.state) for c in out.changes} == {("TW-F14", "dismissed"), ("TW-F16", "withdrawn")}


def test_why_a_call_is_not_open() -> None:
    table = dealt("taiwan16")
    state, rules = table.engine.game, table.rules
    assert ask.call_bars(state, S1, "chow", rules) == ()
    assert ask.call_bars(state, S2, "chow", rules) == ("not_next",)
    assert ask.call_bars(state, S1, "kong", rules) == ("upper_kong",)
    assert ask.call_bars(state, S0, "pung", rules) == ("own_discard",)
    table.act(RecordRow(row="TW-F23", seat=S2))
    assert ask.call_bars(table.engine.game, S2, "pung", rules) == ("effect",)
    table.play(Called(seat=S3, call="pung", tile=Tile("1z"), source=S0, tiles=(Tile("1z"),) * 3))
    assert ask.call_bars(table.engine.game, S3, "own_kong", rules) == ("just_called",)
    assert ask.call_bars(table.engine.game, S1, "pung", rules) == ("nothing_open",)


def test_a_live_penalty_tile_is_discarded_now_or_kept_as_a_dead_one() -> None:
    table = dealt("world_series")
    live = Effect("penalty_tile", (Tile("5s"), Tile("6s")))
    kept = effects.discarded(Player(14, effects=(live,)), Tile("1m"))
    assert kept.effects == (Effect("penalty_tile", (Tile("5s"), Tile("6s")), live=False),)
    gone = effects.discarded(Player(14, effects=(live,)), Tile("6s"))
    assert gone.effects == (Effect("penalty_tile", (Tile("5s"),)),)
    assert str(kept.effects[0]) == "dead penalty tile 5s 6s"
    table.act(RecordRow(row="WS-F14", seat=S2, tiles=(Tile("5s"),)))
    (effect,) = table.engine.game.players[S2].effects
    assert (effect.kind, effect.tiles) == ("penalty_tile", ("5s",))
