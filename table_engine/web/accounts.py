"""People, keys and sessions of a site, and who saw live hands: one SQLite file that only its owner may read.

Passwords are kept as argon2id hashes. Keys and sessions are random and kept as SHA-256 digests: whoever reads the file cannot
come in with it. A key is `<8 hex digits of its id>.<secret>`; a session ends with the person or key behind it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from table_engine.web.grants import Grant, Role
from table_engine.wire.errors import SettingsError

_log = logging.getLogger(__name__)
SESSION_MS = 3 * 24 * 3600 * 1000
"""A league's weekend."""
FIRST_MS = 24 * 3600 * 1000
PASSWORD_MIN = 10
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_MEND_EVERY_S = 1.0
_SCHEMA = """
create table if not exists person (
    name text primary key, role text not null, tables text, hands integer not null, hash text not null, made_ms integer not null
) without rowid;
create table if not exists token (
    id text primary key, digest text not null, label text not null, role text not null, tables text, hands integer not null,
    delay_s real not null, until_ms integer, once integer not null, made_ms integer not null, made_by text not null, used_ms integer
) without rowid;
create table if not exists session (
    digest text primary key, person text, token text, until_ms integer not null, made_ms integer not null
) without rowid;
create table if not exists look (
    n integer primary key, who text not null, role text not null, address text not null, what text not null,
    delay_s real not null, from_ms integer not null, until_ms integer
);
"""
_WRITING = (
    "pragma journal_mode = wal",
    *_SCHEMA.split(";"),
    "update look set until_ms = from_ms where until_ms is null",  # a server that was killed
)
_READING = ("pragma locking_mode = exclusive", "select 1 from person limit 1")
"""Takes no room on the disk, not even for the index that connections share."""


def wall_ms() -> int:
    """People's time, also where the tables are simulated."""
    return time.time_ns() // 1_000_000


def access_path(data: Path) -> Path:
    """Where a site keeps the file."""
    return data / "access.sqlite3"


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    role: Role
    tables: frozenset[str] | None
    hands: bool
    made_ms: int


