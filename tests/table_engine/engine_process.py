"""The engine's process as its tests need it: a site, sensors that are scripted, a screen on the wire, a look at the page."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from table_script import BRIDGE, CAMERA, Script

from table_engine.service import run
from table_engine.web.accounts import Accounts, access_path
from table_engine.web.grants import Role
from table_engine.wire.access import REFEREE_ROLE, door, node_role
from table_engine.wire.mqtt import Happening, Incoming, Link
from table_engine.wire.observations import Envelope
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


def picture(site: Site, table: str = "t1", key: str = "") -> dict:
    key = key or made_key(site)
    address = f"http://127.0.0.1:{site.web.port}/api/tables/{table}"
    ask = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(ask, timeout=5) as answer:
        return json.load(answer)
