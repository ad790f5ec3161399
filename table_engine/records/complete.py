"""Puts tiles where a record has `?`, so that a game seen from one seat can be played with real tiles.

What a seat discarded, laid down or showed it must have held: such a tile is put at the earliest place that is free. Who won
or declared ready without showing a tile is given a hand that can. What is left is filled with what is left of the set, the
same for the same record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeGuard

from table_engine.records.made_up import made_up
from table_engine.records.model import GameRecord, HandRecord
from table_engine.scoring import waits
from table_engine.state import Meld
from table_engine.wire.actions import Action, Called, Discarded, DoraShown, Drew, FlowersShown, Konged, WinShown
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, REDS, UNKNOWN, Tile, kind, order

_TRIES = 21
"""So many hands are made up for a win before one that the own pond forbids is taken."""


def completed(game: GameRecord) -> GameRecord:
    """The game without `?`; itself when there is none. Raises RecordError when nothing fits."""
    if not any(_open(hand) for hand in game.hands):
        return game
    reds = any(tile in REDS for hand in game.hands for tile in _seen(hand))
    return replace(game, hands=tuple(_completed(hand, reds, game.source) for hand in game.hands))


def _open(hand: HandRecord) -> bool:
    return any(UNKNOWN in tiles for tiles in hand.hands) or any(
        (isinstance(move, Drew | DoraShown | Discarded) and move.tile == UNKNOWN)
        or (isinstance(move, Called | FlowersShown) and UNKNOWN in move.tiles)
        or (isinstance(move, WinShown) and UNKNOWN in (*move.hand, move.tile))
        for move in hand.moves
    )


def _seen(hand: HandRecord) -> Iterable[Tile]:
    yield from (tile for tiles in (*hand.hands, *hand.shown, hand.ura) for tile in tiles or ())
    for move in hand.moves:
        if isinstance(move, Called | FlowersShown):
            yield from move.tiles
        elif isinstance(move, WinShown):
            yield from (*move.hand, move.tile)
        elif isinstance(move, Drew | Discarded | DoraShown | Konged):
            yield move.tile


@dataclass(slots=True)
class _Place:
    """One place a tile came to a seat: `index` in the deal, or of the move that drew it (`draw`)."""

    tile: Tile
    index: int
    draw: bool = False


def _completed(hand: HandRecord, reds: bool, source: str) -> HandRecord:
    if not _open(hand):
        return hand
    where = f"{source}: {hand.title or 'a hand'}"
    faces = Counter(_faces(reds))
    places = [[_Place(tile, n) for n, tile in enumerate(tiles)] for tiles in hand.hands]
    racks = [list(held) for held in places]
    moves = list(hand.moves)
    for n, move in enumerate(moves):
        match move:
            case Drew(seat=seat, tile=tile):
                place = _Place(tile, n, draw=True)
                places[seat].append(place)
                racks[seat].append(place)
            case Discarded(seat=seat, tile=tile, drawn=drawn):
                _give(racks[seat], tile, where, last=drawn)
            case Called(seat=seat, tile=tile, tiles=tiles):
                own = list(tiles)
                own.remove(tile)
                for one in own:
                    _give(racks[seat], one, where)
            case Konged(seat=seat, kong="added", tile=tile):
                _give(racks[seat], tile, where)
            case Konged(seat=seat, tile=tile):
                for one in sorted((t for t in faces.elements() if kind(t) == kind(tile)), key=order):
                    _give(racks[seat], one, where)
            case FlowersShown(seat=seat, tiles=tiles):
                for one in tiles:
                    _give(racks[seat], one, where)
            case WinShown(seat=seat, source=source_seat, tile=tile, hand=shown) if UNKNOWN not in shown:
                _show(racks[seat], (*shown, tile) if source_seat is None else shown)
            case _:
                pass
    for seat, shown_hand in zip(SEATS, hand.shown, strict=False):
        if shown_hand:
            _show(racks[seat], shown_hand)
    _suppose(places, racks, moves, faces, hand)
    _fill(places, moves, faces, hand)
    return _put(hand, places, racks, moves)


def _faces(reds: bool) -> list[Tile]:
    """The tiles a hidden hand may hold: a flower would have been laid down."""
    faces = [tile for tile in KINDS for _ in range(4)]
    if reds:
        for red in REDS:
            faces[faces.index(kind(red))] = red
    return faces


def _give(rack: list[_Place], tile: Tile, where: str, *, last: bool | None = None) -> None:
    """Takes a tile off a rack; an open place becomes that tile. `last`: whether it is the one drawn last."""
    newest = rack[-1] if rack else None
    if last and newest and newest.tile in (tile, UNKNOWN):
        chosen: _Place | None = newest
    else:
        known = [place for place in rack if place.tile == tile]
        empty = [place for place in rack if place.tile == UNKNOWN]
        older = [place for place in empty if last is not False or place is not newest]
        chosen = next(iter((*known, *older, *empty)), None)
    if chosen is None:
        raise RecordError(f"{where}: a seat plays {tile}, and no hidden tile of it can be that")
    chosen.tile = tile
    rack.remove(chosen)


def _show(rack: list[_Place], tiles: Sequence[Tile]) -> None:
    """The concealed tiles are known in the end: those not known before stand at the open places."""
    missing = Counter(tiles) - Counter(place.tile for place in rack)
    left = sorted(missing.elements(), key=order)
    for place in rack:
        if place.tile == UNKNOWN and left:
            place.tile = left.pop(0)


def _suppose(
    places: list[list[_Place]], racks: list[list[_Place]], moves: list[Action], faces: Counter[Tile], hand: HandRecord
) -> None:
    """Who won or declared ready held a hand to do it with, though nobody saw it."""
    won = {move.seat: move for move in moves if isinstance(move, WinShown)}
    ready = {move.seat for move in moves if isinstance(move, Discarded) and move.sideways}
    for seat in (*won, *(ready - set(won))):
        win, rack = won.get(seat), list(racks[seat])
        own = win is not None and win.source is None
        drawn = rack.pop() if rack and (own or len(rack) % 3 == 2) else None
        if not rack or any(place.tile != UNKNOWN for place in rack):
            continue
        rest = faces - _known(places, moves, hand)
        last = win.tile if win is not None and win.tile != UNKNOWN else None
        if own and last is None:
            last = next((tile for tile in KINDS if rest[tile] > 1), None)
        if own and drawn is not None and drawn.tile == UNKNOWN and last is not None:
            drawn.tile = last
            rest[last] -= 1
        pond = set() if own else {kind(m.tile) for m in moves if isinstance(m, Discarded) and m.seat == seat}
        melds = [Meld(m.call, m.tiles) for m in moves if isinstance(m, Called) and m.seat == seat]
        melds += [Meld("concealed", (m.tile,) * 4) for m in moves if _concealed(m, seat)]
        for start in range(_TRIES):
            tiles = made_up(rest, len(rack), None if last is None else kind(last), start) or []
            if not tiles or win is None or not pond & set(waits(tiles, melds, hand.rules())):
                break
        for place, tile in zip(rack, tiles, strict=False):
            place.tile = tile


def _concealed(move: Action, seat: Seat) -> TypeGuard[Konged]:
    return isinstance(move, Konged) and move.kong == "concealed" and move.seat == seat


def _known(places: list[list[_Place]], moves: list[Action], hand: HandRecord) -> Counter[Tile]:
    """Every tile whose place is known."""
    known = Counter(place.tile for held in places for place in held)
    known += Counter(move.tile for move in moves if isinstance(move, DoraShown))
    return known + Counter(hand.ura)


def _fill(places: list[list[_Place]], moves: list[Action], faces: Counter[Tile], hand: HandRecord) -> None:
    rest = sorted((faces - _known(places, moves, hand)).elements(), key=order)
    Random(f"{hand.title}:{len(moves)}").shuffle(rest)  # noqa: S311 (tiles nobody saw, the same every time)
    empty = [place for held in places for place in held if place.tile == UNKNOWN]
    for place, tile in zip(empty, rest, strict=False):
        place.tile = tile
    for n, move in enumerate(moves):
        if isinstance(move, DoraShown) and move.tile == UNKNOWN:
            moves[n] = replace(move, tile=rest.pop())


def _put(hand: HandRecord, places: list[list[_Place]], racks: list[list[_Place]], moves: list[Action]) -> HandRecord:
    deal = [list(tiles) for tiles in hand.hands]
    for seat, held in zip(SEATS, places, strict=True):
        for place in held:
            if place.draw:
                moves[place.index] = replace(_drew(moves[place.index]), tile=place.tile)
            else:
                deal[seat][place.index] = place.tile
    for n, move in enumerate(moves):
        if isinstance(move, WinShown) and UNKNOWN in (*move.hand, move.tile):
            moves[n] = _won(move, [place.tile for place in racks[move.seat]])
    return replace(hand, hands=tuple(tuple(tiles) for tiles in deal), moves=tuple(moves))


def _drew(move: Action) -> Drew:
    if not isinstance(move, Drew):
        raise TypeError(f"{move} draws no tile")
    return move


def _won(win: WinShown, held: list[Tile]) -> WinShown:
    """A win whose hand nobody told, with what the winner held."""
    tile = win.tile
    if win.source is None:
        tile = held[-1] if tile == UNKNOWN or tile not in held else tile
        held.remove(tile)
    return replace(win, tile=tile, hand=tuple(sorted(held, key=order)))
