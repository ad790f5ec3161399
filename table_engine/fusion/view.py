"""The picture held against the game's state: every difference there is, computed once per step of explaining."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from table_engine.ask import held
from table_engine.fusion.belief import Compared, Fusion, Patience
from table_engine.fusion.compare import PondChange, SetChange, flower_change, pond_change, set_change
from table_engine.fusion.picture import Arm, Face, Picture
from table_engine.fusion.wall import End, Taking, Tally
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.frozen import replace
from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import kind

_NO_POND = PondChange()
_NO_SETS = SetChange()
ARM_NEAR_MS = 150
# A wall is looked at again once no arm is near: so long after the tile was taken.
LATE_MS = 2_500


@dataclass(frozen=True)
class View:
    """What is believed (`fusion`, `state`) and what differs. Two-valued facts are None where no sensor can tell."""

    fusion: Fusion
    state: State
    rules: RuleSet

    @property
    def now_ms(self) -> int:
        return self.fusion.now_ms

    @property
    def picture(self) -> Picture:
        return self.fusion.picture

    @property
    def patience(self) -> Patience:
        return self.fusion.patience

    @cached_property
    def camera(self) -> bool:
        return self.fusion.alive("camera")

    @cached_property
    def bridge(self) -> bool:
        return self.fusion.alive("bridge")

    # ---------------------------------------------------------------- zones

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """Zone by zone; what was compared before is not compared again."""
        return tuple(self._compared(seat) for seat in SEATS)

    def _compared(self, seat: Seat) -> Compared:
        player, picture = self.state.players[seat], self.picture
        zones = picture.ponds[seat], picture.melds[seat], picture.flowers[seat]
        if self.fusion.compared:
            before = self.fusion.compared[seat]
            if before.player is player and all(a is b for a, b in zip(before.zones, zones, strict=True)):
                return before
        pond, melds, flowers = zones
        return Compared(
            player,
            zones,
            pond_change(player, pond.faces) if pond.known else _NO_POND,
            set_change(player, melds.faces) if melds.known else _NO_SETS,
            flower_change(player, flowers.faces) if flowers.known else ((), ()),
        )

    @cached_property
    def sets(self) -> tuple[SetChange, ...]:
        return tuple(c.sets for c in self.compared)

    @cached_property
    def ponds(self) -> tuple[PondChange, ...]:
        return tuple(self._pond(seat) for seat in SEATS)

    def _pond(self, seat: Seat) -> PondChange:
        change, player = self.compared[seat].pond, self.state.players[seat]
        if (change.lost or change.gained) and self.picture.ponds[seat].at_ms < self.fusion.laid_ms[seat]:
            # Nobody has looked since the last change was told.
            change = PondChange(reread=change.reread)
        if not change.reread:
            return change
        last = len(player.pond) - 1
        if len(change.reread) == 1 and change.reread[0].index == last and not change.gained and not change.lost:
            # Another tile where the last discard lay: it was called and the next one laid in its place.
            other = change.reread[0]
            if any(kind(f.code) == kind(other.was) for q in SEATS if q != seat for g in self.sets[q].new for f in g):
                return PondChange((other.face,), (last,))
        return change

    @cached_property
    def flowers(self) -> tuple[tuple[Face, ...], ...]:
        return tuple(c.flowers[0] for c in self.compared)

    @cached_property
    def zone_delta(self) -> tuple[int | None, ...]:
        """Tiles in each discard zone beyond the pond believed to lie there, by the controller."""
        return tuple(self._zone_delta(seat) for seat in SEATS)

    def _zone_delta(self, seat: Seat) -> int | None:
        reading = self.picture.discard_counts[seat]
        if not reading.known or not self.bridge:
            return None
        lie = sum(tile.taken is None for tile in self.state.players[seat].pond)
        return reading.value - self.fusion.zones_off[seat] - lie

    # ---------------------------------------------------------------- hands

    @cached_property
    def rack_delta(self) -> tuple[int | None, ...]:
        """Tiles in each hand beyond what the game adds up to, by the camera."""
        return tuple(self._rack_delta(seat) for seat in SEATS)

    def _rack_delta(self, seat: Seat) -> int | None:
        rack = self.picture.racks[seat]
        if not rack.known or not self.camera:
            return None
        delta = rack.count - held(self.state.players[seat])
        return None if delta and rack.at_ms < self.fusion.handled_ms[seat] else delta

    def settled(self, *came_ms: int) -> int:
        """When what the rules don't provide for may be believed: its signs, and sensors that were away, must have had time
        to be contradicted."""
        return max(*came_ms, self.fusion.back_ms) + self.patience.irregular

    def rack_quiet(self, seat: Seat) -> int:
        """Since when (as learnt) a hand is as it is."""
        return self.picture.racks[seat].came_ms

    # ---------------------------------------------------------------- wall

    @cached_property
    def wall_expected(self) -> int:
        return self.rules.set.tiles - self.state.head - self.state.tail

    @cached_property
    def counted(self) -> tuple[Taking, ...] | None:
        """Tiles the controller saw leave the wall that are not explained yet. None: it cannot tell."""
        return self._pending(self.fusion.counted) if self.bridge else None

    @cached_property
    def seen(self) -> tuple[Taking, ...] | None:
        """The same by the camera."""
        return self._pending(self.fusion.seen) if self.camera else None

    def _pending(self, tally: Tally) -> tuple[Taking, ...] | None:
        """A count that has been odd for long shows tiles as missing that left before the last draw that was told."""
        if tally.left is None:
            return None
        return tuple(t for t in tally.pending(self.wall_expected) if t.at_ms >= self.fusion.drawn_ms)

    @cached_property
    def takings(self) -> tuple[Taking, ...]:
        """Tiles that left the wall and are not explained yet, oldest first; places and times by the better witness."""
        counted, seen = self.counted or (), self.seen or ()
        if not counted:
            return seen
        return tuple(self._better(t, seen[n]) if n < len(seen) else t for n, t in enumerate(counted))

    @staticmethod
    def _better(counted: Taking, seen: Taking) -> Taking:
        """One taking as both tell it. When the counter tells of several at once, the camera knows when each was."""
        if counted.since_ms is not None and counted.since_ms < seen.at_ms < counted.at_ms:
            return seen
        return replace(counted, stack=seen.stack, side=seen.side) if counted.stack < 0 else counted

    def before_replacement(self, at_ms: int) -> int:
        """When what was seen at `at_ms` was laid, if it had to be replaced: before the tile that left the tail of the wall
        shortly before, or while no camera was looking, however late it was seen."""
        first = next((t.at_ms for t in self.takings if self.end_of(t) == "tail"), at_ms)
        near = at_ms - first <= self.patience.unexplained or self.fusion.away("camera").hid(first)
        return min(at_ms, first - 1) if near else at_ms

    def end_of(self, taking: Taking) -> End | None:
        """Which end of the wall a tile left."""
        course = self.fusion.course
        if course is None or taking.stack < 0:
            return None
        return course.end(taking.side, taking.stack, self.state.head, self.state.tail)

    def arm_at_wall(self, taking: Taking) -> Arm | None:
        """The arm that was over the wall when a tile left it."""
        return self.arm(Zone.WALL, taking.side, taking.at_ms, LATE_MS if taking.late else ARM_NEAR_MS)

    def arm(self, zone: Zone, owner: Seat, at_ms: int, within_ms: int) -> Arm | None:
        """The arm that was last over a zone at a moment or shortly before."""
        best: Arm | None = None
        for arm in self.picture.arms:
            if arm.zone != zone or arm.owner != owner:
                continue
            until = arm.until_ms if arm.until_ms is not None else self.now_ms
            if arm.since_ms - ARM_NEAR_MS <= at_ms <= until + within_ms:
                best = arm
        return best
