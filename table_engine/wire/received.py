"""What an engine hears. A closed union of frozen records; `table` and `src` say of whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from table_engine.wire import messages
from table_engine.wire.acts import Wish
from table_engine.wire.alerts import Fault
from table_engine.wire.messages import NodeInfo, Position
from table_engine.wire.observations import Envelope


@dataclass(frozen=True, slots=True)
class Observed:
    """One observation, each exactly once, in the order of its source. `secret`: never show it outside the engine."""

    table: str
    src: str
    position: Position
    envelope: Envelope
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that cannot be understood: malformed, of a future version, under a false name. With a `position` it takes
    its place in the order (it will never come in a better form), without one nobody knows what it was."""

    table: str
    src: str
    position: Position | None
    fault: Fault


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages `expected` up to before `seen` are missing. `open`: asked for again; rule nothing from this source until
    `healed` (they came, nothing is lost) or `lost` (they never will; the source was asked to say everything anew)."""

    table: str
    src: str
    expected: Position
    seen: Position
    state: Literal["open", "healed", "lost"]


@dataclass(frozen=True, slots=True)
class Presence:
    """A node came, went, or has news of its troubles."""

    table: str
    src: str
    boot: int
    online: bool
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Birth:
    table: str
    src: str
    info: NodeInfo


@dataclass(frozen=True, slots=True)
class Answered:
    """The response to a command; an error as well when none came in time."""

    table: str
    src: str
    name: str
    response: messages.Response


@dataclass(frozen=True, slots=True)
class Connection:
    """Our own connection to the broker. While it is down nothing is known about any sensor. `says` is for people."""

    table: str
    src: str
    up: bool
    says: str


@dataclass(frozen=True, slots=True)
class Wished:
    """Somebody asks the engine for an act (`engine/cmd/act`). `wish` None: it is not understood, `error` says why. Answer it
    with `EngineNode.respond`."""

    table: str
    src: str
    transaction: str
    wish: Wish | None
    error: str = ""


Received = Observed | Unreadable | Gap | Presence | Birth | Answered | Connection | Wished
