"""The words score vectors share: tiles, sets and seats of one vector, with what it does not tell left at its default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from table_engine.state import Meld
from table_engine.wire.seats import SEATS, WINDS, Seat, Wind
from table_engine.wire.tiles import Tile, parse

STEPS = {"right": 1, "across": 2, "left": 3}
Vector = dict[str, Any]


class Check(NamedTuple):
    """`differences` are empty where a vector agrees. `note` says what is worth telling of one that agrees."""

    name: str
    differences: tuple[str, ...] = ()
    note: str = ""


def tiles(given: str | Iterable[str]) -> tuple[Tile, ...]:
    """`["1m", "2m"]`, `"1m2m"` or `"12m"`."""
    if isinstance(given, str):
        return tuple(parse(rank + suit) for ranks, suit in re.findall(r"([0-9]+)([mpszf])", given) for rank in ranks)
    return tuple(parse(tile) for tile in given)


def meld(given: dict[str, Any], winner: Seat) -> Meld:
    """A set; whom it came from is told relative to the winner (`left`, `across`, `right`) or not at all."""
    held = tiles(given["tiles"])
    called = parse(given["claimed"]) if given.get("claimed") else held[0]
    source = winner.step(STEPS[given["from"]]) if given.get("from") in STEPS else None
    match given["type"].lower():
        case "chi" | "chow":
            return Meld("chow", held, called, source if source is not None else winner.upper)
        case "pon" | "pung" | "peng":
            return Meld("pung", held, called, source if source is not None else winner.upper)
        case "minkan" | "daiminkan" | "kong" | "gang":
            return Meld("kong", held, called, source if source is not None else winner.upper)
        case "kakan" | "added" | "bugang":
            return Meld("pung", held, called, source if source is not None else winner.upper, held[-1])
        case "ankan" | "concealed" | "angang":
            return Meld("concealed", held)
        case other:
            raise ValueError(f"unknown set {other!r}")


def melds(vector: Vector, winner: Seat) -> tuple[Meld, ...]:
    return tuple(meld(one, winner) for one in vector.get("melds") or ())


def wind(number: int | None) -> Wind:
    return WINDS[(number or 0) % 4]


def seat(number: int | None) -> Seat:
    return SEATS[(number or 0) % 4]


def drawn(vector: Vector) -> bool:
    """A self-draw, by `win_by` or by the context."""
    if "win_by" in vector:
        return vector["win_by"] in ("tsumo", "self_draw", "zimo")
    return bool(vector.get("context", {}).get("self_draw"))


def listed(names: Iterable[object]) -> str:
    return ", ".join(str(name) for name in names) or "nothing"


def compare(what: str, ours: object, theirs: object) -> Sequence[str]:
    """One difference in words, or none."""
    return () if ours == theirs else (f"{what}: {ours} here, {theirs} there",)
