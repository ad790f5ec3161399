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
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal, Protocol

from pydantic import JsonValue

from firmware_bridge.allowance import Allowance
from firmware_bridge.device import Device, Done, Introduced, Report, Said, Trouble
from firmware_bridge.devices import DEVICES
from firmware_bridge.port import Lost, Opened, Port, PortEvent, Received
from table_engine.wire.access import door, node_role
from table_engine.wire.answers import Answer, Handler
from table_engine.wire.clock import Clock, clock_of
from table_engine.wire.errors import DeviceError, SettingsError
from table_engine.wire.observations import Envelope, Health, Observation, TagSeen, Watermark
from table_engine.wire.outbox import DiskFullError
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics

_QUEUE = 1000
_TURN = 16_384
"""Bytes that are dealt with before what they say is stored: a second and a half of the line."""
_LOOP_S = 0.1
_HEALTH_MS = 10_000
_SILENT_MS = 10_000
_SILENT_S = 3.0
"""A device is silent when it has said nothing for `_SILENT_MS` of the (perhaps simulated) clock and this long in life."""
_ANSWER_S = 4.0
"""How long a device may take over a command, in life; the engine waits a little longer."""
_NOT_DONE = {
    "unknown": "the table's controller does not know how to do this",
    "refused": "the table's controller refuses to do this now",
}
_NEWS = (30, 2.0)
"""Changes of health that are said: so many at once, so many a second in the long run. What flickers is said by `tick` then."""
_SMOOTH = 1 / 16
_BACKOFF_S = (1, 5)
"""Between attempts to reach the broker: it is near, and the table waits for it."""


_TAGS = "reads tags of tiles, which may stand in a hand: they are not passed on; set secret = true for this bridge"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a device is. `seen_ms` is when it was heard last, none when it never was."""

    state: Literal["ok", "degraded", "lost"]
    counters: Mapping[str, float]
    seen_ms: int | None


class Node(Protocol):
    """What the bridge needs of the wire: stores observations; empty when they wait in memory (the disk is full)."""

    def put_all(
        self, observations: Iterable[tuple[int, Observation]], *, bookmark: str | None = None
    ) -> list[Envelope]: ...


class Bridge:
    """One device's way to the wire. `handle`, `tick` and `say` from one thread, `command` and `tell_all` from any."""

    def __init__(self, device: Device, clock: Clock, *, tags: bool = False) -> None:
        """`tags`: what it says is read by the engine only, so that tags of concealed tiles may be passed on."""
        self._device = device
        self._tags = tags
        self._clock = clock
        self._lock = threading.RLock()
        self.introduced: Introduced | None = None
        """Who the device last said it is."""
        self.standing: Standing | None = None
        """How the device was when that was told last."""
        self._unsaid: list[tuple[int, Observation]] = []
        self._held = False
        """The node keeps observations in memory: nothing may be confirmed until they are on disk."""
        self._marked = ""
        self._lost = "port: not opened yet"
        self._troubles: dict[str, str] = {}
        self._told: tuple[str, tuple[str, ...]] | None = None
        self._told_at_ms = 0
        self._news = Allowance(*_NEWS, time.monotonic())
        self._asked: dict[int, tuple[Future[Answer], float]] = {}
        """By ticket: the answer to be given, and until when it is waited for."""
        self._latency_ms: float | None = None
        """From a reading's own moment to the disk, smoothed."""
        self._opened = 0
        self._seen_ms: int | None = None
        self._heard_ms = 0
        self._heard_s = time.monotonic()

    def handle(self, events: Iterable[PortEvent]) -> None:
        """Takes what the port said."""
        with self._lock:
            for event in events:
                match event:
                    case Opened(at_ms):
                        self._lost = ""
                        self._opened += 1
                        self._heard(at_ms)
                        self._report(self._device.opened(at_ms))
                    case Received(data, at_ms):
                        self._seen_ms = at_ms
                        self._heard(at_ms)
                        self._report(self._device.receive(data, at_ms))
                    case Lost(error, at_ms):
                        self._lost = str(error)
                        self._health(at_ms)

    def tick(self) -> None:
        """Between events: lets the device go on, notices silence, repeats the health."""
        with self._lock:
            now_ms = self._clock.now_ms()
            self._report(self._device.tick(now_ms))
            self._expire()
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
                self._measure()
                self._marked = place
                self._unsaid.clear()
            if not self._held:
                self._device.confirm()
            return self._device.to_send()

    @property
    def stuck(self) -> bool:
        """Nothing more can be stored: the port had better not be read, so that the device keeps what it has to say."""
        return len(self._unsaid) > _QUEUE

    def command(self, name: str, data: Mapping[str, JsonValue]) -> Future[Answer]:
        """A command from the wire; the device's own answer comes later. Raises DeviceError, ValueError or TypeError when it
        cannot be sent at all; the Future ends with DeviceError when the device does not do it or does not answer."""
        with self._lock:
            answer: Future[Answer] = Future()
            self._asked[self._device.command(name, data)] = answer, time.monotonic() + _ANSWER_S
        return answer

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
                case Said(at_ms, TagSeen()) if not self._tags:
                    self._troubles["tags"] = _TAGS
                    self._health(at_ms)
                case Said(at_ms, observation):
                    if (
                        isinstance(observation, Watermark)
                        and self._unsaid
                        and isinstance(self._unsaid[-1][1], Watermark)
                    ):
                        self._unsaid.pop()  # the later one says it all
                    self._unsaid.append((at_ms, observation))
                case Trouble(what, says, at_ms):
                    self._troubles[what] = says
                    self._health(at_ms)
                case Introduced():
                    self.introduced = report
                case Done():
                    self._done(report)

    def _done(self, done: Done) -> None:
        if (asked := self._asked.pop(done.ticket, None)) is None:
            return
        if done.result == "done":
            asked[0].set_result({"result": done.result})
        else:
            asked[0].set_exception(DeviceError(_NOT_DONE[done.result]))

    def _expire(self) -> None:
        now_s = time.monotonic()
        for ticket, (answer, until_s) in list(self._asked.items()):
            if now_s > until_s:
                del self._asked[ticket]
                self._device.give_up(ticket)
                answer.set_exception(
                    DeviceError(
                        f"the table's controller has not answered within {_ANSWER_S:g} s; it may still carry it out"
                    )
                )

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
        if again or ((state, words) != self._told and self._news.take(time.monotonic())):
            self._told, self._told_at_ms = (state, words), at_ms
            counters = {**self._device.counters, "opened": float(self._opened)}
            if self._latency_ms is not None:
                counters["latency_ms"] = round(self._latency_ms, 1)
            self.standing = Standing(state, counters, self._seen_ms)
            self._unsaid.append((at_ms, Health(state=state, degraded=words, counters=counters)))

    def _measure(self) -> None:
        now_ms = self._clock.now_ms()
        for at_ms, observation in self._unsaid:
            if not isinstance(observation, Watermark | Health):
                took_ms = max(now_ms - at_ms, 0)
                known = took_ms if self._latency_ms is None else self._latency_ms
                self._latency_ms = known + (took_ms - known) * _SMOOTH


