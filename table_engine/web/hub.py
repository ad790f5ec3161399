"""What the screens know of every table, who waits for news of it, and what people ask of the engine.

A board is told in parts (`view`, `alerts`, …). Each part is kept as the JSON it is sent as, with the revision at which it
last changed; revisions count over all tables, so that a screen can say "I have everything up to here" and be sent only what
changed since. A board as it was some time ago is kept for as long as some key is shown the table with a delay.

The engine's thread writes and takes what is asked; the web server's loop reads. A slow reader misses states between and
never falls behind.
"""

from __future__ import annotations

import asyncio
import bisect
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from table_engine.agreement import Counts, count
from table_engine.web.bells import Bells, Watch
from table_engine.web.moments import Moments
from table_engine.wire.acts import Answer, Wish
from table_engine.wire.alerts import Alert, AlertChange, AlertEnded, Fault
from table_engine.wire.hands import HandsView
from table_engine.wire.ledger import LedgerView
from table_engine.wire.observations import Health, Wired
from table_engine.wire.view import TableView

LOG_LENGTH = 60
ENDED_KEPT = 200
_NOTHING = "null"


class Part(NamedTuple):
    """One part of a board: the revision at which it last changed, and its JSON."""

    revision: int
    text: str


Parts = Mapping[str, Part]


T = TypeVar("T")


class Asked(NamedTuple):
    """An act somebody wishes at a table, and where the answer goes."""

    table: str
    wish: Wish
    answer: Future[Answer]


class Chosen(NamedTuple):
    """A rule set somebody wishes a table to be played by, and where the answer goes."""

    table: str
    ruleset: str
    by: str
    answer: Future[Answer]


class Order(NamedTuple):
    """A command for a camera or bridge, and where its answer's data go. It fails with a DeviceError."""

    table: str
    node: str
    name: str
    data: Mapping[str, JsonValue]
    timeout_s: float
    answer: Future[Mapping[str, JsonValue]]


@dataclass(slots=True)
class Board:
    """One table. `past` holds what was known at earlier moments (seconds of `Hub`'s clock), oldest first."""

    parts: dict[str, Part] = field(default_factory=dict)
    view: TableView | None = None
    alerts: dict[str, Alert] = field(default_factory=dict)
    ended: dict[str, tuple[Alert, str]] = field(default_factory=dict)
    verdicts: dict[str, Alert] = field(default_factory=dict)
    log: deque[str] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))
    moments: Moments = field(default_factory=Moments)
    past: deque[tuple[float, dict[str, Part]]] = field(default_factory=deque)
    past_s: float = 0.0


