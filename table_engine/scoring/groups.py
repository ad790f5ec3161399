"""The ways to read standing tiles as sets and a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from table_engine.scoring.tally import NUMBER
from table_engine.state import Meld
from table_engine.wire.tiles import Tile, kind

RUN, SAME = "run", "same"


class Group(NamedTuple):
    """A set. `low` is the number of its lowest kind (0..33), `shown` whether it was called or konged, `open` whether it was
    called, `kong` four of a kind."""

    form: str
    low: int
    shown: bool = False
    open: bool = False
    kong: bool = False

    def holds(self, number: int) -> bool:
        """Whether a kind is in it."""
        return self.low <= number <= self.low + 2 if self.form == RUN else number == self.low

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.low, self.low + 1, self.low + 2) if self.form == RUN else (self.low,) * 3


class Reading(NamedTuple):
    """`groups` are all sets, the shown ones first; `pair` the number of the pair's kind."""

    groups: tuple[Group, ...]
    pair: int


def shown(melds: Sequence[Meld]) -> tuple[Group, ...]:
    """The sets lying open or as concealed kongs."""
    return tuple(
        Group(
            RUN if meld.call == "chow" else SAME,
            min(NUMBER[kind(tile)] for tile in meld.tiles),
            shown=True,
            open=meld.call != "concealed",
            kong=meld.is_kong,
        )
        for meld in melds
    )


def readings(tiles: Sequence[Tile], melds: Sequence[Meld]) -> Iterator[Reading]:
    """Every way to read the standing tiles (the winning one among them) as sets and one pair, each once."""
    counts = [0] * 34
    for tile in tiles:
        counts[NUMBER[kind(tile)]] += 1
    suits = [tuple(counts[0:9]), tuple(counts[9:18]), tuple(counts[18:27]), tuple(counts[27:34])]
    before = shown(melds)
    for parts in product(*(_suit(suit, number < 3) for number, suit in enumerate(suits))):
        pairs = [9 * n + pair for n, (_, pair) in enumerate(parts) if pair is not None]
        if len(pairs) == 1:
            sets = tuple(Group(form, 9 * n + low) for n, (groups, _) in enumerate(parts) for form, low in groups)
            yield Reading((*before, *sets), pairs[0])


_Part = tuple[tuple[tuple[str, int], ...], int | None]


@lru_cache(maxsize=65536)
def _suit(counts: tuple[int, ...], runs: bool) -> tuple[_Part, ...]:
    """The ways to read one suit as sets alone, or as sets and a pair."""
    rest = sum(counts) % 3
    if rest == 1:
        return ()
    if rest == 0:
        return tuple((sets, None) for sets in _sets(counts, runs))
    found: list[_Part] = []
    for rank, count in enumerate(counts):
        if count >= 2:
            left = (*counts[:rank], count - 2, *counts[rank + 1 :])
            found += [(sets, rank) for sets in _sets(left, runs)]
    return tuple(found)


@lru_cache(maxsize=65536)
def _sets(counts: tuple[int, ...], runs: bool) -> tuple[tuple[tuple[str, int], ...], ...]:
    rank = next((n for n, count in enumerate(counts) if count), None)
    if rank is None:
        return ((),)
    found = []
    if counts[rank] >= 3:
        left = (*counts[:rank], counts[rank] - 3, *counts[rank + 1 :])
        found += [((SAME, rank), *rest) for rest in _sets(left, runs)]
    if runs and rank <= 6 and counts[rank + 1] and counts[rank + 2]:
        left = (*counts[:rank], *(count - 1 for count in counts[rank : rank + 3]), *counts[rank + 3 :])
        found += [((RUN, rank), *rest) for rest in _sets(left, runs)]
    return tuple(found)
