"""How far a hand is from complete, for players to decide by: sets and pair, any number of sets, seven pairs aside.

The distance is the usual one (0: one tile short of complete, -1: complete): with m sets, t two-tile beginnings and p
pairs out of n wanted sets it is 2(n - m) - t - p, t at most n - m.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from table_engine.wire.tiles import KINDS, Tile, is_flower, is_outer, kind

_Frontier = tuple[tuple[int, ...], tuple[int, ...]]
"""[pair taken or not][sets] → most two-tile beginnings, -1 where impossible."""
_MOST = 5
_COPIES = 4


@lru_cache(maxsize=200_000)
def _frontier(counts: tuple[int, ...], runs: bool) -> _Frontier:
    """The best ways to cut one suit."""
    first = next((i for i, n in enumerate(counts) if n), None)
    if first is None:
        nothing = (0, *([-1] * _MOST))
        return nothing, (-1,) * (_MOST + 1)
    best = [[-1] * (_MOST + 1) for _ in range(2)]

    def cut(tiles: tuple[int, ...], sets: int, partials: int, pair: int) -> None:
        rest = list(counts)
        for i in tiles:
            rest[i] -= 1
            if rest[i] < 0:
                return
        below = _frontier(tuple(rest), runs)
        for p in range(2 - pair):
            for m in range(_MOST + 1 - sets):
                if below[p][m] >= 0:
                    old = best[p + pair][m + sets]
                    best[p + pair][m + sets] = max(old, below[p][m] + partials)

    i = first
    cut((i,), 0, 0, 0)
    cut((i, i), 0, 1, 0)
    cut((i, i), 0, 0, 1)
    cut((i, i, i), 1, 0, 0)
    if runs and i % 9 < 8:
        cut((i, i + 1), 0, 1, 0)
        if i < 7:
            cut((i, i + 2), 0, 1, 0)
            cut((i, i + 1, i + 2), 1, 0, 0)
    return tuple(best[0]), tuple(best[1])


def distance(tiles: Iterable[Tile], sets: int) -> int:
    """How many tiles these concealed tiles are from `sets` sets and a pair. Flowers count for nothing."""
    suits = {"m": [0] * 9, "p": [0] * 9, "s": [0] * 9, "z": [0] * 7}
    for tile in tiles:
        if not is_flower(tile):
            suits[tile[1]][int(kind(tile)[0]) - 1] += 1
    total: _Frontier = ((0, *([-1] * _MOST)), (-1,) * (_MOST + 1))
    for suit, counts in suits.items():
        if any(counts):
            total = _joined(total, _frontier(tuple(counts), suit != "z"))
    best = 2 * sets
    for pair, row in enumerate(total):
        for m, t in enumerate(row):
            if t >= 0:
                have = min(m, sets)
                best = min(best, 2 * (sets - have) - min(t, sets - have) - pair)
    return best


@lru_cache(maxsize=200_000)
def _joined(a: _Frontier, b: _Frontier) -> _Frontier:
    best = [[-1] * (_MOST + 1) for _ in range(2)]
    for pa in range(2):
        for pb in range(2 - pa):
            for ma, ta in enumerate(a[pa]):
                if ta < 0:
                    continue
                for mb, tb in enumerate(b[pb]):
                    if tb >= 0 and ma + mb <= _MOST:
                        best[pa + pb][ma + mb] = max(best[pa + pb][ma + mb], ta + tb)
    return tuple(best[0]), tuple(best[1])


def complete(tiles: Iterable[Tile], sets: int) -> bool:
    """Exactly `sets` sets and a pair."""
    tiles = tuple(tiles)
    return len(tiles) == 3 * sets + 2 and distance(tiles, sets) == -1


def seven_pairs(tiles: Iterable[Tile]) -> bool:
    return sorted(Counter(kind(t) for t in tiles).values()) == [2] * 7


def thirteen_orphans(tiles: Iterable[Tile]) -> bool:
    kinds = [kind(t) for t in tiles]
    outer = set(filter(is_outer, KINDS))
    return len(kinds) == len(outer) + 1 and set(kinds) == outer


def waits(tiles: Iterable[Tile], sets: int, laid: Iterable[Tile] = (), *, pairs: bool) -> tuple[Tile, ...]:
    """The kinds that complete a hand of `sets` sets and a pair, or (`pairs`) of seven pairs or thirteen orphans. One of
    which the player has all four, `laid` ones counted, is none."""
    tiles = tuple(tiles)
    have = Counter(kind(t) for t in (*tiles, *laid))

    def completes(tile: Tile) -> bool:
        whole = (*tiles, tile)
        return complete(whole, sets) or (pairs and (seven_pairs(whole) or thirteen_orphans(whole)))

    return tuple(tile for tile in KINDS if have[tile] < _COPIES and completes(tile))


def isolation(tile: Tile, others: Counter[Tile]) -> int:
    """How little a tile has to do with the rest of a hand: greater is lonelier."""
    if tile[-1] == "z":
        return 9 - 3 * others[tile]
    rank, suit = int(kind(tile)[0]), tile[1]
    near = sum(others[Tile(f"{rank + d}{suit}")] * w for d, w in ((-2, 1), (-1, 2), (0, 3), (1, 2), (2, 1)))
    return 6 + (rank in (1, 9)) * 2 + (rank in (2, 8)) - near
