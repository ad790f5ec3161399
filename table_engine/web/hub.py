"""What the screens know: the newest view, alerts and log of every table, and who waits for the next change.

The engine's thread writes, the web server's loop reads; a change wakes every waiting reader. Readers always get the
newest whole picture, so a slow one misses intermediate pictures and never falls behind.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from dataclasses import dataclass, field

from table_engine.wire.alerts import Alert, AlertChange, AlertEnded, Fault
from table_engine.wire.view import TableView

LOG_LENGTH = 60


@dataclass(slots=True)
class TableBoard:
    """Everything a screen shows of one table. `revision` grows with every change."""

    view: TableView | None = None
    alerts: dict[str, Alert] = field(default_factory=dict)
    ended: deque[tuple[Alert, str]] = field(default_factory=lambda: deque(maxlen=20))
    faults: tuple[Fault, ...] = ()
    log: deque[str] = field(default_factory=lambda: deque(maxlen=LOG_LENGTH))
    revision: int = 0

    def picture(self) -> dict[str, object]:
        """The whole board as plain JSON."""
        return {
            "revision": self.revision,
            "view": self.view.model_dump(mode="json") if self.view else None,
            "alerts": [a.model_dump(mode="json") for a in self.alerts.values()],
            "ended": [{**a.model_dump(mode="json"), "reason": reason} for a, reason in self.ended],
            "faults": [f.model_dump(mode="json") for f in self.faults],
            "log": list(self.log),
        }


class Hub:
    """Boards of all tables. `publish_*` may be called from any thread."""

    def __init__(self, tables: tuple[str, ...]) -> None:
        self._boards = {table: TableBoard() for table in tables}
        self._lock = threading.Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self._boards)

    def publish_view(self, table: str, view: TableView, said: str = "") -> None:
        """A new state of a table; `said` is one line for the log."""
        with self._lock:
            board = self._boards[table]
            board.view = view
            if said:
                board.log.append(said)
            self._changed(board)

    def publish_alert(self, table: str, change: AlertChange) -> None:
        with self._lock:
            board = self._boards[table]
            if isinstance(change, AlertEnded):
                board.alerts.pop(change.after.id, None)
                board.ended.append((change.after, change.reason))
            else:
                board.alerts[change.after.id] = change.after
            self._changed(board)

    def publish_faults(self, table: str, faults: tuple[Fault, ...]) -> None:
        with self._lock:
            board = self._boards[table]
            if board.faults != faults:
                board.faults = faults
                self._changed(board)

    def picture(self, table: str) -> dict[str, object]:
        with self._lock:
            return self._boards[table].picture()

    def revision(self, table: str) -> int:
        with self._lock:
            return self._boards[table].revision

    async def changed(self, table: str, since: int, timeout_s: float) -> bool:
        """Waits until the table's revision differs from `since`. False after `timeout_s` without a change."""
        event = asyncio.Event()
        entry = (asyncio.get_running_loop(), event)
        with self._lock:
            if self._boards[table].revision != since:
                return True
            self._waiting.add(entry)
        try:
            await asyncio.wait_for(event.wait(), timeout_s)
        except TimeoutError:
            return False
        finally:
            with self._lock:
                self._waiting.discard(entry)
        return self.revision(table) != since

    def _changed(self, board: TableBoard) -> None:
        board.revision += 1
        for loop, event in self._waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)
