"""What can be told of calls, kongs and flowers by the table controller alone: that they took place, not of what.

A discard that left its zone was called by whoever lays down a tile next; a tile taken from the tail replaces a flower or
the fourth tile of a kong. While a camera is only away for a while the tail draw is told without its reason: the camera
will say it when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from table_engine.fusion.deed import Deed
from table_engine.fusion.view import View
from table_engine.wire.actions import Action, Called, Drew, FlowersShown, Konged
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN


def called_away(view: View) -> Seat | None:
    """The seat whose last discard has left its zone without anybody being known to have called it."""
    turn = view.state.turn
    if view.camera or not view.bridge or turn.phase != "draw" or turn.offer is None:
        return None
    return turn.offer.seat if (view.zone_delta[turn.offer.seat] or 0) < 0 else None


def calls(view: View) -> Iterator[Deed]:
    """The call of a discard that went away, once the caller has laid down a tile."""
    source, offer = called_away(view), view.state.turn.offer
    if source is None or offer is None:
        return
    gone = view.picture.discard_counts[source]
    laid = [s for s in SEATS if s != source and (view.zone_delta[s] or 0) > 0]
    if not laid:
        return
    caller = min(laid, key=lambda s: view.picture.discard_counts[s].at_ms)
    replaced = any(view.end_of(t) == "tail" for t in view.takings if t.at_ms >= gone.at_ms)
    call: Literal["chow", "pung", "kong"] = "kong" if replaced else "chow" if caller == source.next else "pung"
    action = Called(
        at_ms=gone.at_ms,
        evidence=(gone.proof,),
        confidence=0.6,
        seat=caller,
        call=call,
        tile=offer.tile,
        source=source,
        tiles=(offer.tile, *(UNKNOWN,) * (3 if replaced else 2)),
    )
    yield Deed((action,), gone.at_ms, gone.at_ms, regular=True, ripe=True, due_ms=view.now_ms)


def replacements(view: View) -> Iterator[Deed]:
    """A tail draw by the seat that is to discard, with what it replaces."""
    turn = view.state.turn
    if view.camera or not view.bridge or turn.phase != "discard" or not view.takings:
        return
    taking, actor = view.takings[0], turn.actor
    if view.end_of(taking) != "tail" or any(p.owed for p in view.state.players):
        return
    at, proofs = taking.at_ms, (taking.proof,)
    drew = Drew(at_ms=at, evidence=proofs, confidence=0.35, seat=actor, end="tail")
    reason: tuple[Action, ...] = ()
    if not view.fusion.has("camera"):
        reason = (
            (FlowersShown(at_ms=at, evidence=proofs, confidence=0.4, seat=actor, tiles=(UNKNOWN,)),)
            if view.rules.set.flowers
            else (Konged(at_ms=at, evidence=proofs, confidence=0.4, seat=actor, kong="concealed", tile=UNKNOWN),)
        )
    yield Deed((*reason, drew), at, at, regular=True, ripe=True, due_ms=view.now_ms)
