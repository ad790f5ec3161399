"""How a process reaches the broker: address, user and password by role.

The embedded broker knows one user per role and keeps their passwords in `credentials.json` (mode 0600) in its store; an
external broker has the one user of the site file.

    door(site, node_role("t1", "cam1"))  ->  Door(host="127.0.0.1", port=18833, username="t1.cam1", password="…")
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from table_engine.wire.errors import BrokerError
from table_engine.wire.settings import Site

ENGINE_ROLE = "engine"
OPERATOR_ROLE = "operator"
"""Reads everything that is public and may send commands to cameras (calibration), to no table: only the engine moves those."""
REFEREE_ROLE = "referee"
"""Reads everything that is public and may ask the engine for acts (`engine/cmd/act`): a referee's own program."""
VIEWER_ROLE = "viewer"
"""Reads what the room may know, which is no alert unless the rule set tells the table, and may say nothing."""


def node_role(table: str, node: str) -> str:
    """The role of one sensor: it may publish under its own topics, and hear its commands and the engine's ack."""
    return f"{table}.{node}"


@dataclass(frozen=True, slots=True)
class Door:
    """Where and as whom to connect."""

    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"broker {self.host}:{self.port}"


def credentials_file(store: Path) -> Path:
    return store / "credentials.json"


def door(site: Site, role: str) -> Door:
    """The door for one role. Raises BrokerError when the embedded broker has not made that user (yet)."""
    broker = site.broker
    host = "127.0.0.1" if broker.host in ("0.0.0.0", "::") else broker.host  # noqa: S104 - listening everywhere, reached here
    if broker.mode == "external":
        return Door(host, broker.port, broker.username, broker.password)
    path = credentials_file(broker.store)
    try:
        password = json.loads(path.read_text(encoding="utf-8")).get(role)
    except (OSError, ValueError, AttributeError) as error:
        raise BrokerError(f"{path}: no broker passwords to read ({error}); start the embedded broker first") from error
    if not isinstance(password, str):
        raise BrokerError(f"{path}: no user {role!r}; restart the embedded broker with this site file")
    return Door(host, broker.port, role, password)
