"""What travels besides observations: presence, birth, acknowledgement, commands, and the engine's own messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from table_engine.wire.actions import Action
from table_engine.wire.alerts import Alert, Fault
from table_engine.wire.observations import Wired


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in one source's stream of envelopes. Positions compare in the order the source spoke."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    boot: int
    seq: int

    def __str__(self) -> str:
        return f"{self.boot}:{self.seq}"


ORIGIN = Position(0, 0)
"""Before everything."""


class Availability(Wired):
    """Retained on `<node>/availability`; the last will is `offline` with the same boot. An `offline` of an older boot
    means nothing. `trouble` says in words for people what the node cannot do now (disk full). `device` is how the device
    behind a bridge is, empty when nobody knows; its words are in the observations (`health`)."""

    state: Literal["online", "offline"]
    boot: int = Field(ge=0)
    trouble: tuple[str, ...] = ()
    device: Literal["", "ok", "degraded", "lost"] = ""


class NodeInfo(Wired):
    """Birth of a node, retained on `<node>/info`, said anew at every connect and when asked to send again."""

    v: Literal[1] = 1
    node: str
    kind: Literal["camera", "bridge", "engine", "other"]
    model: str = ""
    firmware: str = ""
    protocol: str = ""
    capabilities: tuple[str, ...] = ()
    boot: int = Field(ge=0)
    first: Position
    """The earliest envelope the node can still send; nothing before it will ever come again."""
    seen_ms: int | None = None
    """When the device behind a bridge was heard last, by the site's clock."""
    health: dict[str, float] = Field(default_factory=dict)
    """What was counted on the way to that device, and how good its clock is; as in its `health` observations."""


class Command(Wired):
    """On `<node>/cmd/<name>`. A transaction that comes twice is answered twice and done once."""

    transaction: str = Field(min_length=1, max_length=64)
    data: dict[str, JsonValue] = Field(default_factory=dict)


class Response(Wired):
    """On `<node>/rsp/<name>`, to the command of the same transaction."""

    transaction: str
    status: Literal["ok", "error"]
    data: dict[str, JsonValue] = Field(default_factory=dict)
    error: str = ""


class Snapshot(Wired):
    """The public state of a table, retained on `engine/state`; `data` is what `engine.py` shows the world."""

    v: Literal[1] = 1
    state_seq: int = Field(ge=0)
    at_ms: int
    data: dict[str, JsonValue]


class ActionReport(Wired):
    """On `engine/action`: one thing that moved. `state_seq` is the state it led to."""

    v: Literal[1] = 1
    state_seq: int = Field(ge=0)
    action: Action


class OpenAlerts(Wired):
    """Retained on `engine/alerts`: everything a late referee screen has to know. `faults`: troubles of equipment."""

    v: Literal[1] = 1
    alerts: tuple[Alert, ...]
    faults: tuple[Fault, ...] = ()


Acks = dict[str, Position]
"""Retained on `engine/ack`: by source, up to where everything is in the journal."""
ACKS: TypeAdapter[Acks] = TypeAdapter(Acks)
