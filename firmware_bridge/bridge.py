"""From a table's serial port to the wire: port → device → outbox, for ever.

    run(site, "t1", "serial", stop)        # until `stop` is set; one process per port

Nothing a port or device does ends it: what is wrong is said as `Health` in words for people, on change and every ten
seconds with the counters. A device's message is acknowledged when it is on disk in the outbox.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Literal, Protocol

from pydantic import JsonValue

from firmware_bridge.device import Device, Introduced, Report, Said, Trouble
from firmware_bridge.devices import DEVICES
from firmware_bridge.port import Lost, Opened, Port, PortEvent, Received
from table_engine.wire.access import door, node_role
from table_engine.wire.clock import Clock, clock_of
from table_engine.wire.errors import SettingsError
from table_engine.wire.observations import Envelope, Health, Observation
from table_engine.wire.outbox import DiskFullError
from table_engine.wire.sensor import Handler, SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

_QUEUE = 1000
_LOOP_S = 0.1
_HEALTH_MS = 10_000
_SILENT_MS = 10_000
_SILENT_S = 3.0
"""A device is silent when it has said nothing for `_SILENT_MS` of the (perhaps simulated) clock and this long in life."""


class Node(Protocol):
    """What the bridge needs of the wire: stores observations; empty when they wait in memory (the disk is full)."""

    def put_all(
        self, observations: Iterable[tuple[int, Observation]], *, bookmark: str | None = None
    ) -> list[Envelope]: ...


class Bridge:
    """One device's way to the wire. `handle`, `tick` and `say` from one thread, `command` and `tell_all` from any."""

    def __init__(self, device: Device, clock: Clock) -> None:
        self._device = device
        self._clock = clock
        self._lock = threading.RLock()
        self.introduced: Introduced | None = None
        """Who the device last said it is."""
        self._unsaid: list[tuple[int, Observation]] = []
        self._held = False
        """The node keeps observations in memory: nothing may be confirmed until they are on disk."""
        self._marked = ""
        self._lost = "port: not opened yet"
        self._troubles: dict[str, str] = {}
        self._told: tuple[str, tuple[str, ...]] | None = None
        self._told_at_ms = 0
        self._heard_ms = 0
        self._heard_s = time.monotonic()

    def handle(self, events: Iterable[PortEvent]) -> None:
        """Takes what the port said."""
        with self._lock:
            for event in events:
                match event:
                    case Opened(at_ms):
                        self._lost = ""
                        self._heard(at_ms)
                        self._report(self._device.opened(at_ms))
                    case Received(data, at_ms):
                        self._heard(at_ms)
                        self._report(self._device.receive(data, at_ms))
                    case Lost(error, at_ms):
                        self._lost = str(error)
                        self._health(at_ms)

    def tick(self) -> None:
        """Between events: notices silence, repeats the health."""
        with self._lock:
            now_ms = self._clock.now_ms()
            silent = now_ms - self._heard_ms >= _SILENT_MS and time.monotonic() - self._heard_s >= _SILENT_S
            if not self._lost and silent:
                self._lost = "the table's controller says nothing; check its power and the cable"
            self._health(now_ms, again=now_ms - self._told_at_ms >= _HEALTH_MS)

    def say(self, node: Node) -> bytes:
        """Stores what is to be said, then lets the device forget it; returns what has to go out to the device. On a full
        disk it keeps everything and the next call tries again."""
        with self._lock:
            place = self._device.place
            if self._unsaid or (place != self._marked and not self._held):
                try:
                    stored = node.put_all(self._unsaid, bookmark=place or None)
                except DiskFullError:
                    return self._device.to_send()
                self._held = bool(self._unsaid) and not stored
                self._marked = place
                self._unsaid.clear()
            if not self._held:
                self._device.confirm()
            return self._device.to_send()

    @property
    def stuck(self) -> bool:
        """Nothing more can be stored: the port had better not be read, so that the device keeps what it has to say."""
        return len(self._unsaid) > _QUEUE

    def command(self, name: str, data: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
        """A command from the wire. Raises DeviceError, ValueError or TypeError when it cannot be done."""
        with self._lock:
            self._device.command(name, data)
        return {"queued": True}

    def tell_all(self, _data: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
        """Everything anew: the engine asked (`cmd/rebirth`)."""
        with self._lock:
            self._told = None
            self._device.ask_all()
        return None

    def handlers(self) -> dict[str, Handler]:
        """What the node answers commands with."""
        handlers: dict[str, Handler] = {name: partial(self.command, name) for name in self._device.commands}
        return handlers | {"rebirth": self.tell_all}

    def _heard(self, at_ms: int) -> None:
        self._heard_ms, self._heard_s = at_ms, time.monotonic()
        if self._lost:
            self._lost = ""
            self._health(at_ms)

    def _report(self, reports: Iterable[Report]) -> None:
        for report in reports:
            match report:
                case Said(at_ms, observation):
                    self._unsaid.append((at_ms, observation))
                case Trouble(what, says, at_ms):
                    self._troubles[what] = says
                    self._health(at_ms)
                case Introduced():
                    self.introduced = report

    def _health(self, at_ms: int, *, again: bool = False) -> None:
        """Says how things are when that is news, or `again`."""
        state: Literal["ok", "degraded", "lost"] = (
            "lost" if self._lost else "degraded" if any(self._troubles.values()) else "ok"
        )
        words = tuple(
            text
            for text in (self._lost, *(f"table controller {says}" for says in self._troubles.values() if says))
            if text
        )
        if again or (state, words) != self._told:
            self._told, self._told_at_ms = (state, words), at_ms
            health = Health(state=state, degraded=words, counters=self._device.counters)
            self._unsaid.append((at_ms, health))


def run(site: Site, table: str, bridge: str, stop: threading.Event) -> None:
    """Bridges one port of a table until `stop` is set. Raises SettingsError when the site has no such table or bridge,
    BrokerError when the broker's users are not made yet, WireError when the outbox is held by another process."""
    settings = next((one for one in site.table(table).bridges if one.id == bridge), None)
    if settings is None:
        known = ", ".join(one.id for one in site.table(table).bridges) or "none"
        raise SettingsError(f"table {table!r} has no bridge {bridge!r} in the site file; it has {known}")
    clock = clock_of(site.clock)
    device = DEVICES[settings.device](request=secrets.randbelow(0xFFFF) + 1)
    core = Bridge(device, clock)
    node = SensorNode(
        door(site, node_role(table, bridge)),
        Topics(site.venue, table),
        bridge,
        outbox=site.data / "outbox" / f"{table}-{bridge}.sqlite3",
        kind="bridge",
        model=settings.device,
        commands=core.handlers(),
        clock=clock,
    )
    device.resume(node.outbox.bookmark)
    events: queue.Queue[PortEvent] = queue.Queue(_QUEUE)
    introduced: Introduced | None = None
    with node, Port(settings.port, settings.baud, clock, events) as port:
        while not stop.is_set():
            if core.stuck:
                stop.wait(_LOOP_S)
            else:
                core.handle(_drain(events))
            core.tick()
            port.write(core.say(node))
            if core.introduced is not None and core.introduced is not introduced:
                introduced = core.introduced
                node.introduce(**asdict(introduced))


def _drain(events: queue.Queue[PortEvent]) -> list[PortEvent]:
    """What has happened, waiting a little for the first."""
    found: list[PortEvent] = []
    try:
        found.append(events.get(timeout=_LOOP_S))
        while len(found) < _QUEUE:
            found.append(events.get_nowait())
    except queue.Empty:
        pass
    return found
