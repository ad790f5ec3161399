"""The winning shapes beside sets and a pair: what each lacks and what it waits for. Hands are given as `tally` sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

from table_engine.scoring.standard import standard_need, standard_waits
from table_engine.scoring.suits import NEVER
from table_engine.scoring.tally import COUNTS, NIBBLE, ONES, STEP, several
from table_engine.tariff import Shape
from table_engine.wire.tiles import KINDS


class Special(NamedTuple):
    """`need(total, count, sets, best)`: tiles that must be added, or anything not below `best`. `waits(total, count, sets)`:
    the kinds that complete it, as bits by the number of the kind. `count` standing tiles, `sets` sets shown."""

    need: Callable[[int, int, int, int], int]
    waits: Callable[[int, int, int], int]


_EIGHTS = 8 * ONES


def _kinds(nibbles: int) -> int:
    """Bits 3 of nibbles → bits by the number of the kind."""
    found = 0
    while nibbles:
        low = nibbles & -nibbles
        found |= 1 << (low.bit_length() - 1) // 4
        nibbles ^= low
    return found


def _pairs_need(total: int, count: int, sets: int, _best: int) -> int:
    if sets or count not in (13, 14):
        return NEVER
    counts = total >> COUNTS
    return 7 - several(counts, 2).bit_count() + max(0, 7 - several(counts, 1).bit_count())


def _pairs_waits(total: int, count: int, sets: int) -> int:
    if count != 13 or _pairs_need(total, count, sets, 2) != 1:
        return 0
    counts = total >> COUNTS
    return _kinds(several(counts, 1) & ~several(counts, 2))


def _fours_need(total: int, count: int, sets: int, _best: int) -> int:
    if sets or count not in (13, 14):
        return NEVER
    counts = total >> COUNTS
    return 7 - several(counts, 2).bit_count() - several(counts, 4).bit_count()


def _fours_waits(total: int, count: int, sets: int) -> int:
    if count != 13 or _fours_need(total, count, sets, 2) != 1:
        return 0
    counts = total >> COUNTS
    return _kinds(several(counts, 1) & ~several(counts, 2) | several(counts, 3) & ~several(counts, 4))


_ORPHANS: int = sum(8 << 4 * n for n in (0, 8, 9, 17, 18, 26, *range(27, 34)))


def _orphans_need(total: int, count: int, sets: int, _best: int) -> int:
    if sets or count not in (13, 14):
        return NEVER
    counts = total >> COUNTS
    return 14 - (several(counts, 1) & _ORPHANS).bit_count() - int(several(counts, 2) & _ORPHANS != 0)


def _orphans_waits(total: int, count: int, sets: int) -> int:
    if count != 13 or _orphans_need(total, count, sets, 2) != 1:
        return 0
    missing = _ORPHANS & ~several(total >> COUNTS, 1)
    return _kinds(missing or _ORPHANS)


_HONOURS = sum(8 << 4 * n for n in range(27, 34))
_KNITTED = tuple(
    tuple(9 * suit + low + 3 * step for suit, low in enumerate(order) for step in range(3))
    for order in permutations(range(3))
)
"""The six ways to lay 147, 258 and 369 over three suits, as numbers of kinds."""
KNITTED_LAYS = tuple(frozenset(KINDS[n] for n in numbers) for numbers in _KNITTED)
_KNITTED_BITS = tuple(sum(8 << 4 * n for n in numbers) for numbers in _KNITTED)


def _knitted_need(total: int, count: int, sets: int, _best: int) -> int:
    if sets or count not in (13, 14):
        return NEVER
    held = several(total >> COUNTS, 1)
    return 14 - max((held & (bits | _HONOURS)).bit_count() for bits in _KNITTED_BITS)


def _knitted_waits(total: int, count: int, sets: int) -> int:
    if sets or count != 13:
        return 0
    held = several(total >> COUNTS, 1)
    found = 0
    for bits in _KNITTED_BITS:
        if (held & (bits | _HONOURS)).bit_count() == 13:
            found |= (bits | _HONOURS) & ~held
    return _kinds(found)


def _straights(total: int, fewest: int) -> Iterator[tuple[int, int, int]]:
    """Per lay with at least `fewest` of its nine tiles: the tiles left over, how many are missing, and which (as bits)."""
    held = several(total >> COUNTS, 1)
    for numbers, bits in zip(_KNITTED, _KNITTED_BITS, strict=True):
        here = held & bits
        have = here.bit_count()
        if have >= fewest:
            rest = total - sum(STEP[n] + NIBBLE[n] for n in numbers if here >> 4 * n & 8)
            yield rest, 9 - have, bits & ~here


def _straight_need(total: int, count: int, sets: int, best: int) -> int:
    if sets > 1 or count not in (10, 11, 13, 14):
        return NEVER
    for rest, missing, _ in _straights(total, 10 - best):
        best = min(best, missing + standard_need(rest, count // 3 - 3))
    return best


def _straight_waits(total: int, count: int, sets: int) -> int:
    if sets > 1 or count not in (10, 13):
        return 0
    found = 0
    for rest, missing, lacking in _straights(total, 8):
        if not missing:
            found |= standard_waits(rest)
        elif standard_need(rest, count // 3 - 3) == 0:
            found |= _kinds(lacking)
    return found


def _half_need(total: int, count: int, sets: int, *, fours: bool) -> int:
    """Seven pairs and a triplet, the triplet tried with every kind held; `fours`: four of a kind are two pairs."""
    if sets or count not in (16, 17):
        return NEVER
    counts = [held for n in range(34) if (held := total >> COUNTS + 4 * n & 15)]
    pairs = [held // 2 if fours else min(held // 2, 1) for held in counts]
    singles = [held % 2 if fours else int(held == 1) for held in counts]
    best = NEVER
    for n, held in enumerate(counts):
        rest, single = sum(pairs) - pairs[n], sum(singles) - singles[n]
        missing = max(0, 7 - rest)
        best = min(best, max(0, 3 - held) + missing + max(0, missing - single))
    return best


def _half_waits(total: int, count: int, sets: int, *, fours: bool) -> int:
    if count != 16 or _half_need(total, count, sets, fours=fours) != 1:
        return 0
    found = 0
    for n in range(34):
        if total >> COUNTS + 4 * n & 15 < 4 and not _half_need(total + STEP[n] + NIBBLE[n], 17, sets, fours=fours):
            found |= 1 << n
    return found


SPECIALS: dict[Shape, Special] = {
    "seven_pairs": Special(_pairs_need, _pairs_waits),
    "seven_pairs_with_four": Special(_fours_need, _fours_waits),
    "thirteen_orphans": Special(_orphans_need, _orphans_waits),
    "knitted": Special(_knitted_need, _knitted_waits),
    "knitted_straight": Special(_straight_need, _straight_waits),
    "pairs_and_triplet": Special(
        lambda total, count, sets, _best: _half_need(total, count, sets, fours=False),
        lambda total, count, sets: _half_waits(total, count, sets, fours=False),
    ),
    "pairs_and_triplet_with_four": Special(
        lambda total, count, sets, _best: _half_need(total, count, sets, fours=True),
        lambda total, count, sets: _half_waits(total, count, sets, fours=True),
    ),
}
