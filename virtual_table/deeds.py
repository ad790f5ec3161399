"""How a player does one thing with the hands: each deed changes the position and makes the motions that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from table_engine.wire.actions import Called, Discarded, DoraShown, Drew, FlowersShown, Konged, WinShown
from table_engine.wire.layout import Zone
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, order
from virtual_table.deal import WallPlace, indicators
from virtual_table.places import GROUP_MM, Places
from virtual_table.position import Meld, Position
from virtual_table.table import Place
from virtual_table.timeline import Timeline


@dataclass(slots=True)
class Hands:
    """The four players' hands at work on one position."""

    position: Position
    order: tuple[WallPlace, ...]
    """The places of the wall as they are taken; see `deal.wall_order`."""
    places: Places
    timeline: Timeline
    rng: Random
    taken: dict[int, tuple[int, Place]] = field(default_factory=dict)
    """Where tiles drawn last lay in the wall: index and place."""
    _landing: int = 0
    """When the last discard comes to rest."""

    def draw(self, move: Drew, *, hurried: bool = False) -> Drew:
        """Takes a tile from an end of the wall and stands it apart at the right of the hand. `hurried`: without waiting
        for the previous discard to come to rest. → the same with time and face."""
        position, side = self.position, self.position.side(move.seat)
        index = position.head() if move.end == "head" else position.tail()
        if index is None:
            raise LookupError("the wall is empty")
        tile = position.take(index)
        self.taken[tile] = (index, self.timeline.where[tile])
        if not hurried:
            position.discard = None
        side.drawn.append(tile)
        zones = [(self.order[index].side, Zone.WALL), (move.seat, Zone.RACK)]
        lifted, _ = self.timeline.carry(move.seat, [(tile, self._apart(move.seat))], zones, rested=not hurried)
        end = self.timeline.withdraw(move.seat)
        self.timeline.now = max(end, self._landing + self.timeline.pace.pause) if hurried else end
        if position.first and move.end == "tail":
            self.rack(move.seat)
        return Drew(at_ms=lifted, seat=move.seat, end=move.end, tile=position.faces[tile])

    def discard(self, move: Discarded, *, linger: bool = False) -> Discarded:
        """Lays a tile into the own pond, then racks what stood apart. `linger`: the tile hovers, and whoever cannot wait
        may move before it lies."""
        position, seat, timeline = self.position, move.seat, self.timeline
        side = position.side(seat)
        if side.drawn:
            timeline.wait(timeline.pace.think)
        tile = position.find(seat, move.tile)
        position.remove(seat, tile)
        before = tuple(timeline.where[t] for t in side.pond)
        rows = position.customs.habits.rows
        place = self.places.pond(seat, before, rows, move.sideways, self.rng)
        side.pond.append(tile)
        side.ready |= move.sideways
        position.discard, position.first = (seat, tile), False
        zones = [(seat, Zone.RACK), (seat, Zone.POND)]
        lifted, rest = timeline.carry(seat, [(tile, place)], zones, slow=7.0 if linger else 1.0)
        timeline.withdraw(seat)
        self._landing = rest
        timeline.now = lifted if linger else rest + timeline.vary(timeline.pace.pause)
        self.rack(seat)
        return Discarded(at_ms=rest, seat=seat, tile=move.tile, sideways=move.sideways, drawn=move.drawn)

    def rack(self, seat: Seat) -> None:
        """Sorts what stands apart into the hand and closes its gaps."""
        self.position.rack(seat)
        moves = self._shifted(seat)
        if moves:
            self.timeline.carry(seat, moves, [(seat, Zone.RACK)], rise=12.0)
            self.timeline.withdraw(seat)

    def call(self, move: Called) -> Called:
        """Takes the discard out of the pond and lays the set."""
        position, seat, faces = self.position, move.seat, self.position.faces
        side, giver = position.side(seat), position.side(move.source)
        called = next((t for t in reversed(giver.pond) if faces[t] == move.tile), None)
        if called is None:
            raise LookupError(f"no {move.tile} lies in seat {int(move.source)}'s pond")
        giver.pond.remove(called)
        position.discard = None
        own = self._own(seat, move)
        for tile in own:
            position.remove(seat, tile)
        tiles, turned = self._order(move, called, own)
        laid = self.places.meld(seat, self._meld_right(seat), turned, frozenset(), len(tiles), self.rng)
        side.melds.append(Meld(move.call, tiles, called, move.source))
        where = dict(zip(tiles, laid, strict=True))
        lifted, _ = self.timeline.carry(
            seat, [(called, where[called])], [(move.source, Zone.POND), (seat, Zone.MELD), (seat, Zone.RACK)]
        )
        self.timeline.carry(seat, [(t, where[t]) for t in own], [], rise=40.0)
        self._close(seat)
        return Called(at_ms=lifted, seat=seat, call=move.call, tile=move.tile, source=move.source, tiles=move.tiles)

    def kong(self, move: Konged, four: Sequence[Tile] = ()) -> Konged:
        """Lays a concealed kong, or a fourth tile on an open pung. `four`: a kong that is none."""
        position, seat = self.position, move.seat
        side, faces = position.side(seat), position.faces
        self.timeline.wait(self.timeline.pace.think)
        zones = [(seat, Zone.RACK), (seat, Zone.MELD)]
        if move.kong == "concealed":
            tiles = [t for t in side.concealed if _kind(faces[t]) == _kind(move.tile)][:4]
            if four:
                tiles = []
                for face in four:
                    tiles.append(next(t for t in side.concealed if faces[t] == face and t not in tiles))
            backs = frozenset({0, 3} if position.customs.habits.concealed_kong == "outer backs" else range(4))
            laid = self.places.meld(seat, self._meld_right(seat), None, backs, len(tiles), self.rng)
            side.melds.append(Meld("concealed", tiles))
            moves = list(zip(tiles, laid, strict=True))
        else:
            pungs = [m for m in side.melds if m.kind == "pung"]
            meld = next((m for m in pungs if _kind(faces[m.tiles[0]]) == _kind(move.tile)), pungs[-1])
            tile = next(t for t in (*side.drawn, *side.hand) if _kind(faces[t]) == _kind(move.tile))
            meld.kind = "added"
            meld.tiles.append(tile)
            moves = self._fourth(seat, meld, tile)
            tiles = [tile]
        for tile in tiles:
            position.remove(seat, tile)
        lifted, _ = self.timeline.carry(seat, moves, zones, rise=40.0)
        self._close(seat)
        return Konged(at_ms=lifted, seat=seat, kong=move.kong, tile=move.tile)

    def flowers(self, move: FlowersShown) -> FlowersShown:
        """Lays flowers into the front strip."""
        position, seat = self.position, move.seat
        side = position.side(seat)
        tiles = [position.find(seat, face) for face in move.tiles]
        places = [self.places.flower(seat, len(side.flowers) + n, self.rng) for n in range(len(tiles))]
        for tile in tiles:
            position.remove(seat, tile)
        side.flowers += tiles
        zones = [(seat, Zone.RACK), (seat, Zone.FLOWER)]
        lifted, _ = self.timeline.carry(seat, list(zip(tiles, places, strict=True)), zones, rise=40.0)
        self._close(seat)
        return FlowersShown(at_ms=lifted, seat=seat, tiles=move.tiles)

    def dora(self) -> DoraShown:
        """The player in front of the dead wall turns the next indicator up, where it lies."""
        position = self.position
        index = indicators(len(position.wall))[position.turned]
        tile = position.wall[index]
        if tile is None:
            raise LookupError("the indicator's place in the dead wall is empty")
        position.turned += 1
        side, was = self.order[index].side, self.timeline.where[tile]
        place = Place(was.x, was.y, was.z, was.angle_deg, 0.0)
        _, rest = self.timeline.carry(side, [(tile, place)], [(side, Zone.WALL)], rise=6.0)
        self.timeline.now = self.timeline.withdraw(side)
        return DoraShown(at_ms=rest, tile=position.faces[tile])

    def win(self, move: WinShown) -> WinShown:
        """Lays the hand open; a self-drawn winning tile apart at its right."""
        position, seat = self.position, move.seat
        side = position.side(seat)
        own = None
        if move.source is None:
            own = next((t for t in side.drawn if position.faces[t] == move.tile), None)
            own = position.find(seat, move.tile) if own is None else own
        hand = sorted((t for t in side.concealed if t != own), key=lambda t: order(position.faces[t]))
        size = position.customs.hand
        moves = [(t, self.places.laid_open(seat, n, size, self.rng)) for n, t in enumerate(hand)]
        if own is not None:
            moves.append((own, self.places.laid_open(seat, len(hand), size, self.rng, apart=True)))
        side.hand, side.drawn = hand, [] if own is None else [own]
        lifted, _ = self.timeline.carry(seat, moves, [(seat, Zone.RACK)], rise=0.0)
        self.timeline.now = self.timeline.withdraw(seat)
        return WinShown(
            at_ms=lifted,
            seat=seat,
            source=move.source,
            tile=move.tile,
            hand=tuple(position.faces[t] for t in hand),
        )

    def show_kongs(self, covered: frozenset[Seat] = frozenset()) -> None:
        """Concealed kongs are turned up at the end of the hand, but for those of `covered` seats."""
        for seat, side in zip(Seat, self.position.sides, strict=True):
            if seat in covered:
                continue
            hidden = [t for m in side.melds for t in m.tiles if self.timeline.where[t].tilt_deg > 90]
            if not hidden:
                continue
            moves = []
            for tile in hidden:
                was = self.timeline.where[tile]
                moves.append((tile, Place(was.x, was.y, was.z, was.angle_deg, 0.0)))
            self.timeline.carry(seat, moves, [(seat, Zone.MELD)], rise=30.0)
            self.timeline.now = max(self.timeline.now, self.timeline.withdraw(seat))

    def _apart(self, seat: Seat) -> Place:
        side = self.position.side(seat)
        index = len(side.hand) + len(side.drawn) - 1
        return self.places.rack(seat, index, self.position.customs.hand, self.rng, apart=True)

    def _close(self, seat: Seat) -> None:
        """After tiles left a hand for the strip: the same arm closes the gap, then withdraws."""
        self.position.rack(seat)
        moves = self._shifted(seat)
        if moves:
            self.timeline.carry(seat, moves, [(seat, Zone.RACK)], rise=12.0)
        self.timeline.now = self.timeline.withdraw(seat)

    def _shifted(self, seat: Seat) -> list[tuple[int, Place]]:
        """Places of the racked tiles that stand somewhere else than they should."""
        moves = []
        for index, tile in enumerate(self.position.side(seat).hand):
            place = self.places.rack(seat, index, self.position.customs.hand, self.rng)
            was = self.timeline.where[tile]
            if abs(was.x - place.x) > 0.5 or abs(was.y - place.y) > 0.5 or was.tilt_deg != place.tilt_deg:
                moves.append((tile, place))
        return moves

    def _meld_right(self, seat: Seat) -> float:
        """u of the right edge of the next set."""
        melds = self.position.side(seat).melds
        if not melds:
            return self.places.layout.meld_right
        laid = tuple(self.timeline.where[t] for t in melds[-1].tiles)
        return self.places.left_edge(seat, laid) - GROUP_MM * self.places.layout.scale

    def _own(self, seat: Seat, move: Called) -> list[int]:
        """The things a caller lays down beside the called one."""
        wanted: list[Tile] = list(move.tiles)
        wanted.remove(move.tile)
        own: list[int] = []
        for face in wanted:
            own.append(
                next(
                    t
                    for t in (*self.position.side(seat).hand, *self.position.side(seat).drawn)
                    if self.position.faces[t] == face and t not in own
                )
            )
        return sorted(own, key=lambda t: order(self.position.faces[t]))

    def _order(self, move: Called, called: int, own: Sequence[int]) -> tuple[list[int], int | None]:
        """Left to right order of a set and the index of the tile that lies sideways."""
        if not self.position.customs.chow_turned:
            tiles = list(own)
            tiles.insert(1 if move.place is None else move.place, called)
            return tiles, None
        index = {move.seat.upper: 0, move.seat.opposite: 1}.get(move.source, len(own))
        index = index if move.place is None else move.place
        tiles = list(own)
        tiles.insert(index, called)
        return tiles, index

    def _fourth(self, seat: Seat, meld: Meld, tile: int) -> list[tuple[int, Place]]:
        """Where the tile of an added kong goes; where it lies beside the set, later sets are pushed along."""
        where, melds = self.timeline.where, self.position.side(seat).melds
        if self.position.customs.habits.kong_on_top and meld.called is not None:
            return [(tile, self.places.on_top(seat, where[meld.called]))]
        later = [t for m in melds[melds.index(meld) + 1 :] for t in m.tiles]
        place = self.places.beside(seat, where[meld.tiles[0]])
        return [(tile, place), *((t, self.places.pushed(seat, where[t])) for t in later)]


def _kind(tile: Tile) -> Tile:
    return Tile("5" + tile[1]) if tile[0] == "0" else tile
