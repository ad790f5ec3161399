"""What is killed, damaged, full or wrong for a while is told, stops nothing else, and nothing is lost over it."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_process import Process, Sensors, Viewer, foul, made_key, make_site, picture, sensor
from table_script import BRIDGE, CAMERA

from table_engine import journal
from table_engine.engine import fingerprint
from table_engine.events import SourcePresence
from table_engine.replay import replay
from table_engine.service import journal_path
from table_engine.wire.access import door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.mqtt import Link
from table_engine.wire.observations import Envelope, Health, Watermark
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics


def enter(site: Site, key: str) -> None:
    address = f"http://127.0.0.1:{site.web.port}"
    body = json.dumps({"key": key}).encode()
    headers = {"Content-Type": "application/json", "Origin": address}
    urllib.request.urlopen(urllib.request.Request(f"{address}/api/enter", body, headers), timeout=5).close()


def test_an_engine_started_again_knows_what_it_knew(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    events = foul()
    half = len(events) // 2
    with Process(site):
        sensors.say(events[:half])
        sensors.flush()
    sensors.say(events[half:])
    with Process(site):
        sensors.flush()
        viewer.until(lambda v: bool(v.of("state")) and v.of("state")[-1]["data"]["turns"] == 3)
    with Process(site):
        viewer.until(lambda v: any(a["alerts"] for a in v.of("alerts")))
        time.sleep(0.3)
        assert [alert["rule"] for alert in picture(site)["alerts"]] == ["RI-F7"]
    assert_journalled(site, events)


def test_a_killed_engine_loses_nothing(site: Site, sensors: Sensors, tmp_path: Path) -> None:
    """The engine runs as a process of its own and is killed three times while the sensors speak."""
    (tmp_path / "site.json").write_text(site.model_dump_json())
    script = textwrap.dedent("""
        import sys, threading
        from pathlib import Path
        from table_engine.service import run
        from table_engine.wire.settings import Site
        run(Site.model_validate_json(Path(sys.argv[1]).read_text()), threading.Event())
    """)
    events = foul()
    third = len(events) // 3
    for n in range(3):
        child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "site.json")])
        sensors.say(events[n * third : (n + 1) * third] if n < 2 else events[2 * third :])
        if n < 2:
            time.sleep(2.0 + 0.7 * n)
        else:
            sensors.flush()
            time.sleep(1.0)
        child.kill()
        child.wait()
    replayed = replay(journal_path(site, "t1"))
    assert [c.after.rule for c in replayed.changes] == ["RI-F7"]
    assert replayed.engine.game.discards == 3
    assert_journalled(site, events)
    assert fingerprint(replay(journal_path(site, "t1")).engine) == fingerprint(replayed.engine)


def test_a_camera_killed_with_a_backlog_is_waited_for_when_the_broker_is_back(tmp_path: Path) -> None:
    """The bridge is back at once and has gone on; the camera's last will says it is there, it needs five seconds more."""
    site, events = make_site(tmp_path), foul()
    half = len(events) // 2
    outbox = tmp_path / "outbox"
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(EmbeddedBroker(site))
        sensors = Sensors(site, outbox)
        stack.callback(sensors.stop)
        stack.enter_context(Process(site))
        sensors.say(events[:half])
        sensors.flush()
        broker.stop()
        sensors.say(events[half:])
        sensors.nodes.pop(CAMERA).stop()
        broker.start()
        sensors.flush()
        time.sleep(5)
        back = sensor(site, outbox, CAMERA)
        sensors.nodes[CAMERA] = back
        back.start()
        sensors.flush()
    assert_journalled(site, events)
    came = [e for e in journal.read(journal_path(site, "t1")) if not isinstance(e, Envelope)]
    assert [e.src for e in came if isinstance(e, SourcePresence) and not e.online] == []
    followed = replay(journal_path(site, "t1")).engine
    assert (followed.game.discards, [a.rule for a in followed.docket.open]) == (3, ["RI-F7"])


