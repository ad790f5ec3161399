"""A table of things to render, laid by the layout."""

from __future__ import annotations

from table_engine.wire.layout import Layout, to_table
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, Tile
from virtual_table.table import ArmThing, Place, TableSnapshot, TileThing

LAYOUT = Layout()


def thing(
    number: int, seat: Seat, u: float, v: float, *, z: float = 0.0, tilt: float = 0.0, face: Tile | None = None
) -> TileThing:
    x, y = to_table(seat, u, v)
    return TileThing(number, face or KINDS[number % 34], 0, Place(x, y, z, 90.0 * seat, tilt))


def full_table() -> list[TileThing]:
    """Three walls, four ponds of twelve, four standing hands, a meld each: 208 tiles."""
    tiles: list[TileThing] = []
    for seat in SEATS:
        if seat != Seat.S1:
            for stack in range(17):
                tiles.append(thing(len(tiles), seat, LAYOUT.wall_u(stack), LAYOUT.wall_v, tilt=180.0))
                tiles.append(thing(len(tiles), seat, LAYOUT.wall_u(stack), LAYOUT.wall_v, z=20.0, tilt=180.0))
        for n in range(12):
            tiles.append(thing(len(tiles), seat, (n % 6 - 2.5) * 26, LAYOUT.pond_top - 17.5 - 35 * (n // 6)))
        for n in range(13):
            tiles.append(thing(len(tiles), seat, (n - 6) * 26, LAYOUT.rack_v, tilt=90.0))
        for n in range(3):
            tiles.append(thing(len(tiles), seat, LAYOUT.meld_right - 13 - 26 * n, LAYOUT.meld_v))
    return tiles


def snapshot(tiles: list[TileThing], at_ms: int = 0, arms: tuple[ArmThing, ...] = ()) -> TableSnapshot:
    return TableSnapshot(at_ms, tuple(tiles), arms)
