"""What corrections and undos make of the moves as they were told. Pure: entries → the entries that count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from table_engine.apply import apply
from table_engine.entry import Entry
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    DoraShown,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    WinShown,
)
from table_engine.wire.acts import (
    AddMove,
    CorrectCall,
    Correction,
    CorrectSeat,
    CorrectTile,
    RefereeAct,
    RemoveMove,
    Undo,
)
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face, is_same, kind

Place = tuple[Seat, str, int]
"""Seat, zone and index of a tile, as `CorrectTile` counts."""


@dataclass(frozen=True, slots=True)
class Amendments:
    """What acts that were not undone change. `dropped`: numbers of entries that do not count; `changed`: by the number of a
    move, what it is to be and which of its tiles is meant; `added`: by the number of an entry, what came after it;
    `pinned`: places a person has named."""

    dropped: frozenset[int] = frozenset()
    changed: dict[int, tuple[tuple[Correction, int], ...]] = field(default_factory=dict)
    added: dict[int, tuple[Entry, ...]] = field(default_factory=dict)
    pinned: dict[int, frozenset[Place]] = field(default_factory=dict)
    """By the number of the move that laid the tile."""


NOTHING_AMENDED: Final = Amendments()


def undone(entries: Iterable[Entry]) -> frozenset[str]:
    """Ids of the acts that were taken back. Taking back an undo makes the act count again."""
    acts = [entry.what for entry in entries if isinstance(entry.what, RefereeAct)]
    gone: set[str] = set()
    for act in reversed(acts):
        if isinstance(act.did, Undo) and act.id not in gone:
            gone.add(act.did.of)
    return frozenset(gone)


def amendments(acts: Sequence[Entry], entries: Iterable[Entry]) -> Amendments:
    """What all acts together change. `entries` are looked at only where a missed move must find its time."""
    if not acts:
        return NOTHING_AMENDED
    gone = undone(acts)
    dropped: set[int] = set()
    changed: dict[int, tuple[tuple[Correction, int], ...]] = {}
    added: dict[int, tuple[Entry, ...]] = {}
    pinned: dict[int, frozenset[Place]] = {}
    numbered: dict[int, Entry] = {}
    for entry in acts:
        if not isinstance(entry.what, RefereeAct):
            continue
        if entry.what.id in gone:
            dropped.add(entry.number)
            continue
        match did := entry.what.did:
            case RemoveMove(move=move):
                dropped.add(move)
            case CorrectSeat(move=move) | CorrectCall(move=move):
                changed[move] = (*changed.get(move, ()), (did, 0))
            case CorrectTile(seat=seat, zone=zone, index=index) if entry.target is not None:
                changed[entry.target] = (*changed.get(entry.target, ()), (did, entry.offset))
                place = (seat, zone, index)
                pinned[entry.target] = pinned.get(entry.target, frozenset()) | {place}
            case AddMove(action=action, after=after) if after is not None:
                numbered = numbered or {one.number: one for one in entries}
                before = numbered.get(after, entry)
                missed = replace(action, at_ms=action.at_ms or before.what.at_ms)
                added[after] = (*added.get(after, ()), Entry(entry.number, missed, before.time_ms, entry.degraded))
            case _:
                pass
    return Amendments(frozenset(dropped), changed, added, pinned)


def amended(entries: Sequence[Entry], by: Amendments) -> Iterator[Entry]:
    """The entries of one hand that count, as they count."""
    if not (by.dropped or by.changed or by.added):
        yield from entries
        return
    pinned = frozenset(place for entry in entries for place in by.pinned.get(entry.number, ()))
    renamed: tuple[Seat, Tile, Tile] | None = None
    for entry in entries:
        if entry.number not in by.dropped and not _overruled(entry.what, pinned):
            what = entry.what
            if not isinstance(what, RefereeAct):
                was = what
                for correction, offset in by.changed.get(entry.number, ()):
                    what = _corrected(what, correction, offset)
                if renamed and isinstance(what, Called) and what.source == renamed[0]:
                    what = _renamed(what, renamed[1], renamed[2])
                if isinstance(what, Discarded):
                    old = was.tile if isinstance(was, Discarded) else what.tile
                    renamed = (what.seat, old, what.tile) if old != what.tile else None
            yield entry if what is entry.what else replace(entry, what=what)
        yield from by.added.get(entry.number, ())


def origin(
    entries: Sequence[Entry], start: State, by: Amendments, place: Place, rules: RuleSet
) -> tuple[int, int] | None:
    """The number of the move that laid the tile at a place as the table shows it now, and which of the move's tiles it is;
    None where none lies there."""
    seat, zone, index = place
    state = start
    rows: list[list[tuple[int, int]]] = [[] for _ in _rows(start, seat, zone)]
    for entry in amended(entries, by):
        if isinstance(entry.what, RefereeAct):
            continue
        state = apply(state, entry.what, rules)
        if isinstance(entry.what, HandStarted):
            rows = []
        sizes = _rows(state, seat, zone)
        del rows[len(sizes) :]
        for n, size in enumerate(sizes):
            if n == len(rows):
                rows.append([])
            row = rows[n]
            del row[size:]
            begin = len(row)
            row += ((entry.number, i - begin) for i in range(begin, size))
    laid = [one for row in rows for one in row]
    return laid[index] if index < len(laid) else None


def _rows(state: State, seat: Seat, zone: str) -> list[int]:
    """How many tiles lie in the rows of a zone: sets are rows of their own."""
    player = state.players[seat]
    match zone:
        case "pond":
            return [len(player.pond)]
        case "meld":
            return [len(meld.tiles) for meld in player.melds]
        case "flower":
            return [len(player.flowers)]
        case "open":
            return [len(player.open or ())]
        case _:
            return [len(state.dora)]


def _overruled(what: Action | RefereeAct, pinned: frozenset[Place]) -> bool:
    """A sensor's other reading of a tile a person has named."""
    return isinstance(what, TileCorrected) and (what.seat, what.zone, what.index) in pinned


