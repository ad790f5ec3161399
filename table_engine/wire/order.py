"""The order of one source's messages, without a wire: what is next, what is old, what is missing.

What comes behind a hole waits until the hole is filled (sources send again from the first unacknowledged message when
asked). A hole that stays is told after `TELL_S`. It is given up once the source says that it has nothing earlier to send;
after `GIVE_UP_S` without a word from a source that is there; and at the latest, whatever it promises, after `PROMISED_S`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from table_engine.wire.messages import Position

ASK_S = (1.0, 8.0)
"""Asked again after so long, then twice as long each time, up to the latter."""
TELL_S = 1.0
GIVE_UP_S = 5.0
PROMISED_S = 60.0
WAITING_MAX = 4096
"""More than a source sends ahead of the engine's ack; what doesn't fit is sent again."""

T = TypeVar("T")


@dataclass(slots=True)
class Hole:
    """`expected` up to before `seen` is missing."""

    expected: Position
    seen: Position
    since_s: float
    promised_s: float = float("-inf")
    """When the source last said that it still has what is missing."""
    ask_at_s: float = float("-inf")
    ask_every_s: float = ASK_S[0]
    told: bool = False

    def is_hopeless(self, now_s: float) -> bool:
        return now_s - max(self.since_s, self.promised_s) >= GIVE_UP_S or now_s - self.since_s >= PROMISED_S

    def asks(self, now_s: float) -> bool:
        """True when it is time to ask (again); notes that it was done."""
        if now_s < self.ask_at_s:
            return False
        self.ask_at_s, self.ask_every_s = now_s + self.ask_every_s, min(2 * self.ask_every_s, ASK_S[1])
        return True


@dataclass(slots=True)
class Order(Generic[T]):
    """`position` is the last message let through; none: nothing is known of this source."""

    position: Position | None = None
    hole: Hole | None = None
    _waiting: dict[Position, T] = field(default_factory=dict)

    def offer(self, got: Position, item: T, now_s: float) -> list[T]:
        """Takes one message and returns what may be let through now, in order: nothing when it is old or comes early."""
        if self.position is not None and got <= self.position:
            return []
        if got != self._expected(got.boot) or (self.hole is not None and got > self.hole.expected):
            if len(self._waiting) < WAITING_MAX:
                self._waiting[got] = item
            if self.hole is None:
                self.hole = Hole(self._expected(got.boot), got, now_s)
            return []
        self.position = got
        return [item, *self._follow(got.boot, now_s)]

    def give_up(self, first: Position | None, now_s: float) -> tuple[Position, list[T]] | None:
        """Lets what is missing be lost, up to the earliest message that waits or to `first`, before which nothing will
        come. Returns where it goes on and what may be let through now; None when nothing is known to go on with."""
        goes_on = min(filter(None, (min(self._waiting, default=None), first)), default=None)
        if goes_on is None or self.hole is None or goes_on <= self.hole.expected:
            return None
        self.position = Position(goes_on.boot, goes_on.seq - 1)
        return goes_on, self._follow(goes_on.boot, now_s)

    def _follow(self, boot: int, now_s: float) -> list[T]:
        """What has waited for the current position. A later boot that waits is let go: the rest of this one, and then that
        one, are sent again."""
        let: list[T] = []
        while (following := self._expected(boot)) in self._waiting:
            let.append(self._waiting.pop(following))
            self.position = following
        self._waiting = {p: item for p, item in self._waiting.items() if p.boot == boot and p > following}
        self.hole = Hole(following, min(self._waiting), now_s) if self._waiting else None
        return let

    def _expected(self, boot: int) -> Position:
        if self.position is None or boot != self.position.boot:
            return Position(boot, 1)
        return Position(boot, self.position.seq + 1)
