"""Hands for seats of which nobody saw a tile, made up of what is left of the set: ready, or ready for the tile they won on.

A player who declared ready was ready, and one who won had a winning hand; tiles at random would accuse them of a false one.
"""

from __future__ import annotations

from collections import Counter

from table_engine.wire.tiles import HONOURS, REDS, SUITED, Tile

_DRAGONS = HONOURS[4:]
_RUNS = tuple(SUITED[n : n + 3] for n in range(len(SUITED)) if n % 9 < 7)
_TRIPLETS = tuple((tile,) * 3 for tile in (*_DRAGONS, *SUITED, *HONOURS[:4]))


def made_up(rest: Counter[Tile], count: int, last: Tile | None = None, start: int = 0) -> list[Tile] | None:
    """`count` (3n+1) tiles out of `rest`, plain ones, that are ready; for `last` where it is given. A set of dragons comes
    first, so that an open hand has its yaku; runs are tried from number `start` on, for another hand. None when what is left
    does not suffice."""
    left = Counter({tile: n for tile, n in rest.items() if tile not in REDS and n > 0})
    hand: list[Tile] = []
    if last is not None and not left[last]:
        pair = next((tile for tile in left if left[tile] > 1), None)
        run = next((run for run in _RUNS if last in run and all(left[t] for t in run if t != last)), None)
        if pair is None or run is None or count < 4:
            return None
        hand = [pair, pair, *(tile for tile in run if tile != last)]
    elif last is not None:
        hand = [last]
    left.subtract(hand)
    turned = start % len(_RUNS)
    sets = iter((*_TRIPLETS[:3], *_RUNS[turned:], *_RUNS[:turned], *_TRIPLETS[3:]))
    while len(hand) + 3 <= count:
        one = next((s for s in sets if not Counter(s) - left), None)
        if one is None:
            return None
        hand += one
        left.subtract(one)
    while len(hand) < count:
        single = next((tile for tile in left if left[tile] > 0), None)
        if single is None:
            return None
        hand.append(single)
        left[single] -= 1
    return hand
