"""Pieces the bridge's tests share: a controller and a bridge over a pty, with a node that only keeps what is put."""

import contextlib
import itertools
import queue
import time
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.bridge import Bridge
from firmware_bridge.devices import DEVICES
from firmware_bridge.link import Link
from firmware_bridge.link_events import Told
from firmware_bridge.port import Port
from table_engine.wire.observations import Envelope, Health, Observation

START_MS = 1_700_000_000_000


class HandClock:
    """A clock that the test moves."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.value = now_ms

    def now_ms(self) -> int:
        return self.value


class MemoryNode:
    """Keeps what is put; `full` makes it do as a node on a full disk does."""

    def __init__(self) -> None:
        self.put: list[tuple[int, Observation]] = []
        self.full = False
        self.bookmark = ""
        self.waiting: list[tuple[int, Observation]] = []

    def put_all(self, observations, *, bookmark=None) -> list[Envelope]:
        items = list(observations)
        self.bookmark = bookmark or self.bookmark
        if self.full:
            self.waiting += items
            return []
        items, self.waiting = self.waiting + items, []
        first = len(self.put)
        self.put += items
        return [Envelope.of("serial", 1, first + n, at, at, o) for n, (at, o) in enumerate(items, 1)]

    def of(self, kind: type) -> list[Observation]:
        return [o for _, o in self.put if isinstance(o, kind)]

    @property
    def health(self) -> Health | None:
        return next((o for _, o in reversed(self.put) if isinstance(o, Health)), None)


class Rig:
    """A bridge process without broker: port thread, device, memory node. `turn` does one round of its loop."""

    def __init__(self, path: Path, clock, node: MemoryNode | None = None, device: str = "reference") -> None:
        self.node = node or MemoryNode()
        adapter = DEVICES[device](request=77)
        adapter.resume(self.node.bookmark)
        self.bridge = Bridge(adapter, clock, tags=True)
        self.events: queue.Queue = queue.Queue(1000)
        self.port = Port(str(path), 115_200, clock, self.events)
        self.port.start()

    def turn(self, wait_s: float = 0.001) -> None:
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self.events.get(timeout=wait_s))
            while True:
                found.append(self.events.get_nowait())
        self.bridge.handle(found)
        self.bridge.tick()
        self.port.write(self.bridge.say(self.node))

    def stop(self) -> None:
        self.port.stop()


def until(condition, each, timeout_s: float = 20.0) -> None:
    """Repeats `each` until the condition holds; fails when it does not in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        each()


def live(table, rig) -> None:
    """Turns until the bridge is well and the device has nothing left to tell."""
    until(
        lambda: rig.node.health and rig.node.health.state == "ok" and not table.device.backlog, lambda: table.step(rig)
    )


def three_dice() -> Iterator[tuple[int, int, int]]:
    """All rolls of three dice over and over: readings that tell their place."""
    return itertools.cycle(itertools.product(range(1, 7), repeat=3))


def direct(link: Link, controller, data_of, now_ms: int) -> list:
    """One exchange between a session and a controller whose pty is read here."""
    controller.pump(now_ms)
    events = link.receive(data_of(), now_ms)
    link.confirm()
    return events


def told(events) -> list:
    return [e.message for e in events if isinstance(e, Told)]
