"""Holds what a watcher said against what lay on the table: settled pictures, and the course of each zone over the hand."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hands.film import STILL, Moment
from vision_truth import Contents, Key, key_of
from vision_truth import essence as exactly

from table_engine.wire.observations import Observation, RackSeen, TileSeen, WallSeen, ZoneSeen
from table_engine.wire.tiles import UNKNOWN

ZoneWord = ZoneSeen | RackSeen | WallSeen
Event = tuple[int, int, int]
"""When something came about, when it was at rest, uncovered, and which moment was told for it, ms."""
EVENTS = {"pond": "discards", "meld": "melds", "flower": "flowers", "wall_seen": "wall", "rack": "racks"}
_ORDER_MS = 500
"""What comes about later than this after something else is at rest has to be told after it."""


def essence(word: ZoneWord) -> object:
    """What has to be exact. A bare wall side is bare, whether it has room for 17 stacks or 18."""
    bare = isinstance(word, WallSeen) and not any(word.heights)
    return "bare" if bare else exactly(word)


@dataclass(slots=True)
class Course:
    """What one zone really held, one content after the other."""

    contents: list[tuple[object, int, int]] = field(default_factory=list)
    """What, since when (ms) it is so, and since when it can be seen and is at rest."""
    settled: set[int] = field(default_factory=set)
    """Numbers of those that lay still and uncovered long enough to be told."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A zone told wrongly in a settled picture."""

    at_ms: int
    key: Key
    kind: str
    true: str
    told: str

    def line(self) -> dict[str, object]:
        return {
            "at_ms": self.at_ms,
            "seat": int(self.key[0]),
            "zone": self.key[1],
            "kind": self.kind,
            "true": self.true,
            "told": self.told,
        }


