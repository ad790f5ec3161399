"""One table's desk: its journal on a full or damaged disk, mistakes of ours, what its sensors say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from table_script import CAMERA, Script

from table_engine import engine as engine_module
from table_engine.desk import Desk
from table_engine.engine import begin, fingerprint
from table_engine.events import SourcePresence
from table_engine.journal import Journal, JournalFullError
from table_engine.wire.acts import Pause, Wish
from table_engine.wire.observations import Envelope, Health
from table_engine.wire.seats import Seat
from table_engine.wire.settings import BridgeSettings, CameraSettings, TableSettings


def dealt(ruleset: str) -> Script:
    """Seat 0 has dealt and discarded."""
    script = Script(ruleset=ruleset)
    script.build(Seat.S0)
    script.deal(Seat.S0)
    script.discard(Seat.S0, "1z")
    return script


def test_a_mistake_of_ours_ends_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(TableSettings(id="t1", ruleset="chinese_official"), tmp_path / "t1.sqlite3")
    real = engine_module.observe

    def broken(*args: object) -> object:
        if args[2].id == bad:  # type: ignore[attr-defined]
            raise ZeroDivisionError("a mistake")
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine_module, "observe", broken)
    script = dealt("chinese_official")
    events = script.stream()
    bad = events[100].id
    script.wait(1_000)
    assert desk.take(script.stream(), 0)
    assert desk.engine.game.discards == 1
    assert any("ZeroDivisionError" in str(says) for says in desk.engine.degraded)
    state = fingerprint(desk.engine)
    desk.close()
    again = Desk(TableSettings(id="t1", ruleset="chinese_official"), tmp_path / "t1.sqlite3")
    assert fingerprint(again.engine) == state
    again.close()


def test_a_full_disk_is_told_and_waited_out(tmp_path: Path) -> None:
    desk = Desk(TableSettings(id="t1", ruleset="chinese_official"), tmp_path / "t1.sqlite3")
    book = desk._journal
    assert isinstance(book, Journal)
    events = dealt("chinese_official").stream()
    (pages,) = book._db.execute("pragma page_count").fetchone()
    book._db.execute(f"pragma max_page_count = {pages}")
    assert not desk.take(events, 5)
    assert [fault.code for fault in desk.faults] == ["disk_full"]
    assert desk.engine == begin("t1", told=True), "nothing counts before it is on disk"
    book._db.execute("pragma max_page_count = 1000000")
    assert desk.take([], 6)
    assert desk.faults == ()
    assert desk.engine.game.hand == 1
    desk.close()


def test_a_disk_full_at_the_start_is_told_and_the_table_opened_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = {"now": True}

    def opened(path: Path, *about: object) -> Journal:
        if full["now"]:
            raise JournalFullError(f"journal {path}: the disk takes nothing more")
        return Journal(path, *about)  # type: ignore[arg-type]

    monkeypatch.setattr("table_engine.desk.Journal", opened)
    table = TableSettings(id="t1", ruleset="chinese_official", cameras=(CameraSettings(id=CAMERA, source="0"),))
    desk = Desk(table, tmp_path / "t1.sqlite3")
    events = dealt("chinese_official").stream()
    assert (desk.closed, desk.crowded_out, [f.code for f in desk.faults]) == (True, True, ["disk_full"])
    assert not desk.take(events, 5)
    assert "takes nothing more" in desk.act(Wish(by="Mei", did=Pause()), 6).error
    assert not desk.open(7)
    full["now"] = False
    assert desk.open(8)
    assert (desk.closed, desk.crowded_out, [f.source for f in desk.faults]) == (False, False, [CAMERA])
    assert desk.take(events, 9)
    assert desk.faults == ()
    assert desk.engine.game.hand == 1
    desk.close()


def test_what_a_sensor_says_of_itself_is_shown_until_it_is_well(tmp_path: Path) -> None:
    table = TableSettings(
        id="t1", bridges=(BridgeSettings(id="b", port="x"),), cameras=(CameraSettings(id="c", source="0"),)
    )
    desk = Desk(table, tmp_path / "t1.sqlite3")
    assert [(f.source, f.says) for f in desk.faults] == [
        (src, "has never been heard; does its process run and reach the broker?") for src in ("c", "b")
    ]
    lost = Health(state="lost", degraded=("port x: is not there",))
    dark = Health(state="degraded", degraded=("it is dark", "a tile lies on the edge"))
    assert desk.take([_health("b", 1, lost), _health("c", 1, dark)], 1_000)
    shown = [(f.source, f.says) for f in desk.faults]
    assert shown == [("b", "port x: is not there"), ("c", "it is dark; a tile lies on the edge")]
    desk.close()

    again = Desk(table, tmp_path / "t1.sqlite3")
    assert [(f.source, f.says) for f in again.faults] == shown, "an engine that starts anew still knows"
    well = Health(state="ok")
    assert again.take([_health("b", 2, well), _health("c", 2, well)], 2_000)
    assert again.faults == ()
    gone = SourcePresence(src="c", boot=1, online=False, why="says nothing", at_ms=3_000)
    assert again.take([gone], 3_000)
    assert [(f.source, f.says) for f in again.faults] == [
        ("c", "says nothing; does its process run and reach the broker?")
    ]
    again.close()


def _health(src: str, seq: int, health: Health) -> Envelope:
    return Envelope.of(src, 1, seq, seq * 1_000, seq * 1_000, health)


def test_a_damaged_journal_closes_its_table_only(tmp_path: Path) -> None:
    (tmp_path / "t1.sqlite3").write_bytes(b"this is no database, and long enough to be looked at" * 50)
    desk = Desk(TableSettings(id="t1", ruleset="chinese_official"), tmp_path / "t1.sqlite3")
    assert desk.closed
    assert not desk.take(dealt("chinese_official").stream(), 0)
    assert "move it away" in desk.faults[0].says
    assert desk.view().phase == "waiting"
