"""Discarded although it was another player's turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, hold_ms, told_back, who
from table_engine.wire.actions import Called, Discarded
from table_engine.wire.phrases import phrase

CODE = "discard_turn"
_LATE_NEWS_MS: Final = 1_200
"""A set that was called without a word may be seen so much later than the discard after it."""


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a discard by a seat whose turn it is not."""
    before, action = moment.before, moment.action
    if not isinstance(action, Discarded) or not before.running or before.turn.actor == action.seat:
        return ()
    seat = action.seat
    player = before.players[seat]
    drew_wrongly = player.ahead_ms is not None or player.surplus > 0
    called = any(claim.seat == seat and claim.offer is not None for claim in before.claims)
    if drew_wrongly or called or before.resumes(seat, "discard"):
        return ()
    says = phrase(
        "{seat} discards {tile} although it is the turn of {other}.",
        seat=who(moment, seat),
        tile=action.tile,
        other=who(moment, before.turn.actor),
    )
    hold = hold_ms(moment, CODE, "turn", _LATE_NEWS_MS)
    tiles = (action.tile,)
    return foul(moment, CODE, "turn", seat, says, key=f"{before.discards}", hold_ms=hold, tiles=tiles)


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    match moment.action:
        case Called(seat=raised.seat):
            return "it was the discard after a call whose set was shown later"
        case _ if told and told_back(moment, raised, told, "discard"):
            return "the tile was taken back"
        case _:
            return None


RULE = FoulRule(CODE, ("turn",), (Discarded,), judge, lifts)
