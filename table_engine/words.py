"""What moved, in one line of words for logs and screens."""

from __future__ import annotations

from table_engine import ask
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    ClockRan,
    CountSeen,
    Discarded,
    DoraShown,
    DrawHeld,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TilesExposed,
    TurnCorrected,
    WinShown,
)
from table_engine.wire.seats import Seat


def words(action: Action, state: State, rules: RuleSet) -> str:
    """One sentence without its full stop. `state` is the one the action led to; concealed tiles are never named."""

    def who(seat: Seat) -> str:
        wind = ask.wind(state, seat, rules)
        return wind.capitalize() if wind else f"Seat {seat + 1}"

    match action:
        case HandStarted(dealer=dealer):
            return f"Hand {state.hand} is dealt by {who(dealer)}"
        case Drew(seat=seat, end=end):
            return f"{who(seat)} draws" if end == "head" else f"{who(seat)} draws from the tail"
        case Discarded(seat=seat, tile=tile, sideways=sideways):
            return f"{who(seat)} discards {tile}{' and is ready' if sideways else ''}"
        case Called(seat=seat, call=call, tile=tile, source=source):
            return f"{who(seat)} {call}s {tile} of {who(source)}"
        case Konged(seat=seat, kong="added", tile=tile):
            return f"{who(seat)} adds {tile} to a pung"
        case Konged(seat=seat):
            return f"{who(seat)} makes a concealed kong"
        case FlowersShown(seat=seat, tiles=tiles):
            return f"{who(seat)} shows {'flower' if len(tiles) == 1 else 'flowers'} {' '.join(tiles)}"
        case DoraShown(tile=tile):
            return f"{tile} is turned up"
        case WinShown(seat=seat, source=source, tile=tile):
            won = "by self-draw" if source is None else f"on {tile} of {who(source)}"
            return f"{who(seat)} shows a win {won}"
        case HandShown(seat=seat):
            return f"{who(seat)} shows the hand"
        case TilesExposed(seat=seat, tiles=tiles, where="hand"):
            return f"{who(seat)} exposes {' '.join(tiles)}"
        case TilesExposed(tiles=tiles):
            return f"{' '.join(tiles)} lies open in the wall"
        case HandEnded(won=won):
            return "The hand is over" if won else "The hand is over without a winner"
        case CallAnnounced(seat=seat, call=call):
            return f"{who(seat)} announces {call}"
        case TileReturned(seat=seat, what=what):
            return f"{who(seat)} takes a {what} back"
        case TileCorrected(was=was, tile=tile):
            return f"{was} is read as {tile} now"
        case CountSeen(seat=seat, concealed=concealed):
            return f"{who(seat)} is counted with {concealed} standing tiles"
        case TurnCorrected(seat=seat, phase=phase):
            return f"It is {who(seat)}'s turn to {phase}"
        case DrawHeld(seat=seat):
            return f"{who(seat)} is asked not to draw yet"
        case ClockRan(clock="match", limit_ms=limit_ms):
            return f"The {limit_ms // 60_000} minutes of the match are over"
        case ClockRan(seat=seat, clock=clock, spent_ms=spent_ms):
            return f"{who(seat)} has taken {spent_ms // 1000} s ({clock.replace('_', ' ')} clock)"
