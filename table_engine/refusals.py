"""Why an act cannot be done, in one sentence for who asked for it."""

from __future__ import annotations

from table_engine import verdicts
from table_engine.amend import origin, undone
from table_engine.ask import paused
from table_engine.history import History
from table_engine.match import Match
from table_engine.rules import RuleSet
from table_engine.wire.actions import Called, DoraShown, HandEnded
from table_engine.wire.acts import (
    Acknowledge,
    AddMove,
    Appeal,
    Confirm,
    ConfirmWin,
    CorrectCall,
    CorrectSeat,
    CorrectTile,
    Dismiss,
    HoldDraw,
    Overturn,
    Pause,
    RecordRow,
    RefereeAct,
    RemoveMove,
    Resume,
    Undo,
    Uphold,
)

_MINUTE_MS = 60_000


def refused(match: Match, history: History, act: RefereeAct, rules: RuleSet) -> str:
    """Empty when the act can be done now."""
    if history.act(act.id):
        return f"the act {act.id!r} was taken already"
    match did := act.did:
        case Appeal():
            return verdicts.refusal(match.docket, did, rules) or _too_late(match, act, rules)
        case Acknowledge() | Confirm() | Dismiss() | Overturn() | Uphold() | RecordRow():
            return verdicts.refusal(match.docket, did, rules)
        case CorrectTile():
            return _no_tile(history, did, rules)
        case CorrectSeat(move=move) | CorrectCall(move=move) | RemoveMove(move=move):
            return _no_move(history, did, move)
        case AddMove(after=after) if after is not None and history.find(after) is None:
            return f"no move {after} in the hands that can still be amended"
        case Undo(of=of):
            return _not_undoable(history, of)
        case Pause() if paused(match.game):
            return "the clocks stand still already"
        case Resume() if not paused(match.game):
            return "the clocks run already"
        case HoldDraw():
            return _not_free(match, act, rules)
        case ConfirmWin(seat=seat):
            line = match.ledger.running
            shown = line is not None and any(win.seat == seat for win in line.wins)
            return "" if shown else f"seat {seat + 1} has shown no win in this hand"
        case _:
            return ""


def _no_tile(history: History, did: CorrectTile, rules: RuleSet) -> str:
    last = history.chapters[-1]
    place = (did.seat, did.zone, did.index)
    if origin(last.entries, last.before.game, history.amendments, place, rules) is None:
        return f"no tile {did.index} lies in the {did.zone} of seat {did.seat + 1}"
    return ""


def _no_move(history: History, did: CorrectSeat | CorrectCall | RemoveMove, move: int) -> str:
    found = history.find(move)
    if found is None or isinstance(found[1].what, RefereeAct):
        return f"no move {move} in the hands that can still be amended"
    what = found[1].what
    if isinstance(did, CorrectCall) and not isinstance(what, Called):
        return f"move {move} is no call"
    if isinstance(did, CorrectSeat) and isinstance(what, DoraShown | HandEnded):
        return f"move {move} belongs to no seat"
    return ""


def _not_undoable(history: History, of: str) -> str:
    if history.act(of) is None:
        return f"no act {of!r} in the hands that can still be amended"
    if of in undone(history.acts):
        return f"the act {of!r} was taken back already"
    return ""


def _not_free(match: Match, act: RefereeAct, rules: RuleSet) -> str:
    """A draw may be held only in the free time after the deal (WS-F12)."""
    free_s = rules.clocks.free_after_deal_s
    if not free_s:
        return f"{rules.id} knows no free time after the deal"
    if not match.game.running or act.at_ms > match.game.hand_ms + free_s * 1000:
        return f"the {free_s} seconds after the deal are over"
    return ""


def _too_late(match: Match, act: RefereeAct, rules: RuleSet) -> str:
    """Appeals are open while the match is played and for a while after it (CO-F15)."""
    minutes, over = rules.clocks.appeal_minutes, match.ledger.ended_ms
    if minutes is None or over is None or act.at_ms <= over + minutes * _MINUTE_MS:
        return ""
    return f"appeals were open for {minutes} minutes after the session"
