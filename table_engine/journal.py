"""The journal of one table: an SQLite file in which everything that came in stands before it counts.

    with Journal(path, table="t1", ruleset="riichi", overrides={}) as journal:
        for event in journal.events(): ...      # recovery: the state is a fold over them
        new = journal.append(batch)             # fsynced when it returns; what stood there already is left out
        journal.positions()                     # by source, up to where everything is in it

An envelope is kept exactly once by `(src, boot, seq)`. Nothing is ever changed or deleted. A second engine on the same
file is refused; readers (`read`) may look on.
"""

from __future__ import annotations

import errno
import fcntl
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from table_engine.events import ACT, Event
from table_engine.rules import RuleSet, load_ruleset
from table_engine.wire.errors import RecordError, SettingsError
from table_engine.wire.messages import Position
from table_engine.wire.observations import Envelope
from table_engine.wire.settings import explain

VERSION = 1
_SCHEMA = """
create table if not exists about (key text primary key, value text not null) without rowid;
create table if not exists event (
    n integer primary key, src text, boot integer, seq integer, at_ms integer not null, body text not null
);
create unique index if not exists identity on event (src, boot, seq) where src is not null;
"""
_INSERT = "insert or ignore into event (src, boot, seq, at_ms, body) values (?, ?, ?, ?, ?)"


class JournalFullError(RecordError):
    """Nothing of the batch was written because the disk takes nothing more. It may be tried again."""


@dataclass(frozen=True, slots=True)
class About:
    """Whose journal it is."""

    table: str
    ruleset: str
    overrides: Mapping[str, object]

    def rules(self) -> RuleSet:
        """The rule set the table was played by. Raises SettingsError when it is no longer understood."""
        return load_ruleset(self.ruleset, self.overrides)


