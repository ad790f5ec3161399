"""What a hand's camera takes, moment by moment, with what then lies on the table and which of it is at rest.

Pictures are taken four times a second, while an arm is over the table half as often, and none while nothing changes: it is
rendering that costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vision_truth import Contents, Key, contents, essence

from table_engine.wire.layout import Layout
from virtual_table.sensing import zone_at
from virtual_table.simulation import Simulation
from virtual_table.table import Place, TableSnapshot

STEP_MS = 250
STILL = 4
"""So many pictures in a row that show a zone unchanged and uncovered make it settled: three quarters of a second."""
_ENOUGH = 8
_NAMES = ("pond", "meld", "flower", "rack", "wall_seen")


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture to be taken."""

    snapshot: TableSnapshot
    truth: Contents
    still: dict[Key, int]
    """For how many pictures each zone has been unchanged with no arm over it, this one included."""
    settled: bool
    """The whole table has just come to rest: this picture is judged."""


def film(simulation: Simulation, seconds: float) -> Iterator[Moment]:
    """The moments of a hand, of at most so many seconds."""
    still: dict[Key, int] = {}
    before: dict[Key, object] = {}
    last: TableSnapshot | None = None
    places: dict[int, Place] = {}
    reaching = idle = 0
    while not simulation.finished and simulation.at_ms < 1000 * seconds:
        simulation.step(STEP_MS)
        snapshot = simulation.snapshot()
        reaching = reaching + 1 if snapshot.arms else 0
        idle = idle + 1 if last is not None and _same(last, snapshot) else 0
        last = snapshot
        if idle > _ENOUGH or (reaching and not reaching % 2):
            continue
        truth = contents(simulation.layout, snapshot)
        crossed = crossed_by_arms(simulation.layout, snapshot) | stirred(simulation.layout, places, snapshot)
        places = {thing.id: thing.place for thing in snapshot.tiles}
        for key, one in truth.items():
            now = essence(one)
            still[key] = 0 if key in crossed else still.get(key, 0) + 1 if before.get(key) == now else 1
            before[key] = now
        least = min(still.values())
        yield Moment(snapshot, truth, dict(still), least == STILL and not snapshot.bay_open)


def _same(one: TableSnapshot, two: TableSnapshot) -> bool:
    return (one.tiles, one.arms, one.dice, one.sticks) == (two.tiles, two.arms, two.dice, two.sticks)


def stirred(layout: Layout, before: dict[int, Place], snapshot: TableSnapshot) -> set[Key]:
    """Zones in which a tile lies otherwise than in the picture before: walls rise from below the table."""
    out: set[Key] = set()
    for thing in snapshot.tiles:
        if before.get(thing.id, thing.place) != thing.place:
            over = zone_at(layout, thing.place.x, thing.place.y)
            out |= {(over[0], name) for name in _NAMES} if over is not None else set()
    return out


def crossed_by_arms(layout: Layout, snapshot: TableSnapshot) -> set[Key]:
    """Zones that an arm may hide: all of the seat it comes from, and those of the seat its palm is over."""
    out: set[Key] = set()
    for arm in snapshot.arms:
        over = zone_at(layout, arm.palm_x, arm.palm_y)
        seats = {arm.seat} | ({over[0]} if over is not None else set())
        out |= {(seat, name) for seat in seats for name in _NAMES}
    return out
