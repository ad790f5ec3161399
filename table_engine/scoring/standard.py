"""Sets and a pair: whole hands put together from the tables of their suits. Hands are given as `tally` sums."""

from __future__ import annotations

from operator import add

from table_engine.scoring.suits import COMPLETE, MOST, NEVER, REST_BIT, Row, tables
from table_engine.scoring.tally import SUIT_BITS, SUIT_MASK

_WITH_PAIR = frozenset(2 << 2 * suit for suit in range(4))
"""Tiles modulo 3 of every suit, two bits each, of whole hands: one suit holds the pair, the others sets alone."""

_PLANS: dict[int, tuple[tuple[int, int], ...]] = {}
"""The same for hands one tile short: which suits may be the one that waits, and which (as bits) must be complete."""
for _suit in range(4):
    _PLANS[1 << 2 * _suit] = ((_suit, 15 ^ 1 << _suit),)
    for _pair in range(_suit):
        _PLANS[2 << 2 * _suit | 2 << 2 * _pair] = ((_pair, 15 ^ 1 << _pair), (_suit, 15 ^ 1 << _suit))


def standard(total: int, count: int) -> bool:
    """Whether the tiles are sets and one pair."""
    if count % 3 != 2:
        return False
    a, b, c, d = _masks(total)
    return bool(a & b & c & d & COMPLETE) and _rest(a, b, c, d) in _WITH_PAIR


def standard_waits(total: int) -> int:
    """The kinds that complete sets and a pair, as bits by the number of the kind."""
    a, b, c, d = _masks(total)
    plans = _PLANS.get(_rest(a, b, c, d))
    if plans is None:
        return 0
    done = a >> 15 | (b >> 15) << 1 | (c >> 15) << 2 | (d >> 15) << 3
    masks = (a, b, c, d)
    found = 0
    for suit, others in plans:
        if done & others == others:
            found |= (masks[suit] & 0x1FF) << 9 * suit
    return found


def standard_need(total: int, sets: int) -> int:
    """Tiles that must be added for `sets` sets and a pair."""
    table = tables()
    suit = table.suit_rows
    left = _sum(suit[total & SUIT_MASK], suit[total >> SUIT_BITS & SUIT_MASK])
    right = _sum(suit[total >> 2 * SUIT_BITS & SUIT_MASK], table.honour_rows[total >> 3 * SUIT_BITS & SUIT_MASK])
    need: int = min(map(add, left, right[2 * sets + 1 :: -1]))
    return need


def _masks(total: int) -> tuple[int, int, int, int]:
    table = tables()
    suit = table.suit_waits
    return (
        suit[total & SUIT_MASK],
        suit[total >> SUIT_BITS & SUIT_MASK],
        suit[total >> 2 * SUIT_BITS & SUIT_MASK],
        table.honour_waits[total >> 3 * SUIT_BITS & SUIT_MASK],
    )


def _rest(a: int, b: int, c: int, d: int) -> int:
    return a >> REST_BIT & 3 | (b >> REST_BIT & 3) << 2 | (c >> REST_BIT & 3) << 4 | (d >> REST_BIT & 3) << 6


_SUMS: dict[int, Row] = {}
"""Sums of two rows met so far; there are fewer than 40,000."""


def _sum(one: int, other: int) -> Row:
    """What two suits together lack: the least over all ways to spread sets and pair over them."""
    key = one << 16 | other
    found = _SUMS.get(key)
    if found is None:
        rows = tables().rows
        found = _SUMS[key] = _spread(rows[one], rows[other])
    return found


def _spread(one: Row, other: Row) -> Row:
    least = []
    for sets in range(MOST + 1):
        for pair in (0, 1):
            ways = (one[2 * m + p] + other[2 * (sets - m) + pair - p] for m in range(sets + 1) for p in range(pair + 1))
            least.append(min(NEVER, *ways))
    return tuple(least)
