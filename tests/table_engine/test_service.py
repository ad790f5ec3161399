"""The engine's process as a whole: real broker, real outboxes, a journal, a page; the sensors are scripted."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from table_script import BRIDGE, CAMERA, Script

from table_engine import journal
from table_engine.engine import fingerprint
from table_engine.events import SourcePresence
from table_engine.replay import replay
from table_engine.service import journal_path, run
from table_engine.web.accounts import Accounts, access_path
from table_engine.web.grants import Role
from table_engine.wire.access import REFEREE_ROLE, door, node_role
from table_engine.wire.acts import RefereeAct
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.errors import SettingsError
from table_engine.wire.mqtt import Happening, Incoming, Link
from table_engine.wire.observations import Envelope, Health, Watermark
from table_engine.wire.seats import Seat
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

S0, S1, S2, S3 = Seat


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def make_site(folder: Path, **table: object) -> Site:
    cameras = [{"id": CAMERA, "source": "0"}]
    tables = [
        {"id": "t1", "cameras": cameras, "bridges": [{"id": BRIDGE, "port": "loop://"}], **table},
        {"id": "t2"},
    ]
    broker = {"port": free_port(), "store": folder / "broker"}
    web = {"port": free_port()}
    return Site.model_validate({"venue": "hall", "data": folder, "broker": broker, "web": web, "tables": tables})


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = make_site(tmp_path)
    with EmbeddedBroker(made):
        yield made


class Process:
    """The engine in a thread, as long as the block lasts."""

    def __init__(self, site: Site) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=run, args=(site, self._stop))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(10)
        assert not self._thread.is_alive()


def sensor(site: Site, folder: Path, name: str) -> SensorNode:
    return SensorNode(
        door(site, node_role("t1", name)),
        Topics(site.venue, "t1"),
        name,
        outbox=folder / f"{name}.sqlite3",
        kind="camera" if name == CAMERA else "bridge",
        backoff_s=(1, 1),
    )


class Sensors:
    """Both sources of the script on the wire."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.nodes = {name: sensor(site, folder, name) for name in (CAMERA, BRIDGE)}
        for node in self.nodes.values():
            node.start()

    def say(self, envelopes: list[Envelope]) -> None:
        for name, node in self.nodes.items():
            node.put_all([(e.at_ms, e.data) for e in envelopes if e.src == name])

    def flush(self) -> None:
        assert all(node.flush(20) for node in self.nodes.values())

    def stop(self) -> None:
        for node in self.nodes.values():
            node.stop()


@pytest.fixture
def sensors(site: Site, tmp_path: Path) -> Iterator[Sensors]:
    made = Sensors(site, tmp_path / "outbox")
    yield made
    made.stop()


class Viewer:
    """A screen on the wire: keeps what it hears by the last part of the topic."""

    def __init__(self, site: Site) -> None:
        self.heard: dict[str, list[dict]] = {}
        self._inbox: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        topics = Topics(site.venue, "t1")
        self._link = Link(
            door(site, REFEREE_ROLE),
            "viewer",
            will=("mj/v1/hall/t1/none/availability", ""),
            subscriptions=(topics.state, topics.action, topics.alert, topics.alerts, topics.response("engine", "act")),
            inbox=self._inbox,
            backoff_s=(1, 1),
        )
        self._link.start()

    def until(self, ready: Callable[[Viewer], bool]) -> None:
        until = time.monotonic() + 20
        while not ready(self):
            assert time.monotonic() < until, {name: len(of) for name, of in self.heard.items()}
            try:
                happening = self._inbox.get(timeout=0.2)
            except queue.Empty:
                continue
            if isinstance(happening, Incoming) and happening.payload:
                self.heard.setdefault(happening.topic.rpartition("/")[2], []).append(json.loads(happening.payload))

    def of(self, leaf: str) -> list[dict]:
        return self.heard.get(leaf, [])

    def stop(self) -> None:
        self._link.stop()


@pytest.fixture
def viewer(site: Site) -> Iterator[Viewer]:
    made = Viewer(site)
    yield made
    made.stop()


def foul() -> list[Envelope]:
    """A riichi table at which seat 1 draws two tiles."""
    script = Script(ruleset="riichi")
    script.build(S0)
    script.deal(S0)
    script.discard(S0, "1z")
    script.draw(S1)
    script.draw(S1)
    script.discard(S1, "2z")
    script.draw(S2)
    script.discard(S2, "3z")
    script.wait(3_000)
    return script.stream()


def made_key(site: Site) -> str:
    accounts = Accounts(access_path(site.data))
    key = accounts.make_token("test", Role.REFEREE)
    accounts.close()
    return key


def enter(site: Site, key: str) -> None:
    address = f"http://127.0.0.1:{site.web.port}"
    body = json.dumps({"key": key}).encode()
    headers = {"Content-Type": "application/json", "Origin": address}
    urllib.request.urlopen(urllib.request.Request(f"{address}/api/enter", body, headers), timeout=5).close()


def picture(site: Site, table: str = "t1", key: str = "") -> dict:
    key = key or made_key(site)
    address = f"http://127.0.0.1:{site.web.port}/api/tables/{table}"
    ask = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(ask, timeout=5) as answer:
        return json.load(answer)


