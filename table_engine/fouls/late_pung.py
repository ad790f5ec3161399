"""Punged later than the rules allow after the discard."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.ask import playing_ms
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, stands, told_back, who
from table_engine.wire.actions import CallAnnounced, Called
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat

CODE = "late_pung"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at the time between a discard and the pung of it: when it was announced, else when the tile was taken."""
    match moment.action:
        case CallAnnounced(seat=seat, call="pung", at_ms=at_ms):
            return _late(moment, seat, at_ms, announced=True)
        case Called(seat=seat, call="pung", at_ms=at_ms):
            if any(claim.seat == seat and claim.call == "pung" for claim in moment.before.claims):
                return ()
            return _late(moment, seat, at_ms, announced=False)
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    return (
        "the pung was taken back at once" if told_back(moment, raised, told, "call") else stands(moment, raised, told)
    )


def _late(moment: Moment, seat: Seat, at_ms: int, *, announced: bool) -> Iterable[Foul]:
    limit, offer = moment.rules.clocks.pung_claim_s, moment.before.turn.offer
    if limit is None or offer is None or offer.robbing or offer.seat == seat or not moment.before.running:
        return ()
    spent = playing_ms(moment.before, offer.at_ms, at_ms)
    slack = 0 if announced else moment.rules.judging.simultaneous_ms
    if spent <= limit * 1000 + slack:
        return ()
    says = phrase(
        "{seat} pungs {tile} {spent} s after the discard; {limit} s are allowed.",
        seat=who(moment, seat),
        tile=offer.tile,
        spent=round(spent / 1000, 1),
        limit=limit,
    )
    missing = () if announced else (phrase("when the pung was voiced: only the taking of the tile was seen"),)
    return foul(moment, CODE, "late", seat, says, key=f"{moment.before.discards}", missing=missing, other=offer.seat)


RULE = FoulRule(CODE, ("late",), (CallAnnounced, Called), judge, lifts)
