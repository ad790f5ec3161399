"""What a sensor has said and the engine has not yet journalled: an SQLite file that survives a kill.

    with Outbox(Path("var/outbox/t1-cam1.sqlite3"), "cam1") as outbox:
        outbox.put(at_ms, observation)          # on disk when it returns
        for position, payload in outbox.take(64):
            ...                                 # publish; what was taken is never changed again
        outbox.trim(Position(boot, seq))        # the engine has everything up to here

Every process start is a new boot; seq counts from 1 within it without holes. Order is by (boot, seq) alone, so a clock
that jumps changes nothing. A watermark that nobody has taken yet is moved forward in place by the next one, so a sensor
that is cut off for a day stores its observations and not its silence.

A new file starts with the machine's seconds since 1970 as its boot, so that a sensor whose file was lost does not repeat
identities the engine knows. Should that clock be wrong as well, `rebase` takes the numbers past what the engine has seen.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from table_engine.wire.clock import Clock, SystemClock
from table_engine.wire.errors import WireError
from table_engine.wire.messages import ORIGIN, Position
from table_engine.wire.observations import Envelope, Observation, Watermark

_SCHEMA = """
create table if not exists boot (only integer primary key check (only = 1), boot integer not null);
create table if not exists message (boot integer, seq integer, payload text not null, primary key (boot, seq)) without rowid;
create table if not exists bookmark (only integer primary key check (only = 1), place text not null);
"""

_INSERT = "insert or replace into message values (?, ?, ?)"


class DiskFullError(WireError):
    """Nothing was stored because the disk took nothing. The caller still owns the observation and may try again."""


class Outbox:
    """One source's outbox. Any thread may call it; only one process may hold it."""

    def __init__(self, path: Path, src: str, clock: Clock | None = None) -> None:
        """Opens or creates the file and begins a new boot. Raises WireError when the file is held by another process, is
        damaged or cannot be written, DiskFullError when the disk is full."""
        self.path = path
        self.src = src
        self.notice = ""
        """What a person should know about how the file was found; empty when all was well."""
        self.bookmark = ""
        """What was last put with `bookmark`: up to where a sensor that is told things by a device has stored them."""
        self._clock: Clock = clock or SystemClock()
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        except OSError as error:
            raise WireError(f"outbox {path}: {error.strerror}; make the folder writable") from error
        try:
            self._db = self._open()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise self._complaint(error) from error
            aside = f"damaged-{time.time_ns()}"
            for part in path.parent.glob(f"{path.name}*"):
                if part.name.removeprefix(path.name) in ("", "-wal", "-shm"):
                    part.rename(part.with_name(f"{part.name}.{aside}"))
            self.notice = (
                f"outbox {path} was damaged and is kept as {path.name}.{aside}; what it still held was not sent"
            )
            path.touch(mode=0o600)
            self._db = self._open()
        self._seq = 0
        self._cursor = ORIGIN
        self._taken = ORIGIN
        self._mark: int | None = None
        """seq of a watermark that is the last message and not yet taken."""

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=0.2)
        try:
            db.execute("pragma locking_mode = exclusive")
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = full")
            db.execute("begin immediate")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute("insert or ignore into boot values (1, ?)", (int(time.time()) - 1,))
            (self.boot,) = db.execute("update boot set boot = boot + 1 returning boot").fetchone()
            self.bookmark = "".join(place for (place,) in db.execute("select place from bookmark"))
            db.execute("commit")
        except BaseException:
            db.close()
            raise
        return db

    def put(self, at_ms: int, observation: Observation) -> Envelope:
        """Stores one observation and returns it as it will be sent. It is on disk when this returns. Raises DiskFullError."""
        return self.put_all([(at_ms, observation)])[0]

    def put_all(
        self, observations: Iterable[tuple[int, Observation]], *, bookmark: str | None = None
    ) -> list[Envelope]:
        """The same for several `(at_ms, observation)` with one sync: all of them or none are stored, and `bookmark` with
        them."""
        with self._lock:
            now, seq, mark = self._clock.now_ms(), self._seq, self._mark
            envelopes: list[Envelope] = []
            for at_ms, observation in observations:
                is_mark = isinstance(observation, Watermark)
                if not (is_mark and mark is not None):
                    seq += 1
                envelopes.append(Envelope.of(self.src, self.boot, seq, at_ms, now, observation))
                mark = seq if is_mark else None
            with self._transaction():
                self._db.executemany(_INSERT, [(e.boot, e.seq, e.model_dump_json()) for e in envelopes])
                if bookmark is not None:
                    self._db.execute("insert or replace into bookmark values (1, ?)", (bookmark,))
            self._seq, self._mark, self.bookmark = seq, mark, self.bookmark if bookmark is None else bookmark
            return envelopes

    def take(self, limit: int = 64) -> list[tuple[Position, str]]:
        """The next messages to send, oldest first, and moves on past them. What was taken once is never altered."""
        with self._lock:
            rows = self.pending(self._cursor, limit)
            if rows:
                self._cursor = rows[-1][0]
                self._taken = max(self._taken, self._cursor)
                if self._mark is not None and self._taken >= Position(self.boot, self._mark):
                    self._mark = None
            return rows

    def rewind(self, after: Position = ORIGIN) -> None:
        """Makes `take` begin again, with the first message after a position."""
        with self._lock:
            self._cursor = after

    def pending(self, after: Position = ORIGIN, limit: int = -1) -> list[tuple[Position, str]]:
        """What is stored after a position, in order, as `(position, JSON of the envelope)`. Raises WireError."""
        with self._lock:
            try:
                rows = self._db.execute(
                    "select boot, seq, payload from message where (boot, seq) > (?, ?) order by boot, seq limit ?",
                    (after.boot, after.seq, limit),
                ).fetchall()
            except sqlite3.Error as error:
                raise self._complaint(error) from error
            return [(Position(boot, seq), payload) for boot, seq, payload in rows]

    def trim(self, upto: Position) -> None:
        """Forgets everything up to and with a position. Raises DiskFullError when the disk cannot even note that."""
        with self._lock, self._transaction():
            self._db.execute("delete from message where (boot, seq) <= (?, ?)", (upto.boot, upto.seq))

    def is_foreign(self, ack: Position) -> bool:
        """True if the engine acknowledges what this outbox has never sent: the file is younger than the engine's memory."""
        with self._lock:
            return ack.boot > self.boot or (ack.boot == self.boot and ack > self._taken)

    def rebase(self, ack: Position) -> None:
        """Numbers everything of this boot anew in a boot after `ack`, so that the engine doesn't take it for old news."""
        with self._lock:
            boot = max(self.boot, ack.boot) + 1
            rows = [Envelope.model_validate_json(payload) for _, payload in self.pending()]
            fresh = [Envelope.of(self.src, boot, n, e.at_ms, e.recorded_ms, e.data) for n, e in enumerate(rows, 1)]
            with self._transaction():
                self._db.execute("delete from message")
                self._db.executemany(_INSERT, [(e.boot, e.seq, e.model_dump_json()) for e in fresh])
                self._db.execute("update boot set boot = ?", (boot,))
            self.boot, self._seq, self._mark = boot, len(fresh), None
            self._cursor = self._taken = ORIGIN

    @property
    def last(self) -> Position:
        """The last position given out."""
        with self._lock:
            return Position(self.boot, self._seq)

    @property
    def first(self) -> Position:
        """The earliest message still stored, or the next one to come when nothing is."""
        with self._lock:
            rows = self.pending(limit=1)
            return rows[0][0] if rows else Position(self.boot, self._seq + 1)

    def __len__(self) -> int:
        with self._lock:
            (count,) = self._db.execute("select count(*) from message").fetchone()
            return int(count)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, on disk when left. Errors become ours."""
        try:
            self._db.execute("begin immediate")
            yield
            self._db.execute("commit")
        except sqlite3.Error as error:
            raise self._complaint(error) from error
        finally:
            if self._db.in_transaction:
                self._db.execute("rollback")

    def _complaint(self, error: sqlite3.Error) -> WireError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return DiskFullError(f"outbox {self.path}: the disk takes nothing more ({error}); free space on it")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return WireError(f"outbox {self.path} is held by another process; does {self.src} already run?")
        return WireError(f"outbox {self.path}: {error}; check the disk and the file's permissions")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
