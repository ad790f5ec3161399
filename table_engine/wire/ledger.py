"""What is counted of a table, as screens and sheets show it: clocks, hands, penalties, standings, moves and acts."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from table_engine.wire.actions import Action, Clock
from table_engine.wire.alerts import Alert
from table_engine.wire.observations import Code, Wired
from table_engine.wire.phrases import Phrase
from table_engine.wire.scores import WinView
from table_engine.wire.seats import Seat, Wind

Points = tuple[int, int, int, int]


class ClocksView(Wired):
    """All times in ms of the table's own time, of which it is `now_ms`: pages count on by themselves unless `paused`."""

    now_ms: int
    paused: bool = False
    match_began_ms: int | None = None
    match_ends_ms: int | None = None
    extra_ms: int = 0
    turn: Seat | None = None
    turn_began_ms: int | None = None
    turn_ends_ms: int | None = None
    hand_used_ms: Points = (0, 0, 0, 0)
    """What each seat has used of the hand's clock until `now_ms`."""
    hand_limit_ms: int | None = None
    counted: Seat | None = None
    count_ends_ms: int | None = None
    claim_ends_ms: int | None = None
    """Until then a pung of the tile that lies open may be called."""
    free_until_ms: int | None = None
    """The free time after the deal."""
    ran_out: tuple[Clock, ...] = ()
    """Clocks of the running turn, hand and match that are past their limit."""


class WinLine(Wired):
    seat: Seat
    source: Seat | None = None
    tile: Code = "?"
    points: Points | None = None
    says: str = ""
    confirmed: bool = False
    phrase: Phrase | None = None
    """What `says` is made of."""


class Result(Wired):
    """The wins of the running hand, scored as far as their tiles are known."""

    hand: int = 0
    wins: tuple[WinView, ...] = ()


class BookingLine(Wired):
    """A penalty booked. `hand` is the number of the hand within the match."""

    alert: str
    row: str
    seat: Seat
    hand: int
    points: Points
    foul_points: int = 0
    warning: bool = False
    disqualifies: bool = False


class TimeOutLine(Wired):
    """A clock a seat ran past its limit, by so many begun periods."""

    seat: Seat
    clock: Clock
    spent_ms: int
    periods: int


class HandLine(Wired):
    """One hand. `points` without penalties; None while nobody can say. `total` with penalties."""

    hand: int
    number: int
    dealer: Seat
    round_wind: Wind
    winds: tuple[Wind | None, Wind | None, Wind | None, Wind | None]
    honba: int = 0
    sticks: int = 0
    began_ms: int = 0
    ended_ms: int | None = None
    how: str = ""
    wins: tuple[WinLine, ...] = ()
    tenpai: tuple[Seat, ...] = ()
    bets: tuple[Seat, ...] = ()
    time_outs: tuple[TimeOutLine, ...] = ()
    points: Points | None = None
    total: Points | None = None
    said: bool = False
    note: str = ""
    bookings: tuple[BookingLine, ...] = ()


class StandingLine(Wired):
    """`placement` and `table_points` are None where the rule set has none."""

    seat: Seat
    name: str = ""
    points: int
    hands: int
    penalties: int
    foul_points: int
    time_outs: int = 0
    """How many clocks this seat has run past in the match."""
    rank: int
    rank_points: int = 0
    """What passes from the last to the first by the final order, part of `placement` and not of `points`."""
    placement: float | None = None
    table_points: float | None = None
    ranked: bool = True
    disqualified: bool = False


class LedgerView(Wired):
    """One match of a table."""

    table: str
    ruleset: str
    match: int
    hands: tuple[HandLine, ...] = ()
    standings: tuple[StandingLine, ...] = ()
    over: bool = False
    ended: str = ""
    ended_ms: int | None = None
    appeals_until_ms: int | None = None


class MoveLine(Wired):
    """A move that counts. `move` is its number, by which it is corrected."""

    move: int
    at_ms: int
    says: str
    action: Action


class Moves(Wired):
    """The last moves of the running hand."""

    moves: tuple[MoveLine, ...] = ()


class ActLine(Wired):
    """An act as it stands in the journal."""

    id: str
    by: str
    role: Literal["referee", "operator"]
    at_ms: int
    move: int
    act: str
    undone: bool = False
    did: dict[str, JsonValue]


class Rulings(Wired):
    """The ruling sheet: every alert told, decided and taken back, every act, and what was booked."""

    table: str
    ruleset: str
    alerts: tuple[Alert, ...] = ()
    retracted: tuple[Alert, ...] = ()
    """No longer hold since the past was corrected."""
    acts: tuple[ActLine, ...] = ()
    bookings: tuple[BookingLine, ...] = ()
