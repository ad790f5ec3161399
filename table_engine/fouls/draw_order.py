"""Drew a tile that was not to be drawn: before the previous discard had come to the pond, out of turn, or from the wrong
end of the wall."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.wire.actions import Discarded, Drew, TileReturned
from table_engine.wire.phrases import phrase

CODE = "draw_order"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a draw: early, out of turn, or from the wrong end."""
    before, action, rules = moment.before, moment.action, moment.rules
    if not isinstance(action, Drew) or not before.running:
        return ()
    seat, turn = action.seat, before.turn
    player, key, me = before.players[seat], f"{before.discards}", who(moment, seat)
    free_until = before.hand_ms + rules.clocks.free_after_deal_s * 1000
    if seat in before.held and not player.owed and action.at_ms < free_until:
        says = phrase("{seat} draws although the draw is held until the free time after the deal is over.", seat=me)
        return foul(moment, CODE, "held", seat, says, key=f"held-{key}", hold_ms=_hold(moment, "held"))
    if player.owed:
        if action.end == "head":
            says = phrase("{seat} takes a replacement from the head of the wall; it belongs to the tail.", seat=me)
            return foul(moment, CODE, "end", seat, says, key=f"end-{key}", hold_ms=_hold(moment, "end"))
        return ()
    if turn.actor == seat or before.resumes(seat, "draw"):
        if turn.phase == "draw" and action.end == "tail":
            says = phrase("{seat} draws from the tail of the wall without a flower or kong to replace.", seat=me)
            return foul(moment, CODE, "end", seat, says, key=f"end-{key}", hold_ms=_hold(moment, "end"))
        return ()
    if turn.phase == "discard" and turn.actor == seat.upper and player.ahead_ms is None:
        upper = who(moment, seat.upper)
        says = phrase("{seat} draws before the discard of {other} has come to the pond.", seat=me, other=upper)
        hold_ms = max(rules.judging.simultaneous_ms, _hold(moment, "early"))
        return foul(moment, CODE, "early", seat, says, key=f"early-{key}", hold_ms=hold_ms)
    says = phrase("{seat} draws although it is the turn of {other}.", seat=me, other=who(moment, turn.actor))
    return foul(moment, CODE, "turn", seat, says, key=f"turn-{key}", hold_ms=_hold(moment, "turn"))


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    ruling = moment.rules.ruling(CODE, raised.kind)
    match moment.action:
        case TileReturned(seat=raised.seat, what="draw") if ruling and ruling.returned_cures:
            return "the tile was put back before it joined the hand"
        case Discarded(seat=seat, at_ms=at_ms) if raised.kind == "early" and seat == raised.seat.upper:
            if at_ms - raised.at_ms <= moment.rules.judging.simultaneous_ms:
                return "draw and discard came at the same time"
            return None
        case Discarded(seat=seat) if raised.kind == "turn" and seat != raised.seat and _had_not_drawn(moment):
            if raised.confidence < moment.rules.judging.foul_confidence:
                return "the tile was rather drawn by the player whose turn it was"
            return None
        case _:
            return None


def _had_not_drawn(moment: Moment) -> bool:
    """The discard came from the seat whose turn it was to draw."""
    turn = moment.before.turn
    return isinstance(moment.action, Discarded) and turn.phase == "draw" and turn.actor == moment.action.seat


def _hold(moment: Moment, kind: str) -> int:
    """Where putting the tile back cures the foul there must be time to do so."""
    ruling = moment.rules.ruling(CODE, kind)
    return moment.rules.judging.settle_ms if ruling and ruling.returned_cures else 0


RULE = FoulRule(CODE, ("early", "turn", "end", "held"), (Drew,), judge, lifts)
