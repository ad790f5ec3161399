"""Perfect sensors: from the things on the table straight to the observations a faultless camera and table controller
would publish. No pixels, no bytes, no broker; from one change to the next without what lies between.

A zone is reported once it lies still and no arm is in it, with the moment at which that became so. Counters follow the
tiles at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandSeen,
    HandZone,
    Observation,
    ReadyStick,
    SetComplete,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import SEATS, Seat
from virtual_table.motion import (
    Batch,
    BayMoved,
    Built,
    Completed,
    DealerLit,
    Happening,
    Motion,
    Pressed,
    Rolled,
    StickMoved,
    Swallowed,
)
from virtual_table.places import Places
from virtual_table.sensing import Spot, pond_seen, rack_seen, spot_of, stack_of, strip_seen, wall_seen, zone_at
from virtual_table.stage import Agenda, Event, Reach, Stage

Source = Literal["serial", "camera"]
Sighting = tuple[Source, int, Observation]
DWELL_MS = 80
"""How long before and after its stop over a tile a palm is within the tile's zone."""


@dataclass(slots=True)
class PerfectSensors:
    """Watches a stage. Feed it batches in order; it gives sightings in order of time."""

    layout: Layout
    sensors: frozenset[Source] = frozenset({"serial", "camera"})
    watermark_ms: int = 500
    stage: Stage = field(init=False)
    _agenda: Agenda = field(default_factory=Agenda)
    _spots: dict[int, Spot | None] = field(default_factory=dict)
    _content: dict[Spot, dict[int, None]] = field(default_factory=dict)
    _busy: dict[Spot, int] = field(default_factory=dict)
    _dirty: set[Spot] = field(default_factory=set)
    _said: dict[tuple[Spot, str], Observation] = field(default_factory=dict)
    _palm: dict[Seat, Spot | None] = field(default_factory=dict)
    _out: list[Sighting] = field(default_factory=list)
    _mark: int = 0

    def __post_init__(self) -> None:
        self.stage = Stage(Places(self.layout))
        for seat in SEATS:
            for zone in (Zone.RACK, Zone.WALL, Zone.POND, Zone.MELD):
                self._content[seat, zone] = {}
                self._busy[seat, zone] = 0
        self._content[Seat.S0, Zone.CENTRE] = {}
        self._busy[Seat.S0, Zone.CENTRE] = 0

    def first(self, at_ms: int) -> list[Sighting]:
        """The whole picture, as a sensor publishes it when it starts."""
        self._mark = at_ms
        self._dirty.update(self._content)
        self._settle(at_ms)
        for seat in SEATS:
            self._serial(at_ms, WallCount(side=seat, count=0))
            self._serial(at_ms, HandZone(side=seat, present=False))
            self._serial(at_ms, DiscardZone(seat=seat, count=0))
        return self._flush(at_ms)

    def feed(self, batch: Batch) -> list[Sighting]:
        """Everything sensed up to the moment from which the next batch may go on."""
        for happening in batch.happenings:
            self._agenda.add(happening)
        return self.until(batch.until_ms)

    def until(self, end_ms: int) -> list[Sighting]:
        """Everything sensed before `end_ms`."""
        while (next_ms := self._agenda.next_ms()) is not None and next_ms < end_ms:
            while self._agenda.next_ms() == next_ms:
                _, what = self._agenda.pop()
                self._apply(next_ms, what)
            self._settle(next_ms)
        return self._flush(end_ms)

    def _flush(self, at_ms: int) -> list[Sighting]:
        """What was sensed, with a watermark wherever a source was silent for long."""
        out: list[Sighting] = []
        pending, self._out = self._out, []
        for sighting in pending:
            self._watermarks(sighting[1], out)
            out.append(sighting)
        self._watermarks(at_ms, out)
        return out

    def _watermarks(self, at_ms: int, out: list[Sighting]) -> None:
        while self._mark + self.watermark_ms <= at_ms:
            self._mark += self.watermark_ms
            out.extend((source, self._mark, _WATERMARK) for source in sorted(self.sensors))

    def _apply(self, at_ms: int, what: Event) -> None:
        match what:
            case int() as number:
                self._end(at_ms, number)
            case Reach() as reach:
                self._reach(at_ms, reach)
            case Motion() as motion:
                self._begin(at_ms, motion)
            case sudden:
                self.stage.happen(sudden)
                self._sudden(at_ms, sudden)

    def _begin(self, at_ms: int, motion: Motion) -> None:
        number = self.stage.begin(motion)
        self._agenda.add_end(motion.end_ms, number)
        self._arm(motion)
        left: dict[Spot, int] = {}
        for tile, place in motion.tiles:
            spot = self._spots.get(tile)
            if spot is None:
                continue
            if spot_of(self.layout, place) == spot:
                self._busy[spot] += 1
            else:
                self._content[spot].pop(tile, None)
                self._dirty.add(spot)
                left[spot] = stack_of(self.layout, spot[0], self.stage.tiles[tile].place)
        for (seat, zone), stack in left.items():
            self._count(at_ms, (seat, zone), stack)

    def _end(self, at_ms: int, number: int) -> None:
        motion = self.stage.end(number)
        came: dict[Spot, int] = {}
        for tile, place in motion.tiles:
            old, new = self._spots.get(tile), spot_of(self.layout, place)
            self._spots[tile] = new
            if new is None:
                continue
            self._dirty.add(new)
            if new == old:
                self._busy[new] -= 1
            else:
                self._content[new][tile] = None
                came[new] = -1
        for spot, stack in came.items():
            self._count(at_ms, spot, stack)

    def _arm(self, motion: Motion) -> None:
        """A palm sets off: it leaves the zone it was in soon after, and comes into the next shortly before it arrives."""
        arm = motion.arm
        if arm is None:
            return
        old, new = self._palm.get(arm), zone_at(self.layout, *motion.palm) if motion.palm else None
        if old == new:
            return
        self._palm[arm] = new
        half = (motion.end_ms - motion.start_ms) // 2
        if old is not None:
            self._agenda.add_reach(motion.start_ms + min(DWELL_MS, half), Reach(arm, *old, present=False))
        if new is not None:
            self._agenda.add_reach(motion.end_ms - min(DWELL_MS, half), Reach(arm, *new, present=True))

    def _reach(self, at_ms: int, reach: Reach) -> None:
        where = (reach.owner, reach.zone)
        self._busy[where] += 1 if reach.present else -1
        self._camera(at_ms, HandSeen(seat=reach.arm, zone=reach.zone, owner=reach.owner, present=reach.present))
        if reach.zone is Zone.WALL:
            self._serial(at_ms, HandZone(side=reach.owner, present=reach.present))
        if reach.zone is Zone.POND:
            self._touch(at_ms, reach.owner, touched=reach.present)

    def _touch(self, at_ms: int, seat: Seat, *, touched: bool) -> None:
        self._serial(at_ms, DiscardZone(seat=seat, count=len(self._content[seat, Zone.POND]), touched=touched))

    def _count(self, at_ms: int, spot: Spot, stack: int) -> None:
        seat, zone = spot
        if zone is Zone.WALL:
            self._serial(at_ms, WallCount(side=seat, count=len(self._content[spot]), slot=stack))
        elif zone is Zone.POND:
            self._touch(at_ms, seat, touched=True)

    def _sudden(self, at_ms: int, sudden: Happening) -> None:
        match sudden:
            case Built(tiles=tiles):
                for thing in tiles:
                    self._spots[thing.id] = None
            case Completed(tiles=count):
                self._serial(at_ms, SetComplete(tiles=count))
            case Swallowed(tiles=gone):
                for tile in gone:
                    spot = self._spots.pop(tile, None)
                    if spot is not None:
                        self._content[spot].pop(tile, None)
                        self._dirty.add(spot)
            case BayMoved(open=is_open):
                self._serial(at_ms, Bay(open=is_open))
            case DealerLit(seat=seat):
                self._serial(at_ms, Dealer(seat=seat))
            case Rolled(dice=dice):
                self._serial(at_ms, Dice(dice=dice))
            case StickMoved(seat=seat, present=present):
                self._serial(at_ms, ReadyStick(seat=seat, present=present))
            case Pressed(seat=seat, call=call):
                self._serial(at_ms, Button(seat=seat, call=call))
            case Motion():
                pass

    def _settle(self, at_ms: int) -> None:
        """Reports zones that have changed and now lie still and clear."""
        if "camera" not in self.sensors:
            self._dirty.clear()
            return
        for spot in sorted(s for s in self._dirty if self._busy[s] == 0):
            self._dirty.discard(spot)
            seat, zone = spot
            things = [self.stage.tiles[t] for t in self._content[spot]]
            match zone:
                case Zone.POND:
                    self._say(at_ms, spot, pond_seen(self.layout, seat, things))
                case Zone.MELD:
                    melds, flowers = strip_seen(self.layout, seat, things)
                    self._say(at_ms, spot, melds)
                    self._say(at_ms, spot, flowers)
                case Zone.RACK:
                    self._say(at_ms, spot, rack_seen(self.layout, seat, things))
                case Zone.WALL:
                    self._say(at_ms, spot, wall_seen(self.layout, seat, things))
                case _:
                    pass

    def _say(self, at_ms: int, spot: Spot, observation: Observation) -> None:
        """Reports a zone unless the same was reported last."""
        key = (spot, str(getattr(observation, "zone", "")))
        if self._said.get(key) != observation:
            self._said[key] = observation
            self._camera(at_ms, observation)

    def _camera(self, at_ms: int, observation: Observation) -> None:
        if "camera" in self.sensors:
            self._out.append(("camera", at_ms, observation))

    def _serial(self, at_ms: int, observation: Observation) -> None:
        if "serial" in self.sensors:
            self._out.append(("serial", at_ms, observation))


_WATERMARK = Watermark()
