"""Moments a stream celebrates: a player is ready, a hand is won, a foul is ruled. Each has a name, and one that turns out not
to have been is taken back under the same name.

Only what the whole room knows makes a moment: a foul does when a referee has confirmed it, not when it is suspected.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from pydantic import TypeAdapter

from table_engine.wire.alerts import Alert
from table_engine.wire.observations import Wired
from table_engine.wire.seats import Seat
from table_engine.wire.view import TableView

KEPT = 24


class Moment(Wired):
    """`undone`: it did not hold. `code` and `rule` name the foul."""

    id: str
    what: Literal["ready", "win", "foul"]
    seat: Seat
    at_ms: int
    hand: int
    undone: bool = False
    code: str = ""
    rule: str = ""
    penalty: str = ""


_MANY: TypeAdapter[list[Moment]] = TypeAdapter(list[Moment])


@dataclass(slots=True)
class Moments:
    """The latest moments of one table, oldest first."""

    all: deque[Moment] = field(default_factory=lambda: deque(maxlen=KEPT))

    def text(self) -> str:
        """As JSON."""
        return _MANY.dump_json(list(self.all)).decode()

    def see(self, before: TableView | None, after: TableView) -> bool:
        """Compares two pictures of one table, one after the other. True when there is a new moment or one is undone. The
        first picture after a start shows what was so already and makes none."""
        if before is None:
            return False
        changed = False
        for seat in after.seats:
            was = before.seats[seat.seat]
            same = before.hand == after.hand
            changed |= self._turn("ready", seat.seat, after, seat.ready, was.ready and same)
            changed |= self._turn("win", seat.seat, after, _won(after, seat.seat), _won(before, seat.seat) and same)
        return changed

    def decided(self, alert: Alert) -> bool:
        """A ruling, or a ruling taken back."""
        name = f"foul-{alert.id}"
        known = next((m for m in self.all if m.id == name), None)
        holds = alert.state == "confirmed"
        if known is None:
            if not holds:
                return False
            self.all.append(
                Moment(
                    id=name,
                    what="foul",
                    seat=alert.seat,
                    at_ms=alert.at_ms,
                    hand=alert.hand,
                    code=alert.code,
                    rule=alert.rule,
                    penalty=alert.penalty,
                )
            )
            return True
        return self._mark(known, undone=not holds)

    def _turn(self, what: Literal["ready", "win"], seat: Seat, view: TableView, now: bool, before: bool) -> bool:
        if now == before:
            return False
        name = f"{what}-{view.hand}-{int(seat)}"
        known = next((m for m in self.all if m.id == name), None)
        if known is not None:
            return self._mark(known, undone=not now)
        if not now:
            return False
        self.all.append(Moment(id=name, what=what, seat=seat, at_ms=view.at_ms, hand=view.hand))
        return True

    def _mark(self, known: Moment, *, undone: bool) -> bool:
        if known.undone == undone:
            return False
        self.all[self.all.index(known)] = known.model_copy(update={"undone": undone})
        return True


def _won(view: TableView, seat: Seat) -> bool:
    return view.seats[seat].won
