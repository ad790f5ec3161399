"""Vectors without points: tenpai distances, waits, win or no win."""

from __future__ import annotations

import re

from table_engine.rules import load_ruleset
from table_engine.scoring import shapes
from table_engine.state import Meld
from table_engine.wire.tiles import Tile
from tests.conformance.vector_tiles import Check, Vector, compare, listed, tiles

_LETTERS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "P": "5z", "F": "6z", "C": "7z"}


def distance(given: object, number: int) -> Check:
    """`[tiles, [regular, thirteen orphans, seven pairs]]`, each form on its own."""
    hand, wanted = given  # type: ignore[misc]
    held = tiles(hand)
    theirs = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    forms: list[tuple[str, ...]] = [(), ("thirteen_orphans",), ("seven_pairs",)]
    ours = [_alone(held, form) for form in forms[: len(theirs)]]
    return Check(f"{number}: {hand}", tuple(compare("distance", ours, theirs)))


def _alone(held: tuple[Tile, ...], form: tuple[str, ...]) -> int:
    from table_engine.scoring.specials import SPECIALS
    from table_engine.scoring.tally import tally

    if not form:
        return shapes.distance(held)
    return SPECIALS[form[0]].need(tally(held), len(held), 0, 99) - 1  # type: ignore[index]


def gb_waits(vector: Vector) -> Check:
    """A hand in GB notation (`[111s,1]2345678999s`, letters for honours) and the kinds it waits for."""
    hand = vector["hand"]
    sets = [Meld("kong" if len(one) == 4 else "chow" if len(set(one)) > 1 else "pung", one) for one in _sets(hand)]
    ours = shapes.waits(_gb(re.sub(r"\[[^\]]*\]", "", hand)), sets, load_ruleset("chinese_official").scoring.shapes)
    return Check(vector.get("id", hand), _waits(ours, vector["waits"]))


def _sets(hand: str) -> list[tuple[Tile, ...]]:
    return [_gb(one.split(",")[0]) for one in re.findall(r"\[([^\]]*)\]", hand)]


def _gb(text: str) -> tuple[Tile, ...]:
    return tiles("".join(_LETTERS.get(letter, letter) for letter in text))


def win(vector: Vector) -> Check:
    """Standing tiles of a Taiwanese hand that are a win or not."""
    held = tiles(vector["tiles"])
    return Check(f"win {''.join(held)}", tuple(compare("win", shapes.complete(held), vector["win"])))


def waits(vector: Vector) -> Check:
    """Standing tiles of a Taiwanese hand and what they wait for."""
    held = tiles(vector["tiles"])
    return Check(f"waits {''.join(held)}", _waits(shapes.waits(held), vector["waits"]))


def _waits(ours: tuple[Tile, ...], theirs: list[str]) -> tuple[str, ...]:
    return () if set(ours) == set(theirs) else (f"waits: {listed(ours)} here, {listed(theirs)} there",)
