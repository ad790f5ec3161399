"""Commands on their way to a device: one at a time, each carried out once, its result told by a ticket."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from firmware_bridge.framing import SEQ
from firmware_bridge.messages import WINDOW, Command
from table_engine.wire.errors import DeviceError

_AGAIN_MS = 400


@dataclass(slots=True)
class _Order:
    ticket: int
    command: Command
    given_up: bool = False


class Orders:
    """The queue and its numbering. All its time is the device's ticks."""

    def __init__(self) -> None:
        self._waiting: deque[_Order] = deque()
        self._tickets = 0
        self._seq = 0
        """Of the last command the device has carried out."""
        self._sent_at: int | None = None
        """When the first one went out; None: it is not under way."""

    def add(self, command: Command) -> int:
        """Queues a command and returns its ticket. Raises DeviceError when too many wait."""
        if len(self._waiting) >= WINDOW:
            raise DeviceError(f"{type(command).__name__}: {len(self._waiting)} commands are waiting for the controller")
        self._tickets += 1
        self._waiting.append(_Order(self._tickets, command))
        return self._tickets

    def give_up(self, ticket: int) -> None:
        """Nobody waits for this one any more. One under way stays until the device has answered or begun anew: it may have
        been carried out, and its number must not go to another."""
        for order in self._waiting:
            order.given_up = order.given_up or order.ticket == ticket
        under_way = [] if self._sent_at is None else [self._waiting[0]]
        rest = [order for order in self._waiting if not order.given_up and order not in under_way]
        self._waiting = deque(under_way + rest)

    def begin(self, seq: int) -> None:
        """The device has introduced itself; `seq` is the last command it has carried out."""
        self._seq, self._sent_at = seq, None
        self._waiting = deque(order for order in self._waiting if not order.given_up)

    def next(self, ticks: int) -> tuple[Command, int] | None:
        """The command to send now, with its seq; None when none waits or one is under way."""
        if not self._waiting or self._sent_at is not None:
            return None
        self._sent_at = ticks
        return self._waiting[0].command, (self._seq + 1) % SEQ

    def overdue(self, ticks: int) -> bool:
        """The one under way has not been answered for too long: it will be sent again."""
        late = self._sent_at is not None and ticks - self._sent_at >= _AGAIN_MS
        if late:
            self._sent_at = None
        return late

    def answered(self, seq: int) -> tuple[int, Command] | None:
        """The device has answered `seq`: the ticket and command this was, None when it was none."""
        if not self._waiting or seq != (self._seq + 1) % SEQ:
            return None
        self._seq, self._sent_at = seq, None
        order = self._waiting.popleft()
        return order.ticket, order.command

    def __len__(self) -> int:
        return len(self._waiting)
