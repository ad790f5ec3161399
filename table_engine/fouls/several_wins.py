"""Laid down a hand on a discard that another player, nearer to the discarder, wins on too."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, hold_ms, who
from table_engine.wire.actions import WinShown
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat

CODE = "several_wins"
_DOUBT = (phrase("which of the hands laid down are valid"),)


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a further hand laid down on the same tile."""
    action, before, wins = moment.action, moment.before, moment.rules.wins
    if not isinstance(action, WinShown) or action.source is None or not before.winners:
        return ()
    source = action.source
    winners = sorted({*before.winners, action.seat}, key=lambda seat: (seat - source) % 4)
    if len(winners) == 3 and wins.three != "nearest":
        if wins.three == "all":
            return ()
        says = phrase("Three players win on one discard: the hand is drawn.")
        return foul(moment, CODE, "three", action.seat, says, key="three", missing=_DOUBT, other=source)
    if len(winners) == 2 and wins.several > 1:
        return ()
    return _farther(moment, winners[0], tuple(winners[1:]), source)


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if raised.kind == "farther" and moment.rules.wins.three == "all" and len(moment.after.winners) == 3:
        return "three players win together"
    return None


def _farther(moment: Moment, nearest: Seat, farther: tuple[Seat, ...], source: Seat) -> Iterable[Foul]:
    for seat in farther:
        says = phrase(
            "{seat} sits farther from the discarder than {other}, whose win counts.",
            seat=who(moment, seat),
            other=who(moment, nearest),
        )
        hold = hold_ms(moment, CODE, "farther", moment.rules.judging.settle_ms)
        yield from foul(
            moment, CODE, "farther", seat, says, key=f"farther-{seat}", hold_ms=hold, missing=_DOUBT, other=source
        )


RULE = FoulRule(CODE, ("farther", "three"), (WinShown,), judge, lifts)
