"""What is said and shown without a tile changing hands: calls announced and not carried out yet, tiles everybody has seen."""

from __future__ import annotations

from table_engine.state import Claim, Player, State
from table_engine.wire.actions import CallAnnounced
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face, is_run


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


def discarded(state: State, seat: Seat) -> State:
    """The caller discards before the set is shown, which is owed now; what was announced on an earlier discard stays owed
    only by those who have discarded since."""
    if not state.claims:
        return state
    kept = (
        replace(c, discarded=True) if c.seat == seat else c
        for c in state.claims
        if (c.discarded if c.seat != seat else c.offer is not None and c.discards == state.discards)
    )
    return replace(state, claims=tuple(kept))


def drawn(state: State, seat: Seat) -> State:
    """Whoever draws has given up what was announced."""
    return carried_out(state, seat)


def owes_set(state: State, seat: Seat) -> bool:
    """The seat has called and discarded, and its set is still to be shown."""
    return any(c.seat == seat and c.discarded for c in state.claims)


def replaced(state: State, seat: Seat) -> State:
    """Notes a showing of flowers before the first discard. Flowers laid one after the other, before the first of them is
    replaced, are one showing."""
    if state.discards or (state.players[seat].owed and state.opening and state.opening[-1] == seat):
        return state
    return replace(state, opening=(*state.opening, seat))


def taken_away(player: Player, tile: Tile) -> Player:
    """A pair shown for a chow that another player's call took away counts as not seen."""
    seen = player.exposed
    for n, one in enumerate(seen):
        for m in range(n + 1, len(seen)):
            if is_run((one, seen[m], tile)):
                return replace(player, exposed=(*seen[:n], *seen[n + 1 : m], *seen[m + 1 :]))
    return player


def exposed(player: Player, tiles: tuple[Tile, ...]) -> Player:
    """A hand some of whose standing tiles everybody has seen."""
    known = player.known
    for tile in tiles:
        if is_face(tile) and tile not in known:
            known = (*known, tile)
    known = known if len(known) <= max(0, player.concealed) else ()
    return replace(player, exposed=(*player.exposed, *tiles), known=known)
