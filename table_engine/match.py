"""Everything that follows from moves and acts alone: the game's facts, clocks, docket and ledger, folded together.

    move → reducer → clocks → judge → docket, ledger          act → docket, effects, ledger
    time → clocks that ran out → judge; what was held back long enough is told

No sensors, no wire, no disk. What is amended in the past is folded anew by `history`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from table_engine import clocks, effects, ledger, referee, scoring
from table_engine.apply import apply
from table_engine.ask import paused
from table_engine.clocks import Clocks
from table_engine.fouls import Moment
from table_engine.judge import judge
from table_engine.ledger import Booking, Ledger
from table_engine.penalties import Points
from table_engine.referee import Case, Changes, Docket
from table_engine.rules import RuleSet
from table_engine.state import FOREVER, Player, State
from table_engine.verdicts import RECORDED, Decision, decide
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    ClockRan,
    CountSeen,
    DrawHeld,
    HandEnded,
    HandStarted,
    TurnCorrected,
    WinShown,
)
from table_engine.wire.acts import (
    Acknowledge,
    AddMove,
    Announce,
    Appeal,
    Confirm,
    ConfirmWin,
    CorrectCount,
    CorrectTile,
    CorrectTurn,
    Count,
    DeclareWin,
    Dismiss,
    EndHand,
    EndMatch,
    ExtraTime,
    HoldDraw,
    Overturn,
    Pause,
    RecordRow,
    RefereeAct,
    Resume,
    SeatPlayers,
    StartMatch,
    Uphold,
)
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import is_face

_FALSE_WINS = ("false_win", RECORDED)
_NO_GAME: Final = State()
_NO_CLOCKS: Final = Clocks()
_NO_LEDGER: Final = Ledger()


@dataclass(frozen=True, slots=True)
class Match:
    """One table between two entries of its history."""

    docket: Docket
    game: State = _NO_GAME
    clocks: Clocks = _NO_CLOCKS
    ledger: Ledger = _NO_LEDGER

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """The penalties of all fouls that stand confirmed."""
        return tuple(_booking(case) for case in self.docket.confirmed)


def moved(match: Match, action: Action, rules: RuleSet, degraded: tuple[Phrase, ...]) -> tuple[Match, Changes]:
    """After one move."""
    before = match.game
    game = apply(before, action, rules)
    if isinstance(action, HandEnded) and game.ended == "exhaustive" and not game.tenpai:
        game = replace(game, tenpai=_ready(game, rules))
    docket, changes = judge(match.docket, Moment(before, action, game, rules), degraded)
    running = clocks.moved(match.clocks, before, action, game, rules)
    match = Match(docket, game, running, _written(match.ledger, before, action, game, rules))
    if changes:
        match = _automatic(match, changes)
    return match, changes


def _ready(game: State, rules: RuleSet) -> tuple[Seat, ...]:
    """Who has shown a ready hand when the wall was played out (RI-S7): the shape alone counts."""
    return tuple(seat for seat in SEATS if _shows_ready(game.players[seat], rules))


def _shows_ready(player: Player, rules: RuleSet) -> bool:
    shown = player.open
    if shown is None or len(shown) % 3 != 1 or not all(is_face(tile) for tile in shown):
        return False
    try:
        return bool(scoring.waits(shown, player.melds, rules))
    except scoring.TooManyError:
        return False


def timed(
    match: Match,
    now_ms: int,
    rules: RuleSet,
    degraded: tuple[Phrase, ...],
    *,
    quiet: bool = True,
    clocks_ms: int | None = None,
) -> tuple[Match, Changes, tuple[ClockRan, ...]]:
    """After the table's time has run to a moment. `quiet`: nothing that took place is still to be told. `clocks_ms`: the
    clocks stopped before that moment."""
    changes: Changes = ()
    told: tuple[ClockRan, ...] = ()
    until_ms = now_ms if clocks_ms is None else clocks_ms
    if until_ms >= match.clocks.due_ms:
        running, told = clocks.ran(match.clocks, match.game, until_ms, rules, quiet=quiet)
        if running is not match.clocks:
            match = replace(match, clocks=running)
        for action in told:
            match, more = moved(match, action, rules, degraded)
            changes += more
    if match.docket.waits:
        docket, more = referee.settle(match.docket, now_ms, rules)
        if more:
            match = _automatic(replace(match, docket=docket), more)
            changes += more
    return match, changes, told


def as_move(act: RefereeAct) -> Action | None:
    """The move an act is, where it is one that was missed or only a person could know."""
    match act.did:
        case Announce(seat=seat, call=call):
            return CallAnnounced(at_ms=act.at_ms, evidence=(act.id,), seat=seat, call=call)
        case DeclareWin(seat=seat, source=source, tile=tile, hand=hand):
            return WinShown(at_ms=act.at_ms, evidence=(act.id,), seat=seat, source=source, tile=tile, hand=hand)
        case CorrectCount(seat=seat, concealed=concealed):
            return CountSeen(at_ms=act.at_ms, evidence=(act.id,), seat=seat, concealed=concealed)
        case CorrectTurn(seat=seat, phase=phase):
            return TurnCorrected(at_ms=act.at_ms, evidence=(act.id,), seat=seat, phase=phase)
        case HoldDraw(seat=seat):
            return DrawHeld(at_ms=act.at_ms, evidence=(act.id,), seat=seat)
        case AddMove(action=action, after=None):
            return action if action.at_ms else replace(action, at_ms=act.at_ms)
        case _:
            return None


def acted(match: Match, act: RefereeAct, rules: RuleSet) -> tuple[Match, Changes]:
    """After an act that is no move and amends nothing in the past."""
    match act.did:
        case Acknowledge() | Confirm() | Dismiss() | Overturn() | Appeal() | Uphold() | RecordRow() as did:
            decision = decide(match.docket, act, did, match.game, rules)
            return _followed(match, decision, rules), decision.changes
        case CorrectTile(seat=seat, zone=zone, index=index):
            return replace(match, game=_pinned(match.game, seat, (zone, index))), ()
        case Count(seat=seat):
            running = clocks.counting(match.clocks, seat, act.at_ms, match.game, rules)
            return replace(match, clocks=running), ()
        case Pause() if not paused(match.game):
            return _pauses(match, (*match.game.pauses, (act.at_ms, FOREVER)), rules), ()
        case Resume() if paused(match.game):
            since, _ = match.game.pauses[-1]
            return _pauses(match, (*match.game.pauses[:-1], (since, max(since, act.at_ms))), rules), ()
        case ExtraTime(seconds=seconds):
            extra = match.clocks.extra_ms + seconds * 1000
            over = match.game.match_over and match.clocks.match_told and seconds > 0
            game = replace(match.game, match_over=False) if over else match.game
            game = replace(game, ended=None) if over and game.ended == "time" and game.running else game
            running = replace(match.clocks, extra_ms=extra, match_told=match.clocks.match_told and not over)
            return replace(match, game=game, clocks=clocks.timed(running, game, rules)), ()
        case ConfirmWin(seat=seat, payments=payments, says=says):
            return _win_confirmed(match, seat, payments, says), ()
        case EndHand(how=how, ready=ready, payments=payments):
            turn = replace(match.game.turn, phase="over")
            game = replace(match.game, turn=turn, ended=how, tenpai=ready, at_ms=max(act.at_ms, match.game.at_ms))
            written = ledger.closed(match.ledger, game, rules, told=True)
            return replace(match, game=game, ledger=ledger.said(written, payments) if payments else written), ()
        case SeatPlayers(names=names, substitutes=substitutes):
            return replace(match, ledger=replace(match.ledger, names=names, substitutes=substitutes)), ()
        case StartMatch(points=points, rotations=rotations):
            game = replace(match.game, match_over=True, opens=rotations)
            began = replace(match.clocks, match_ms=None, extra_ms=0, match_told=False)
            return replace(match, game=game, clocks=began, ledger=replace(match.ledger, start_points=points)), ()
        case EndMatch(reason=reason):
            game = replace(match.game, match_over=True)
            ended = replace(match.ledger, ended=reason or "ended by the referee", ended_ms=act.at_ms)
            return replace(match, game=game, ledger=ended), ()
        case _:
            return match, ()


def _written(book: Ledger, before: State, action: Action, after: State, rules: RuleSet) -> Ledger:
    match action:
        case HandStarted():
            return ledger.opened(book, before, after, rules)
        case WinShown():
            return ledger.won(book, before, action, rules)
        case HandEnded() if before.hand:
            return ledger.closed(book, after, rules)
        case ClockRan():
            return ledger.timed_out(book, action)
        case _:
            return book


def _automatic(match: Match, changes: Changes) -> Match:
    """Effects that stand as soon as a foul is told, and fall when it is taken back."""
    game = match.game
    for change in changes:
        case = match.docket.find(change.after.id)
        if case is None or not case.ruling.automatic or case.foul.hand != game.hand:
            continue
        if change.type == "end" and change.after.state in ("withdrawn", "dismissed", "overturned"):
            game = effects.lift(game, change.after.id)
        elif change.after.severity == "foul":
            made = referee.effects_of(match.docket, case)
            game = effects.put(game, case.foul.seat, made)
    return match if game is match.game else replace(match, game=game)


def _followed(match: Match, decision: Decision, rules: RuleSet) -> Match:
    """What comes of a decision beyond the docket: effects, the turn after a false win, the end of the hand."""
    game, book, running = match.game, match.ledger, match.clocks
    if (case := decision.released) and case.alert:
        game = effects.lift(game, case.alert.id)
    if (case := decision.booked) and case.booked and case.foul.hand == game.hand:
        game = effects.put(game, case.foul.seat, case.booked.effects)
        if case.booked.ends_hand and game.ended in (None, "won"):
            game = replace(game, turn=replace(game.turn, phase="over"), winners=(), ended="ruling")
            book = ledger.closed(ledger.unsaid(book), game, rules)
        elif case.foul.seat in game.winners and case.foul.code in _FALSE_WINS and game.before_win and not game.ended:
            game = _goes_on(game)
            book = ledger.unsaid(book)
            running = clocks.resumed(running, game, game.at_ms)
    return Match(decision.docket, game, clocks.timed(running, game, rules), book)


def _pinned(game: State, seat: Seat, place: tuple[str, int]) -> State:
    players = list(game.players)
    players[seat] = replace(players[seat], pinned=(*players[seat].pinned, place))
    a, b, c, d = players
    return replace(game, players=(a, b, c, d))


def _goes_on(game: State) -> State:
    """Play goes on after a false win: the turn is what it was before it."""
    a, b, c, d = (replace(player, open=None) if player.open is not None else player for player in game.players)
    return replace(
        game, turn=game.before_win or game.turn, winners=(), before_win=None, ended=None, players=(a, b, c, d)
    )


def _pauses(match: Match, pauses: tuple[tuple[int, int], ...], rules: RuleSet) -> Match:
    game = replace(match.game, pauses=pauses)
    return replace(match, game=game, clocks=clocks.timed(match.clocks, game, rules))


def _win_confirmed(match: Match, seat: Seat, payments: Points | None, says: str) -> Match:
    line = match.ledger.running
    if line is None:
        return match
    wins = tuple(
        replace(win, confirmed=True, says=Phrase(says) if says else win.says, points=payments or win.points)
        if win.seat == seat
        else win
        for win in line.wins
    )
    book = match.ledger.with_last(replace(line, wins=wins))
    if payments is not None and len(wins) < 2:
        book = ledger.said(book, payments)
    return replace(match, ledger=book)


def _booking(case: Case) -> Booking:
    booked, alert = case.booked, case.alert
    if booked is None or alert is None:
        raise AssertionError(f"{case.identity} is not booked")
    return Booking(
        alert=alert.id,
        row=case.ruling.row,
        seat=case.foul.seat,
        number=case.foul.hand,
        points=booked.points,
        foul_points=booked.foul_points,
        warning=booked.warning,
        disqualifies=booked.disqualifies,
    )
