"""The order of play found again from the takes and discards of tenhou.net/6, which stand seat by seat.

After a discard the next seat draws unless somebody's next take is a call of that very tile from that very seat. Where two
equal discards could have been the called one, each is tried, until every take and every discard has found its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from table_engine.records.tenhou6_codes import DRAWN
from table_engine.wire.seats import SEATS, Seat

What = Literal["draw", "discard", "chow", "pung", "kong", "added", "concealed"]
_CALLS: dict[str, What] = {"c": "chow", "p": "pung", "m": "kong", "k": "added", "a": "concealed"}
Used = tuple[int, ...]
_MELD = re.compile(r"(?:\d\d)*[cpmka](?:\d\d)+")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a seat did. `tile` and `own` are tile numbers; `source` is who gave a called tile."""

    seat: Seat
    what: What
    tile: int
    own: tuple[int, ...] = ()
    source: Seat | None = None
    drawn: bool = False
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """One seat's takes and discards, as they are written."""

    takes: tuple[int | str, ...]
    discards: tuple[int | str, ...]

    @classmethod
    def of(cls, takes: Sequence[Any], discards: Sequence[Any]) -> Columns:
        return cls(tuple(map(_entry, takes)), tuple(map(_entry, discards)))


def played(columns: Sequence[Columns], dealer: Seat) -> list[Step]:
    """Every step in order. Raises ValueError when no order uses up all takes and discards."""
    search = _Search(
        [_takes(seat, columns[seat]) for seat in SEATS], [_discards(seat, columns[seat]) for seat in SEATS]
    )
    found = search.run(dealer)
    if found is None:
        taken, of = search.furthest, search.total
        raise ValueError(f"its takes and discards do not fit together beyond {taken} of {of}")
    return found


@dataclass(slots=True)
class _Search:
    """Depth first over who acts after each discard; positions found hopeless are not tried twice."""

    takes: list[list[Step]]
    discards: list[list[Step]]
    furthest: int = 0
    _hopeless: set[tuple[int, ...]] = field(default_factory=set)

    @property
    def total(self) -> int:
        return sum(map(len, self.takes)) + sum(map(len, self.discards))

    def run(self, dealer: Seat) -> list[Step] | None:
        """Tries branches in order of likelihood. On the stack: steps so far, takes used, discards used, who acts."""
        stack: list[tuple[list[Step], Used, Used, Seat]] = [([], (0, 0, 0, 0), (0, 0, 0, 0), dealer)]
        while stack:
            steps, t, d, seat = stack.pop()
            key = (*t, *d, seat)
            if key in self._hopeless:
                continue
            self._hopeless.add(key)
            made, t, d, last = self._turn(seat, t, d)
            steps = [*steps, *made]
            self.furthest = max(self.furthest, sum(t) + sum(d))
            if sum(t) + sum(d) == self.total:
                return steps
            if last is not None:
                stack += [(steps, t, d, who) for who in reversed(self._next(last, t))]
        return None

    def _turn(self, seat: Seat, t: Used, d: Used) -> tuple[list[Step], Used, Used, Step | None]:
        """What a seat does from its take until its discard: the steps, what is used up, and the discard (None: it did
        not come to one)."""
        takes, discards, i, j = self.takes[seat], self.discards[seat], t[seat], d[seat]
        steps: list[Step] = []
        last: Step | None = None
        while i < len(takes):
            take = takes[i]
            steps.append(take)
            i += 1
            if take.what == "kong":
                continue
            if j == len(discards):
                break
            discard = discards[j]
            if discard.drawn and take.what == "draw":
                discard = replace(discard, tile=take.tile)
            steps.append(discard)
            j += 1
            if discard.what == "discard":
                last = discard
                break
            last = discard if discard.what == "added" else None
        return steps, (*t[:seat], i, *t[seat + 1 :]), (*d[:seat], j, *d[seat + 1 :]), last

    def _next(self, last: Step, t: Used) -> list[Seat]:
        """Who may act after a discard: those whose next take calls it (a pung or kong first), then who draws."""
        callers, drawing = list[Seat](), last.seat.next
        for who in (last.seat.step(n) for n in (3, 2, 1)):
            take = self.takes[who][t[who]] if t[who] < len(self.takes[who]) else None
            if take and take.what != "draw" and take.source == last.seat and take.tile == last.tile:
                callers.append(who)
        callers.sort(key=lambda who: self.takes[who][t[who]].what == "chow")
        draws = t[drawing] < len(self.takes[drawing]) and self.takes[drawing][t[drawing]].what == "draw"
        return [*callers, drawing] if draws else callers


def _entry(value: object) -> int | str:
    if isinstance(value, int):
        return value
    text = str(value).strip()
    return int(text) if text.isdecimal() else text


def _takes(seat: Seat, columns: Columns) -> list[Step]:
    return [_step(seat, entry) if isinstance(entry, str) else Step(seat, "draw", entry) for entry in columns.takes]


def _discards(seat: Seat, columns: Columns) -> list[Step]:
    """Without the 0 that stands where a called kong's discard would."""
    steps = []
    for entry in columns.discards:
        if entry == 0:
            continue
        text = str(entry)
        ready, number = text.startswith("r"), text.removeprefix("r")
        if number.isdecimal():
            steps.append(Step(seat, "discard", int(number), drawn=int(number) == DRAWN, ready=ready))
        else:
            steps.append(_step(seat, text))
    return steps


def _step(seat: Seat, text: str) -> Step:
    """A set: the letter stands before the called or added tile, and how many tiles stand before it tells of whom."""
    if _MELD.fullmatch(text) is None:
        if "f" in text:
            raise ValueError("a north set aside, which only three-player games have")
        raise ValueError(f"{text!r} is no call")
    before, letter, after = re.split(r"([cpmka])", text, maxsplit=1)
    tiles = [int(before[n : n + 2]) for n in range(0, len(before), 2)]
    place = len(tiles)
    tiles += [int(after[n : n + 2]) for n in range(0, len(after), 2)]
    tile = tiles.pop(place)
    source = seat.step({0: 3, 1: 2}.get(place, 1)) if letter in "cpm" else None
    return Step(seat, _CALLS[letter], tile, tuple(tiles), source)
