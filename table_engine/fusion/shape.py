"""Whether tiles laid open make a winning shape of any of the rule sets. Only to tell a win from a hand that is merely
shown (ready at an exhaustive draw, given up after another's win); whether a win is valid is not asked here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from table_engine.wire.tiles import HONOURS, KINDS, Tile, is_face, is_outer, kind

_ORPHANS: Final = frozenset(filter(is_outer, KINDS))
_INDEX: Final = {tile: n for n, tile in enumerate(KINDS)}
_KNITTED: Final = tuple(
    tuple(f"{r}{suit}" for suit, start in zip(order, (1, 2, 3), strict=True) for r in range(start, 10, 3))
    for order in ("mps", "msp", "pms", "psm", "smp", "spm")
)


def complete(tiles: Iterable[Tile]) -> bool:
    """True if the concealed tiles, the winning one included, make sets and a pair (whatever the number of sets), seven
    pairs, thirteen orphans, or honours and knitted tiles."""
    kinds = [kind(t) for t in tiles]
    if len(kinds) % 3 != 2 or any(not is_face(t) or t not in _INDEX for t in kinds):
        return False
    counts = Counter(kinds)
    if len(kinds) == 14 and (_pairs(counts) or _orphans(counts) or _honours_knitted(counts)):
        return True
    return _sets_and_pair(_vector(counts)) or any(_without_knitted(counts, line) for line in _KNITTED)


def _vector(counts: Counter[Tile]) -> tuple[int, ...]:
    return tuple(counts[t] for t in KINDS)


def _pairs(counts: Counter[Tile]) -> bool:
    return all(n % 2 == 0 for n in counts.values())


def _orphans(counts: Counter[Tile]) -> bool:
    return set(counts) == _ORPHANS


def _honours_knitted(counts: Counter[Tile]) -> bool:
    suited = [t for t in counts if t not in HONOURS]
    return len(counts) == 14 and any(set(suited) <= set(line) for line in _KNITTED)


def _without_knitted(counts: Counter[Tile], line: tuple[str, ...]) -> bool:
    if any(not counts[Tile(t)] for t in line):
        return False
    rest = counts.copy()
    rest.subtract(Tile(t) for t in line)
    return _sets_and_pair(_vector(rest))


def _sets_and_pair(counts: tuple[int, ...]) -> bool:
    for n, count in enumerate(counts):
        if count >= 2:
            less = list(counts)
            less[n] -= 2
            if _sets(tuple(less)):
                return True
    return False


@lru_cache(maxsize=4096)
def _sets(counts: tuple[int, ...]) -> bool:
    left = list(counts)
    n = next((i for i, c in enumerate(left) if c), None)
    if n is None:
        return True
    if left[n] >= 3:
        left[n] -= 3
        if _sets(tuple(left)):
            return True
        left[n] += 3
    if n < 27 and n % 9 <= 6 and left[n + 1] and left[n + 2]:
        for i in (n, n + 1, n + 2):
            left[i] -= 1
        return _sets(tuple(left))
    return False
