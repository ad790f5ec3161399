"""What stays different although every move is told: hands that hold another number of tiles, and sensors that miscount."""

from __future__ import annotations

from collections.abc import Iterator

from table_engine.ask import held
from table_engine.fusion.view import View
from table_engine.wire.actions import CountSeen
from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat


def counts(view: View) -> Iterator[CountSeen]:
    """Hands at rest that hold another number of tiles than the game adds up to. A tile between the fingers of the player
    whose turn it is is not missing."""
    if not view.state.running:
        return
    for seat in SEATS:
        delta, rack = view.rack_delta[seat], view.picture.racks[seat]
        if not delta or rack.open or due_ms(view, seat) > view.now_ms:
            continue
        actor = view.state.turn.phase == "discard" and view.state.turn.actor == seat
        if (actor and delta == -1) or _handled(view, seat):
            continue
        player = view.state.players[seat]
        yield CountSeen(
            at_ms=max(rack.at_ms, view.state.at_ms),
            evidence=(rack.proof,),
            confidence=0.9,
            seat=seat,
            concealed=held(player) + delta,
        )


def due_ms(view: View, seat: Seat) -> int:
    """From when on a hand counts as at rest."""
    return max(view.rack_quiet(seat), view.state.at_ms) + view.patience.count


def _handled(view: View, seat: Seat) -> bool:
    return any(a.until_ms is None and a.seat == seat and a.zone in (Zone.RACK, Zone.MELD) for a in view.picture.arms)
