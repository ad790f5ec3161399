"""Tables of one suit: what every possible holding lacks for n sets, with or without the pair, and which tiles complete it.

Theory. A holding of one suit is nine counts 0..4, an index in base 5. For every index and every (sets m 0..5, pair p 0..1)
the table knows the least number of tiles that must be added so that the suit contains m sets and p pairs; no target uses
more than four copies of a kind. Whole hands add up suit by suit: the least over all ways to spread sets and pair. There
are far fewer different rows than holdings, so rows are numbered (`rows`) and sums of two rows are remembered.

A pass over the ranks builds it: of the runs begun on the last two ranks (a, b), s new ones, k triplets and q pairs make a
target of a+b+s+3k+2q tiles on this rank, and what is not held has to be added.
"""

from __future__ import annotations

from array import array
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MOST = 5
"""Sets of the largest hand (16 tiles and the winning one)."""
NEVER = 31
_WIDTH = 2 * (MOST + 1)

Row = tuple[int, ...]
"""`row[2 * m + p]`: tiles missing for m sets and p pairs."""


class Tables(NamedTuple):
    """By index of a holding. `waits`: the ranks that complete it, bit 0 for rank 1; bit 15 where it is complete as it is;
    bits 10 and 11 the number of tiles modulo 3. Complete means sets alone or sets and a pair, whichever the number of
    tiles allows."""

    suit_rows: array[int]
    suit_waits: array[int]
    honour_rows: array[int]
    honour_waits: array[int]
    rows: tuple[Row, ...]


COMPLETE = 1 << 15
REST_BIT = 10


@cache
def tables() -> Tables:
    """Built at the first use (about a second) and kept: 8 MB."""
    suit, honour = _missing(9, runs=True), _missing(7, runs=False)
    packed = np.concatenate([_pack(suit), _pack(honour)])
    unique = np.unique(packed)
    rows = tuple(tuple(int(value) >> (5 * n) & 31 for n in range(_WIDTH)) for value in unique)
    numbers = np.searchsorted(unique, packed).astype(np.uint16)
    split = suit.shape[1]
    return Tables(
        array("H", numbers[:split].tobytes()),
        array("H", _waits(suit, 9).tobytes()),
        array("H", numbers[split:].tobytes()),
        array("H", _waits(honour, 7).tobytes()),
        rows,
    )


def _missing(ranks: int, *, runs: bool) -> npt.NDArray[np.uint8]:
    """Shape (12, 5**ranks): tiles missing by (2 * sets + pair) and index of the holding."""
    start = np.full((_WIDTH, 1), NEVER, np.uint8)
    start[0] = 0
    states = {(0, 0): start}
    for rank in range(ranks):
        begun = range(5) if runs and rank < ranks - 2 else range(1)
        grown: dict[tuple[int, int], npt.NDArray[np.uint8]] = {}
        for (older, newer), table in states.items():
            size = table.shape[1]
            for new in begun:
                for triplets, pair in ((0, 0), (0, 1), (1, 0)):
                    target = older + newer + new + 3 * triplets + 2 * pair
                    made = new + triplets
                    if target > 4 or made > MOST:
                        continue
                    into = grown.get((newer, new))
                    if into is None:
                        into = grown[newer, new] = np.full((_WIDTH, 5 * size), NEVER, np.uint8)
                    _put(into, table, target, made, pair)
        states = grown
    return states[0, 0]


def _put(into: npt.NDArray[np.uint8], table: npt.NDArray[np.uint8], target: int, made: int, pair: int) -> None:
    """Takes `table` over into `into` for every count on the new rank, `made` sets and `pair` pairs further."""
    size = table.shape[1]
    kept = _WIDTH - 2 * made
    source = table[:kept:2] if pair else table[:kept]
    for count in range(5):
        block = into[2 * made :, count * size : (count + 1) * size]
        block = block[1::2] if pair else block
        np.minimum(block, np.minimum(source + max(0, target - count), NEVER), out=block)


def _pack(missing: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    packed = np.zeros(missing.shape[1], np.int64)
    for n in range(_WIDTH):
        packed |= missing[n].astype(np.int64) << (5 * n)
    return packed


def _waits(missing: npt.NDArray[np.uint8], ranks: int) -> npt.NDArray[np.uint16]:
    """What completes every holding, and whether it is complete: every axis of five is one rank's count."""
    tiles = np.zeros(1, np.uint8)
    for _ in range(ranks):
        tiles = np.add.outer(np.arange(5, dtype=np.uint8), tiles).ravel()
    wanted = np.minimum(2 * (tiles // 3) + (tiles % 3 == 2), _WIDTH - 1)
    complete = (tiles % 3 != 1) & (tiles // 3 <= MOST)
    complete &= np.take_along_axis(missing, wanted[np.newaxis].astype(np.intp), axis=0)[0] == 0
    masks: npt.NDArray[np.uint16] = np.where(complete, np.uint16(COMPLETE), np.uint16(0))
    masks |= (tiles % 3).astype(np.uint16) << REST_BIT
    for rank in range(ranks):
        shape = (5 ** (ranks - 1 - rank), 5, 5**rank)
        masks.reshape(shape)[:, :4] |= complete.reshape(shape)[:, 1:].astype(np.uint16) << rank
    return masks