def test_from_outboxes_to_wire_and_page(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    with Process(site):
        sensors.say(foul())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("alerts")) and any(a["alerts"] for a in v.of("alerts")))
        viewer.until(lambda v: v.of("state")[-1]["data"]["turns"] == 3)
        assert [a["action"]["type"] for a in viewer.of("action")][:3] == ["hand_started", "discarded", "drew"]
        seqs = [a["state_seq"] for a in viewer.of("action")]
        assert seqs == sorted(seqs)
        assert [(a["type"], a["after"]["rule"]) for a in viewer.of("alert")] == [("new", "RI-F7")]
        state = viewer.of("state")[-1]["data"]
        assert [seat["concealed"] for seat in state["seats"]] == [13, 14, 13, 13]
        assert state["sensors"] == {CAMERA: "online", BRIDGE: "online"}
        board = picture(site)
        assert board["view"]["turns"] == 3
        assert [alert["rule"] for alert in board["alerts"]] == ["RI-F7"]
        assert "South (seat 2)" in board["alerts"][0]["says"]
        assert board["log"][-1] == "West discards 3z"
        assert picture(site, "t2")["view"]["phase"] == "waiting"
        until = time.monotonic() + 20
        while any(len(node.outbox) for node in sensors.nodes.values()):
            assert time.monotonic() < until, "what is acknowledged is not forgotten"
            time.sleep(0.1)


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


def test_an_unknown_rule_set_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no rule set 'old-hong-kong'; there are"):
        run(make_site(tmp_path, ruleset="old-hong-kong"), threading.Event())
    with pytest.raises(SettingsError, match=r"calls\.kong_of_nobody"):
        run(make_site(tmp_path / "b", overrides={"calls.kong_of_nobody": True}), threading.Event())


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


def test_acts_come_over_the_wire_from_referees_only(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    topic = Topics("hall", "t1").command("engine", "act")

    def say(role: str, transaction: str, did: dict[str, object]) -> None:
        link = Link(door(site, role), f"asks-{role}", will=("mj/v1/hall/t1/none/availability", ""), backoff_s=(1, 1))
        link.start()
        until = time.monotonic() + 10
        while not link.connected and time.monotonic() < until:
            time.sleep(0.02)
        link.publish(topic, json.dumps({"transaction": transaction, "data": {"by": "Mei", "did": did}}))
        time.sleep(0.3)
        link.stop()

    with Process(site):
        viewer.until(lambda v: bool(v.of("state")))
        sensors.say(foul())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("alert")))
        say(node_role("t1", CAMERA), "no-1", {"act": "pause"})
        say(REFEREE_ROLE, "yes-1", {"act": "pause", "reason": "a tile fell"})
        say(REFEREE_ROLE, "yes-1", {"act": "pause", "reason": "a tile fell"})
        say(REFEREE_ROLE, "no-2", {"act": "pause"})
        say(REFEREE_ROLE, "no-3", {"act": "fly"})
        say(REFEREE_ROLE, "yes-2", {"act": "confirm", "alert": viewer.of("alert")[-1]["after"]["id"]})
        viewer.until(lambda v: len(v.of("act")) >= 5)
    answers = {(a["transaction"], a["status"]) for a in viewer.of("act")}
    assert answers == {("yes-1", "ok"), ("no-2", "error"), ("no-3", "error"), ("yes-2", "ok")}
    (paused, confirmed) = (e for e in journal.read(journal_path(site, "t1")) if isinstance(e, RefereeAct))
    assert (paused.id, paused.by, confirmed.id) == ("yes-1", "Mei", "yes-2")
    assert replay(journal_path(site, "t1")).engine.match.bookings[0].row == "RI-F7"


def asked(site: Site, key: str, path: str, body: dict[str, object], method: str = "POST") -> dict:
    """What the engine answers over HTTP."""
    address = f"http://127.0.0.1:{site.web.port}/api/tables/t1/{path}"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    ask = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(ask, timeout=15) as answer:
        return json.load(answer)


def test_a_table_is_played_by_other_rules_from_the_next_match_on(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    """The wire is heard anew under the new rules, what was played before is kept whole, and a start later all is as it was."""
    script = Script(ruleset="riichi")
    script.build(S0)
    script.deal(S0)
    script.discard(S0, "1z")
    script.wait(2_000)
    with Process(site):
        sensors.say(script.stream())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("state")) and v.of("state")[-1]["data"]["phase"] == "playing")
        accounts = Accounts(access_path(site.data))
        key = accounts.make_token("test", Role.ADMIN)
        accounts.close()
        refused = asked(site, key, "ruleset", {"ruleset": "taiwan16"}, "PUT")
        assert not refused["ok"]
        assert "a hand is being played" in refused["error"]
        for did in ({"act": "hand_ended", "how": "ruling"}, {"act": "match_end"}):
            assert asked(site, key, "acts", {"did": did})["ok"]
        assert "no rule set 'bridge'" in asked(site, key, "ruleset", {"ruleset": "bridge"}, "PUT")["error"]
        assert asked(site, key, "ruleset", {"ruleset": "taiwan16"}, "PUT")["ok"]
        other = Script(ruleset="taiwan16", now=script.now + 60_000)
        other.build(S0)
        other.deal(S0)
        other.discard(S0, "2z")
        other.wait(2_000)
        sensors.say(other.stream())
        sensors.flush()
        viewer.until(lambda v: v.of("state")[-1]["data"]["ruleset"] == "taiwan16")
        viewer.until(lambda v: v.of("state")[-1]["data"]["phase"] == "playing")
    with Process(site):
        time.sleep(0.5)
        assert picture(site)["view"]["ruleset"] == "taiwan16"
    assert replay(journal_path(site, "t1")).rules.id == "taiwan16"
    (kept,) = (p for p in journal_path(site, "t1").parent.glob("t1.*.sqlite3") if p.stem != "t1")
    assert replay(kept).rules.id == "riichi"
    assert len(replay(kept).actions) >= 1