def _corrected(action: Action, by: Correction, offset: int) -> Action:
    match by, action:
        case CorrectSeat(seat=seat), _:
            return _seated(action, seat)
        case CorrectCall(call=call, tiles=tiles, source=source), Called():
            tile = action.tile if not tiles or action.tile in tiles else _nearest(action.tile, tiles)
            giver = action.source if source is None else source
            return replace(action, call=call, tiles=tiles or action.tiles, tile=tile, source=giver)
        case CorrectTile(tile=tile), _:
            return _named(action, tile, offset)
        case _:
            return action


def _seated(action: Action, seat: Seat) -> Action:
    match action:
        case HandStarted():
            return replace(action, dealer=seat)
        case DoraShown() | HandEnded():
            return action
        case _:
            return replace(action, seat=seat)


def _named(action: Action, tile: Tile, offset: int) -> Action:
    match action:
        case Discarded() | DoraShown() | Konged():
            return replace(action, tile=tile)
        case Called():
            return _set_named(action, tile, offset)
        case FlowersShown(tiles=tiles):
            return replace(action, tiles=_at(tiles, offset, tile))
        case WinShown(hand=hand) | HandShown(hand=hand):
            return replace(action, hand=_at(hand, offset, tile))
        case _:
            return action


def _set_named(action: Called, named: Tile, offset: int) -> Called:
    if not 0 <= offset < len(action.tiles):
        return action
    was, tiles = action.tiles[offset], _at(action.tiles, offset, named)
    tile = named if action.tile == was and action.tile not in tiles else action.tile
    call = action.call
    if len(tiles) == 3 and all(is_face(t) for t in tiles):
        call = "pung" if is_same(tiles) else "chow"
    return replace(action, tiles=tiles, tile=tile, call=call)


def _at(tiles: tuple[Tile, ...], n: int, tile: Tile) -> tuple[Tile, ...]:
    return (*tiles[:n], tile, *tiles[n + 1 :]) if 0 <= n < len(tiles) else tiles


def _nearest(tile: Tile, tiles: Sequence[Tile]) -> Tile:
    return next((t for t in tiles if kind(t) == kind(tile)), tiles[0])


def _renamed(action: Called, was: Tile, tile: Tile) -> Called:
    """The call of a discard that was another tile."""
    if kind(action.tile) != kind(was):
        return action
    tiles = _at(action.tiles, action.tiles.index(action.tile), tile) if action.tile in action.tiles else action.tiles
    return replace(action, tile=tile, tiles=tiles)
