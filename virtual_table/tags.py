"""The tags in the virtual table's tiles: every kind has its own numbers, every copy one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from table_engine.wire.tiles import FACES, Tile
from virtual_table.table import TileThing

COPIES = 4


def number(face: Tile, copy: int) -> int:
    """The tag of a copy (0 to 3) of a face."""
    return FACES.index(face) * COPIES + copy + 1


def numbers(things: Iterable[TileThing]) -> Mapping[int, int]:
    """The tag of every tile of a set, by the tile's id."""
    copies: dict[Tile, int] = {}
    tags: dict[int, int] = {}
    for thing in sorted(things, key=lambda one: one.id):
        copy = copies.get(thing.face, 0)
        copies[thing.face] = copy + 1
        tags[thing.id] = number(thing.face, copy % COPIES)
    return tags


def book() -> str:
    """The tag book of a set, as a site's table names it in `tags`."""
    lines = [f"{face} = {[f'{number(face, n):016x}' for n in range(COPIES)]}" for face in FACES]
    return "\n".join(["# The tags of the virtual table's tiles.", *lines, ""])
