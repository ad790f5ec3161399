"""Plays hands at a table: the machine's part, the deal, then every move of a game, as motions with times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileReturned,
    TilesExposed,
    WinShown,
)
from table_engine.wire.errors import RecordError
from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import SEATS, Seat
from virtual_table import slips
from virtual_table.customs import Customs
from virtual_table.deal import takes, wall_order
from virtual_table.deed import Deed, Manner, Mover, Setting
from virtual_table.deeds import Hands
from virtual_table.motion import (
    Batch,
    BayMoved,
    Built,
    Completed,
    DealerLit,
    Pace,
    Pressed,
    Rolled,
    StickMoved,
    Swallowed,
)
from virtual_table.places import Places
from virtual_table.position import Position
from virtual_table.table import Place, TileThing
from virtual_table.timeline import Timeline


@dataclass(slots=True)
class Performed:
    """What was really played in one hand, by time: the truth sensors are measured by."""

    title: str
    start: HandStarted
    moves: list[Action] = field(default_factory=list)


class Director:
    """Turns settings into batches of motions, one deed after the other. Same settings, layout, pace and seed: the same."""

    def __init__(
        self, customs: Customs, layout: Layout, pace: Pace, seed: int, *, jitter: float = 1.0, start_ms: int = 1000
    ) -> None:
        self.customs = customs
        self.places = Places(layout, jitter)
        self.timeline = Timeline(pace, self.places, Random(f"{seed}:pace"), start_ms)
        self.rng = Random(f"{seed}:jitter")
        self.performed: list[Performed] = []
        self.position: Position | None = None
        self.mover: Mover | None = None
        self._hands = 0

    def play(self, settings: Iterator[Setting]) -> Iterator[Batch]:
        """Hands one after the other. Raises RecordError when a record makes a move that no hand can make."""
        for setting in settings:
            yield from self._hand(setting)
            self._hands += 1

    def _batch(self) -> Batch:
        return Batch(self.timeline.now, self.timeline.taken())

    def _hand(self, setting: Setting) -> Iterator[Batch]:
        side, stack = setting.broken or self.customs.break_at(setting.dealer, setting.dice)
        order = wall_order(self.customs, side, stack)
        back = self._hands % 2
        ids = [index + 1 + 200 * back for index in range(len(order))]
        faces = dict(zip(ids, setting.wall, strict=True))
        position = Position(self.customs, setting.dealer, faces, list[int | None](ids))
        self.position, self.mover = position, setting.mover
        hands = Hands(position, order, self.places, self.timeline, self.rng)
        start = HandStarted(
            at_ms=self.timeline.now, dealer=setting.dealer, dice=setting.dice, break_side=side, break_stack=stack
        )
        performed = Performed(setting.title, start)
        self.performed.append(performed)
        self._set_up(hands, setting, back)
        yield self._batch()
        yield from self._deal(hands, setting.dealer)
        while deed := setting.mover.next(position):
            if isinstance(deed.move, HandEnded):
                performed.moves.append(HandEnded(at_ms=self.timeline.now, won=deed.move.won))
                break
            try:
                done = self._perform(hands, deed)
                # A hurried draw was over before the discard that it did not wait for.
                performed.moves.insert(len(performed.moves) - (deed.manner is Manner.HURRIED), done)
            except (LookupError, StopIteration, ValueError) as error:
                raise RecordError(f"{setting.title or 'hand'}: cannot play {deed.move}: {error}") from error
            yield self._batch()
        hands.show_kongs(setting.covered)
        self._clear(position)
        yield self._batch()

    def _set_up(self, hands: Hands, setting: Setting, back: int) -> None:
        """Walls rise, the dealer's lamp is lit, dice are thrown."""
        t, position = self.timeline, hands.position
        step = t.pace.machine
        things, up = [], []
        for tile, spot in zip(position.wall, hands.order, strict=True):
            place = self.places.wall(spot.side, spot.stack, spot.level)
            if tile is not None:
                below = Place(place.x, place.y, place.z - 60.0, place.angle_deg, place.tilt_deg)
                things.append(TileThing(tile, position.faces[tile], back, below))
                up.append((tile, place))
        things.sort(key=lambda thing: thing.id)
        t.made.append(Built(t.now, tuple(things)))
        t.machine(t.now, t.now + step, up)
        t.made.append(Completed(t.now + step, len(things)))
        t.made.append(DealerLit(t.now + step + step // 2, setting.dealer))
        t.now += 2 * step
        thrown = 0
        for count in self.customs.rules.deal.rolls:
            t.made.append(Rolled(t.now, setting.dice[thrown : thrown + count]))
            thrown += count
            t.now += step

    def _deal(self, hands: Hands, dealer: Seat) -> Iterator[Batch]:
        t, position = self.timeline, hands.position
        for seat, indices in takes(self.customs, dealer):
            side = position.side(seat)
            moves, zones = [], [(seat, Zone.RACK)]
            for index in indices:
                tile = position.take(index)
                place = self.places.rack(seat, len(side.hand), self.customs.hand, self.rng)
                side.hand.append(tile)
                moves.append((tile, place))
                zones.append((hands.order[index].side, Zone.WALL))
            start = t.now
            t.carry(seat, moves, zones, rested=False)
            t.withdraw(seat)
            t.now = start + t.vary(t.pace.take)
            yield self._batch()
        for n in range(4):
            hands.rack(dealer.step(n))
        t.now += t.vary(t.pace.rest + t.pace.carry + t.pace.reach)
        yield self._batch()

    def _perform(self, hands: Hands, deed: Deed) -> Action:
        self.timeline.now += deed.wait_ms
        match deed.move:
            case CallAnnounced() as move:
                pressed = Pressed(self.timeline.now, move.seat, move.call)
                self.timeline.made.append(pressed)
                self.timeline.now += self.timeline.pace.pause
                return replace(move, at_ms=pressed.at_ms)
            case TileReturned() as move:
                return slips.take_back(hands, move)
            case TilesExposed() as move:
                return slips.expose(hands, move)
            case HandShown() as move:
                return slips.lay_open(hands, move)
            case Drew() as move:
                return hands.draw(move, hurried=deed.manner is Manner.HURRIED)
            case Discarded() as move:
                done = hands.discard(move, linger=deed.manner is Manner.LINGER)
                if move.sideways and self.customs.habits.ready_stick:
                    self.timeline.made.append(StickMoved(done.at_ms + 200, move.seat, present=True))
                return done
            case Called() as move:
                return hands.call(move)
            case Konged() as move:
                return hands.kong(move, deed.tiles)
            case FlowersShown() as move:
                return hands.flowers(move)
            case DoraShown():
                return hands.dora()
            case WinShown() as move:
                return hands.win(move)
            case other:
                raise ValueError(f"a virtual player does not know how to do {type(other).__name__}")

    def _clear(self, position: Position) -> None:
        """Everything is pushed into the bay."""
        t = self.timeline
        t.wait(t.pace.rest + t.pace.machine)
        t.made.append(BayMoved(t.now, open=True))
        t.now += t.pace.machine
        last = t.now
        for seat in SEATS:
            mine = [tile for tile, place in t.where.items() if _nearest(place) == seat]
            if mine:
                moves = [(tile, Place(0.0, 0.0, 0.0, t.where[tile].angle_deg, 180.0)) for tile in mine]
                _, end = t.carry(seat, moves, [], rise=0.0, slow=3.0, rested=False)
                t.made.append(Swallowed(end, tuple(mine)))
                last = max(last, t.withdraw(seat))
        for seat, side in zip(SEATS, position.sides, strict=True):
            if side.ready and self.customs.habits.ready_stick:
                t.made.append(StickMoved(t.now, seat, present=False))
        t.where.clear()
        t.made.append(BayMoved(last, open=False))
        t.now = last + t.pace.machine


def _nearest(place: Place) -> Seat:
    """The side of the table a place belongs to."""
    if abs(place.x) > abs(place.y):
        return Seat.S1 if place.x > 0 else Seat.S3
    return Seat.S2 if place.y > 0 else Seat.S0
