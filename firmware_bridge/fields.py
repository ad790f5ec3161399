"""How the fields of messages lie on the line, and the lists their numbers count through."""

from __future__ import annotations

from typing import Literal, NamedTuple

CALLS: tuple[Literal["chow", "pung", "kong", "win", "ready", "referee"], ...] = (
    "chow",
    "pung",
    "kong",
    "win",
    "ready",
    "referee",
)
"""Call buttons in the order of their number on the line."""
PLACES: tuple[Literal["table", "washer", "conveyor", "lift", "bay", "shuffler"], ...] = (
    "table",
    "washer",
    "conveyor",
    "lift",
    "bay",
    "shuffler",
)
"""Where tiles may jam, in the order of their number on the line."""
RESULTS = ("done", "unknown", "refused")
"""What a device says to a command."""
CAPABILITIES = (
    "dice",
    "dealer",
    "honba",
    "wall",
    "wall_slot",
    "hand_zone",
    "discard_touch",
    "discard_count",
    "set_complete",
    "bay",
    "jam",
    "tile_missing",
    "ready_stick",
    "score_tray",
    "buttons",
    "tags",
    "lamp",
    "display",
    "beep",
    "lift",
    "lock",
    "identify",
)
"""What a device may be able to do; bit n of the birth's `capabilities` is entry n."""


class Field(NamedTuple):
    """How a field lies in the frame: a `struct` code, the values it may have, and what it means."""

    code: str
    meaning: str
    low: int = 0
    high: int = 0


def u8(meaning: str, low: int = 0, high: int = 0xFF) -> Field:
    return Field("B", meaning, low, high)


def u16(meaning: str, low: int = 0) -> Field:
    return Field("H", meaning, low, 0xFFFF)


SIDE = u8("wall side: the seat it stands in front of, 0 to 3", 0, 3)
SEAT = u8("seat, 0 to 3, counter-clockwise seen from above", 0, 3)
FLAG = Field("?", "0 no, 1 yes", 0, 1)
PLACE = u8("place: " + ", ".join(f"{n} {name}" for n, name in enumerate(PLACES)), 0, len(PLACES) - 1)
LAMP = u8("seat 0 to 3, 4 the middle", 0, 4)
TICKS = Field("I", "device time, ms", 0, 0xFFFFFFFF)
