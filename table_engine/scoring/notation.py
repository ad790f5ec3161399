"""Hands as people write them: `123m 456p 0s 55z`, honours also as `E S W N P F C`, sets shown in brackets.

Digits stand before their suit: m characters, p dots, s bamboos, z honours (1z-7z east, south, west, north, white, green, red),
f flowers; 0 is a red five. `[777z]` or `(123m)` is a set shown, four alike a kong; `[7777z!]` a concealed kong. In GB notation
a set may say whom it came from (`[EEE,2]`). Blanks, commas, pluses and underscores between tiles mean nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from table_engine.state import Meld
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_flower, is_run, is_same, kind

_LETTERS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "P": "5z", "F": "6z", "C": "7z"}
_SUITS = "mpszf"
_HIGHEST = {"m": 9, "p": 9, "s": 9, "z": 7, "f": 8}
_SET = re.compile(r"[\[(]([^\])]*)[\])]")
_BETWEEN = " ,_+\t"


class NotationError(SettingsError):
    """A text that is no hand, with what is wrong and what to write instead."""


class Written(NamedTuple):
    """What was written: standing tiles in their order, sets shown, flowers."""

    tiles: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    flowers: tuple[Tile, ...]


def written(text: str, owner: Seat = Seat.S0) -> Written:
    """A whole hand. Raises NotationError."""
    melds = tuple(meld(inner, owner) for inner in _SET.findall(text))
    rest = _SET.sub(" ", text)
    for bracket in "[]()":
        if bracket in rest:
            raise NotationError(f"{text}: a bracket {bracket} has no partner; sets shown are written like [777z]")
    every = tiles(rest)
    return Written(
        tuple(tile for tile in every if not is_flower(tile)),
        melds,
        tuple(tile for tile in every if is_flower(tile)),
    )


def tiles(text: str) -> tuple[Tile, ...]:
    """The tiles of a text without sets. Raises NotationError."""
    found: list[Tile] = []
    ranks = ""
    for letter in text:
        if letter.isdigit():
            ranks += letter
        elif letter in _SUITS:
            if not ranks:
                raise NotationError(f"{text}: no digit stands before the {letter}; write for example 123{letter}")
            found += [_tile(rank, letter, text) for rank in ranks]
            ranks = ""
        elif letter in _LETTERS and not ranks:
            found.append(Tile(_LETTERS[letter]))
        elif letter not in _BETWEEN:
            raise NotationError(f"{text}: {_strange(letter, ranks)}")
    if ranks:
        raise NotationError(f"{text}: the {ranks} at the end has no suit; put m, p, s, z or f behind it")
    return tuple(found)


def meld(text: str, owner: Seat = Seat.S0) -> Meld:
    """A set shown; `!` behind it makes a kong concealed. Raises NotationError."""
    body, _, told = text.partition(",")
    concealed = body.endswith("!")
    held = tiles(body.rstrip("!"))
    steps = {"1": 3, "2": 2, "3": 1, "": 3}.get(told.strip())
    if steps is None:
        raise NotationError(f"[{text}]: {told} is none of 1 (upper), 2 (opposite), 3 (next player)")
    source = owner.step(steps)
    alike = is_same(held)
    match len(held):
        case 3 if not concealed and alike:
            return Meld("pung", held, held[0], source)
        case 3 if not concealed and is_run(held):
            return Meld("chow", tuple(sorted(held, key=kind)), held[0], owner.upper)
        case 4 if alike and concealed:
            return Meld("concealed", held)
        case 4 if alike:
            return Meld("kong", held, held[0], source)
        case _:
            raise NotationError(
                f"[{text}]: that is no set; a set is a run like 123m, three alike like 777z, four alike like 7777z "
                "(7777z! when concealed)"
            )


def _tile(rank: str, suit: str, text: str) -> Tile:
    if rank == "0" and suit in "mps":
        return Tile("0" + suit)
    if rank == "0" or int(rank) > _HIGHEST[suit]:
        honours = " (east, south, west, north, white, green, red)" if suit == "z" else ""
        raise NotationError(f"{text}: there is no {rank}{suit}; {suit} goes from 1 to {_HIGHEST[suit]}{honours}")
    return Tile(rank + suit)


def _strange(letter: str, ranks: str) -> str:
    if letter in _LETTERS:
        return f"the digits {ranks} before {letter} have no suit; {letter} alone is {_LETTERS[letter]}"
    if letter.lower() in _SUITS:
        return f"write the suit small: {letter.lower()}"
    return (
        f"{letter!r} is no suit; write m for characters, p for dots, s for bamboos, z for honours (1z-7z or E S W N P F C), "
        "f for flowers"
    )
