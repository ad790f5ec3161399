"""A sensor's end of the wire: whatever it puts reaches the engine once in effect, through kills, cut cables and restarts.

    node = SensorNode(door(site, node_role("t1", "cam1")), Topics(site.venue, "t1"), "cam1",
                      outbox=site.data / "outbox" / "t1-cam1.sqlite3", kind="camera", model="overhead 1080p",
                      commands={"rebirth": lambda _: vision.say_everything_again.set() or {}})
    with node:                            # connects in the background, for ever
        node.put(at_ms, ZoneSeen(...))    # on disk when it returns; sent by the node's own thread
        node.put(at_ms, Watermark())      # at least every 0.5 s of the sensor's clock

A node sends from the first unacknowledged message at every connect and whenever the engine asks (`cmd/resend`); the engine
drops what it has. At most `WINDOW` observations run ahead of the engine's ack, the rest waits on disk. What piles up while
the broker is busy travels in one message (`bundle`).
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from pydantic import ValidationError

from table_engine.wire.access import Door
from table_engine.wire.answers import Answers, Handler
from table_engine.wire.bundle import MOST, bundles
from table_engine.wire.clock import Clock
from table_engine.wire.errors import JantakuError, WireError
from table_engine.wire.messages import ACKS, ORIGIN, Availability, Command, NodeInfo, Position
from table_engine.wire.mqtt import Connected, Disconnected, Happening, Incoming, Link, Published, Subscribed, Wake
from table_engine.wire.observations import Envelope, Observation, Watermark
from table_engine.wire.outbox import DiskFullError, Outbox
from table_engine.wire.settings import explain
from table_engine.wire.topics import Topics

WINDOW = 2000
_IN_FLIGHT = 4
"""Messages under way at a time. Few, so that what follows is bundled instead of standing in the broker's queue, and because
NATS hangs up on who waits more than 5 s for a slow disk."""
_HELD_MAX = 100_000
_STALL_S = (10.0, 300.0)
_TRIM_S = 0.5
_TICK_S = 0.5

_log = logging.getLogger(__name__)


class SensorNode:
    """One source on the wire: outbox, publisher thread, presence, commands."""

    def __init__(
        self,
        door: Door,
        topics: Topics,
        node: str,
        *,
        outbox: Path,
        kind: Literal["camera", "bridge", "other"] = "other",
        model: str = "",
        firmware: str = "",
        protocol: str = "",
        capabilities: tuple[str, ...] = (),
        commands: Mapping[str, Handler] | None = None,
        secret: bool = False,
        clock: Clock | None = None,
        backoff_s: tuple[int, int] = (1, 30),
    ) -> None:
        """`secret`: everything goes to the branch that only the engine may read (cameras that see concealed hands).
        Raises WireError when the outbox cannot be opened."""
        self.node = node
        self.outbox = Outbox(outbox, node, clock)
        self.boot = self.outbox.boot
        self._topics = topics
        self._to = topics.secret(node) if secret else topics.events(node)
        self._info = NodeInfo(
            node=node,
            kind=kind,
            model=model,
            firmware=firmware,
            protocol=protocol,
            capabilities=capabilities,
            boot=self.boot,
            first=self.outbox.first,
        )
        self._lock = threading.Lock()
        self._held: deque[tuple[int, Observation]] = deque()
        self._held_bookmark: str | None = None
        self._inbox: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        self._door, self._backoff_s = door, backoff_s
        self._link = self._new_link()
        self._thread = threading.Thread(target=self._run, name=f"wire-{node}", daemon=True)
        self._closing = threading.Event()
        self._ready = False
        self._in_flight: set[int] = set()
        self._acked = ORIGIN
        self._trimmed = ORIGIN
        self._ahead: deque[Position] = deque()
        """What was sent and not acknowledged yet."""
        self._trimmed_s = self._progress_s = time.monotonic()
        self._stall_s = _STALL_S[0]
        self._answers = Answers(node, commands or {}, again=self._again, wake=lambda: self._inbox.put(Wake()))
        self._troubles: dict[str, str] = {"notice": self.outbox.notice} if self.outbox.notice else {}
        self._told = ""
        self._device: Literal["", "ok", "degraded", "lost"] = ""
        self._news = False
        """The info changed since it was last said."""

    def start(self) -> None:
        """Begins to connect and to send; returns at once."""
        self._link.start()
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, says `offline` and closes the outbox. What is not acknowledged is sent at the next start."""
        self._closing.set()
        self._inbox.put(Wake())
        if self._thread.is_alive():
            self._thread.join()
        if self._link.connected:
            self._link.publish(self._topics.availability(self.node), self._presence("offline"), retain=True)
        self._link.stop()
        self.outbox.close()

    def introduce(self, *, model: str, firmware: str, protocol: str, capabilities: tuple[str, ...]) -> None:
        """Says anew who the node is: a device behind it has made itself known."""
        with self._lock:
            self._info = self._info.model_copy(
                update={"model": model, "firmware": firmware, "protocol": protocol, "capabilities": capabilities}
            )
            self._news = True
        self._inbox.put(Wake())

    def tell_device(
        self, state: Literal["", "ok", "degraded", "lost"], health: Mapping[str, float], seen_ms: int | None
    ) -> None:
        """Says how the device behind the node is: `state` on `availability`, the figures on `info`."""
        with self._lock:
            self._device = state
            self._info = self._info.model_copy(update={"health": dict(health), "seen_ms": seen_ms})
            self._news = True
        self._inbox.put(Wake())

    def put(self, at_ms: int, observation: Observation) -> Envelope | None:
        """Says one observation. Returned: its envelope, on disk already; None while the disk is full, then it waits in
        memory and `troubles` says so. Raises DiskFullError only when that is full too, WireError when the node has ended."""
        return next(iter(self.put_all([(at_ms, observation)])), None)

    def put_all(
        self, observations: Iterable[tuple[int, Observation]], *, bookmark: str | None = None
    ) -> list[Envelope]:
        """The same for several `(at_ms, observation)` with one sync; an empty list while they wait in memory. `bookmark`
        is stored with them, all or nothing: what the next start finds as `outbox.bookmark`."""
        items = list(observations)
        if self._thread.ident and not self._thread.is_alive():
            raise WireError(f"{self.node}: the wire's thread has ended, nothing more is sent; restart this process")
        with self._lock:
            if self._held:
                self._hold(items, bookmark)
                return []
            try:
                stored = self.outbox.put_all(items, bookmark=bookmark)
            except DiskFullError as error:
                self._hold(items, bookmark)
                self._troubles["outbox"] = str(error)
                return []
            finally:
                self._inbox.put(Wake())
        return stored

    @property
    def troubles(self) -> tuple[str, ...]:
        """What does not work now, in words for people; also said on `<node>/availability`."""
        with self._lock:
            return tuple(self._troubles.values())

    def flush(self, timeout_s: float) -> bool:
        """Waits until the engine has acknowledged everything. False when it has not in time."""
        until = time.monotonic() + timeout_s
        while self._held or self.outbox.pending(self._acked, 1):
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def _hold(self, items: list[tuple[int, Observation]], bookmark: str | None) -> None:
        if len(self._held) + len(items) > _HELD_MAX:
            raise DiskFullError(
                f"{self.node}: disk full and {_HELD_MAX} observations wait in memory; free space on the disk"
            )
        for item in items:
            if self._held and isinstance(item[1], Watermark) and isinstance(self._held[-1][1], Watermark):
                self._held.pop()
            self._held.append(item)
        self._held_bookmark = self._held_bookmark if bookmark is None else bookmark

    def _run(self) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(queue.Empty):
                self._attempt("wire", partial(self._on, self._inbox.get(timeout=_TICK_S)))
                while True:
                    self._attempt("wire", partial(self._on, self._inbox.get_nowait()))
            self._attempt("outbox", self._store_held)
            self._attempt("disk", self._trim)
            self._attempt("send", self._send)
            for name, answer in self._answers.due():
                self._link.publish(self._topics.response(self.node, name), answer)
            self._tell()
        self._attempt("disk", self._trim)

    def _on(self, happening: Happening) -> None:
        match happening:
            case Connected():
                self._ready = False
                self._in_flight.clear()
            case Subscribed(refused=refused):
                self._trouble(
                    "broker", f"broker refuses {', '.join(refused)} to {self._door.username!r}" if refused else ""
                )
                self._ready, self._told = True, ""
                self._again()
            case Disconnected(says=says):
                self._ready = False
                self._trouble("broker", says)
            case Published(mid=mid):
                self._in_flight.discard(mid)
            case Incoming(topic=self._topics.ack):
                self._on_ack(happening.payload)
            case Incoming():
                self._on_command(happening)
            case Wake():
                pass

    def _on_ack(self, payload: bytes) -> None:
        try:
            ack = ACKS.validate_json(payload).get(self.node)
        except ValidationError as error:
            self._trouble(
                "ack", f"{self._topics.ack}: not understood ({explain(error)}); is another engine version running?"
            )
            return
        self._trouble("ack", "")
        if ack is None or ack <= self._acked:
            return
        if self.outbox.is_foreign(ack):
            self.outbox.rebase(ack)
            self.boot, self._acked, self._trimmed = self.outbox.boot, ORIGIN, ORIGIN
            self._link.stop()
            self._link = self._new_link()
            self._ready = False
            self._link.start()
            return
        self._trouble("engine", "")
        self._acked = ack
        while self._ahead and self._ahead[0] <= ack:
            self._ahead.popleft()
        self._progress_s, self._stall_s = time.monotonic(), _STALL_S[0]

    def _on_command(self, incoming: Incoming) -> None:
        name = incoming.topic.rpartition("/")[2]
        try:
            command = Command.model_validate_json(incoming.payload)
        except ValidationError as error:
            _log.warning("%s: not a command (%s)", incoming.topic, explain(error))
            return
        self._answers.take(name, command)

    def _again(self) -> None:
        """Says who we are and goes back to the first unacknowledged message."""
        self._tell_info()
        self.outbox.rewind(self._acked)
        self._ahead.clear()
        self._progress_s = time.monotonic()

    def _tell_info(self) -> None:
        with self._lock:
            info, self._news = self._info, False
        info = info.model_copy(update={"boot": self.boot, "first": self._first()})
        self._link.publish(self._topics.info(self.node), info.model_dump_json(), retain=True)

    def _first(self) -> Position:
        """The earliest message still to be acknowledged."""
        rest = self.outbox.pending(self._acked, 1)
        return rest[0][0] if rest else Position(self.boot, self.outbox.last.seq + 1)

    def _send(self) -> None:
        if not self._ready:
            return
        if self._ahead and time.monotonic() - self._progress_s > self._stall_s:
            says = f"the engine acknowledges nothing on {self._topics.ack}; does it run, may {self._door.username!r} publish?"
            self._trouble("engine", says)
            self._stall_s = min(self._stall_s * 2, _STALL_S[1])
            self._again()
        if not self._ahead:
            self._progress_s = time.monotonic()  # it has nothing to acknowledge
        while len(self._in_flight) < _IN_FLIGHT:
            rows = self.outbox.take(min(MOST, WINDOW - len(self._ahead)))
            for positions, payload in bundles(rows):
                self._in_flight.add(self._link.publish(self._to, payload))
                self._ahead.extend(positions)
            if not rows:
                return

    def _trim(self) -> None:
        if self._acked > self._trimmed and (self._closing.is_set() or time.monotonic() - self._trimmed_s > _TRIM_S):
            self.outbox.trim(self._acked)
            self._trimmed, self._trimmed_s = self._acked, time.monotonic()

    def _store_held(self) -> None:
        with self._lock:
            while self._held:
                chunk = list(islice(self._held, 500))
                last = len(chunk) == len(self._held)
                self.outbox.put_all(chunk, bookmark=self._held_bookmark if last else None)
                for _ in chunk:
                    self._held.popleft()
            self._held_bookmark = None

    def _attempt(self, what: str, work: Callable[[], None]) -> None:
        try:
            work()
        except JantakuError as error:
            self._trouble(what, str(error))
        else:
            self._trouble(what, "")

    def _trouble(self, what: str, says: str) -> None:
        with self._lock:
            if says:
                self._troubles[what] = says
            else:
                self._troubles.pop(what, None)

    def _tell(self) -> None:
        """Says online with what is wrong, when that is news."""
        if self._ready and self._news:
            self._tell_info()
        presence = self._presence("online")
        if self._ready and presence != self._told:
            self._link.publish(self._topics.availability(self.node), presence, retain=True)
            self._told = presence

    def _presence(self, state: Literal["online", "offline"]) -> str:
        if state == "offline":
            return Availability(state=state, boot=self.boot).model_dump_json()
        return Availability(state=state, boot=self.boot, trouble=self.troubles, device=self._device).model_dump_json()

    def _new_link(self) -> Link:
        return Link(
            self._door,
            f"{self._topics.venue}_{self._topics.table}_{self.node}",
            will=(self._topics.availability(self.node), self._presence("offline")),
            subscriptions=(self._topics.ack, self._topics.command(self.node, "+")),
            inbox=self._inbox,
            backoff_s=self._backoff_s,
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