class Judge:
    """One watcher's hand. `counts` are sums over settled pictures; `confused` counts a misread tile once, however long it lies."""

    def __init__(self, tile_mm: float) -> None:
        self._near_mm = tile_mm / 2
        self._told: Contents = {}
        self._centre: tuple[str, ...] = ()
        self._words: dict[Key, list[tuple[object, int]]] = {}
        self._courses: dict[Key, Course] = {}
        self._known: set[tuple[object, ...]] = set()
        self.counts: Counter[str] = Counter()
        self.confused: Counter[str] = Counter()
        self.slips: list[Slip] = []
        self.false: list[dict[str, object]] = []
        """Words that were never true."""

    def hear(self, said: Iterable[tuple[int, Observation]]) -> None:
        for at_ms, one in said:
            if isinstance(one, ZoneSeen) and one.zone == "centre":
                self._centre = tuple(str(t.code) for t in one.tiles)
            elif isinstance(one, ZoneSeen | RackSeen | WallSeen):
                self._told[key_of(one)] = one
                words = self._words.setdefault(key_of(one), [])
                if not words or words[-1][0] != essence(one):
                    words.append((essence(one), at_ms))

    def see(self, moment: Moment) -> list[Slip]:
        """Takes the moment's truth, after what was said of its picture; returns what is wrong and new, if it is settled."""
        for key, one in moment.truth.items():
            course = self._courses.setdefault(key, Course())
            what, still = essence(one), moment.still[key]
            if not course.contents or course.contents[-1][0] != what:
                course.contents.append((what, moment.snapshot.at_ms, moment.snapshot.at_ms))
            elif still == 1 and len(course.contents) - 1 not in course.settled:
                course.contents[-1] = (what, course.contents[-1][1], moment.snapshot.at_ms)
            if still >= STILL:
                course.settled.add(len(course.contents) - 1)
        return self._picture(moment) if moment.settled else []

    def _picture(self, moment: Moment) -> list[Slip]:
        wrong: list[Slip] = []
        for key, one in moment.truth.items():
            told = self._told.get(key)
            right = self._zone(key, one, told)
            exact = right and told is not None and essence(told) == essence(one)
            self.counts[f"{key[1]}s"] += 1
            self.counts[f"{key[1]}s_exact"] += exact
            if not exact:
                wrong.append(Slip(moment.snapshot.at_ms, key, kind(one, told), text(one), text(told)))
        self.counts["pictures"] += 1
        self.counts["pictures_exact"] += not wrong and not self._centre
        if self._centre:
            self.counts["centre_ghosts"] += 1
        fresh = [s for s in wrong if (s.key, s.kind, s.true, s.told) not in self._known]
        self._known.update((s.key, s.kind, s.true, s.told) for s in fresh)
        self.slips += fresh
        return fresh

    def _zone(self, key: Key, one: ZoneWord, told: ZoneWord | None) -> bool:
        """Counts one zone's tiles, count and heights; whether every tile is right."""
        if isinstance(one, RackSeen):
            self.counts["counts"] += 1
            self.counts["counts_exact"] += isinstance(told, RackSeen) and (told.standing, told.apart) == (
                one.standing,
                one.apart,
            )
        if isinstance(one, WallSeen):
            self.counts["sides"] += 1
            self.counts["sides_exact"] += isinstance(told, WallSeen) and (
                told.heights == one.heights or not any((*told.heights, *one.heights))
            )
        pairs = paired(lying(one), lying(told), self._near_mm)
        for true, seen in pairs:
            fine = true is not None and seen is not None and (true.code, true.sideways) == (seen.code, seen.sideways)
            self.counts["tiles"] += true is not None
            self.counts["tiles_right"] += fine
            self.counts["ghosts"] += true is None
            self.counts["unsure"] += seen is not None and seen.code == UNKNOWN
            if not fine:
                at = true or seen
                assert at is not None
                words = (str(true.code) if true else "-", str(seen.code) if seen else "-")
                if true and seen and true.code == seen.code:
                    words = (words[0], f"{words[1]} turned")
                mark = (key, round(at.u_mm / 8), round(at.v_mm / 8), *words)
                if mark not in self._known:
                    self._known.add(mark)
                    self.confused[" > ".join(words)] += 1
        return all(a and b and (a.code, a.sideways) == (b.code, b.sideways) for a, b in pairs)

    def close(self) -> None:
        """Counts the events of the hand: contents that were settled and told in their turn, and words that were never true."""
        told_at: list[tuple[Event, str]] = []
        for key, course in self._courses.items():
            words = self._words.get(key, [])
            if words and not course.contents:
                continue
            contents, wanted = episodes(course.contents, course.settled)
            matched = aligned(contents, wanted, words)
            event = EVENTS[key[1]]
            for n in sorted(wanted):
                name = event
                if event == "racks" and n and _drawn(contents[n - 1][0], contents[n][0]):
                    name = "draws"
                self.counts[f"events_{name}"] += 1
                if n in matched:
                    told_at.append(((*contents[n][1:], words[matched[n]][1]), name))
            never = set(range(len(words))) - set(matched.values())
            self.counts[f"false_{event}"] += len(never)
            for m in sorted(never):
                self.false.append({"at_ms": words[m][1], "seat": int(key[0]), "zone": key[1], "word": str(words[m][0])})
        wrong = misordered([event for event, _ in told_at])
        self.counts["misordered"] += len(wrong)
        for n, (_, name) in enumerate(told_at):
            self.counts[f"events_{name}_right"] += n not in wrong


def episodes(
    contents: Sequence[tuple[object, int, int]], settled: set[int]
) -> tuple[list[tuple[object, int, int]], set[int]]:
    """A zone's contents, and which of them have to be told. What it held before as well came about then, when nothing in
    between lay long enough to be told; it has to be told once."""
    out, wanted = list(contents), set(settled)
    for n, (what, _, rested) in enumerate(contents):
        for before in range(n - 1, -1, -1):
            if contents[before][0] == what:
                out[n] = (what, out[before][1], rested)
                wanted -= {n} if before in settled else set()
                break
            if before in settled:
                break
    return out, wanted


