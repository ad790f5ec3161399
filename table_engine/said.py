"""What is said and shown without a tile changing hands: calls announced and not carried out yet, tiles everybody has seen."""

from __future__ import annotations

from dataclasses import replace

from table_engine.state import Claim, Player, State
from table_engine.wire.actions import CallAnnounced
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face


def announced(state: State, action: CallAnnounced) -> State:
    """A call is owed from now on. One that comes again, or is changed into another, stands in the place of the first."""
    offer = state.turn.offer
    mine = None if offer is None or offer.seat == action.seat else offer
    claim = Claim(action.seat, action.call, action.at_ms, mine, state.discards, action.evidence, action.confidence)
    others = tuple(c for c in state.claims if c.seat != action.seat or c.discards != claim.discards)
    return replace(state, claims=(*others, claim))


def carried_out(state: State, seat: Seat) -> State:
    """Nothing that a seat has announced is owed any more."""
    if not state.claims:
        return state
    return replace(state, claims=tuple(c for c in state.claims if c.seat != seat))


def lapsed(state: State, seat: Seat) -> State:
    """With a discard the caller's own announcements end, and those of earlier discards."""
    if not state.claims:
        return state
    return replace(state, claims=tuple(c for c in state.claims if c.seat != seat and c.discards == state.discards))


def exposed(player: Player, tiles: tuple[Tile, ...]) -> Player:
    """A hand some of whose standing tiles everybody has seen."""
    known = player.known
    for tile in tiles:
        if is_face(tile) and tile not in known:
            known = (*known, tile)
    known = known if len(known) <= max(0, player.concealed) else ()
    return replace(player, exposed=(*player.exposed, *tiles), known=known)
