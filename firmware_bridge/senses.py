"""Which capability a device names for what it senses."""

from __future__ import annotations

from firmware_bridge.messages import (
    BayMoved,
    ButtonPressed,
    DealerSet,
    DiceRolled,
    DiscardsLie,
    HandInZone,
    HonbaSet,
    Jammed,
    Reading,
    ReadySlot,
    ScoreTray,
    SetBuilt,
    TagRead,
    TilesMissing,
    WallLeft,
)

SENSES: dict[type[Reading], tuple[str, ...]] = {
    DiceRolled: ("dice",),
    DealerSet: ("dealer",),
    HonbaSet: ("honba",),
    WallLeft: ("wall",),
    HandInZone: ("hand_zone",),
    DiscardsLie: ("discard_count", "discard_touch"),
    SetBuilt: ("set_complete",),
    BayMoved: ("bay",),
    Jammed: ("jam",),
    TilesMissing: ("tile_missing",),
    ReadySlot: ("ready_stick",),
    ScoreTray: ("score_tray",),
    ButtonPressed: ("buttons",),
    TagRead: ("tags",),
}
"""By reading: one of these must be named by a device that tells it."""


def claims(reading: Reading) -> tuple[str, ...]:
    """Capabilities that must be named, each of them, for what the fields of a reading tell beside the reading itself."""
    match reading:
        case WallLeft(slot=slot) if slot >= 0:
            return ("wall_slot",)
        case DiscardsLie(count=count, touched=touched):
            return (*(("discard_count",) if count else ()), *(("discard_touch",) if touched else ()))
        case _:
            return ()
