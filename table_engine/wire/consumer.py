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
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from pydantic import JsonValue, ValidationError

from table_engine.wire.access import Door
from table_engine.wire.actions import Action
from table_engine.wire.acts import ActCommand, Answer
from table_engine.wire.alerts import Alert, AlertChange, Fault
from table_engine.wire.clock import Clock, SystemClock
from table_engine.wire.errors import WireError
from table_engine.wire.messages import (
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
from table_engine.wire.order import Order
from table_engine.wire.receipts import Key, Receipts
from table_engine.wire.received import Answered, Connection, Observed, Received, Unreadable, Wished
from table_engine.wire.settings import explain
from table_engine.wire.source import Source
from table_engine.wire.topics import ENGINE, ROOT, Topics, any_table

_ACK_EVERY_S = 0.05
_SLICE_S = 0.1
_LOOK_AGAIN_S = 1.0
_RETAINED = ("availability", "info")
_LEAVES = ("ev", "secret", *_RETAINED, "rsp/+")
_ACT = "act"
"""The one command the engine itself takes."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command that has no answer yet."""

    key: Key
    name: str
    timeout_s: float
    until_s: float


class EngineNode:
    """Hears all sensors of its tables and speaks for the engine. Use from one thread."""

    def __init__(
        self,
        door: Door,
        venue: str,
        tables: Sequence[str],
        *,
        boot: int,
        positions: Mapping[Key, Position] | None = None,
        model: str = "",
        clock: Clock | None = None,
        backoff_s: tuple[int, int] = (1, 30),
        births: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`boot` counts the engine's starts; `positions` is how far the journal goes, by (table, node). `births` are said
        retained at every connect besides our own."""
        self._topics = {table: Topics(venue, table) for table in tables}
        self._clock: Clock = clock or SystemClock()
        self._sources = {key: Source(*key, Order(at)) for key, at in (positions or {}).items()}
        self._receipts = Receipts(dict(positions or {}), set(tables))
        self._asked: dict[str, _Asked] = {}
        self._latest: dict[str, str] = {}
        self._ready: deque[Received] = deque()
        self._acked_s = float("-inf")
        self._look_again_s = float("inf")
        self._up = False
        self._says = ""
        self._inbox: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        self._offline = Availability(state="offline", boot=boot).model_dump_json()
        online = Availability(state="online", boot=boot).model_dump_json()
        info = NodeInfo(node=ENGINE, kind="engine", model=model, boot=boot, first=Position(boot, 1)).model_dump_json()
        self._retained, filters = self._filters(venue, _RETAINED), self._filters(venue, _LEAVES)
        # A connection has one last will, so every table has its own; the first one carries the messages of all.
        self._links = [
            Link(
                door,
                f"{venue}_{table}_{ENGINE}",
                will=(topics.availability(ENGINE), self._offline),
                births=(
                    (topics.availability(ENGINE), online),
                    (topics.info(ENGINE), info),
                    *(() if n else births),
                ),
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
        self._tell_acks(at_once=True)
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
                    self._receipts.commit((received.table, received.src), position)
                case _:
                    pass
        self._confirm()
        self._tell_acks()

    def positions(self) -> dict[Key, Position]:
        """What was acknowledged, by (table, node)."""
        return dict(self._receipts.committed)

    def command(
        self, table: str, node: str, name: str, data: Mapping[str, JsonValue] | None = None, timeout_s: float = 5.0
    ) -> str:
        """Sends a command and returns its transaction. `poll` brings the `Answered`, an error when none comes in time."""
        transaction = uuid.uuid4().hex
        self._asked[transaction] = _Asked((table, node), name, timeout_s, time.monotonic() + timeout_s)
        self._send_command(table, node, name, Command(transaction=transaction, data=dict(data or {})))
        return transaction

    def respond(self, table: str, transaction: str, answer: Answer) -> None:
        """What became of a wish, on `engine/rsp/act`."""
        status: Literal["ok", "error"] = "ok" if answer.ok else "error"
        response = Response(transaction=transaction, status=status, data={"id": answer.id}, error=answer.error)
        self._link.publish(self._topics[table].response(ENGINE, _ACT), response.model_dump_json())

    def publish_state(self, table: str, state_seq: int, at_ms: int, data: dict[str, JsonValue]) -> None:
        """The public state of a table, retained. Must not hold anything from a secret source."""
        self._retain(self._topics[table].state, Snapshot(state_seq=state_seq, at_ms=at_ms, data=data).model_dump_json())

    def publish_action(self, table: str, state_seq: int, action: Action) -> None:
        report = ActionReport(state_seq=state_seq, action=action)
        self._link.publish(self._topics[table].action, report.model_dump_json())

    def publish_alert(self, table: str, change: AlertChange) -> None:
        text = change.model_dump_json()
        self._link.publish(self._topics[table].alert, text)
        if change.after.audience == "table":
            self._link.publish(self._topics[table].notice, text)

    def publish_alerts(self, table: str, alerts: Iterable[Alert], faults: Iterable[Fault] = ()) -> None:
        """All that are open, retained, and what is wrong with the equipment."""
        said = OpenAlerts(alerts=tuple(alerts), faults=tuple(faults))
        self._retain(self._topics[table].alerts, said.model_dump_json())

    def _filters(self, venue: str, leaves: Iterable[str]) -> tuple[str, ...]:
        """Several tables are heard by the venue's filters: NATS limits what all subscriptions may leave unconfirmed."""
        if len(self._topics) > 1:
            heard = [any_table(venue, leaf) for leaf in leaves]
            return (*heard, Topics.any_command(venue, _ACT)) if "ev" in leaves else tuple(heard)
        heard = [topics.any_node(leaf) for topics in self._topics.values() for leaf in leaves]
        asked = [topics.command(ENGINE, _ACT) for topics in self._topics.values()] if "ev" in leaves else []
        return (*heard, *asked)

    def _next(self, timeout_s: float) -> Happening | None:
        try:
            return self._inbox.get(timeout=timeout_s) if timeout_s > 0 else self._inbox.get_nowait()
        except queue.Empty:
            return None

    def _on(self, happening: Happening) -> Iterator[Received]:
        match happening:
            case Connected():
                self._receipts.forget()
                for source in self._sources.values():
                    source.forget_presence()
            case Subscribed(refused=refused):
                self._up, self._look_again_s = True, time.monotonic() + _LOOK_AGAIN_S
                for topic, payload in self._latest.items():
                    self._link.publish(topic, payload, retain=True)
                self._receipts.untold.update(self._topics)
                self._tell_acks(at_once=True)
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
        _, table, src, leaf = message.topic.removeprefix(f"{ROOT}/").split("/", 3)
        position: Position | None = None
        if src == ENGINE and leaf == f"cmd/{_ACT}" and table in self._topics:
            yield from _wished(table, message)
        elif src != ENGINE and message.payload and table in self._topics:
            source = self._source((table, src))
            try:
                for received in self._read(source, leaf, message):
                    if isinstance(received, Observed | Unreadable):
                        position = received.position or position
                    yield received
            except ValidationError as error:
                wrong = WireError(
                    f"{table}/{src}: {message.topic} is not understood: {explain(error)}; check that node"
                )
                yield source.unreadable(None, wrong, self._clock.now_ms())
            self._grant(source)
        self._receipts.owe(message, (table, src), position, time.monotonic())

    def _read(self, source: Source, leaf: str, message: Incoming) -> Iterable[Received]:
        now_s = time.monotonic()
        match leaf:
            case "ev" | "secret":
                return source.on_envelopes(
                    message.topic, message.payload, secret=leaf == "secret", now_s=now_s, now_ms=self._clock.now_ms()
                )
            case "availability":
                said = Availability.model_validate_json(message.payload)
                return source.on_presence(said, retained=message.retain, now_s=now_s)
            case "info":
                return source.on_birth(NodeInfo.model_validate_json(message.payload), now_s)
            case _:
                response = Response.model_validate_json(message.payload)
                asked = self._asked.pop(response.transaction, None)
                return [] if asked is None else [Answered(*asked.key, asked.name, response)]

    def _tick(self) -> Iterator[Received]:
        now_s = time.monotonic()
        if self._up and now_s > self._look_again_s:
            # What is retained while the broker works on our subscriptions, NATS gives neither as kept nor as new.
            self._look_again_s = float("inf")
            self._link.subscribe(self._retained)
        if self._up:
            for source in self._sources.values():
                yield from source.mind(now_s)
                self._grant(source)
        for transaction, asked in list(self._asked.items()):
            if now_s > asked.until_s:
                del self._asked[transaction]
                error = f"{'/'.join(asked.key)} did not answer {asked.name!r} within {asked.timeout_s:g} s"
                yield Answered(*asked.key, asked.name, Response(transaction=transaction, status="error", error=error))

    def _grant(self, source: Source) -> None:
        """Sends a source the commands its state calls for, and our ack again when it seems to have missed it."""
        for wish in source.wishes:
            if wish == "rebirth":
                self.command(source.table, source.src, wish)
            else:
                self._send_command(source.table, source.src, wish, Command(transaction=uuid.uuid4().hex))
        source.wishes.clear()
        if source.repeats:
            source.repeats = False
            self._receipts.untold.add(source.table)

    def _send_command(self, table: str, node: str, name: str, command: Command) -> None:
        self._link.publish(self._topics[table].command(node, name), command.model_dump_json())

    def _confirm(self) -> None:
        for message in self._receipts.due(time.monotonic()):
            self._link.confirm(message)

    def _tell_acks(self, *, at_once: bool = False) -> None:
        now_s = time.monotonic()
        if not self._link.connected or (now_s - self._acked_s < _ACK_EVERY_S and not at_once):
            return
        for table in self._receipts.untold:
            self._link.publish(self._topics[table].ack, self._receipts.ack(table), retain=True)
            self._acked_s = now_s
        self._receipts.untold.clear()

    def _retain(self, topic: str, payload: str) -> None:
        self._latest[topic] = payload
        if self._up:
            self._link.publish(topic, payload, retain=True)

    def _source(self, key: Key) -> Source:
        return self._sources.setdefault(key, Source(*key))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _wished(table: str, message: Incoming) -> Iterator[Wished]:
    try:
        asked = ActCommand.model_validate_json(message.payload)
    except ValidationError as error:
        try:
            transaction = Command.model_validate_json(message.payload).transaction
        except ValidationError:
            return  # nobody to answer to
        yield Wished(table, ENGINE, transaction, None, f"the act is not understood: {explain(error)}")
    else:
        wish = asked.data if asked.data.id else asked.data.model_copy(update={"id": asked.transaction})
        yield Wished(table, ENGINE, asked.transaction, wish)