def run(site: Site, table: str, bridge: str, stop: threading.Event) -> bool:
    """Bridges one port of a table until `stop` is set. True when it ended because its settings were changed (`cmd/reload`):
    then begin anew. Raises SettingsError when the site has no such table or bridge,
    BrokerError when the broker's users are not made yet, WireError when the outbox is held by another process."""
    settings = next((one for one in site.table(table).bridges if one.id == bridge), None)
    if settings is None:
        known = ", ".join(one.id for one in site.table(table).bridges) or "none"
        raise SettingsError(f"table {table!r} has no bridge {bridge!r} in the site file; it has {known}")
    clock = clock_of(site.clock_of(table))
    device = DEVICES[settings.device](request=secrets.randbelow(0xFFFF) + 1)
    anew = threading.Event()

    def reload(_: object) -> None:
        anew.set()

    core = Bridge(device, clock, tags=settings.secret)
    node = SensorNode(
        door(site, node_role(table, bridge)),
        Topics(site.venue, table),
        bridge,
        outbox=site.data / "outbox" / f"{table}-{bridge}.sqlite3",
        kind="bridge",
        model=settings.device,
        commands=core.handlers() | {"reload": reload},
        clock=clock,
        secret=settings.secret,
        backoff_s=_BACKOFF_S,
    )
    device.resume(node.outbox.bookmark)
    events: queue.Queue[PortEvent] = queue.Queue(_QUEUE)
    wait_s = min(_LOOP_S, device.pace_s)
    introduced: Introduced | None = None
    standing: Standing | None = None
    with node, Port(settings.port, settings.baud, clock, events) as port:
        while not (stop.is_set() or anew.is_set()):
            if core.stuck:
                stop.wait(_LOOP_S)
            else:
                core.handle(_drain(events, wait_s))
            core.tick()
            port.write(core.say(node))
            if core.introduced is not None and core.introduced is not introduced:
                introduced = core.introduced
                node.introduce(**asdict(introduced))
            if core.standing is not None and core.standing is not standing:
                standing = core.standing
                node.tell_device(standing.state, standing.counters, standing.seen_ms)
    return anew.is_set() and not stop.is_set()


def _drain(events: queue.Queue[PortEvent], wait_s: float) -> list[PortEvent]:
    """What has happened, waiting a little for the first; no more than is dealt with quickly, whatever floods the line."""
    found: list[PortEvent] = []
    size = 0
    try:
        event = events.get(timeout=wait_s)
        while True:
            found.append(event)
            size += len(event.data) if isinstance(event, Received) else 1
            if size >= _TURN:
                return found
            event = events.get_nowait()
    except queue.Empty:
        return found
