"""What a tile told anew changes: what it is called where it lies, and what follows from that."""

from __future__ import annotations

from typing import Literal

from table_engine.state import Meld, State
from table_engine.wire.actions import TileCorrected
from table_engine.wire.frozen import replace
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, is_same


def corrected(state: State, action: TileCorrected) -> State:
    """The state with a tile that lies somewhere told anew: the tile is the same thing, its face was another.

    `index` counts all discards of the seat (called ones too), the tiles of all its sets, its flowers, or the dora."""
    seat, n = action.seat, action.index
    player = state.players[seat]
    match action.zone:
        case "dora" if n < len(state.dora):
            return replace(state, dora=(*state.dora[:n], action.tile, *state.dora[n + 1 :]))
        case "flower" if n < len(player.flowers):
            flowers = (*player.flowers[:n], action.tile, *player.flowers[n + 1 :])
            return state.with_player(seat, replace(player, flowers=flowers))
        case "pond" if n < len(player.pond):
            lies = player.pond[n].sideways or action.sideways
            better = replace(player.pond[n], tile=action.tile, sideways=lies)
            pond = (*player.pond[:n], better, *player.pond[n + 1 :])
            turn, offer = state.turn, state.turn.offer
            if offer and not offer.robbing and offer.seat == seat and n == len(pond) - 1:
                turn = replace(turn, offer=replace(offer, tile=action.tile))
            return state.with_player(seat, replace(player, pond=pond, ready=player.ready or action.sideways), turn=turn)
        case "meld":
            return state.with_player(seat, replace(player, melds=_meld_corrected(player.melds, n, action)))
        case _:
            return state


def _meld_corrected(melds: tuple[Meld, ...], index: int, action: TileCorrected) -> tuple[Meld, ...]:
    for number, meld in enumerate(melds):
        if index < len(meld.tiles):
            tiles = (*meld.tiles[:index], action.tile, *meld.tiles[index + 1 :])
            called = action.tile if meld.called == action.was and meld.called not in tiles else meld.called
            better = replace(meld, call=_call_of(meld, tiles), tiles=tiles, called=called)
            return (*melds[:number], better, *melds[number + 1 :])
        index -= len(meld.tiles)
    return melds


def _call_of(meld: Meld, tiles: tuple[Tile, ...]) -> Literal["chow", "pung", "kong", "concealed"]:
    """What was called, as soon as all three tiles of the set are read."""
    if len(tiles) != 3 or not all(is_face(t) for t in tiles):
        return meld.call
    return "pung" if is_same(tiles) else "chow" if UNKNOWN in meld.tiles else meld.call
