"""What an engine told → what was played: corrections and what was taken back are carried out on the moves they concern, and
what was seen only later stands where it was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
from table_engine.wire.seats import Seat
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
            case FlowersShown() | Konged():
                _put_in(moves, action)
            case _:
                moves.append(action)
    return moves


def _put_in(moves: list[Action], late: FlowersShown | Konged) -> None:
    """A flower or kong stands before the replacements that were told before it was seen: tiles its seat took from the tail
    of the wall while it was to discard, for nothing that was known."""
    early = _early(moves, late.seat)
    tiles = late.tiles if isinstance(late, FlowersShown) else (late.tile,)
    parts: list[tuple[int, tuple[Tile, ...]]] = []
    for draws in early if isinstance(late, FlowersShown) else early[:1]:
        part, tiles = tiles[: len(draws)], tiles[len(draws) :]
        if part:
            parts.append((draws[0], part))
    for at, part in reversed(parts):
        at_ms = min(late.at_ms, moves[at].at_ms)
        moves.insert(
            at, replace(late, tiles=part, at_ms=at_ms) if isinstance(late, FlowersShown) else replace(late, at_ms=at_ms)
        )
    if tiles:
        moves.append(replace(late, tiles=tiles) if isinstance(late, FlowersShown) else late)


def _early(moves: Sequence[Action], seat: Seat) -> list[list[int]]:
    """Where this hand's moves hold replacements of a seat for nothing that was told, turn by turn."""
    begun = _begun(moves)
    owed = Counter[Seat]()
    holds = begun_by.dealer if begun >= 0 and isinstance(begun_by := moves[begun], HandStarted) else None
    turns: list[list[int]] = [[]]
    for n in range(begun + 1, len(moves)):
        match moves[n]:
            case Drew(seat=drawer) if owed[drawer]:
                owed[drawer] -= 1
            case Drew(seat=drawer, end="tail") if drawer == holds:
                if drawer == seat:
                    turns[-1].append(n)
            case Drew(seat=drawer):
                holds = drawer
            case Called(seat=caller, call=call):
                holds = caller
                owed[caller] += call == "kong"
            case Konged(seat=one):
                owed[one] += 1
            case FlowersShown(seat=one, tiles=tiles):
                owed[one] += len(tiles)
            case Discarded(seat=one):
                holds, owed[one] = None, 0
                turns.append([])
            case _:
                pass
    return [turn for turn in turns if turn]


def _begun(moves: Sequence[Action]) -> int:
    """Where the newest hand begins; -1 when none does."""
    return max((n for n, move in enumerate(moves) if isinstance(move, HandStarted)), default=-1)


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
    begun = _begun(moves)
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
