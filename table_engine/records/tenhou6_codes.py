"""The tile numbers of tenhou.net/6: 11-19 characters, 21-29 dots, 31-39 bamboo, 41-47 honours, 51 52 53 red fives, 0 unknown."""

from __future__ import annotations

from table_engine.wire.tiles import UNKNOWN, Tile

DRAWN = 60
_SUITS = {"m": 10, "p": 20, "s": 30, "z": 40}
_REDS = {Tile("0m"): 51, Tile("0p"): 52, Tile("0s"): 53}
_TILES = {
    **{base + n: Tile(f"{n}{suit}") for suit, base in _SUITS.items() for n in range(1, 8 if suit == "z" else 10)},
    **{number: tile for tile, number in _REDS.items()},
    0: UNKNOWN,
}


def code(tile: Tile) -> int:
    """A tile's number; 0 for one nobody saw."""
    if tile in _REDS:
        return _REDS[tile]
    return 0 if tile == UNKNOWN else _SUITS[tile[1]] + int(tile[0])


def tile_of(number: int) -> Tile:
    """Raises ValueError for a number that is no tile."""
    if number not in _TILES:
        raise ValueError(f"{number} is not a tile number of tenhou.net/6")
    return _TILES[number]
