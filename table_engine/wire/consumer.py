"""The engine's end of the wire. No thread of the caller's is needed: poll, journal, acknowledge.

    node = EngineNode(door(site, ENGINE_ROLE), site.venue, ["t1"], boot=journal.boot,
                      positions=journal.positions())       # {("t1", "cam1"): Position(17, 4711), …}
    with node:
        while running:
            batch = node.poll(0.1)
            with journal.transaction():                     # fsync
                for received in batch:
                    match received:
                        case Observed(): journal.append(received.table, received.envelope)
                        case Unreadable(fault=fault): …     # a Fault of equipment, accuses nobody
                        case Gap(state="open"): …           # table degraded until "healed", or "lost" and said anew
            node.acknowledge(batch)                         # PUBACK and engine/ack follow the commit
            node.publish_state("t1", state_seq, at_ms, {...})

Each observation is handed out once and in its source's order by `(src, boot, seq)`, whatever the broker repeats. What is not
acknowledged before a crash comes again.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pydantic import JsonValue, ValidationError

from table_engine.wire import sequence
from table_engine.wire.access import Door
from table_engine.wire.actions import Action
from table_engine.wire.alerts import Alert, AlertChange, Fault
from table_engine.wire.clock import Clock, SystemClock
from table_engine.wire.errors import WireError
from table_engine.wire.messages import (
    ACKS,
    ActionReport,
    Availability,
    Command,
    NodeInfo,
    OpenAlerts,
    Position,
    Response,
    Snapshot,
)
from table_engine.wire.mqtt import Connected, Disconnected, Happening, Incoming, Link, Subscribed
from table_engine.wire.observations import Envelope
from table_engine.wire.reading import Misread, read_envelope
from table_engine.wire.received import (
    Answered,
    Birth,
    Connection,
    Gap,
    Observed,
    Presence,
    Received,
    Unreadable,
)
from table_engine.wire.sequence import Verdict
from table_engine.wire.settings import explain
from table_engine.wire.topics import ENGINE, ROOT, Topics

_ACK_EVERY_S = 0.05
_SLICE_S = 0.1
_LEAVES = ("ev", "secret", "availability", "info", "rsp/+")

Source = tuple[str, str]
"""(table, node)."""


@dataclass(slots=True)
class _Node:
    """What is known of one source."""

    sequence: sequence.Sequence
    boot: int = -1
    online: bool = False


@dataclass(frozen=True, slots=True)
class _Unconfirmed:
    """A message without its PUBACK. It waits for the commit of `position`; none: only for those before it."""

    message: Incoming
    source: Source
    position: Position | None


@dataclass(frozen=True, slots=True)
class _Asked:
    source: Source
    name: str
    until_s: float
    timeout_s: float


@dataclass(slots=True)
class _Committed:
    """By table: what is journalled, and whether the world has been told."""

    acks: dict[str, Position] = field(default_factory=dict)
    told: bool = False


class EngineNode:
    """Hears all sensors of its tables and speaks for the engine. Use from one thread."""

    def __init__(
        self,
        door: Door,
        venue: str,
        tables: Sequence[str],
        *,
        boot: int,
        positions: Mapping[Source, Position] | None = None,
        model: str = "",
        clock: Clock | None = None,
        backoff_s: tuple[int, int] = (1, 30),
    ) -> None:
        """`boot` counts the engine's starts; `positions` is how far the journal goes, by (table, node)."""
        self._topics = {table: Topics(venue, table) for table in tables}
        self._clock: Clock = clock or SystemClock()
        self._nodes = {source: _Node(sequence.Sequence(at)) for source, at in (positions or {}).items()}
        self._committed = {table: _Committed() for table in tables}
        for (table, src), at in (positions or {}).items():
            self._committed[table].acks[src] = at
        self._unconfirmed: deque[_Unconfirmed] = deque()
        self._asked: dict[str, _Asked] = {}
        self._latest: dict[str, str] = {}
        self._ready: deque[Received] = deque()
        self._acked_s = float("-inf")
        self._up = False
        self._says = ""
        self._inbox: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        self._offline = Availability(state="offline", boot=boot).model_dump_json()
        online = Availability(state="online", boot=boot).model_dump_json()
        info = NodeInfo(node=ENGINE, kind="engine", model=model, boot=boot, first=Position(boot, 1)).model_dump_json()
        filters = tuple(t.any_node(leaf) for t in self._topics.values() for leaf in _LEAVES)
        # A connection has one last will, so every table has its own; the first one carries the messages of all.
        self._links = [
            Link(
                door,
                f"{venue}_{table}_{ENGINE}",
                will=(topics.availability(ENGINE), self._offline),
                births=((topics.availability(ENGINE), online), (topics.info(ENGINE), info)),
                subscriptions=() if n else filters,
                manual_ack=True,
                inbox=None if n else self._inbox,
                backoff_s=backoff_s,
            )
            for n, (table, topics) in enumerate(self._topics.items())
        ]
        self._link = self._links[0]

    def start(self) -> None:
        """Begins to connect, for ever; returns at once."""
        for link in self._links:
            link.start()

    def stop(self) -> None:
        """Says `offline` and closes the connections. What was not acknowledged comes again at the next start."""
        self._tell_acks(force=True)
        for link, topics in zip(self._links, self._topics.values(), strict=True):
            if link.connected:
                link.publish(topics.availability(ENGINE), self._offline, retain=True)
            link.stop()

    def poll(self, timeout_s: float, limit: int = 500) -> list[Received]:
        """What has come, waiting up to `timeout_s` for the first; at most about `limit`. Never raises over a message."""
        until = time.monotonic() + timeout_s
        while True:
            left = until - time.monotonic()
            happening = self._next(0.0 if self._ready else min(max(left, 0.0), _SLICE_S))
            if happening is not None:
                self._ready.extend(self._on(happening))
            if happening is None or len(self._ready) >= limit:
                self._ready.extend(self._tick())
                self._confirm()
                self._tell_acks()
                if self._ready or left <= 0:
                    out = list(self._ready)
                    self._ready.clear()
                    return out

    def acknowledge(self, batch: Iterable[Received]) -> None:
        """The caller has journalled these (fsynced). Sensors may forget them now."""
        for received in batch:
            match received:
                case Observed(position=position) | Unreadable(position=Position() as position):
                    committed = self._committed[received.table]
                    committed.acks[received.src] = position
                    committed.told = False
                case _:
                    pass
        self._confirm()
        self._tell_acks()

    def positions(self) -> dict[Source, Position]:
        """What was acknowledged, by (table, node)."""
        return {(table, src): at for table, c in self._committed.items() for src, at in c.acks.items()}

    def command(
        self, table: str, node: str, name: str, data: Mapping[str, JsonValue] | None = None, timeout_s: float = 5.0
    ) -> str:
        """Sends a command and returns its transaction. `poll` brings the `Answered`, an error when none comes in time."""
        transaction = uuid.uuid4().hex
        self._asked[transaction] = _Asked((table, node), name, time.monotonic() + timeout_s, timeout_s)
        self._send_command((table, node), name, Command(transaction=transaction, data=dict(data or {})))
        return transaction

    def publish_state(self, table: str, state_seq: int, at_ms: int, data: dict[str, JsonValue]) -> None:
        """The public state of a table, retained. Must not hold anything from a secret source."""
        self._retain(self._topics[table].state, Snapshot(state_seq=state_seq, at_ms=at_ms, data=data).model_dump_json())

    def publish_action(self, table: str, state_seq: int, action: Action) -> None:
        report = ActionReport(state_seq=state_seq, action=action)
        self._link.publish(self._topics[table].action, report.model_dump_json())

    def publish_alert(self, table: str, change: AlertChange) -> None:
        self._link.publish(self._topics[table].alert, change.model_dump_json())

    def publish_alerts(self, table: str, alerts: Iterable[Alert]) -> None:
        """All that are open, retained."""
        self._retain(self._topics[table].alerts, OpenAlerts(alerts=tuple(alerts)).model_dump_json())

    def _next(self, timeout_s: float) -> Happening | None:
        try:
            return self._inbox.get(timeout=timeout_s) if timeout_s > 0 else self._inbox.get_nowait()
        except queue.Empty:
            return None

    def _on(self, happening: Happening) -> Iterator[Received]:
        match happening:
            case Connected():
                self._unconfirmed.clear()
            case Subscribed(refused=refused):
                self._up = True
                for topic, payload in self._latest.items():
                    self._link.publish(topic, payload, retain=True)
                for committed in self._committed.values():
                    committed.told = False
                self._tell_acks(force=True)
                says = f"{self._link.door} is connected"
                if refused:
                    says += f", but does not let {self._link.door.username!r} read {', '.join(refused)}"
                for table in self._topics:
                    yield Connection(table, ENGINE, True, says)
            case Disconnected(says=says) if self._up or says != self._says:
                self._up, self._says = False, says
                for table in self._topics:
                    yield Connection(table, ENGINE, False, says)
            case Incoming():
                yield from self._on_message(happening)
            case _:
                pass

    def _on_message(self, message: Incoming) -> Iterator[Received]:
        table, src, leaf = message.topic.removeprefix(f"{ROOT}/").split("/", 3)[1:]
        source = (table, src)
        position: Position | None = None
        if src != ENGINE and message.payload:
            try:
                match leaf:
                    case "ev" | "secret":
                        for received in self._on_envelope(source, message, secret=leaf == "secret"):
                            if isinstance(received, Observed | Unreadable):
                                position = received.position
                            yield received
                    case "availability":
                        yield from self._on_presence(source, message)
                    case "info":
                        yield from self._on_birth(source, message)
                    case _:
                        yield from self._on_answer(source, leaf.removeprefix("rsp/"), message)
            except ValidationError as error:
                yield self._unreadable(
                    source, None, WireError(f"{table}/{src}: {message.topic} is not understood: {explain(error)}")
                )
        self._unconfirmed.append(_Unconfirmed(message, source, position))

    def _on_envelope(self, source: Source, message: Incoming, *, secret: bool) -> Iterator[Received]:
        read = read_envelope(message.topic, source[1], message.payload)
        match read:
            case Misread(position=None, error=error):
                yield self._unreadable(source, None, error)
                return
            case Misread(position=Position() as position):
                pass
            case Envelope():
                position = Position(read.boot, read.seq)
        node = self._node(source)
        hole = node.sequence.hole
        if node.sequence.offer(position, time.monotonic()) is not Verdict.NEXT:
            yield from self._mind(source, node)
            return
        if hole is not None:
            node.sequence.hole = None
            if hole.told:
                yield Gap(*source, hole.expected, hole.seen, "healed")
        if isinstance(read, Misread):
            yield self._unreadable(source, position, read.error)
        else:
            yield Observed(*source, position, read, secret)

    def _on_presence(self, source: Source, message: Incoming) -> Iterator[Received]:
        said = Availability.model_validate_json(message.payload)
        node = self._node(source)
        if said.boot < node.boot:
            return
        node.boot, node.online = said.boot, said.state == "online"
        if node.online and message.retain:
            self._ask(source)
        if node.online and node.sequence.hole is not None:
            node.sequence.hole.since_s = time.monotonic()
        yield Presence(*source, said.boot, node.online, said.trouble)

    def _on_birth(self, source: Source, message: Incoming) -> Iterator[Received]:
        info = NodeInfo.model_validate_json(message.payload)
        node = self._node(source)
        if info.boot >= node.boot and node.sequence.hole is not None and info.first > node.sequence.hole.expected:
            yield from self._give_up(source, node, info.first)
        yield Birth(*source, info)

    def _on_answer(self, source: Source, name: str, message: Incoming) -> Iterator[Received]:
        response = Response.model_validate_json(message.payload)
        if self._asked.pop(response.transaction, None) is not None:
            yield Answered(*source, name, response)

    def _mind(self, source: Source, node: _Node) -> Iterator[Received]:
        """Looks after a hole: asks for what is missing, tells, and gives up in the end."""
        hole, now_s = node.sequence.hole, time.monotonic()
        if hole is None or not self._up:
            return
        if not hole.told and now_s - hole.since_s >= sequence.TELL_S:
            hole.told = True
            self.command(*source, "rebirth")
            yield Gap(*source, hole.expected, hole.seen, "open")
        if now_s - hole.since_s >= sequence.GIVE_UP_S and node.online and hole.lowest is not None:
            yield from self._give_up(source, node, hole.lowest)
        elif now_s - hole.asked_s >= sequence.ASK_S:
            hole.asked_s, hole.lowest = now_s, None
            self._ask(source)

    def _give_up(self, source: Source, node: _Node, upto: Position) -> Iterator[Received]:
        hole, node.sequence.hole = node.sequence.hole, None
        node.sequence.give_up(upto)
        if hole is not None:
            if not hole.told:
                self.command(*source, "rebirth")
            yield Gap(*source, hole.expected, upto, "lost")
        self._ask(source)

    def _tick(self) -> Iterator[Received]:
        now_s = time.monotonic()
        for source, node in self._nodes.items():
            yield from self._mind(source, node)
        for transaction, asked in list(self._asked.items()):
            if now_s > asked.until_s:
                del self._asked[transaction]
                error = f"{'/'.join(asked.source)} did not answer {asked.name!r} within {asked.timeout_s:g} s"
                yield Answered(
                    *asked.source, asked.name, Response(transaction=transaction, status="error", error=error)
                )

    def _ask(self, source: Source) -> None:
        """Asks a source to send again what is not acknowledged; no answer is needed."""
        self._send_command(source, "resend", Command(transaction=uuid.uuid4().hex))

    def _send_command(self, source: Source, name: str, command: Command) -> None:
        table, node = source
        self._link.publish(self._topics[table].command(node, name), command.model_dump_json())

    def _confirm(self) -> None:
        """PUBACKs in the order of arrival, as far as everything before is committed."""
        while self._unconfirmed:
            waiting = self._unconfirmed[0]
            if waiting.position is not None:
                committed = self._committed[waiting.source[0]].acks.get(waiting.source[1])
                if committed is None or committed < waiting.position:
                    return
            self._link.confirm(waiting.message)
            self._unconfirmed.popleft()

    def _tell_acks(self, *, force: bool = False) -> None:
        now_s = time.monotonic()
        if not self._link.connected or (now_s - self._acked_s < _ACK_EVERY_S and not force):
            return
        for table, committed in self._committed.items():
            if not committed.told:
                self._link.publish(self._topics[table].ack, ACKS.dump_json(committed.acks).decode(), retain=True)
                committed.told = True
                self._acked_s = now_s

    def _retain(self, topic: str, payload: str) -> None:
        self._latest[topic] = payload
        if self._up:
            self._link.publish(topic, payload, retain=True)

    def _node(self, source: Source) -> _Node:
        return self._nodes.setdefault(source, _Node(sequence.Sequence()))

    def _unreadable(self, source: Source, position: Position | None, error: WireError) -> Unreadable:
        fault = Fault(source="/".join(source), code="message", says=str(error), since_ms=self._clock.now_ms())
        return Unreadable(*source, position, fault)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
