"""Several envelopes in one message: what had to wait travels together.

A broker that syncs each message to its disk before it confirms it takes some hundred a second, however little they hold
(ADR 11). So few messages are under way at a time, and whatever piles up behind them goes into the next one.

    {"v":1,"id":"cam1:17:4711",…}                                        one envelope, as it is
    [{"v":1,"id":"cam1:17:4711",…},{"v":1,"id":"cam1:17:4712",…}]        several, oldest first
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic_core import from_json, to_json

from table_engine.wire.messages import Position

MOST = 200
"""Envelopes a sensor puts into one message."""
_BYTES = 64 * 1024
"""What a message holds at most, unless a single envelope is longer: brokers have limits."""
_TAKEN = 1000
"""More than this in one message is taken for nonsense, so that nobody's message grows the engine's memory."""


def bundles(rows: Iterable[tuple[Position, str]]) -> Iterator[tuple[list[Position], str]]:
    """Envelopes in order, as `Outbox.take` gives them → messages with the positions each holds."""
    positions: list[Position] = []
    texts: list[str] = []
    size = 0
    for position, text in rows:
        if texts and (len(texts) >= MOST or size + len(text) > _BYTES):
            yield positions, _joined(texts)
            positions, texts, size = [], [], 0
        positions.append(position)
        texts.append(text)
        size += len(text)
    if texts:
        yield positions, _joined(texts)


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"


def opened(payload: bytes) -> list[bytes]:
    """The envelopes of a message, each as JSON. What is no bundle comes back as it is, as a single one."""
    if payload[:1] != b"[":
        return [payload]
    try:
        parts = from_json(payload)
    except ValueError:
        return [payload]
    if not 0 < len(parts) <= _TAKEN or not all(isinstance(part, dict) for part in parts):
        return [payload]
    return [to_json(part) for part in parts]