def test_a_bad_message_or_a_damaged_table_stops_no_other(
    site: Site, sensors: Sensors, viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    path = journal_path(site, "t2")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database, and long enough to be looked at" * 50)
    with caplog.at_level(logging.WARNING), Process(site):
        bad = Link(
            door(site, node_role("t1", CAMERA)), "bad", will=("mj/v1/hall/t1/cam/availability", ""), backoff_s=(1, 1)
        )
        bad.start()
        viewer.until(lambda v: bool(v.of("state")))
        bad.publish(Topics("hall", "t1").events(CAMERA), "{not json")
        sensors.say(foul())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("state")) and v.of("state")[-1]["data"]["turns"] == 3)
        bad.stop()
        assert any("not JSON" in fault["says"] for fault in picture(site)["faults"])
        assert any("move it away" in fault["says"] for fault in picture(site, "t2")["faults"])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no tmpfs here: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill_up(path: Path) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass


def test_a_table_that_a_full_disk_kept_closed_opens_by_itself(
    site: Site, sensors: Sensors, viewer: Viewer, small_disk: Path
) -> None:
    """The disk fills up while no engine runs; pages and the other ends of the wire are there all the same."""
    site = site.model_copy(update={"data": small_disk})
    events = foul()
    half = len(events) // 2
    with Process(site):
        sensors.say(events[:half])
        sensors.flush()
    key = made_key(site)
    fill_up(small_disk / "filler")
    sensors.say(events[half:])
    with Process(site):
        viewer.until(lambda v: {f["code"] for f in _faults(v)} >= {"disk_full"})
        board = picture(site, key=key)
        (says,) = (f["says"] for f in board["faults"] if f["code"] == "disk_full")
        assert says.endswith("free space on it")
        assert "takes nothing more" in says
        with pytest.raises(urllib.error.HTTPError) as refused:  # a key is a session in the access file
            enter(site, key)
        assert refused.value.code == 507
        (small_disk / "filler").unlink()
        sensors.flush()
        viewer.until(lambda v: v.of("state")[-1]["data"]["turns"] == 3 and _faults(v) == [])
        viewer.until(lambda v: any(a["alerts"] for a in v.of("alerts")))
        board = picture(site)  # a new key: the access file is written again
        assert (board["view"]["turns"], board["faults"]) == (3, [])
        assert [alert["rule"] for alert in board["alerts"]] == ["RI-F7"]
    assert_journalled(site, events)


def test_a_sensor_in_trouble_is_told_to_wire_and_page(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    with Process(site):
        sensors.nodes[CAMERA].put(1_000, Health(state="lost", degraded=("the camera gives no picture",)))
        sensors.flush()
        viewer.until(lambda v: any(f["says"] == "the camera gives no picture" for f in _faults(v)))
        assert "the camera gives no picture" in [fault["says"] for fault in picture(site)["faults"]]
        sensors.nodes[CAMERA].put(2_000, Health(state="ok"))
        viewer.until(lambda v: _faults(v) == [])
        assert picture(site)["faults"] == []


def _faults(viewer: Viewer) -> list[dict]:
    return viewer.of("alerts")[-1]["faults"] if viewer.of("alerts") else []


def assert_journalled(site: Site, events: list[Envelope]) -> None:
    """Every observation of every source is in the journal once, in its order, without holes."""
    entries = [e for e in journal.read(journal_path(site, "t1")) if isinstance(e, Envelope)]
    for src in (CAMERA, BRIDGE):
        own = [e for e in entries if e.src == src]
        assert [e.seq for e in own] == list(range(1, len(own) + 1))
        said = [(e.at_ms, e.data) for e in events if e.src == src and not isinstance(e.data, Watermark)]
        assert [(e.at_ms, e.data) for e in own if not isinstance(e.data, Watermark)] == said


def test_a_clock_set_back_under_a_running_engine_is_told(
    site: Site, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, moved = time.time_ns, {"ns": 0}
    monkeypatch.setattr(time, "time_ns", lambda: real() + moved["ns"])

    def told() -> bool:
        try:
            return any("clock was set back by 3600 s" in fault["says"] for fault in picture(site, "t2")["faults"])
        except OSError:
            return False  # it is starting

    def wait(wanted: bool) -> None:
        until = time.monotonic() + 20
        while told() != wanted:
            assert time.monotonic() < until
            time.sleep(0.1)

    with Process(site):
        viewer.until(lambda v: bool(v.of("state")))
        moved["ns"] = -3_600_000_000_000
        wait(True)
        moved["ns"] = 0
        wait(False)
