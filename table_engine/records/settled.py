"""What an engine told → what was played: corrections and what was taken back are carried out on the moves they concern."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    CountSeen,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TilesExposed,
)
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, is_same


def settled(actions: Iterable[Action]) -> list[Action]:
    """The moves as they stand in the end. Announced calls, counts and what is merely shown are no moves
    and are left out."""
    moves: list[Action] = []
    for action in actions:
        match action:
            case CallAnnounced() | CountSeen() | HandShown() | TilesExposed():
                pass
            case TileCorrected():
                _correct(moves, action)
            case TileReturned():
                _take_back(moves, action)
            case _:
                moves.append(action)
    return moves


def _correct(moves: list[Action], correction: TileCorrected) -> None:
    """Puts the right tile into the move that showed the wrong one: a discard by its place among the seat's discards of
    the hand, anything else into the newest that showed it."""
    if correction.zone == "pond":
        found = _discard(moves, correction)
        if found is not None:
            n, discard = found
            moves[n] = replace(discard, tile=correction.tile, sideways=discard.sideways or correction.sideways)
            return
    for n in range(len(moves) - 1, -1, -1):
        better = _corrected(moves[n], correction)
        if better is not None:
            moves[n] = better
            return


def _discard(moves: list[Action], correction: TileCorrected) -> tuple[int, Discarded] | None:
    """The discard a correction speaks of and its index, if it showed the tile that was wrong."""
    begun = max((n for n, move in enumerate(moves) if isinstance(move, HandStarted)), default=-1)
    mine = [
        (n, move)
        for n, move in enumerate(moves)
        if n > begun and isinstance(move, Discarded) and move.seat == correction.seat
    ]
    if correction.index >= len(mine):
        return None
    n, move = mine[correction.index]
    return (n, move) if move.tile == correction.was else None


def _corrected(move: Action, correction: TileCorrected) -> Action | None:
    was, tile = correction.was, correction.tile
    match correction.zone, move:
        case "pond", Discarded(seat=correction.seat, tile=old) if old == was:
            return replace(move, tile=tile)
        case "meld", Called(seat=correction.seat, tiles=tiles) if was in tiles:
            better = _swapped(tiles, was, tile)
            called = tile if move.tile == was and (was == UNKNOWN or was not in better) else move.tile
            return _reread(move, called, better)
        case "meld", Konged(seat=correction.seat, tile=old) if old == was:
            return replace(move, tile=tile)
        case "flower", FlowersShown(seat=correction.seat, tiles=tiles) if was in tiles:
            return replace(move, tiles=_swapped(tiles, was, tile))
        case "dora", DoraShown(tile=old) if old == was:
            return replace(move, tile=tile)
        case _:
            return None


def _reread(move: Called, tile: Tile, tiles: tuple[Tile, ...]) -> Called:
    """A call whose set is read better: once all of an unknown one is known, its faces say what was called."""
    if len(tiles) == 3 and all(is_face(t) for t in tiles) and (UNKNOWN in move.tiles or is_same(tiles)):
        return replace(move, call="pung" if is_same(tiles) else "chow", tile=tile, tiles=tiles)
    return replace(move, tile=tile, tiles=tiles)


def _swapped(tiles: tuple[Tile, ...], was: Tile, tile: Tile) -> tuple[Tile, ...]:
    at = tiles.index(was)
    return (*tiles[:at], tile, *tiles[at + 1 :])


def _take_back(moves: list[Action], back: TileReturned) -> None:
    """Takes the newest move of that sort out."""
    for n in range(len(moves) - 1, -1, -1):
        match back.what, moves[n]:
            case (
                ("discard", Discarded(seat=back.seat))
                | ("draw", Drew(seat=back.seat))
                | ("call", Called(seat=back.seat))
            ):
                del moves[n]
                return
            case _:
                pass
