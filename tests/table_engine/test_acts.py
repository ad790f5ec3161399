"""Acts at the desk: answered, journalled, kept over a restart, and stronger than what a sensor goes on to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_script import Script

from table_engine import engine as engine_module
from table_engine.desk import Desk
from table_engine.engine import begin, fingerprint, step
from table_engine.events import Event, SourcePresence
from table_engine.replay import replay
from table_engine.wire.acts import (
    Announce,
    Answer,
    CorrectTile,
    DeclareWin,
    Did,
    Pause,
    RecordRow,
    RemoveMove,
    Resume,
    Undo,
    Wish,
)
from table_engine.wire.alerts import AlertEnded
from table_engine.wire.seats import Seat
from table_engine.wire.settings import TableSettings
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = Seat


def desk_at(path: Path, ruleset: str = "taiwan16") -> Desk:
    return Desk(TableSettings(id="t1", ruleset=ruleset), path)


def scripted(ruleset: str = "taiwan16") -> Script:
    script = Script(ruleset=ruleset)
    script.build(S0)
    script.deal(S0)
    script.discard(S0, "1z")
    for seat, tile in ((S1, "2z"), (S2, "3z"), (S3, "4z"), (S0, "5z"), (S1, "6z")):
        script.draw(seat)
        script.discard(seat, tile)
    script.wait(4000)
    return script


def wish(did: Did, ident: str | None = None) -> Wish:
    return Wish(id=ident, by="Mei", did=did)


def feed(desk: Desk, events: list[Event], now_ms: int = 0) -> None:
    assert desk.take(events, now_ms)


def test_an_act_is_answered_and_a_refused_one_leaves_no_trace(tmp_path: Path) -> None:
    desk = desk_at(tmp_path / "t1.sqlite3")
    feed(desk, list(scripted().stream()))
    before = fingerprint(desk.engine)
    refused = desk.act(wish(CorrectTile(seat=S1, zone="pond", index=9, tile=Tile("1m")), "far"), 5)
    assert (refused.ok, refused.error) == (False, "no tile 9 lies in the pond of seat 2")
    assert fingerprint(desk.engine) == before
    done = desk.act(wish(Announce(seat=S2, call="pung"), "one"), 5)
    assert done == Answer(ok=True, id="one")
    state = fingerprint(desk.engine)
    assert desk.act(wish(Announce(seat=S2, call="pung"), "one"), 9) == Answer(ok=True, id="one")
    assert fingerprint(desk.engine) == state
    desk.close()
    again = desk_at(tmp_path / "t1.sqlite3")
    assert fingerprint(again.engine) == state
    again.close()


def test_a_named_tile_stays_though_the_camera_reads_it_otherwise(tmp_path: Path) -> None:
    """Whatever lay in the pond before the correction, the same picture comes again with every discard after it."""
    desk = desk_at(tmp_path / "t1.sqlite3")
    script = scripted()
    feed(desk, list(script.stream()))
    assert desk.act(wish(CorrectTile(seat=S1, zone="pond", index=0, tile=Tile("9p"))), 5).ok
    assert [one.tile for one in desk.engine.game.players[S1].pond] == ["9p", "6z"]
    known = len(script.stream())
    for seat, tile in ((S2, "1s"), (S3, "1s"), (S0, "1s"), (S1, "7z"), (S2, "2s")):
        script.draw(seat)
        script.discard(seat, tile)
    script.wait(4000)
    feed(desk, list(script.stream())[known:])
    assert [one.tile for one in desk.engine.game.players[S1].pond] == ["9p", "6z", "7z"]
    assert desk.engine.game.discards == 11
    assert desk.engine.docket.open == ()
    assert any("9p" in line.says for line in desk.parts()["moves"].moves)  # type: ignore[attr-defined]
    desk.close()


def test_a_move_that_never_happened_is_not_told_again(tmp_path: Path) -> None:
    desk = desk_at(tmp_path / "t1.sqlite3", "riichi")
    script = scripted("riichi")
    script.draw(S2)
    script.draw(S3)
    script.wait(4000)
    feed(desk, list(script.stream()))
    (alert,) = desk.engine.docket.open
    number = max(
        n for n, a in ((e.number, e.what) for e in desk.engine.history.entries) if getattr(a, "seat", None) == S3
    )
    desk.tell_news()
    assert desk.act(wish(RemoveMove(move=number)), 5).ok
    changes = desk.tell_news().changes
    assert [(c.type, c.after.id) for c in changes] == [("end", alert.id)]
    assert isinstance(changes[0], AlertEnded)
    assert changes[0].after.state == "withdrawn"
    assert desk.told[0].id == alert.id
    desk.close()


def test_a_win_entered_by_hand_stands_on_the_ledger(tmp_path: Path) -> None:
    desk = desk_at(tmp_path / "t1.sqlite3", "chinese_official")
    feed(desk, list(scripted("chinese_official").stream()))
    hand = tuple(map(Tile, ("1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "6z", "6z")))
    assert desk.act(wish(DeclareWin(seat=S2, source=S1, tile=Tile("6z"), hand=hand)), 5).ok
    (win,) = desk.parts()["ledger"].hands[-1].wins  # type: ignore[attr-defined]
    assert win.points is not None
    assert (win.points[S2], win.points[S1]) == (-win.points[S1], -win.points[S2])
    desk.close()


def test_an_act_our_code_cannot_follow_stops_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_at(tmp_path / "t1.sqlite3")
    feed(desk, list(scripted().stream()))

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(engine_module, "acted", broken)
    answer = desk.act(wish(Pause(), "p"), 5)
    assert not answer.ok
    assert any("stumbled over message p" in str(text) for text in desk.engine.degraded)
    assert desk.engine.game.discards == 6
    desk.close()
    again = desk_at(tmp_path / "t1.sqlite3")
    assert again.engine.game.discards == 6
    again.close()


ACTS: tuple[Did, ...] = (
    Pause(),
    Resume(),
    RecordRow(row="TW-F20", seat=S1),
    CorrectTile(seat=S1, zone="pond", index=0, tile=Tile("9p")),
    Announce(seat=S3, call="pung"),
    RemoveMove(move=3),
    Undo(of="a0"),
    Undo(of="a1"),
)


@given(data=st.data())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_prefix_of_a_journal_with_acts_restores(tmp_path_factory: object, data: st.DataObject) -> None:
    """Events and acts in any mixture, cut anywhere: the journal folds to the very state the desk had."""
    path = tmp_path_factory.mktemp("acts") / "t1.sqlite3"  # type: ignore[attr-defined]
    events = [*(SourcePresence(src=s, boot=1, online=True, at_ms=0) for s in ("bridge", "cam1")), *scripted().stream()]
    spots = sorted(data.draw(st.lists(st.integers(1, len(events) - 1), min_size=1, max_size=6)))
    desk = desk_at(path)
    begun = 0
    for n, spot in enumerate(spots):
        feed(desk, events[begun:spot])
        begun = spot
        desk.act(wish(data.draw(st.sampled_from(ACTS)), f"a{n}"), spot)
        if data.draw(st.booleans()):
            state = fingerprint(desk.engine)
            desk.close()
            desk = desk_at(path)
            assert fingerprint(desk.engine) == state
    feed(desk, events[begun:])
    state = fingerprint(desk.engine)
    desk.close()
    done = replay(path)
    folded = begin("t1", told=True)
    for event in _journalled(path):
        folded, _ = step(folded, event, done.rules)
    assert fingerprint(folded) == state


def _journalled(path: Path) -> list[Event]:
    from table_engine.journal import read

    return list(read(path))
