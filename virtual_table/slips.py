"""What hands do that no rule provides for: taking back, letting tiles be seen, laying a hand open that is no win."""

from __future__ import annotations

from dataclasses import replace

from table_engine.wire.actions import HandShown, TileReturned, TilesExposed
from table_engine.wire.layout import Zone
from table_engine.wire.tiles import order
from virtual_table.deeds import Hands
from virtual_table.table import Place


def take_back(hands: Hands, move: TileReturned) -> TileReturned:
    """Puts a drawn tile back on the wall, a discard back into the hand, or a set apart again."""
    match move.what:
        case "draw":
            return _undraw(hands, move)
        case "discard":
            return _undiscard(hands, move)
        case "call":
            return _uncall(hands, move)


def _undraw(hands: Hands, move: TileReturned) -> TileReturned:
    position, seat = hands.position, move.seat
    side = position.side(seat)
    tile = side.drawn[-1] if side.drawn else next(t for t in reversed(side.hand) if t in hands.taken)
    index, place = hands.taken.pop(tile)
    position.remove(seat, tile)
    position.put_back(index, tile)
    zones = [(seat, Zone.RACK), (hands.order[index].side, Zone.WALL)]
    _, rest = hands.timeline.carry(seat, [(tile, place)], zones)
    hands.timeline.now = hands.timeline.withdraw(seat)
    hands.rack(seat)
    return replace(move, at_ms=rest, tile=position.faces[tile])


def _undiscard(hands: Hands, move: TileReturned) -> TileReturned:
    position, seat = hands.position, move.seat
    side = position.side(seat)
    tile = side.pond.pop()
    side.hand.append(tile)
    position.discard = None
    place = hands.places.rack(seat, len(side.hand) - 1, position.customs.hand, hands.rng)
    lifted, _ = hands.timeline.carry(seat, [(tile, place)], [(seat, Zone.POND), (seat, Zone.RACK)])
    hands.timeline.now = hands.timeline.withdraw(seat)
    hands.rack(seat)
    return replace(move, at_ms=lifted, tile=position.faces[tile])


def _uncall(hands: Hands, move: TileReturned) -> TileReturned:
    position, seat, timeline = hands.position, move.seat, hands.timeline
    side = position.side(seat)
    meld = side.melds.pop()
    if meld.called is None or meld.source is None:
        raise LookupError("the last set was not called")
    own = [tile for tile in meld.tiles if tile != meld.called]
    giver = position.side(meld.source)
    rows = position.customs.habits.rows
    before = tuple(timeline.where[t] for t in giver.pond)
    place = hands.places.pond(meld.source, before, rows, sideways=False, rng=hands.rng)
    lifted, _ = timeline.carry(seat, [(meld.called, place)], [(seat, Zone.MELD), (meld.source, Zone.POND)])
    giver.pond.append(meld.called)
    position.discard = (meld.source, meld.called)
    side.hand += own
    size = position.customs.hand
    first = len(side.hand) - len(own)
    moves = [(t, hands.places.rack(seat, first + n, size, hands.rng)) for n, t in enumerate(own)]
    timeline.carry(seat, moves, [(seat, Zone.MELD), (seat, Zone.RACK)], rise=40.0)
    timeline.now = timeline.withdraw(seat)
    hands.rack(seat)
    return replace(move, at_ms=lifted, tile=position.faces[meld.called])


def expose(hands: Hands, move: TilesExposed) -> TilesExposed:
    """Tiles of the own hand fall on their backs where they stand, and are stood up again; or the upper tile of a stack of
    the own wall is turned up."""
    position, seat, timeline = hands.position, move.seat, hands.timeline
    if move.where == "wall":
        return _turn_up(hands, move)
    found: list[int] = []
    side = position.side(seat)
    for face in move.tiles:
        found.append(next(t for t in (*side.hand, *side.drawn) if position.faces[t] == face and t not in found))
    fallen = []
    for tile in found:
        was = timeline.where[tile]
        fallen.append((tile, Place(was.x, was.y, 0.0, was.angle_deg, 0.0)))
    _, rest = timeline.carry(seat, fallen, [(seat, Zone.RACK)], rise=0.0)
    timeline.now = timeline.withdraw(seat) + 3 * timeline.pace.rest
    standing = [(t, replace(p, tilt_deg=90.0)) for t, p in fallen]
    timeline.carry(seat, standing, [(seat, Zone.RACK)], rise=0.0)
    timeline.now = timeline.withdraw(seat)
    return replace(move, at_ms=rest)


def _turn_up(hands: Hands, move: TilesExposed) -> TilesExposed:
    position, seat, timeline = hands.position, move.seat, hands.timeline
    (face,) = move.tiles
    for index, tile in enumerate(position.wall):
        if tile is None or position.faces[tile] != face or hands.order[index].side != seat:
            continue
        was = timeline.where[tile]
        _, rest = timeline.carry(seat, [(tile, replace(was, tilt_deg=0.0))], [(hands.order[index].side, Zone.WALL)])
        timeline.now = timeline.withdraw(seat)
        return replace(move, at_ms=rest, seat=hands.order[index].side)
    raise LookupError(f"no {face} lies in the wall of seat {int(seat)}")


def lay_open(hands: Hands, move: HandShown) -> HandShown:
    """The whole hand face up in its place, for everybody to see."""
    position, seat = hands.position, move.seat
    side = position.side(seat)
    tiles = sorted(side.concealed, key=lambda t: order(position.faces[t]))
    size = position.customs.hand
    moves = [(t, hands.places.laid_open(seat, n, size, hands.rng)) for n, t in enumerate(tiles)]
    side.hand, side.drawn = tiles, []
    lifted, _ = hands.timeline.carry(seat, moves, [(seat, Zone.RACK)], rise=0.0)
    hands.timeline.now = hands.timeline.withdraw(seat)
    return replace(move, at_ms=lifted, hand=tuple(position.faces[t] for t in tiles))
