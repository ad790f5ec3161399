"""One payload of an event topic → an envelope, or why not."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import from_json

from table_engine.wire.errors import WireError
from table_engine.wire.messages import Position
from table_engine.wire.observations import Envelope
from table_engine.wire.settings import explain

VERSION = 1


@dataclass(frozen=True, slots=True)
class Misread:
    """Not an envelope we understand. Its place in the source's order, where at least that can be read."""

    position: Position | None
    error: WireError


def read_envelope(topic: str, src: str, payload: bytes) -> Envelope | Misread:
    """Reads what came on a topic of the node `src`. Never raises."""
    try:
        envelope = Envelope.model_validate_json(payload)
    except ValidationError as error:
        return _misread(topic, src, payload, explain(error))
    if envelope.src != src:
        return Misread(None, WireError(f"{src}: {topic} brought a message that says it is from {envelope.src!r}"))
    if envelope.id != f"{src}:{envelope.boot}:{envelope.seq}":
        return Misread(
            Position(envelope.boot, envelope.seq),
            WireError(f"{src}: {topic} brought a message whose id {envelope.id!r} is not its src:boot:seq"),
        )
    return envelope


def _misread(topic: str, src: str, payload: bytes, reason: str) -> Misread:
    try:
        raw = from_json(payload)
    except ValueError:
        return Misread(
            None, WireError(f"{src}: {topic} brought {len(payload)} bytes that are not JSON; check that node")
        )
    if not isinstance(raw, dict):
        return Misread(None, WireError(f"{src}: {topic} brought JSON that is no message; check that node"))
    match raw:
        case {"src": str(claimed)} if claimed != src:
            return Misread(None, WireError(f"{src}: {topic} brought a message that says it is from {claimed!r}"))
        case {"boot": int(boot), "seq": int(seq)} if 0 <= boot < 2**53 and 1 <= seq < 2**53:
            position: Position | None = Position(boot, seq)
        case _:
            position = None
    match raw:
        case {"v": int(v)} if v > VERSION:
            says = f"{src}: {topic} speaks version {v}, this engine understands {VERSION}; update the engine"
        case _:
            says = f"{src}: {topic} brought a message that is not understood ({reason}); update or check that node"
    return Misread(position, WireError(says))
