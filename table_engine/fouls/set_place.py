"""Laid the called tile in another place of its set than the rules ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, told_back, who
from table_engine.wire.actions import Called, TileReturned
from table_engine.wire.phrases import phrase

CODE = "set_place"
_LEFT: Final = phrase("left")
_MIDDLE: Final = phrase("in the middle")
_RIGHT: Final = phrase("right")


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at how a called set lies, where that was seen."""
    action, place = moment.action, moment.rules.calls.called_chow_place
    if not isinstance(action, Called) or action.place is None or not moment.before.running:
        return ()
    last = len(action.tiles) - 1
    if place == "middle":
        if action.call != "chow" or action.place == 1:
            return ()
        should = _MIDDLE
    else:
        wanted = {action.seat.upper: {0}, action.seat.opposite: set(range(1, last))}.get(action.source, {last})
        if action.place in wanted:
            return ()
        should = {action.seat.upper: _LEFT, action.seat.opposite: _MIDDLE}.get(action.source, _RIGHT)
    lies = _RIGHT if action.place == last else _MIDDLE if action.place else _LEFT
    says = phrase(
        "{seat} lays the called {tile} {lies}; it belongs {should}.",
        seat=who(moment, action.seat),
        tile=action.tile,
        lies=lies,
        should=should,
    )
    missing = (phrase("whether play is held up by it: it is put right without penalty"),)
    hold = 3 * moment.rules.judging.settle_ms
    key = f"{len(moment.before.players[action.seat].melds)}"
    return foul(moment, CODE, "called", action.seat, says, key=key, hold_ms=hold, missing=missing)


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    match moment.action:
        case TileReturned(seat=raised.seat, what="call"):
            return "the set was taken back"
        case _ if told_back(moment, raised, told, "call"):
            return "the set was taken back"
        case _:
            return None


RULE = FoulRule(CODE, ("called",), (Called,), judge, lifts)
