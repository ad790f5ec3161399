"""How the tiles of a zone are grouped when they are told: sets parted by gaps, and tiles that stand apart from a hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_engine.wire.layout import TileSize
from table_engine.wire.observations import TileSeen

_APART = 0.3
"""A gap in the rack of this share of a tile's width says that what follows stands apart."""
_GAP = 4.0 / 26.0
"""A gap wider than this share of a tile's width parts two sets."""
_STACKED_MM = 6.0
"""Tiles whose middles are closer than this along the strip lie over one another."""


def in_sets(size: TileSize, tiles: Iterable[TileSeen]) -> tuple[TileSeen, ...]:
    """The tiles of a front strip in sets, `group` counted from the player's right; each from left to right, of two that lie
    over one another the lower one first."""
    placed = []
    for tile in tiles:
        half = (size.length if tile.sideways else size.width) / 2
        placed.append((tile.u_mm - half, tile.u_mm + half, tile))
    placed.sort(key=lambda p: -p[1])
    groups: list[list[TileSeen]] = []
    edge = 0.0
    for left, right, tile in placed:
        if groups and edge - right < _GAP * size.width:
            groups[-1].append(tile)
            edge = min(edge, left)
        else:
            groups.append([tile])
            edge = left
    return tuple(tile for number, group in enumerate(groups) for tile in _in_order(group, number))


def _in_order(group: Iterable[TileSeen], number: int) -> list[TileSeen]:
    tiles = sorted((tile.model_copy(update={"group": number}) for tile in group), key=lambda t: t.u_mm)
    for n in range(len(tiles) - 1):
        one, two = tiles[n], tiles[n + 1]
        if abs(one.u_mm - two.u_mm) < _STACKED_MM and two.v_mm < one.v_mm:
            tiles[n], tiles[n + 1] = two, one
    return tiles


def apart(size: TileSize, us: Sequence[float]) -> int:
    """How many of the standing tiles at these places (from left to right, mm) stand apart at the player's right."""
    for n in range(len(us) - 1, 0, -1):
        if us[n] - us[n - 1] > size.width * (1 + _APART):
            return len(us) - n
    return 0