def aligned(
    contents: Sequence[tuple[object, int, int]], wanted: set[int], words: Sequence[tuple[object, int]]
) -> dict[int, int]:
    """Which of the true contents was told by which word, in order, and by none of a moment before it came about or after the
    next wanted one was at rest; as many of the wanted ones as can be."""
    rows, columns = len(contents), len(words)
    until = [min((contents[m][2] for m in wanted if m > n), default=1 << 62) for n in range(rows)]
    may = [
        [c == w and since <= at_ms + _ORDER_MS and at_ms <= end + _ORDER_MS for w, at_ms in words]
        for (c, since, _), end in zip(contents, until, strict=True)
    ]
    best = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            options = [best[i + 1][j], best[i][j + 1]]
            if may[i][j]:
                ahead = best[i + 1][j + 1]
                options.append((ahead[0] + (i in wanted), ahead[1] + 1))
            best[i][j] = max(options)
    out: dict[int, int] = {}
    i = j = 0
    while i < rows and j < columns:
        ahead = best[i + 1][j + 1]
        if may[i][j] and best[i][j] == (ahead[0] + (i in wanted), ahead[1] + 1):
            out[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return out


def misordered(events: Sequence[Event]) -> set[int]:
    """The numbers of events told as later than something that came about well after they had come to rest."""
    order = sorted(range(len(events)), key=lambda n: events[n][0])
    begins = [events[n][0] for n in order]
    earliest = [1 << 62] * (len(order) + 1)
    for place in range(len(order) - 1, -1, -1):
        earliest[place] = min(earliest[place + 1], events[order[place]][2])
    return {
        n for n, (_, rested, told) in enumerate(events) if told > earliest[bisect_right(begins, rested + _ORDER_MS)]
    }


def _drawn(before: object, now: object) -> bool:
    return isinstance(before, tuple) and isinstance(now, tuple) and now[0] == before[0] + 1


def lying(one: ZoneWord | None) -> tuple[TileSeen, ...]:
    match one:
        case ZoneSeen():
            return one.tiles
        case RackSeen() | WallSeen():
            return one.open
        case None:
            return ()


def paired(
    true: Sequence[TileSeen], seen: Sequence[TileSeen], near_mm: float
) -> list[tuple[TileSeen | None, TileSeen | None]]:
    """Tiles that lie and tiles told of, nearest first, none further apart than `near_mm`; what is alone is paired with None."""
    far = sorted(
        (((a.u_mm - b.u_mm) ** 2 + (a.v_mm - b.v_mm) ** 2) ** 0.5, n, m)
        for n, a in enumerate(true)
        for m, b in enumerate(seen)
    )
    one: dict[int, int] = {}
    two: set[int] = set()
    for gap, n, m in far:
        if gap <= near_mm and n not in one and m not in two:
            one[n] = m
            two.add(m)
    return [
        *((a, seen[one[n]] if n in one else None) for n, a in enumerate(true)),
        *((None, b) for m, b in enumerate(seen) if m not in two),
    ]


def kind(one: ZoneWord, told: ZoneWord | None) -> str:
    """What is wrong with a word, in one."""
    if told is None:
        return "untold"
    if (
        isinstance(one, WallSeen)
        and isinstance(told, WallSeen)
        and essence(one) != essence(told)
        and one.heights != told.heights
    ):
        return "stacks" if [h > 0 for h in one.heights] != [h > 0 for h in told.heights] else "heights"
    if isinstance(one, RackSeen) and isinstance(told, RackSeen):
        if one.standing != told.standing:
            return "standing"
        if one.apart != told.apart:
            return "apart"
    a, b = lying(one), lying(told)
    if len(a) != len(b):
        return "missing" if len(a) > len(b) else "extra"
    if sorted(t.code for t in a) != sorted(t.code for t in b):
        return "unsure" if any(t.code == UNKNOWN for t in b) else "misread"
    if [t.code for t in a] != [t.code for t in b]:
        return "order"
    if [t.sideways for t in a] != [t.sideways for t in b]:
        return "sideways"
    return "groups" if [t.group for t in a] != [t.group for t in b] else "places"


def text(one: ZoneWord | None) -> str:
    """A word for people."""
    codes = " ".join(f"{t.code}{'~' if t.sideways else ''}{t.group or ''}" for t in lying(one))
    match one:
        case RackSeen():
            return f"{one.standing}/{one.apart} {codes}".strip()
        case WallSeen():
            return "".join(map(str, one.heights)) + (f" {codes}" if codes else "")
        case _:
            return codes
