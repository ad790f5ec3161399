"""Readers under the racks of the virtual table: what they tell is what stands there."""

from __future__ import annotations

import pytest
from virtual_hands import RULES

from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import FACES, Tile
from virtual_table.customs import customs_of
from virtual_table.sensing import spot_of
from virtual_table.simulation import Simulation
from virtual_table.table import Pose
from virtual_table.tags import COPIES, number

FACE = {number(face, copy): face for face in FACES for copy in range(COPIES)}


class Racks:
    """A controller that keeps what the readers told last."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, int], int] = {}
        self.told = 0

    def tag(self, reader: int, slot: int, tag: int) -> None:
        self.told += 1
        self.places[reader, slot] = tag

    def hand(self, seat: Seat) -> list[Tile]:
        return sorted(FACE[tag] for (reader, _), tag in self.places.items() if reader == seat and tag)

    def __getattr__(self, name: str):
        return lambda *_, **__: None


@pytest.mark.parametrize("ruleset", RULES)
def test_readers_tell_what_stands_in_the_racks(ruleset: str) -> None:
    racks = Racks()
    table = Simulation.of_players(customs_of(ruleset), hands=1, seed=3, controller=racks, tags=True)
    held = 0
    for _ in range(600):
        table.step(200)
        still = table.snapshot()
        if still.arms or not still.tiles:
            continue
        table.step(200)  # the readers go round once more
        now = table.snapshot()
        if now.tiles != still.tiles:
            continue
        for seat in SEATS:
            stands = [
                t.face
                for t in now.tiles
                if t.pose is Pose.STANDING and spot_of(table.layout, t.place) == (seat, Zone.RACK)
            ]
            assert racks.hand(seat) == sorted(stands)
            held += len(stands) >= 13
    assert held > 20
    assert racks.told < 5_000


def test_without_tags_nothing_is_told() -> None:
    racks = Racks()
    table = Simulation.of_players(customs_of("riichi"), hands=1, seed=3, controller=racks)
    table.step(60_000)
    assert racks.told == 0