class Journal:
    """The engine's own hold on a journal. One thread, one process."""

    def __init__(self, path: Path, table: str, ruleset: str, overrides: Mapping[str, object] | None = None) -> None:
        """Opens or creates the file and begins a new boot, later than the last one and than any of a lost file.

        Raises RecordError when it is damaged, of another table, held by another engine or cannot be written,
        JournalFullError when the disk is full, and SettingsError when it was begun under another rule set."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = (path.parent / f"{path.name}.lock").open("w")
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _full(path, error.strerror) from error
            raise RecordError(f"journal {path}: {error.strerror}; make its folder writable") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise RecordError(f"journal {path} is held by another engine; does one already run for {table}?") from error
        try:
            self._db = self._open(About(table, ruleset, dict(overrides or {})))
        except BaseException:
            self._lock.close()
            raise

    def _open(self, about: About) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None)
        try:
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = full")
            if (found := db.execute("pragma quick_check(1)").fetchone()[0]) != "ok":
                raise RecordError(f"journal {self.path} is damaged ({' '.join(found.split())}); {_RESCUE}")
            db.execute("begin immediate")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            said = dict(db.execute("select key, value from about"))
            if not said:
                said = {"version": str(VERSION), "boot": "0", **_about_rows(about)}
            _check(self.path, said, about)
            self.boot = max(int(said["boot"]) + 1, int(time.time()))
            said["boot"] = str(self.boot)
            db.executemany("insert or replace into about values (?, ?)", said.items())
            db.execute("commit")
        except sqlite3.Error as error:
            db.close()
            raise _complaint(self.path, error) from error
        except BaseException:
            db.close()
            raise
        return db

    def append(self, events: Iterable[Event]) -> list[Event]:
        """Writes a batch in one transaction and returns what is new of it, in order. On disk when it returns.

        Raises JournalFullError when the disk is full and RecordError when the file fails; nothing is written then."""
        try:
            self._db.execute("begin immediate")
            new = [event for event in events if self._db.execute(_INSERT, _row(event)).rowcount]
            self._db.execute("commit")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise _complaint(self.path, error) from error
        return new

    def events(self) -> Iterator[Event]:
        """Everything in the journal, in the order it came. Raises RecordError naming the entry that is not understood."""
        return _events(self.path, self._db)

    def positions(self) -> dict[str, Position]:
        """By source, the last envelope written."""
        newest = "select src, boot, max(seq) from event where src = ? and boot = ?"
        sources = self._db.execute("select src, max(boot) from event where src is not null group by src").fetchall()
        rows = (self._db.execute(newest, source).fetchone() for source in sources)
        return {src: Position(boot, seq) for src, boot, seq in rows}

    def lay_aside(self) -> Path | None:
        """Closes the journal and gives the file a name of its own, so that another may begin in its place. → where it is; None
        when nothing stood in it, then it is gone. Raises RecordError when the file cannot be moved."""
        kept = self.path.with_name(f"{self.path.stem}.{self.boot}{self.path.suffix}") if len(self) else None
        try:
            self._db.execute("pragma wal_checkpoint(truncate)")
            self._db.close()
            for tail in ("", "-wal", "-shm"):
                part = self.path.with_name(self.path.name + tail)
                if kept is None:
                    part.unlink(missing_ok=True)
                elif part.exists():
                    part.rename(kept.with_name(kept.name + tail))
        except OSError as error:
            raise RecordError(
                f"journal {self.path}: cannot be moved ({error.strerror}); make its folder writable"
            ) from error
        except sqlite3.Error as error:
            raise _complaint(self.path, error) from error
        finally:
            self._lock.close()
        return kept

    @property
    def closed(self) -> bool:
        return self._lock.closed

    def __len__(self) -> int:
        (count,) = self._db.execute("select count(*) from event").fetchone()
        return int(count)

    def close(self) -> None:
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def about(path: Path) -> About:
    """Whose journal a file is. Raises RecordError when it is none."""
    try:
        with closing(_reader(path)) as db:
            said = dict(db.execute("select key, value from about"))
    except sqlite3.Error as error:
        raise _complaint(path, error) from error
    _check_version(path, said)
    return About(said["table"], said["ruleset"], json.loads(said["overrides"]))


def read(path: Path) -> Iterator[Event]:
    """The events of a journal, which may be in use. Raises RecordError when it is none or damaged."""
    about(path)
    with closing(_reader(path)) as db:
        yield from _events(path, db)


def _reader(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise RecordError(f"no journal at {path}")
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _events(path: Path, db: sqlite3.Connection) -> Iterator[Event]:
    try:
        for n, src, body in db.execute("select n, src, body from event order by n"):
            yield _event(path, n, src, body)
    except sqlite3.Error as error:
        raise _complaint(path, error) from error


def _event(path: Path, n: int, src: str | None, body: str) -> Event:
    try:
        return ACT.validate_json(body) if src is None else Envelope.model_validate_json(body)
    except ValidationError as error:
        raise RecordError(f"journal {path}, entry {n} is not understood: {explain(error)}") from error


def _row(event: Event) -> tuple[str | int | None, ...]:
    match event:
        case Envelope(src=src, boot=boot, seq=seq, at_ms=at_ms):
            return src, boot, seq, at_ms, event.model_dump_json()
        case _:
            return None, None, None, event.at_ms, event.model_dump_json()


def _about_rows(about: About) -> dict[str, str]:
    return {"table": about.table, "ruleset": about.ruleset, "overrides": json.dumps(about.overrides, sort_keys=True)}


def _check(path: Path, said: Mapping[str, str], about: About) -> None:
    _check_version(path, said)
    for key, value in _about_rows(about).items():
        if said[key] != value:
            raise SettingsError(
                f"journal {path} was begun with {key} {said[key]}, the site file says {value}; "
                "move the journal away to begin a new one, or change the site file back"
            )


def _check_version(path: Path, said: Mapping[str, str]) -> None:
    if said.get("version") != str(VERSION):
        raise RecordError(f"{path} is no journal of version {VERSION} (it says {said.get('version')!r})")


_RESCUE = "move it away to begin a new one; `sqlite3 FILE .recover` saves what is readable"


def _complaint(path: Path, error: sqlite3.Error) -> RecordError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if "no such table" in str(error):
        return RecordError(f"{path} is no journal; the journals of a site are in journal/ below its `data`")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return _full(path, error)
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return RecordError(f"journal {path} is damaged ({error}); {_RESCUE}")
    return RecordError(f"journal {path}: {error}; check the disk and the file's permissions")


def _full(path: Path, why: object) -> JournalFullError:
    return JournalFullError(f"journal {path}: the disk takes nothing more ({why}); free space on it")
