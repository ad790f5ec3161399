"""What the engine owes its sensors: PUBACKs in the order of arrival and the cumulative ack, both only after the commit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from table_engine.wire.messages import ACKS, Position
from table_engine.wire.mqtt import Incoming

Key = tuple[str, str]
"""(table, node)."""
_NOWHERE = Position(-1, 0)


@dataclass(frozen=True, slots=True)
class _Owed:
    """A message without its PUBACK. It waits for the commit of `position`; none: only for those before it."""

    message: Incoming
    key: Key
    position: Position | None


@dataclass(slots=True)
class Receipts:
    """`committed` is how far the journal goes, by (table, node)."""

    committed: dict[Key, Position]
    untold: set[str]
    """Tables whose ack is news."""
    _owed: deque[_Owed] = field(default_factory=deque)

    def owe(self, message: Incoming, key: Key, position: Position | None) -> None:
        self._owed.append(_Owed(message, key, position))

    def commit(self, key: Key, position: Position) -> None:
        self.committed[key] = max(position, self.committed.get(key, position))
        self.untold.add(key[0])

    def due(self) -> Iterator[Incoming]:
        """Messages whose PUBACK may go out now, as far as everything that came before them is committed."""
        while self._owed:
            owed = self._owed[0]
            if owed.position is not None and self.committed.get(owed.key, _NOWHERE) < owed.position:
                return
            self._owed.popleft()
            yield owed.message

    def forget(self) -> None:
        """The session is over, and with it the ids of its messages."""
        self._owed.clear()

    def ack(self, table: str) -> str:
        """The payload of `engine/ack`."""
        return ACKS.dump_json({src: at for (of, src), at in self.committed.items() if of == table}).decode()
