"""Tiles as short codes: `1m…9m 1p…9p 1s…9s 1z…7z`, red fives `0m 0p 0s`, flowers `1f…8f`, back `b`, unknown `?`.

Honours run east, south, west, north, white, green, red. Flowers run plum, orchid, chrysanthemum, bamboo, spring,
summer, autumn, winter, so that flower n and n+4 belong to the seat of wind n.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NewType

Tile = NewType("Tile", str)

BACK = Tile("b")
UNKNOWN = Tile("?")
SUITED = tuple(Tile(f"{rank}{suit}") for suit in "mps" for rank in range(1, 10))
HONOURS = tuple(Tile(f"{rank}z") for rank in range(1, 8))
KINDS = SUITED + HONOURS
REDS = (Tile("0m"), Tile("0p"), Tile("0s"))
FLOWERS = tuple(Tile(f"{n}f") for n in range(1, 9))
FACES = KINDS + REDS + FLOWERS
CODES = frozenset((*FACES, BACK, UNKNOWN))

_ORDER = {code: n for n, code in enumerate((*SUITED, *HONOURS, *FLOWERS, BACK, UNKNOWN))}


def parse(text: str) -> Tile:
    """Checks one tile code. Raises ValueError naming the text when it is none."""
    if text not in CODES:
        raise ValueError(f"{text!r} is not a tile: expected 1m-9m, 1p-9p, 1s-9s, 1z-7z, 0m/0p/0s, 1f-8f, b or ?")
    return Tile(text)


def kind(tile: Tile) -> Tile:
    """The tile with the red of a red five taken off: what calls and waits compare."""
    return Tile("5" + tile[1]) if tile[0] == "0" else tile


def is_flower(tile: Tile) -> bool:
    return tile[-1] == "f"


def is_face(tile: Tile) -> bool:
    """True for a tile whose face is known."""
    return tile not in (BACK, UNKNOWN)


def order(tile: Tile) -> tuple[int, bool]:
    """Sort key: suits, honours, flowers; a red five stands before the plain ones."""
    return _ORDER[kind(tile)], tile[0] != "0"


def copies(tile: Tile) -> int:
    """How many of this kind a full set holds (a red five counts as its kind)."""
    return 1 if is_flower(tile) else 4


def is_run(tiles: Iterable[Tile]) -> bool:
    """Three consecutive tiles of one suit, in any order."""
    faces = sorted((kind(t) for t in tiles), key=lambda t: t[0])
    if len(faces) != 3 or any(t[-1] not in "mps" for t in faces):
        return False
    return len({t[1] for t in faces}) == 1 and int(faces[0][0]) + 2 == int(faces[1][0]) + 1 == int(faces[2][0])


def is_outer(tile: Tile) -> bool:
    """A terminal or an honour."""
    return tile[1:] == "z" or (tile[0] in "19" and tile[1:] in ("m", "p", "s"))


def is_same(tiles: Iterable[Tile]) -> bool:
    """All of one kind."""
    return len({kind(t) for t in tiles}) == 1


@lru_cache(maxsize=4096)
def is_sound(call: str, tiles: tuple[Tile, ...]) -> bool:
    """Whether tiles are what was called. Tiles that cannot be read are given credit."""
    faces = [tile for tile in tiles if is_face(tile)]
    if len(tiles) != (4 if call in ("kong", "concealed") else 3):
        return False
    if len(faces) < len(tiles) == 3:
        return not faces or is_same(faces) or _could_run(faces)  # what was called is itself a guess then
    if call == "chow":
        return is_run(faces)
    return is_same(faces) or not faces


def _could_run(faces: list[Tile]) -> bool:
    """Whether one or two tiles may belong to one run."""
    if any(tile[-1] not in "mps" for tile in faces) or len({tile[-1] for tile in faces}) > 1:
        return False
    ranks = [int(kind(tile)[0]) for tile in faces]
    return len(set(ranks)) == len(ranks) and (not ranks or max(ranks) - min(ranks) <= 2)
