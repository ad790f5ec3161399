"""The order of one source's messages, without a wire: what is next, what is old, what is missing.

A source sends again from the first unacknowledged message when asked, so whatever comes behind a hole is let go and comes
again. A hole that is not filled is told after `TELL_S`, and given up after `GIVE_UP_S` or once the source says that it has
nothing earlier to send.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from table_engine.wire.messages import Position

ASK_S = 1.0
TELL_S = 1.0
GIVE_UP_S = 5.0


class Verdict(Enum):
    NEXT = "next"
    OLD = "old"
    """Seen before, or from a boot that is over."""
    EARLY = "early"
    """Something before it is missing."""


@dataclass(slots=True)
class Hole:
    """`expected` up to before `seen` is missing; `lowest` is the earliest message that came since it was asked for."""

    expected: Position
    seen: Position
    since_s: float
    lowest: Position | None = None
    asked_s: float = float("-inf")
    told: bool = False


@dataclass(slots=True)
class Sequence:
    """`position` is the last message accepted; none: nothing is known of this source."""

    position: Position | None = None
    hole: Hole | None = None

    def offer(self, got: Position, now_s: float) -> Verdict:
        """Judges one message and moves on to it when it is next."""
        if self.position is not None and got <= self.position:
            return Verdict.OLD
        if got == (self.hole.expected if self.hole else self._expected(got.boot)):
            self.position = got
            return Verdict.NEXT
        if self.hole is None:
            self.hole = Hole(self._expected(got.boot), got, now_s)
        self.hole.lowest = min(self.hole.lowest or got, got)
        return Verdict.EARLY

    def give_up(self, upto: Position) -> None:
        """Lets everything before `upto` be lost: `upto` itself is what is expected next."""
        self.position = Position(upto.boot, upto.seq - 1)

    def _expected(self, boot: int) -> Position:
        if self.position is None or boot != self.position.boot:
            return Position(boot, 1)
        return Position(boot, self.position.seq + 1)