@dataclass(frozen=True, slots=True)
class Token:
    """A key as it is listed; its secret was shown once and is not kept."""

    id: str
    label: str
    role: Role
    tables: frozenset[str] | None
    hands: bool
    delay_s: float
    until_ms: int | None
    once: bool
    made_ms: int
    made_by: str
    used_ms: int | None


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody was shown live hands."""

    who: str
    role: str
    address: str
    what: str
    delay_s: float
    from_ms: int
    until_ms: int | None


class Accounts:
    """Use from any thread."""

    def __init__(self, path: Path, now_ms: Callable[[], int] = wall_ms) -> None:
        """On a full disk a copy of what is there is only read until there is room. Raises SettingsError when it cannot be made or
        read."""
        self._path = path
        self._mend_at_s = float("inf")
        """When to look whether there is room again; never while all is well."""
        self._now_ms = now_ms
        self._hasher = PasswordHasher()
        self._nobody = self._hasher.hash(secrets.token_hex(16))
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._db = self._open()
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(
                f"access file {path}: {error}; make room on its disk, make its folder writable or move it away"
            ) from error

    def _open(self) -> sqlite3.Connection:
        try:
            db = self._connect(_WRITING)
        except sqlite3.OperationalError as error:
            if self._path.stat().st_size == 0 or getattr(error, "sqlite_errorcode", 0) & 0xFF not in _FULL:
                raise
            self._mend_at_s = time.monotonic() + _MEND_EVERY_S
            copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            with closing(self._connect(_READING)) as there:
                there.backup(copy)
            copy.row_factory = sqlite3.Row
            copy.execute("pragma query_only = on")
            return copy
        self._mend_at_s = float("inf")
        return db

    def _connect(self, script: Sequence[str]) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        db.row_factory = sqlite3.Row
        try:
            for statement in script:
                db.execute(statement)
        except BaseException:
            db.close()
            raise
        return db

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @property
    def empty(self) -> bool:
        """Nobody has an account yet."""
        return not self._rows("select 1 from person limit 1")

    def first_secret(self) -> str | None:
        """A key for the first start that makes its holder admin once; None when there was a first start already."""
        if self._mend_at_s < float("inf") or not self.empty or self._rows("select 1 from token limit 1"):
            return None
        return self.make_token(
            "first start", Role.ADMIN, until_ms=self._now_ms() + FIRST_MS, once=True, by="first start"
        )

    def make_person(
        self, name: str, password: str, role: Role, tables: frozenset[str] | None = None, *, hands: bool = False
    ) -> None:
        """Makes or replaces a person; the sessions they had end. Raises SettingsError for a short password or a bad name."""
        if not name.strip() or len(name) > 40 or name != name.strip() or not name.isprintable():
            raise SettingsError("a name has 1 to 40 characters, without blanks at its ends")
        if len(password) < PASSWORD_MIN:
            raise SettingsError(f"a password has at least {PASSWORD_MIN} characters")
        if role is Role.OVERLAY:
            raise SettingsError("an overlay is let in by a key, not by a name")
        row = (name, role.value, _packed(tables), hands, self._hasher.hash(password), self._now_ms())
        with self._lock, self._transaction():
            self._db.execute("insert or replace into person values (?, ?, ?, ?, ?, ?)", row)
            self._db.execute("delete from session where person = ?", (name,))

    def remove_person(self, name: str) -> bool:
        """False when there is none. Raises SettingsError for the last admin: somebody must be able to come in."""
        with self._lock, self._transaction():
            admins = self._db.execute("select name from person where role = 'admin'").fetchall()
            if [row["name"] for row in admins] == [name]:
                raise SettingsError(f"{name} is the only admin; make another one first")
            self._db.execute("delete from session where person = ?", (name,))
            return bool(self._db.execute("delete from person where name = ?", (name,)).rowcount)

    def people(self) -> tuple[Person, ...]:
        rows = self._rows("select * from person order by name")
        return tuple(
            Person(r["name"], Role(r["role"]), _unpacked(r["tables"]), bool(r["hands"]), r["made_ms"]) for r in rows
        )

    def log_in(self, name: str, password: str) -> str | None:
        """A new session for a person, None when name or password is wrong. Takes a moment, and as long for nobody."""
        rows = self._rows("select hash from person where name = ?", name)
        try:
            self._hasher.verify(rows[0]["hash"] if rows else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return self._session(person=name) if rows else None

    def make_token(
        self,
        label: str,
        role: Role,
        tables: frozenset[str] | None = None,
        *,
        hands: bool = False,
        delay_s: float = 0.0,
        until_ms: int | None = None,
        once: bool = False,
        by: str = "",
    ) -> str:
        """A new key. The returned text is its only copy."""
        ident, secret = secrets.token_hex(4), secrets.token_urlsafe(24)
        row = (ident, _digest(secret), label, role.value, _packed(tables), hands, delay_s, until_ms, once)
        with self._lock:
            self._db.execute(
                "insert into token values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)", (*row, self._now_ms(), by)
            )
        return f"{ident}.{secret}"

    def remove_token(self, ident: str) -> bool:
        with self._lock, self._transaction():
            self._db.execute("delete from session where token = ?", (ident,))
            return bool(self._db.execute("delete from token where id = ?", (ident,)).rowcount)

    def tokens(self) -> tuple[Token, ...]:
        return tuple(_token(row) for row in self._rows("select * from token order by made_ms, id"))

    def longest_delay_s(self, table: str) -> float:
        """The longest delay of any valid key that reaches a table."""
        now_ms = self._now_ms()
        live = (t for t in self.tokens() if t.until_ms is None or t.until_ms > now_ms)
        return max((t.delay_s for t in live if t.tables is None or table in t.tables), default=0.0)

    def enter(self, text: str) -> str | None:
        """A new session for the holder of a key; None when the key is not valid. One that works once is used up."""
        ident, _, _ = text.partition(".")
        if self.by_token(text) is None:
            return None
        with self._lock:
            used = self._db.execute(
                "update token set used_ms = ? where id = ? and (once = 0 or used_ms is null)", (self._now_ms(), ident)
            )
            if not used.rowcount:
                return None
        return self._session(token=ident)

    def by_token(self, text: str) -> Grant | None:
        """What the holder of a key may; None when it is unknown, expired or used up."""
        ident, _, secret = text.partition(".")
        rows = self._rows("select * from token where id = ?", ident)
        if not rows or not secrets.compare_digest(rows[0]["digest"], _digest(secret)):
            return None
        if rows[0]["once"] and rows[0]["used_ms"] is not None:
            return None
        return self._of_token(rows[0])

    def by_session(self, secret: str) -> Grant | None:
        """What the holder of a session may; None when it has ended."""
        return self._of_session(_digest(secret))

    def still(self, grant: Grant) -> bool:
        """Whether what let this grant in still does, unchanged."""
        kind, _, ident = grant.key.partition(":")
        match kind:
            case "session":
                return self._of_session(ident) == grant
            case "token":
                rows = self._rows("select * from token where id = ?", ident)
                return bool(rows) and self._of_token(rows[0]) == grant
            case _:
                return True

    def leave(self, secret: str) -> None:
        """Ends a session."""
        with self._lock:
            self._db.execute("delete from session where digest = ?", (_digest(secret),))

    def begin_look(self, grant: Grant, address: str, what: str) -> int | None:
        """Notes that somebody is being shown live hands; → the note's number. None when the disk takes no note: then they must
        not be shown."""
        row = (grant.who, grant.role.value, address, what, grant.delay_s, self._now_ms())
        try:
            with self._lock:
                done = self._db.execute(
                    "insert into look (who, role, address, what, delay_s, from_ms) values (?, ?, ?, ?, ?, ?)", row
                )
                return int(done.lastrowid or 0)
        except sqlite3.OperationalError as error:
            _log.warning("%s may not look at hands, since no note can be taken: %s", grant.who, error)
            return None

    def end_look(self, number: int) -> None:
        """What is not noted now, the next start notes."""
        try:
            with self._lock:
                self._db.execute("update look set until_ms = ? where n = ?", (self._now_ms(), number))
        except sqlite3.OperationalError as error:
            _log.warning("the end of look %d could not be noted: %s", number, error)

    def looks(self, limit: int = 500) -> tuple[Look, ...]:
        """The newest first."""
        rows = self._rows("select * from look order by n desc limit ?", limit)
        keys = ("who", "role", "address", "what", "delay_s", "from_ms", "until_ms")
        return tuple(Look(*(row[key] for key in keys)) for row in rows)

    def _session(self, person: str | None = None, token: str | None = None) -> str:
        secret, now_ms = secrets.token_urlsafe(32), self._now_ms()
        with self._lock:
            self._db.execute("delete from session where until_ms <= ?", (now_ms,))
            self._db.execute(
                "insert into session values (?, ?, ?, ?, ?)",
                (_digest(secret), person, token, now_ms + SESSION_MS, now_ms),
            )
        return secret

    def _of_session(self, digest: str) -> Grant | None:
        rows = self._rows("select * from session where digest = ? and until_ms > ?", digest, self._now_ms())
        if not rows:
            return None
        until_ms, key = int(rows[0]["until_ms"]), f"session:{digest}"
        if rows[0]["person"] is not None:
            people = self._rows("select * from person where name = ?", rows[0]["person"])
            return _of_person(people[0], until_ms, key) if people else None
        tokens = self._rows("select * from token where id = ?", rows[0]["token"])
        return self._of_token(tokens[0], until_ms, key) if tokens else None

    def _of_token(self, row: sqlite3.Row, until_ms: int | None = None, key: str = "") -> Grant | None:
        ends = min((ms for ms in (row["until_ms"], until_ms) if ms is not None), default=None)
        if ends is not None and ends <= self._now_ms():
            return None
        role, hands = Role(row["role"]), bool(row["hands"])
        who = row["label"] or f"key {row['id']}"
        return Grant(who, role, _unpacked(row["tables"]), hands, row["delay_s"], ends, key or f"token:{row['id']}")

    def _rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            if time.monotonic() > self._mend_at_s:
                self._db.close()
                self._db = self._open()
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")


def _of_person(row: sqlite3.Row, until_ms: int, key: str) -> Grant:
    return Grant(row["name"], Role(row["role"]), _unpacked(row["tables"]), bool(row["hands"]), 0.0, until_ms, key)


def _token(row: sqlite3.Row) -> Token:
    return Token(
        row["id"],
        row["label"],
        Role(row["role"]),
        _unpacked(row["tables"]),
        bool(row["hands"]),
        row["delay_s"],
        row["until_ms"],
        bool(row["once"]),
        row["made_ms"],
        row["made_by"],
        row["used_ms"],
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _packed(tables: frozenset[str] | None) -> str | None:
    return None if tables is None else json.dumps(sorted(tables))


def _unpacked(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
