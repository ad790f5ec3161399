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
    Konged,
    TileCorrected,
    TileReturned,
)
from table_engine.wire.tiles import Tile


def settled(actions: Iterable[Action]) -> list[Action]:
    """The moves as they stand in the end. Announced calls and counts are no moves and are left out."""
    moves: list[Action] = []
    for action in actions:
        match action:
            case CallAnnounced() | CountSeen():
                pass
            case TileCorrected():
                _correct(moves, action)
            case TileReturned():
                _take_back(moves, action)
            case _:
                moves.append(action)
    return moves


def _correct(moves: list[Action], correction: TileCorrected) -> None:
    """Puts the right tile into the newest move that showed the wrong one."""
    for n in range(len(moves) - 1, -1, -1):
        better = _corrected(moves[n], correction)
        if better is not None:
            moves[n] = better
            return


def _corrected(move: Action, correction: TileCorrected) -> Action | None:
    was, tile = correction.was, correction.tile
    match correction.zone, move:
        case "pond", Discarded(seat=correction.seat, tile=old) if old == was:
            return replace(move, tile=tile)
        case "meld", Called(seat=correction.seat, tiles=tiles) if was in tiles:
            return replace(move, tile=tile if move.tile == was else move.tile, tiles=_swapped(tiles, was, tile))
        case "meld", Konged(seat=correction.seat, tile=old) if old == was:
            return replace(move, tile=tile)
        case "flower", FlowersShown(seat=correction.seat, tiles=tiles) if was in tiles:
            return replace(move, tiles=_swapped(tiles, was, tile))
        case "dora", DoraShown(tile=old) if old == was:
            return replace(move, tile=tile)
        case _:
            return None


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
