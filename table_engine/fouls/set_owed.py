"""Discarded before the called set was shown, and has not taken the called tile up when play has gone on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_engine.fouls.foul import Foul, FoulRule, Moment, a_call, foul, hold_ms, who
from table_engine.state import Claim
from table_engine.wire.actions import Called, Drew, TileReturned
from table_engine.wire.phrases import Phrase, phrase

CODE = "set_owed"
_LATE_NEWS_MS: Final = 1_200
"""A set that was laid down may be seen so much later than the next player's draw."""


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at sets still owed when the next player draws, the discard is claimed, or the caller is to draw again."""
    before = moment.before
    if not before.claims:
        return
    for claim in before.claims:
        if not claim.discarded:
            continue
        match moment.action:
            case Drew(seat=claim.seat):
                says = phrase(
                    "{seat} has called {call}, draws again, and the set is not laid down.", **_of(moment, claim)
                )
                yield from _owed(moment, claim, "go_round", says)
            case Drew() | Called() if moment.action.seat != claim.seat:
                says = phrase(
                    "{seat} has called {call} and discarded, play has gone on, and the set is not laid down.",
                    **_of(moment, claim),
                )
                yield from _owed(moment, claim, "next", says)
            case _:
                pass


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    match moment.action:
        case Called(seat=raised.seat) if not told or _open(moment, raised):
            return "the set is laid down"
        case TileReturned(seat=raised.seat, what="discard") if not told:
            return "the discard was taken back"
        case _:
            return None


def _open(moment: Moment, raised: Foul) -> bool:
    """It may still be put right."""
    return raised.kind == "next" and moment.rules.calls.wrong_set_until == "own_move"


def _of(moment: Moment, claim: Claim) -> dict[str, Phrase]:
    return {"seat": who(moment, claim.seat), "call": a_call(claim.call)}


def _owed(moment: Moment, claim: Claim, sort: str, says: Phrase) -> Iterable[Foul]:
    curable = sort == "next" and moment.rules.calls.wrong_set_until == "own_move"
    missing = (phrase("the player's next draw: until then the set may be put right"),) if curable else ()
    hold = hold_ms(moment, CODE, sort, _LATE_NEWS_MS)
    other = claim.offer.seat if claim.offer else None
    key = f"{sort}-{claim.discards}"
    return foul(moment, CODE, sort, claim.seat, says, key=key, hold_ms=hold, missing=missing, other=other)


RULE = FoulRule(CODE, ("next", "go_round"), (Drew, Called), judge, lifts)
