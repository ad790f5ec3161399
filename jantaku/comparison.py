"""Compares what the engine believes was played with what a record says was played, action by action, tile by tile.

Both sides become plain tuples that hold what could be seen at the table and nothing else: times, evidence and confidence
are left out, and a draw shows no face. What the engine adds on its own account (counts, announced calls) is left out;
corrections are carried out and what was taken back is gone, since the settled list is what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from table_engine.records.settled import settled
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    ClockRan,
    CountSeen,
    Discarded,
    DoraShown,
    DrawHeld,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TilesExposed,
    TurnCorrected,
    WinShown,
)
from table_engine.wire.tiles import kind, order

Canonical = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class HandComparison:
    """One hand. `equal` counts the longest common subsequence; `differences` are the first places where the lists part."""

    title: str
    expected: int
    seen: int
    equal: int
    differences: tuple[str, ...] = ()

    @property
    def all_equal(self) -> bool:
        return self.expected == self.seen == self.equal


def canonical(actions: Iterable[Action]) -> list[Canonical]:
    """The comparable form of a hand's actions, corrections carried out. The first dora indicator belongs to the deal,
    however late it was seen."""
    rows = [row for row in map(_row, settled(actions)) if row is not None]
    first = next(
        (n for n, row in enumerate(rows) if row[0] in ("dora", "konged") or row[:3:2] == ("called", "kong")), 0
    )
    if rows and rows[first][0] == "dora":
        rows.insert(0, rows.pop(first))
    if rows[-1:] == [("ended", 0)] and [row[0] for row in rows[-4:-1]] == ["win"] * 3:
        del rows[-4:-1]  # three claim one tile and the hand is drawn: records do not tell the hands
    return rows


def without_faces(actions: Iterable[Action]) -> list[Canonical]:
    """What a table controller alone can tell: who drew at which end, who discarded."""
    return [
        ("drew", int(action.seat), action.end) if isinstance(action, Drew) else ("discarded", int(action.seat))
        for action in actions
        if isinstance(action, Drew | Discarded)
    ]


def compare(
    title: str, expected: Iterable[Action], seen: Iterable[Action], show: int = 5, *, blind: bool = False
) -> HandComparison:
    """Compares two lists of actions of one hand, without faces when there was no camera (`blind`). At most `show`
    differences are worded."""
    form = without_faces if blind else canonical
    want, got = form(expected), form(seen)
    if want == got:
        return HandComparison(title, len(want), len(got), len(want))
    pairs = _common(want, got)
    return HandComparison(title, len(want), len(got), len(pairs), tuple(_differences(want, got, pairs))[:show])


def _row(action: Action) -> Canonical | None:
    match action:
        case Drew(seat=seat, end=end):
            return "drew", int(seat), end
        case Discarded(seat=seat, tile=tile, sideways=sideways):
            return "discarded", int(seat), tile, int(sideways)
        case Called(seat=seat, call=call, tile=tile, source=source, tiles=tiles):
            return "called", int(seat), call, tile, int(source), *sorted(tiles, key=order)
        case Konged(seat=seat, kong="concealed", tile=tile):
            return "konged", int(seat), "concealed", kind(tile)  # all four are meant, a red one among them or not
        case Konged(seat=seat, kong=kong, tile=tile):
            return "konged", int(seat), kong, tile
        case FlowersShown(seat=seat, tiles=tiles):
            return "flowers", int(seat), *sorted(tiles, key=order)
        case DoraShown(tile=tile):
            return "dora", tile
        case WinShown(seat=seat, source=source, tile=tile, hand=hand):
            return "win", int(seat), None if source is None else int(source), tile, *sorted(hand, key=order)
        case HandEnded(won=won):
            return "ended", int(won)
        case TileReturned(seat=seat, what=what, tile=tile):
            return "returned", int(seat), what, tile
        case HandStarted() | CallAnnounced() | CountSeen() | TileCorrected() | HandShown() | TilesExposed():
            return None
        case TurnCorrected() | DrawHeld() | ClockRan():
            return None


def _common(want: Sequence[Canonical], got: Sequence[Canonical]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence. O(len(want) · len(got)) after equal ends are cut off."""
    head = 0
    while head < min(len(want), len(got)) and want[head] == got[head]:
        head += 1
    tail = 0
    while tail < min(len(want), len(got)) - head and want[-1 - tail] == got[-1 - tail]:
        tail += 1
    a, b = want[head : len(want) - tail], got[head : len(got) - tail]
    length = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            same = a[i] == b[j]
            length[i][j] = length[i + 1][j + 1] + 1 if same else max(length[i + 1][j], length[i][j + 1])
    pairs, i, j = [(n, n) for n in range(head)], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((head + i, head + j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs + [(len(want) - n, len(got) - n) for n in range(tail, 0, -1)]


def _differences(want: Sequence[Canonical], got: Sequence[Canonical], pairs: list[tuple[int, int]]) -> Iterable[str]:
    i = j = 0
    for next_i, next_j in (*pairs, (len(want), len(got))):
        missing, extra = want[i:next_i], got[j:next_j]
        if missing or extra:
            yield f"move {i + 1}: record has {_words(missing)}, engine has {_words(extra)}"
        i, j = next_i + 1, next_j + 1


def _words(rows: Sequence[Canonical]) -> str:
    return "; ".join(" ".join("self" if part is None else str(part) for part in row) for row in rows) or "nothing"
