"""What the engine owes its sensors: PUBACKs in the order of arrival and the cumulative ack, both only after the commit.

A table whose commits don't come (its journal's disk is full) must not make the broker hold back the messages of the others:
after `PATIENCE_S` it is confirmed without a commit. Its sensors keep everything until the cumulative ack all the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from table_engine.wire.messages import ACKS, ORIGIN, Position
from table_engine.wire.mqtt import Incoming

PATIENCE_S = 2.0

Key = tuple[str, str]
"""(table, node)."""


@dataclass(frozen=True, slots=True)
class _Owed:
    """A message without its PUBACK. It waits for the commit of `position`; none: only for those before it."""

    message: Incoming
    key: Key
    position: Position | None
    since_s: float


@dataclass(slots=True)
class Receipts:
    """`committed` is how far the journal goes, by (table, node)."""

    committed: dict[Key, Position]
    untold: set[str]
    """Tables whose ack is news."""
    _owed: dict[str, deque[_Owed]] = field(default_factory=lambda: defaultdict(deque))
    _stuck: set[str] = field(default_factory=set)

    def owe(self, message: Incoming, key: Key, position: Position | None, now_s: float) -> None:
        self._owed[key[0]].append(_Owed(message, key, position, now_s))

    def commit(self, key: Key, position: Position) -> None:
        self.committed[key] = max(position, self.committed.get(key, position))
        self.untold.add(key[0])
        self._stuck.discard(key[0])

    def due(self, now_s: float) -> Iterator[Incoming]:
        """Messages whose PUBACK may go out now: by table, as far as everything that came before them is committed."""
        for table, owed in self._owed.items():
            while owed:
                if not self._is_settled(owed[0]) and table not in self._stuck:
                    if now_s - owed[0].since_s < PATIENCE_S:
                        break
                    self._stuck.add(table)
                yield owed.popleft().message

    def forget(self) -> None:
        """The session is over, and with it the ids of its messages."""
        self._owed.clear()

    def ack(self, table: str) -> str:
        """The payload of `engine/ack`."""
        return ACKS.dump_json({src: at for (of, src), at in self.committed.items() if of == table}).decode()

    def _is_settled(self, owed: _Owed) -> bool:
        return owed.position is None or self.committed.get(owed.key, ORIGIN) >= owed.position
