"""For the wire's tests: the embedded broker and Mosquitto, each on a free port with a user per role, and a small engine."""

from __future__ import annotations

import queue
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from table_engine.wire.access import ENGINE_ROLE, OPERATOR_ROLE, REFEREE_ROLE, VIEWER_ROLE, Door, door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.consumer import EngineNode
from table_engine.wire.greeting import greet
from table_engine.wire.messages import Position
from table_engine.wire.mqtt import Incoming, Link, Subscribed
from table_engine.wire.observations import Envelope
from table_engine.wire.receipts import Key
from table_engine.wire.received import Observed, Received
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

TOPICS = Topics("hall", "t1")


class Broker(Protocol):
    def start(self) -> None: ...
    def kill(self) -> None: ...
    def stop(self) -> None: ...
    def door(self, role: str) -> Door: ...


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def make_site(folder: Path, port: int | None = None, **broker: object) -> Site:
    """Table `t1` with the camera `cam1`, the rack camera `rack1` and the bridge `ctl`; `t2` and `t3` with a `cam1` each."""
    settings = {"port": port or free_port(), "store": folder / "broker", **broker}
    cameras = [{"id": "cam1", "source": "0"}, {"id": "rack1", "source": "1", "role": "rack", "seat": 0}]
    table = {"id": "t1", "cameras": cameras, "bridges": [{"id": "ctl", "port": "loop://"}]}
    others = [{"id": other, "cameras": cameras[:1]} for other in ("t2", "t3")]
    return Site.model_validate({"venue": "hall", "data": folder, "broker": settings, "tables": [table, *others]})


class Embedded:
    def __init__(self, folder: Path) -> None:
        self.site = make_site(folder)
        self.broker = EmbeddedBroker(self.site)

    def start(self) -> None:
        self.broker.start()

    def kill(self) -> None:
        child = self.broker._child
        assert child is not None
        child.kill()
        child.wait()

    def stop(self) -> None:
        self.broker.stop()

    def door(self, role: str) -> Door:
        return door(self.site, role)


class Mosquitto:
    """The reference external broker, with the same roles, and forgetting everything when it ends: the wire must bear that."""

    def __init__(self, folder: Path, program: str) -> None:
        self.port = free_port()
        self._folder, self._program = folder, program
        self._child: subprocess.Popen[bytes] | None = None
        nodes = [("t1", "cam1"), ("t1", "rack1"), ("t1", "ctl"), ("t2", "cam1"), ("t3", "cam1")]
        roles = [ENGINE_ROLE, OPERATOR_ROLE, REFEREE_ROLE, VIEWER_ROLE, *(node_role(*node) for node in nodes)]
        passwords, acl = folder / "passwords", folder / "acl"
        passwords.write_text("".join(f"{role}:secret-{role}\n" for role in roles))
        subprocess.run(["mosquitto_passwd", "-U", str(passwords)], check=True)
        shipped = (Path(__file__).parents[2] / "config" / "mosquitto.acl").read_text()
        of_cam1 = shipped.partition("user t1.cam1\n")[2].partition("\n\n")[0]
        rules = [shipped]
        for table, node in nodes[1:2] + nodes[3:]:
            own = of_cam1.replace("t1/cam1", f"{table}/{node}").replace("t1/engine", f"{table}/engine")
            rules.append(f"user {node_role(table, node)}\n{own}")
        acl.write_text("\n\n".join(rules) + "\n")
        for path in (passwords, acl):
            path.chmod(0o600)
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nuser root\nallow_anonymous false\npassword_file {passwords}\n"
            f"acl_file {acl}\npersistence false\nlog_dest none\n"
        )

    def start(self) -> None:
        self._child = subprocess.Popen([self._program, "-c", str(self._folder / "mosquitto.conf")])
        until = time.monotonic() + 10
        while greet(self.door(ENGINE_ROLE), 1.0) is not None:
            assert time.monotonic() < until, "mosquitto is not ready"
            time.sleep(0.02)

    def kill(self) -> None:
        assert self._child is not None
        self._child.kill()
        self._child.wait()

    def stop(self) -> None:
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            self._child.wait(5)

    def door(self, role: str) -> Door:
        return Door("127.0.0.1", self.port, role, f"secret-{role}")


def start_broker(kind: str, folder: Path) -> Broker:
    if kind == "embedded":
        broker: Broker = Embedded(folder)
    else:
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
        if program is None:
            pytest.skip("mosquitto is not installed (apt-get install mosquitto)")
        broker = Mosquitto(folder, program)
    broker.start()
    return broker


class Engine:
    """An engine as small as can be: its journal is a list, and a restart begins from it."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self.journal: list[Envelope] = []
        self.heard: list[Received] = []
        self.positions: dict[Key, Position] = {}
        self.starts = 0
        self.node = self._start()

    def _start(self) -> EngineNode:
        self.starts += 1
        node = EngineNode(
            self._broker.door(ENGINE_ROLE), "hall", ["t1"], boot=self.starts, positions=self.positions, backoff_s=(1, 1)
        )
        node.start()
        return node

    def turn(self, timeout_s: float = 0.05) -> list[Received]:
        batch = self.node.poll(timeout_s)
        self.heard += batch
        self.journal += [r.envelope for r in batch if isinstance(r, Observed)]
        self.node.acknowledge(batch)
        self.positions = self.node.positions()
        return batch

    def until(self, wanted: Callable[[], bool], timeout_s: float = 30.0) -> None:
        end = time.monotonic() + timeout_s
        while not wanted():
            assert time.monotonic() < end, f"did not happen; heard last: {self.heard[-8:]}"
            self.turn()

    def of(self, kind: type) -> list:
        return [r for r in self.heard if isinstance(r, kind)]

    def crash(self) -> None:
        """Forgets what was heard and not acknowledged, as a killed process does, and starts anew from the journal."""
        self.node._link._client.socket().shutdown(socket.SHUT_RDWR)
        self.node.stop()
        self.node = self._start()


class Speaker:
    """A client without any manners: says and hears what its user may, nothing more."""

    def __init__(self, door: Door, name: str, *filters: str, will: tuple[str, str] | None = None) -> None:
        self.link = Link(
            door, name, will=will or (TOPICS.node("nobody", "rsp/x"), "gone"), subscriptions=filters, backoff_s=(1, 1)
        )
        self.refused: tuple[str, ...] = ()
        self.link.start()
        self.wait_for(Subscribed)

    def wait_for(self, kind: type, timeout_s: float = 10.0) -> object:
        while True:
            happening = self.link.inbox.get(timeout=timeout_s)
            if isinstance(happening, Subscribed):
                self.refused = happening.refused
            if isinstance(happening, kind):
                return happening

    def say(self, topic: str, payload: str, *, retain: bool = False) -> None:
        self.link.publish(topic, payload, retain=retain)

    def hear(self, timeout_s: float = 5.0) -> Incoming:
        heard = self.wait_for(Incoming, timeout_s)
        assert isinstance(heard, Incoming)
        return heard

    def hears_nothing(self, timeout_s: float = 0.4) -> bool:
        try:
            self.hear(timeout_s)
        except queue.Empty:
            return True
        return False
