"""The wall as a course: in which order its stacks are taken from the break on, and at which end a tile went away.

Clockwise along the wall, as `wire/layout.py` says: increasing stack index within a side, then on to the side of
the player to the left. Turns take from the front (`head`), replacements from the back (`tail`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from table_engine.fusion.picture import Picture, Reading, Side
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat

End = Literal["head", "tail"]


@dataclass(frozen=True, slots=True)
class Course:
    """A wall of `stacks` stacks per side, broken at one stack of one side."""

    side: Seat
    stack: int
    stacks: int

    def place(self, side: Seat, stack: int) -> int:
        """How many stacks lie before this one, from the break on: 0..4*stacks-1."""
        return ((self.side - side) % 4 * self.stacks + stack - self.stack) % (4 * self.stacks)

    def end(self, side: Seat, stack: int, head: int, tail: int) -> End | None:
        """At which end a tile left, when `head` and `tail` tiles had gone before. None: as near to one as to the other."""
        place = self.place(side, stack)
        front, back = head // 2, 4 * self.stacks - 1 - tail // 2
        to_front, to_back = abs(place - front), abs(back - place)
        if to_front == to_back:
            return None
        return "head" if to_front < to_back else "tail"

    def from_break(self, side: Seat, stack: int) -> int:
        """How manieth stack before the break this is: 1 for the last one of the wall (where the dead wall is counted)."""
        return 4 * self.stacks - self.place(side, stack)


def broken_at(taken: Sequence[Sequence[bool]]) -> Course | None:
    """Where a wall was broken, from which stacks of each side are gone (any seen gap): the stack at which the one run of
    missing stacks begins, going clockwise. None when nothing or everything is gone, or there are several gaps."""
    stacks = len(taken[0])
    if any(len(side) != stacks for side in taken) or not stacks:
        return None
    line = [(Seat(-n % 4), i) for n in range(4) for i in range(stacks)]
    gone = [taken[side][i] for side, i in line]
    starts = [n for n, here in enumerate(gone) if here and not gone[n - 1]]
    if len(starts) != 1:
        return None
    side, stack = line[starts[0]]
    return Course(side, stack, stacks)


def broken_by_counts(full: int, counts: Sequence[int], first: Seat) -> Course:
    """Where a wall was broken, from the tiles left on each side after a deal, and the side that lost the first tile. A
    deal takes more than one side, so the first side is taken from the break to its end."""
    return Course(first, counts[first] // 2, full // 2)


@dataclass(frozen=True, slots=True)
class Taking:
    """One tile leaving the wall, as one sense noticed it. `stack` -1: it could not say where. `late`: noticed only once
    the wall lay still again, some time after it happened."""

    at_ms: int
    came_ms: int
    side: Seat
    stack: int
    proof: str
    late: bool = False
    since_ms: int | None = None
    """One of several tiles that were gone when the sense told again: taken at any moment after this one."""


_KEPT: Final = 32


@dataclass(frozen=True, slots=True)
class Tally:
    """One sense's count of the wall. `off`: by how much it is known to count more than the game does. `odd`: by how much
    it differed after each of the last draws, as (difference, time of the draw)."""

    left: int | None = None
    takings: tuple[Taking, ...] = ()
    off: int = 0
    odd: tuple[tuple[int, int], ...] = ()

    def beyond(self, expected: int) -> int | None:
        """Tiles that left the wall and are not explained yet; negative: explained but not seen gone. None: no count."""
        return None if self.left is None else expected + self.off - self.left

    def pending(self, expected: int) -> tuple[Taking, ...]:
        """The newest takings that are not explained yet, oldest first."""
        count = self.beyond(expected) or 0
        return self.takings[-count:] if count > 0 else ()


def counted(tally: Tally, old: Picture, new: Picture) -> Tally:
    """The controller's tally after a change of the picture."""
    left, before = new.wall_counted(), old.wall_counted()
    if left is None or before is None:
        return replace(tally, left=left, takings=())
    takings, off = list(tally.takings), tally.off
    for side in SEATS:
        reading = new.wall_counts[side]
        was = old.wall_counts[side]
        by = was.value - reading.value
        # What it had counted too many, and was known to, it puts right with the next tile that leaves the same side.
        healed = min(max(0, off), max(0, by - 1))
        off -= healed
        _shrink(takings, by - healed, reading, side, new.wall_slots[side], was.at_ms)
    return replace(tally, left=left, takings=tuple(takings[-_KEPT:]), off=off)


def seen(tally: Tally, old: Picture, new: Picture) -> Tally:
    """The camera's tally after a change of the picture."""
    left, before = new.wall_seen(), old.wall_seen()
    if left is None or before is None:
        return replace(tally, left=left, takings=())
    takings = list(tally.takings)
    for side in SEATS:
        was, now = old.walls[side], new.walls[side]
        if now is was:
            continue
        for stack in range(max(len(was.heights), len(now.heights))):
            change = _height(was.heights, stack) - _height(now.heights, stack)
            _shrink(takings, change, now, side, stack)
    return replace(tally, left=left, takings=tuple(takings[-_KEPT:]))


def _height(heights: tuple[int, ...], stack: int) -> int:
    return heights[stack] if stack < len(heights) else 0


def _shrink(
    takings: list[Taking], by: int, what: Reading | Side, side: Seat, stack: int, since_ms: int | None = None
) -> None:
    if by < 0:
        del takings[by:]
    late = isinstance(what, Side)
    for left in range(by - 1, -1, -1):
        when = None if left == 0 else since_ms
        takings.append(Taking(what.at_ms, what.came_ms, side, stack, what.proof, late, when))
