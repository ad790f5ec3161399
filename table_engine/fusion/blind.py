"""What can be told of calls, kongs and flowers by the table controller alone: that they took place, not of what.

A discard that left its zone was called by whoever lays down a tile next; a tile taken from the tail replaces a flower or
the fourth tile of a kong. While a camera is only away for a while the tail draw is told without its reason: the camera
will say it when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from table_engine.fusion.belief import Fusion, Passage
from table_engine.fusion.deed import Deed
from table_engine.fusion.draws import implied
from table_engine.fusion.picture import Picture
from table_engine.fusion.view import View
from table_engine.state import State
from table_engine.wire.actions import Action, Called, Discarded, Drew, FlowersShown, Konged
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN

_FOLLOWS_MS: Final = 60_000
"""How long the turn after a tile too many is waited for."""
_AWAY_MS: Final = 12_000
"""How long a camera that is away is waited for, where the counters cannot even guess."""
_FRESH_MS: Final = 15_000
"""How long a discard that was called unseen may still be told."""


@dataclass(frozen=True, slots=True)
class _Gone:
    at_ms: int
    proof: str


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
    gone = _gone(view, source)
    counts = view.picture.discard_counts
    laid = [(counts[s].at_ms, s) for s in SEATS if s != source and (view.zone_delta[s] or 0) > 0]
    laid += [(p.laid_ms, p.seat) for p in view.fusion.passages if p.seat != source and p.laid_ms > gone.at_ms]
    if not laid:
        return
    until_ms, caller = min(laid)
    replaced = any(view.end_of(t) == "tail" for t in view.takings if gone.at_ms <= t.at_ms < until_ms)
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


def passages(view: View) -> Iterator[Deed]:
    """Discards that were called before they could be told."""
    if view.camera or not view.bridge:
        return
    turn = view.state.turn
    for passage in view.fusion.passages:
        seat = passage.seat
        if passage.laid_ms <= view.fusion.laid_ms[seat] or passage.gone_ms < view.now_ms - _FRESH_MS:
            continue
        done = Discarded(at_ms=passage.laid_ms, evidence=passage.proofs[:1], confidence=0.6, seat=seat, tile=UNKNOWN)
        holds = turn.phase == "discard" and turn.actor == seat and not view.state.players[seat].owed
        due = view.settled(passage.gone_ms)
        before = () if holds else implied(view, seat, passage.laid_ms)
        yield Deed((*before, done), passage.laid_ms, passage.laid_ms, regular=holds, ripe=holds, due_ms=due)


def noticed(fusion: Fusion, old: Picture, state: State) -> Fusion:
    """Remembers a tile that a discard zone has lost again although its coming was not told yet."""
    for seat in SEATS:
        before, now = old.discard_counts[seat], fusion.picture.discard_counts[seat]
        if now is before or not before.known or now.value >= before.value:
            continue
        lying = sum(tile.taken is None for tile in state.players[seat].pond)
        if before.value - fusion.zones_off[seat] > lying:
            passage = Passage(seat, before.at_ms, now.at_ms, (before.proof, now.proof))
            fusion = replace(fusion, passages=(*fusion.passages[-3:], passage))
    return fusion


def _gone(view: View, source: Seat) -> _Gone:
    """When the last discard of a seat left its zone."""
    laid_ms = view.fusion.laid_ms[source]
    for passage in view.fusion.passages:
        if passage.seat == source and passage.laid_ms == laid_ms:
            return _Gone(passage.gone_ms, passage.proofs[1])
    reading = view.picture.discard_counts[source]
    return _Gone(reading.at_ms, reading.proof)


def takings(view: View) -> Iterator[Deed]:
    """A tile taken while somebody is to discard: from the tail as a replacement, from the head as one too many or ahead
    of turn, which only what follows can tell."""
    turn = view.state.turn
    if view.camera or not view.bridge or turn.phase != "discard" or not view.takings:
        return
    if any(p.owed for p in view.state.players):
        return
    if view.end_of(view.takings[0]) != "tail":
        yield _extra(view, turn.actor)
    else:
        deed = _replacement(view, turn.actor)
        laps = view.rules.set.flowers and not view.state.discards and view.fusion.has("camera")
        # Before the first discard anybody may be replacing flowers: who it was, the camera will say.
        yield replace(deed, ripe=False, due_ms=view.takings[0].came_ms + _AWAY_MS) if laps else deed


def _replacement(view: View, actor: Seat) -> Deed:
    """A tail draw by the seat that is to discard, with what it replaces."""
    taking = view.takings[0]
    at, proofs = taking.at_ms, (taking.proof,)
    drew = Drew(at_ms=at, evidence=proofs, confidence=0.35, seat=actor, end="tail")
    reason: tuple[Action, ...] = ()
    if not view.fusion.has("camera"):
        reason = (
            (FlowersShown(at_ms=at, evidence=proofs, confidence=0.4, seat=actor, tiles=(UNKNOWN,)),)
            if view.rules.set.flowers
            else (Konged(at_ms=at, evidence=proofs, confidence=0.4, seat=actor, kong="concealed", tile=UNKNOWN),)
        )
    return Deed((*reason, drew), at, at, regular=True, ripe=True, due_ms=view.now_ms)


def _extra(view: View, actor: Seat) -> Deed:
    """A second tile from the head. Did the next seat draw ahead of the discard, it will discard without drawing again;
    was it one too many of the seat that is to discard, the next one will draw as usual."""
    taking, following = view.takings[0], actor.next
    again = len(view.takings) > 1
    ahead = not again and (view.zone_delta[following] or 0) > 0
    drew = Drew(
        at_ms=taking.at_ms,
        evidence=(taking.proof,),
        confidence=0.5,
        seat=following if ahead else actor,
        end="head",
    )
    ripe = ahead or (again and (view.zone_delta[actor] or 0) > 0)
    due = taking.came_ms + _FOLLOWS_MS
    return Deed((drew,), taking.at_ms, taking.at_ms, regular=False, ripe=ripe, due_ms=due)
