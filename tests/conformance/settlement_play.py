"""One recorded hand played through our own state, and what it pays by our own tracking and scoring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from table_engine import ask, claim, ledger, scoring
from table_engine.apply import apply
from table_engine.claim import Verdict
from table_engine.records.model import HandRecord
from table_engine.rules import RuleSet
from table_engine.scoring.payments import added, paid_by
from table_engine.state import State
from table_engine.wire.actions import Drew, WinShown
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.tiles import Tile, is_face

NOTHING = (0, 0, 0, 0)
FALSE_WIN = (-30, 10)
"""What Botzone lets a false win pay, and what the others get."""
QUARTER = 21
"""Tiles of a player's own wall at Botzone after the deal."""


@dataclass(frozen=True, slots=True)
class Played:
    """`deltas` is the change of every seat over the hand, `sticks` the ready bets left on the table, `verdicts` our view of
    every win shown."""

    deltas: tuple[int, ...]
    sticks: int
    verdicts: tuple[Verdict, ...]
    end: State
    tracked: tuple[int, int, int] | None = None
    """Counters, sticks and round by our own tracking from the hands before; None in the first hand."""


def played(
    record: HandRecord,
    rules: RuleSet,
    *,
    carried: State | None = None,
    own_walls: bool = False,
    mirrored_winds: bool = False,
) -> Played:
    """A hand by our own tracking, after the hand that ended as `carried`. `own_walls`: everybody draws from an own wall, as
    at Botzone. `mirrored_winds`: winds are counted against the order of play, and replacements of flowers do not count as
    of kongs."""
    state, wins, before = _dealt(record, rules, carried), list[WinShown](), State()
    tracked = None if carried is None else (state.honba, state.sticks, state.rotations // 4)
    state = _as_told(state, record, first=carried is None)
    drawn = [0, 0, 0, 0]
    for move in record.moves:
        if not wins:
            before = state
        if isinstance(move, WinShown):
            wins.append(move)
        elif isinstance(move, Drew):
            drawn[move.seat] += 1
        state = apply(state, move, rules)
    if wins:
        verdicts = claim.several(before, wins, rules, ura=record.ura)
        if own_walls:
            verdicts = tuple(_last_by_own_wall(before, v, drawn, rules) for v in verdicts)
        if mirrored_winds:
            verdicts = tuple(_mirrored(before, v, rules) for v in verdicts)
        done = _won(before, verdicts, rules)
    else:
        done = _drawn(record, before, rules)
    if record.ending == "triple win":  # the record says so without showing the three hands
        state = replace(state, winners=SEATS[1:], ended="three_winners")
    return replace(done, end=state, tracked=tracked)


def _dealt(record: HandRecord, rules: RuleSet, carried: State | None) -> State:
    """The state when the hand begins, with all hands known."""
    state = apply(carried or State(), record.start(), rules)
    players = [replace(player, known=record.hands[seat]) for seat, player in enumerate(state.players)]
    return replace(state, players=(players[0], players[1], players[2], players[3]), first_dealer=Seat.S0)


def _as_told(state: State, record: HandRecord, *, first: bool) -> State:
    """Counters, sticks and round as the record tells them: what was tracked otherwise is a difference of one hand only."""
    within = int(record.dealer) if first else state.rotations % 4
    rotations = 4 * record.round_wind + within
    return replace(state, honba=record.honba, streak=record.honba, sticks=record.sticks, rotations=rotations)


def _won(before: State, verdicts: tuple[Verdict, ...], rules: RuleSet) -> Played:
    bets = _bets(before, rules)
    paid = [verdict.score.payments for verdict in verdicts if verdict.score]
    left = before.sticks + -sum(bets) // max(1, rules.match.bet)
    return Played(added([bets, *paid]), 0 if paid else left, verdicts, before)


def _bets(before: State, rules: RuleSet) -> tuple[int, int, int, int]:
    """Ready bets laid in this hand."""
    changes = [-rules.match.bet if seat in claim.betting(before) else 0 for seat in SEATS]
    return changes[0], changes[1], changes[2], changes[3]


def _drawn(record: HandRecord, state: State, rules: RuleSet) -> Played:
    open_still = replace(state, turn=replace(state.turn, offer=None))
    bets = _bets(state if record.ending == "triple win" else open_still, rules)
    left = record.sticks + -sum(bets) // max(1, rules.match.bet)
    paid = [bets]
    played_out = record.ending == "exhaustive draw" or (not record.ending and not ask.draws_left(state, rules))
    if record.ending == "all terminals discarded":
        paid += list(_terminals(state))
    elif played_out and rules.match.noten_points:
        paid.append(ledger.noten(tuple(_ready(record, state, rules)), rules.match.noten_points))
    return Played(added(paid), left, (), state)


def _ready(record: HandRecord, state: State, rules: RuleSet) -> Iterator[Seat]:
    """Who is ready at the end: as laid open, where the record tells, else by the tiles held. A record of one player's view
    does not say what that player laid open."""
    faces = [bool(player.known) and all(map(is_face, player.known)) for player in state.players]
    for seat in SEATS:
        player = state.players[seat]
        if record.shown and (record.shown[seat] is not None or all(faces)):
            if record.shown[seat] is not None:
                yield seat
        elif faces[seat] and scoring.distance(player.known, player.melds, rules) == 0:
            yield seat


def _terminals(state: State) -> Iterator[tuple[int, int, int, int]]:
    """All own discards terminals or honours and none taken (nagashi mangan): paid like a self-drawn mangan."""
    for seat in SEATS:
        pond = state.players[seat].pond
        if pond and all(_outer(one.tile) and one.taken is None for one in pond):
            dealer = seat == state.dealer
            yield paid_by(seat, lambda payer, d=dealer: 4000 if d or payer == state.dealer else 2000)


def _outer(tile: Tile) -> bool:
    return tile[1] == "z" or tile[0] in "19"


def _last_by_own_wall(before: State, verdict: Verdict, drawn: list[int], rules: RuleSet) -> Verdict:
    """The last tile is the one after which the next player to draw has none left."""
    giver = verdict.seat if verdict.context.source is None else verdict.context.source
    last = drawn[giver.next] + (giver.next == before.dealer) >= QUARTER
    context = replace(verdict.context, last_tile=last)
    return claim.rescored(before, verdict, rules, verdict.hand, context)


def _mirrored(before: State, verdict: Verdict, rules: RuleSet) -> Verdict:
    wind = WINDS[-WINDS.index(verdict.context.seat_wind) % 4]
    konged = before.players[verdict.seat].konged is not None
    context = replace(verdict.context, seat_wind=wind, replacement=verdict.context.replacement and konged)
    return claim.rescored(before, verdict, rules, verdict.hand, context)
