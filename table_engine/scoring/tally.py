"""Tiles added up into one number: the index of every suit's holding for the tables, and a count of every kind.

The low 84 bits hold four indices of 21 bits (base 5, suits m p s and honours), the bits above one nibble for each of the
34 kinds. One sum over a hand gives both, so that a hand is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.wire.tiles import FLOWERS, KINDS, REDS, Tile, kind

SUIT_BITS = 21
SUIT_MASK = (1 << SUIT_BITS) - 1
COUNTS = 4 * SUIT_BITS
NUMBER = {tile: n for n, tile in enumerate(KINDS)}
ONES = sum(1 << (4 * n) for n in range(34))
"""A one in the nibble of every kind."""

STEP = tuple(5 ** (n % 9) << (SUIT_BITS * (n // 9)) if n < 27 else 5 ** (n - 27) << (3 * SUIT_BITS) for n in range(34))
NIBBLE = tuple(1 << (4 * n + COUNTS) for n in range(34))
WEIGHT: dict[Tile, int] = {
    **{tile: STEP[n] + NIBBLE[n] for n, tile in enumerate(KINDS)},
    **{tile: STEP[NUMBER[kind(tile)]] + NIBBLE[NUMBER[kind(tile)]] for tile in REDS},
    **dict.fromkeys(FLOWERS, 0),
}
"""What a tile adds. A red five counts as its kind, flowers count nothing. KeyError: the tile's face is not known."""


class TooManyError(ValueError):
    """More copies of a kind than a set of tiles holds: `tiles` are those kinds."""

    def __init__(self, tiles: tuple[Tile, ...]) -> None:
        super().__init__(f"more than four tiles {', '.join(tiles)}")
        self.tiles = tiles


def tally(tiles: Iterable[Tile]) -> int:
    """The sum of a hand. Raises TooManyError at a fifth copy and KeyError for a tile without a face."""
    total = sum(map(WEIGHT.__getitem__, tiles))
    counts = total >> COUNTS
    if (counts + 3 * ONES) & 8 * ONES:
        raise TooManyError(tuple(KINDS[n] for n in range(34) if counts >> (4 * n) & 15 > 4))
    return total


def several(counts: int, least: int) -> int:
    """The nibbles of the kinds held at least `least` (1..4) times, as a bit 3 in each."""
    return (counts + (8 - least) * ONES) & 8 * ONES
