"""Which recorded hands really do what their rule text forbids: read off the records alone, without the engine.

    python -m tests.conformance.forbidden [--formats taiwan-jsonl,…] [PATH …]

Numbers come from the rule sets, what happened from the record. Each finding names the catalogue row it breaks; `records.py`
holds every alert of a played record against this list. Wins are looked at with our own scoring, since a record of a false win
does not say that it is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from table_engine.records.complete import completed
from table_engine.records.load import load
from table_engine.records.model import HandRecord
from table_engine.records.worth import worths
from table_engine.rules import RuleSet
from table_engine.scoring import waits
from table_engine.state import Meld
from table_engine.wire.actions import Action, Called, Discarded, Drew, FlowersShown, Konged, WinShown
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_flower, kind


class Finding(NamedTuple):
    """`row`: the catalogue row broken; empty where the rule set names no foul for it."""

    row: str
    where: str
    says: str

    def __str__(self) -> str:
        return f"{self.row or '-'} {self.where}: {self.says}"


def forbidden(record: HandRecord) -> list[Finding]:
    """Every forbidden thing of a hand."""
    return [*_Hand(record).findings(), *_laps(record), *_wins(record)]


class _Hand:
    """Counts tiles, sets and the wall through one hand."""

    def __init__(self, record: HandRecord) -> None:
        self.record, self.rules = record, record.rules()
        self.dealt = 4 * self.rules.set.hand + 1
        self.left = self.rules.set.tiles - self.dealt
        self.held = [len(hand) for hand in record.hands]
        self.owed, self.sets = [0] * 4, [0] * 4
        self.to_draw: Seat | None = None
        self.before: Action | None = None

    def findings(self) -> Iterator[Finding]:
        for number, move in enumerate(self.record.moves, start=1):
            where = f"move {number}"
            for code, sort, says in self._move(move):
                row = row_of(self.rules, code, sort)
                if row is not None:
                    yield Finding(row, where, says)
            self.before = move

    def _move(self, move: Action) -> Iterator[tuple[str, str, str]]:
        match move:
            case Drew():
                yield from self._drew(move)
            case Discarded():
                yield from self._discarded(move)
            case Called():
                yield from self._called(move)
            case Konged():
                yield from self._konged(move)
            case FlowersShown(seat=seat, tiles=tiles):
                self.held[seat] -= len(tiles)
                self.owed[seat] += len(tiles)
            case _:
                pass

    def _drew(self, move: Drew) -> Iterator[tuple[str, str, str]]:
        seat = move.seat
        self.left -= 1
        self.held[seat] += 1
        if self.owed[seat]:
            self.owed[seat] -= 1
            if move.end != "tail":
                yield "draw_order", "end", f"seat {int(seat)} takes a replacement from the head"
        elif self.to_draw != seat:
            yield "draw_order", "turn", f"seat {int(seat)} draws out of turn"
        elif move.end != "head":
            yield "draw_order", "end", f"seat {int(seat)} draws from the tail"
        self.to_draw = None

    def _discarded(self, move: Discarded) -> Iterator[tuple[str, str, str]]:
        seat = move.seat
        self.held[seat] -= 1
        right = self.rules.set.hand - 3 * self.sets[seat]
        if self.held[seat] != right:
            sort = "many" if self.held[seat] > right else "few"
            yield "tile_count", sort, f"seat {int(seat)} holds {self.held[seat]} tiles, {right} are right"
        yield from _swap(self.rules, self.before, seat, move.tile)
        if is_flower(move.tile):
            yield "flower_discard", "discard", f"seat {int(seat)} discards a flower"
        self.to_draw = seat.next

    def _called(self, move: Called) -> Iterator[tuple[str, str, str]]:
        seat = move.seat
        self.held[seat] -= len(move.tiles) - 1
        self.sets[seat] += 1
        self.owed[seat] += move.call == "kong"
        self.to_draw = None
        ban = self.rules.call_ban.discards
        if ban is not None and self.left <= ban:
            yield "call_ban", "discard", f"seat {int(seat)} calls a {move.call} with {self.left} tiles in the wall"
        if not self.rules.calls.kong_of_upper and move.call == "kong" and move.source == seat.upper:
            yield "call_right", "kong_of_upper", f"seat {int(seat)} makes a kong of the upper seat's discard"

    def _konged(self, move: Konged) -> Iterator[tuple[str, str, str]]:
        seat = move.seat
        self.held[seat] -= 4 if move.kong == "concealed" else 1
        self.sets[seat] += move.kong == "concealed"
        self.owed[seat] += 1
        ban = self.rules.call_ban.own_kongs
        if ban is not None and self.left <= ban:
            yield "call_ban", "own_kong", f"seat {int(seat)} makes an own kong with {self.left} tiles in the wall"
        before = self.before
        if isinstance(before, Called) and before.call != "kong":
            chow = before.call == "chow"
            if not (self.rules.calls.kong_after_chow if chow else self.rules.calls.kong_after_pung):
                yield "call_right", "kong_after_call", f"seat {int(seat)} makes a kong directly after a {before.call}"


def row_of(rules: RuleSet, code: str, sort: str) -> str | None:
    """The row a foul of this sort breaks under these rules; None where there is no such foul."""
    ruling = rules.ruling(code, sort)
    return None if ruling is None else ruling.row


def _swap(rules: RuleSet, before: Action | None, seat: Seat, tile: Tile) -> Iterator[tuple[str, str, str]]:
    if not isinstance(before, Called) or before.seat != seat or before.call == "kong":
        return
    if kind(tile) == kind(before.tile) and not rules.calls.swap_same:
        yield "swap_call", "same", f"seat {int(seat)} discards the kind it has just called"
        return
    rest = list(before.tiles)
    rest.remove(before.tile)
    if before.call == "chow" and kind(tile)[-1] == kind(before.tile)[-1] and not rules.calls.swap_other_end:
        low, high = sorted(int(kind(t)[0]) for t in rest)
        called, thrown = int(kind(before.tile)[0]), int(kind(tile)[0])
        if high == low + 1 and {called, thrown} == {low - 1, high + 1}:
            yield "swap_call", "other_end", f"seat {int(seat)} discards the other end of the chow it has just called"


def _laps(record: HandRecord) -> Iterator[Finding]:
    """TW-S5: all flowers of a seat at once, from the dealer on, lap by lap. The replacements come from the tail in one
    order whoever takes them, so what should have been shown can be played out."""
    row = row_of(record.rules(), "flower_order", "lap")
    if row is None:
        return
    shown, tail = list[tuple[Seat, frozenset[Tile]]](), list[Tile]()
    for move in record.moves:
        match move:
            case FlowersShown(seat=seat, tiles=tiles):
                shown.append((seat, frozenset(tiles)))
            case Drew(tile=tile):
                tail.append(tile)
            case Discarded():
                break
    hands = [list(hand) for hand in record.hands]
    right = list[tuple[Seat, frozenset[Tile]]]()
    again = True
    while again:
        again = False
        for seat in (record.dealer.step(n) for n in range(4)):
            flowers = [t for t in hands[seat] if is_flower(t)]
            if flowers:
                again = True
                right.append((seat, frozenset(flowers)))
                hands[seat] = [t for t in hands[seat] if not is_flower(t)] + tail[: len(flowers)]
                del tail[: len(flowers)]
    if shown != right:
        yield Finding(row, "opening", "the opening flowers are replaced seat by seat, not in laps")


def _wins(record: HandRecord) -> Iterator[Finding]:
    """Wins that are none, that the own pond forbids, and more winners than the text allows."""
    rules = record.rules()
    wins = [move for move in record.moves if isinstance(move, WinShown)]
    if record.ending == "triple win":
        yield Finding(
            row_of(rules, "several_wins", "three") or "", "end", "three claim the same tile: the referee is told"
        )
    if not wins:
        return
    most = rules.wins.several if len(wins) < 3 else 1 if rules.wins.three == "nearest" else 3
    if len(wins) > most and (row := row_of(rules, "several_wins", "farther")):
        yield Finding(row, "end", f"{len(wins)} win the same tile")
    if any("FALSE WIN" in note for note in record.notes):
        for sort in ("not_valid", "one_short", "more_short"):
            yield Finding(row_of(rules, "false_win", sort) or "", "end", "the record itself calls the win false")
    if record.ruleset != "riichi":
        return
    for win, worth in zip(wins, worths(replace(record, wins=())), strict=True):
        seat = win.seat
        if not worth.items:
            yield Finding(row_of(rules, "false_win", "not_valid") or "", "end", f"seat {int(seat)} wins with no win")
        melds = [Meld(m.call, m.tiles) for m in record.moves if isinstance(m, Called) and m.seat == seat]
        melds += [Meld("concealed", (m.tile,) * 4) for m in _concealed(record, seat)]
        pond = {kind(m.tile) for m in record.moves if isinstance(m, Discarded) and m.seat == seat}
        blocked = pond & set(waits(win.hand, melds, rules))
        if win.source is not None and blocked:
            row = row_of(rules, "false_win", "passed")
            yield Finding(row or "", "end", f"seat {int(seat)} wins though {min(blocked)} lies in its pond")


def _concealed(record: HandRecord, seat: Seat) -> list[Konged]:
    return [m for m in record.moves if isinstance(m, Konged) and m.seat == seat and m.kong == "concealed"]


def main() -> int:
    from tests.conformance.records import FORMATS, paths_of

    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--formats", default=",".join(FORMATS))
    options = parser.parse_args()
    for form in options.formats.split(","):
        hands, rows, lines = 0, Counter[str](), list[str]()
        for path in options.paths or paths_of(form):
            for game in map(completed, load(path)):
                for number, record in enumerate(game.hands, start=1):
                    hands += 1
                    found = forbidden(record)
                    rows.update({finding.row for finding in found})
                    lines += [f"  {game.source} hand {number}: {finding}" for finding in found]
        told = ", ".join(f"{row} in {count} hands" for row, count in sorted(rows.items())) or "nothing"
        print(f"{form}: {hands} hands; forbidden: {told}")
        print(*lines, sep="\n", end="\n" if lines else "")
        if options.paths:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
