"""Announced a call or a win and did not carry it out, or changed it into another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from table_engine.fouls.foul import Foul, FoulRule, Moment, a_call, foul, hold_ms, who
from table_engine.state import Claim
from table_engine.wire.actions import CallAnnounced, Called, Discarded, Drew, Konged, WinShown
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat

CODE = "empty_call"
_RANK: Final = {"chow": 0, "pung": 1, "kong": 1, "win": 2}
_LATE_NEWS_MS: Final = 1_500
"""A set or hand that is laid down may be seen so much later than the move after it."""


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at what was announced and is still owed when play goes on."""
    if not moment.before.claims or not moment.before.running:
        return
    match moment.action:
        case CallAnnounced(seat=seat, call=call):
            yield from _changed(moment, seat, call)
        case Drew(seat=seat) if moment.before.turn.phase == "draw" and moment.before.turn.actor == seat:
            for claim in _owed(moment):
                if claim.offer is not None:
                    yield from _empty(moment, claim)
        case Called(seat=seat, call=made):
            for claim in _owed(moment):
                if claim.seat != seat and claim.offer is not None and _RANK[claim.call] > _RANK[made]:
                    yield from _empty(moment, claim)
                elif claim.seat == seat and claim.call != made:
                    yield from _changed(moment, seat, made)
        case Discarded(seat=seat):
            for claim in _owed(moment):
                if claim.seat == seat and (claim.offer is None or claim.call == "win"):
                    yield from _empty(moment, claim)
        case _:
            return


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if raised.kind == "changed":
        return None
    match moment.action:
        case WinShown(seat=raised.seat) if raised.kind == "win":
            return "the hand was laid down after all"
        case Called(seat=raised.seat) | Konged(seat=raised.seat) if raised.kind != "win" and not told:
            return "the set was laid down after all"
        case _:
            return None


def _owed(moment: Moment) -> Iterator[Claim]:
    """Announcements on the tile that lies open now, or on the own turn."""
    for claim in moment.before.claims:
        if not claim.discarded and claim.discards == moment.before.discards and claim.call != "ready":
            yield claim


def _empty(moment: Moment, claim: Claim) -> Iterable[Foul]:
    calls, sort = moment.rules.calls, str(claim.call)
    source = claim.offer.seat if claim.offer else None
    if sort in ("pung", "win") and source is not None and moment.before.discards <= calls.empty_free_discards:
        return ()
    if sort == "pung" and source == claim.seat.upper and calls.empty_pung_of_upper_free:
        return ()
    sort = "own_kong" if sort == "kong" and source is None else sort
    says = phrase("{seat} announces {call} and does not make it.", seat=who(moment, claim.seat), call=a_call(sort))
    hold = hold_ms(moment, CODE, sort, _LATE_NEWS_MS)
    key = f"{claim.discards}-{claim.call}"
    sure = min(claim.confidence, moment.action.confidence)
    return foul(moment, CODE, sort, claim.seat, says, key=key, hold_ms=hold, other=source, confidence=sure)


def _changed(moment: Moment, seat: Seat, call: str) -> Iterable[Foul]:
    """Another call than the one announced, of the same tile."""
    for claim in _owed(moment):
        if claim.seat == seat and claim.call != call and claim.offer is not None:
            says = phrase(
                "{seat} announces {call} and changes it into {made}.",
                seat=who(moment, seat),
                call=a_call(claim.call),
                made=a_call(call),
            )
            missing = (phrase("how often this player has changed calls, and whether tiles were shown"),)
            key = f"changed-{claim.discards}"
            yield from foul(moment, CODE, "changed", seat, says, key=key, missing=missing, other=claim.offer.seat)


RULE = FoulRule(
    CODE,
    ("chow", "pung", "kong", "own_kong", "win", "changed"),
    (CallAnnounced, Called, Discarded, Drew),
    judge,
    lifts,
)