class Hub:
    """Boards of all tables. `publish*` and `wishes` belong to the engine's thread, the rest may be called from any."""

    def __init__(
        self,
        tables: Sequence[str],
        now_s: Callable[[], float] = time.monotonic,
        table_ms: Callable[[str], int] = lambda _: time.time_ns() // 1_000_000,
    ) -> None:
        """`now_s` orders what is published, `table_ms` is the clock by which a table's sensors stamp (ms)."""
        self._now_s = now_s
        self.table_ms = table_ms
        self._boards = {table: Board() for table in tables}
        self._lock = threading.Lock()
        self._bells: dict[asyncio.AbstractEventLoop, Bells] = {}
        self._asked: deque[Asked] = deque()
        self._chosen: deque[Chosen] = deque()
        self._orders: deque[Order] = deque()
        self._listeners: list[Callable[[str, AlertChange], None]] = []
        self.revision = 0
        self.boot = f"{time.time_ns() // 1_000_000:x}"
        """Tells this server's revisions from those of one before."""

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self._boards)

    # ------------------------------------------------------------------------------------------ the engine's side

    def publish(self, table: str, part: str, value: Wired | str | None) -> None:
        """A part of a board as it is now: a model, JSON text, or nothing."""
        if isinstance(value, LedgerView):
            value = unspoiled(value)
        text = value.model_dump_json() if isinstance(value, Wired) else value
        self._publish_new(table, part, text or _NOTHING)

    def publish_view(self, table: str, view: TableView, said: str = "") -> None:
        """A new public picture; `said` is one line for the log."""
        with self._lock:
            board = self._boards[table]
            changed = {"view": view.model_dump_json()}
            if said:
                board.log.append(said)
                changed["log"] = _json(list(board.log))
            if board.moments.see(board.view, view):
                changed["moments"] = board.moments.text()
            board.view = view
            self._set(table, changed)

    def publish_alert(self, table: str, change: AlertChange) -> None:
        with self._lock:
            board, after = self._boards[table], change.after
            board.verdicts[after.id] = after
            if isinstance(change, AlertEnded):
                board.alerts.pop(after.id, None)
                board.ended.pop(after.id, None)
                board.ended[after.id] = (after, change.reason)
                while len(board.ended) > ENDED_KEPT:
                    del board.ended[next(iter(board.ended))]
            else:
                board.alerts[after.id] = after
                board.ended.pop(after.id, None)
            changed = {
                "alerts": _json([a.model_dump(mode="json") for a in board.alerts.values()]),
                "ended": _json([{**a.model_dump(mode="json"), "reason": why} for a, why in board.ended.values()]),
            }
            if board.moments.decided(after):
                changed["moments"] = board.moments.text()
            self._set(table, changed)
        for listener in self._listeners:
            listener(table, change)

    def publish_faults(self, table: str, faults: tuple[Fault, ...]) -> None:
        self._publish_new(table, "faults", _json([f.model_dump(mode="json") for f in faults]))

    def publish_hands(self, table: str, hands: HandsView) -> None:
        """The concealed hands; only keys with the right are told this part."""
        self._publish_new(table, "hands", hands.model_dump_json())

    def publish_devices(self, table: str, devices: Mapping[str, Health]) -> None:
        """What every camera and bridge said about itself last."""
        told = {src: {"state": h.state, "degraded": h.degraded, "counters": h.counters} for src, h in devices.items()}
        self._publish_new(table, "devices", _json(told))

    def _publish_new(self, table: str, part: str, text: str) -> None:
        with self._lock:
            old = self._boards[table].parts.get(part)
            if old is None or old.text != text:
                self._set(table, {part: text})

    def wishes(self) -> list[Asked]:
        """Takes what people have asked for since it was called last; each must be answered."""
        return _taken(self._asked)

    def choices(self) -> list[Chosen]:
        """As `wishes`, of rule sets."""
        return _taken(self._chosen)

    def orders(self) -> list[Order]:
        """As `wishes`, of commands to sensors."""
        return _taken(self._orders)

    def begin_anew(self, table: str) -> None:
        """Nothing of what was told of alerts and moves holds any more: the table begins another journal."""
        with self._lock:
            board = self._boards[table]
            board.alerts.clear()
            board.ended.clear()
            board.verdicts.clear()
            board.log.clear()
            board.moments.all.clear()
            board.view = None
            self._set(table, dict.fromkeys(("alerts", "ended", "log", "moments"), "[]") | {"hands": _NOTHING})

    def on_alert(self, listener: Callable[[str, AlertChange], None]) -> None:
        """Calls `listener` after every change of an alert, in the engine's thread: it must not wait for anything."""
        self._listeners.append(listener)

    # ------------------------------------------------------------------------------------------ the screens' side

    def act(self, table: str, wish: Wish) -> Future[Answer]:
        """Asks the engine for an act; the future is its answer. Raises KeyError for an unknown table."""
        if table not in self._boards:
            raise KeyError(table)
        asked = Asked(table, wish, Future())
        self._asked.append(asked)
        return asked.answer

    def choose_rules(self, table: str, ruleset: str, by: str) -> Future[Answer]:
        """Asks the engine to have a table played by other rules. Raises KeyError for an unknown table."""
        if table not in self._boards:
            raise KeyError(table)
        chosen = Chosen(table, ruleset, by, Future())
        self._chosen.append(chosen)
        return chosen.answer

    def order(
        self, table: str, node: str, name: str, data: Mapping[str, JsonValue], timeout_s: float
    ) -> Future[Mapping[str, JsonValue]]:
        """Sends a command to a camera or bridge of a table; the future is what it answers, or a DeviceError."""
        order = Order(table, node, name, data, timeout_s, Future())
        self._orders.append(order)
        return order.answer

    def keep_past(self, table: str, seconds: float) -> None:
        """From now on the board can be asked for as it was up to `seconds` ago."""
        with self._lock:
            self._keep(self._boards[table], seconds)

    def parts(self, table: str, delay_s: float = 0.0) -> Parts:
        """The board's parts now, or as they were `delay_s` ago: nothing when that is not known."""
        with self._lock:
            board = self._boards[table]
            if delay_s <= 0:
                return board.parts
            if delay_s > board.past_s:  # a key made elsewhere, e.g. by the command line
                self._keep(board, delay_s)
            place = bisect.bisect_right(board.past, self._now_s() - delay_s, key=lambda was: was[0])
            return board.past[place - 1][1] if place else {}

    def due_s(self, table: str, delay_s: float) -> float | None:
        """In how many seconds a reader with a delay has something new to see; None: nothing is on its way."""
        with self._lock:
            board, now_s = self._boards[table], self._now_s()
            place = bisect.bisect_right(board.past, now_s - delay_s, key=lambda was: was[0])
            return board.past[place][0] + delay_s - now_s if place < len(board.past) else None

    def alert(self, table: str, ident: str) -> tuple[Alert, str] | None:
        """An alert, open or ended, with the reason it ended for."""
        with self._lock:
            board = self._boards[table]
            found = board.alerts.get(ident)
            return (found, "") if found else board.ended.get(ident)

    def known_alerts(self, table: str) -> list[Alert]:
        """All alerts of a table that are open or among the last that ended."""
        with self._lock:
            board = self._boards[table]
            return [*board.alerts.values(), *(alert for alert, _ in board.ended.values())]

    def verdicts(self, table: str) -> Counts:
        """What became of all alerts of the table's journal, however long ago, by foul."""
        with self._lock:
            return count(self._boards[table].verdicts.values())

    @contextmanager
    def watch(self, tables: Iterable[str], parts: frozenset[str]) -> Iterator[Watch]:
        """A bell for some parts of some tables, in the running event loop."""
        loop, watch = asyncio.get_running_loop(), Watch(tables, parts)
        with self._lock:
            self._bells = {known: bells for known, bells in self._bells.items() if not known.is_closed()}
            bells = self._bells.setdefault(loop, Bells(loop))
            for table in watch.tables:
                bells.watches.setdefault(table, set()).add(watch)
        try:
            yield watch
        finally:
            with self._lock:
                for table in watch.tables:
                    bells.watches[table].discard(watch)

    def wake(self) -> None:
        """Rings every bell although nothing changed: readers look up whether they are to go."""
        with self._lock:
            for bells in self._bells.values():
                if not bells.loop.is_closed():
                    bells.loop.call_soon_threadsafe(self._wake, bells)

    # ------------------------------------------------------------------------------------------ inside, under the lock

    def _wake(self, bells: Bells) -> None:
        with self._lock:
            watches = set().union(*bells.watches.values())
        for watch in watches:
            watch.ring(set())

    def _keep(self, board: Board, seconds: float) -> None:
        if board.past_s == 0.0 and seconds > 0:
            board.past.append((self._now_s(), board.parts))
        board.past_s = seconds

    def _set(self, table: str, changed: Mapping[str, str]) -> None:
        board = self._boards[table]
        self.revision += 1
        board.parts = {**board.parts, **{name: Part(self.revision, text) for name, text in changed.items()}}
        if board.past_s > 0:
            now_s = self._now_s()
            board.past.append((now_s, board.parts))
            while len(board.past) > 1 and board.past[1][0] < now_s - board.past_s:
                board.past.popleft()
        elif board.past:
            board.past.clear()
        for bells in self._bells.values():
            if table not in bells.watches or bells.loop.is_closed():
                continue
            bells.changed.setdefault(table, set()).update(changed)
            if not bells.due:
                bells.due = True
                bells.loop.call_soon_threadsafe(self._ring, bells)

    def _ring(self, bells: Bells) -> None:
        with self._lock:
            changed, bells.changed, bells.due = bells.changed, {}, False
            rung: dict[Watch, set[str]] = {}
            for table, parts in changed.items():
                for watch in bells.watches.get(table, ()):
                    if not watch.parts.isdisjoint(parts):
                        rung.setdefault(watch, set()).add(table)
        for watch, tables in rung.items():
            watch.ring(tables)


def unspoiled(ledger: LedgerView) -> LedgerView:
    """The ledger as the room may know it: what the engine thinks of a win stays out until a referee has confirmed it."""
    hands = (
        hand.model_copy(
            update={
                "wins": tuple(
                    w if w.confirmed else w.model_copy(update={"says": "", "phrase": None, "points": None})
                    for w in hand.wins
                )
            }
        )
        for hand in ledger.hands
    )
    return ledger.model_copy(update={"hands": tuple(hands)})


def _taken(queue: deque[T]) -> list[T]:
    """Everything that lies in the queue now, which others go on filling."""
    taken = []
    while queue:
        taken.append(queue.popleft())
    return taken


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
