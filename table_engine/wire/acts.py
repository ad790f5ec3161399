"""What referees and operators do. One event that is journalled like all others; a closed union of deeds.

An act counts from the moment it stands in the journal and is never deleted: `Undo` takes it back, which is an act too.
`move` is the number of an action as published with it on `engine/action` (its `state_seq`); it stays the action's name
however often the hand is folded anew. Points are the rule set's points, by seat, positive for who gets them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from table_engine.wire.actions import Action
from table_engine.wire.names import Name
from table_engine.wire.observations import CODE, Wired
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

Text = Annotated[str, Field(max_length=2000)]
Reason = Annotated[str, Field(min_length=1, max_length=2000)]
ActId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
Points = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Payments = tuple[Points, Points, Points, Points]
OneTile = Annotated[Tile, Field(pattern=CODE)]
Tiles = tuple[OneTile, ...]

# ------------------------------------------------------------------------------------------------ the life of an alert


class Acknowledge(Wired):
    """Somebody looks after it."""

    act: Literal["acknowledge"] = "acknowledge"
    alert: str


class Confirm(Wired):
    """It was a foul: its penalty is booked, its effect stands. `points` where the text lets the referee choose (5 to 60)
    or the ruling is to be another than suggested; `tiles` those that become penalty tiles."""

    act: Literal["confirm"] = "confirm"
    alert: str
    points: Points | None = None
    tiles: Tiles = ()
    note: Text = ""


class Dismiss(Wired):
    """It was none, and why."""

    act: Literal["dismiss"] = "dismiss"
    alert: str
    reason: Reason


class Overturn(Wired):
    """A decision (confirmed or dismissed) is reversed: what followed from it is taken back, or follows now."""

    act: Literal["overturn"] = "overturn"
    alert: str
    reason: Reason


class Appeal(Wired):
    """A decision is appealed against. Accepted within the rule set's time after the session."""

    act: Literal["appeal"] = "appeal"
    alert: str
    seat: Seat | None = None
    text: Text = ""


class Uphold(Wired):
    """The decision stands after an appeal."""

    act: Literal["uphold"] = "uphold"
    alert: str
    reason: Reason


class RecordRow(Wired):
    """A foul or permission the referee saw: a row of the catalogue, whom it is against, and what the row asks for: the
    tiles exposed or barred, the player harmed (`other`), the points where the text leaves a choice."""

    act: Literal["row"] = "row"
    row: str
    seat: Seat
    kind: str = ""
    """Which ruling of the row, where it has several (e.g. `late_10`)."""
    tiles: Tiles = ()
    other: Seat | None = None
    points: Points | None = None
    note: Text = ""


# ------------------------------------------------------------------------------------------------ corrections


class CorrectTile(Wired):
    """A tile that lies on the table is another one. `index` counts all discards of the seat (called ones too), the tiles
    of all its sets, its flowers, the tiles of its opened hand, or the dora indicators."""

    act: Literal["correct_tile"] = "correct_tile"
    seat: Seat
    zone: Literal["pond", "meld", "flower", "open", "dora"]
    index: Annotated[int, Field(ge=0)]
    tile: OneTile


class CorrectCount(Wired):
    """So many tiles stand in a hand now, counted by a person."""

    act: Literal["correct_count"] = "correct_count"
    seat: Seat
    concealed: Annotated[int, Field(ge=0, le=20)]


class CorrectTurn(Wired):
    """It is this seat's turn, to draw or to discard."""

    act: Literal["correct_turn"] = "correct_turn"
    seat: Seat
    phase: Literal["draw", "discard"]


class CorrectSeat(Wired):
    """A move was another seat's (of a deal: the dealer)."""

    act: Literal["correct_seat"] = "correct_seat"
    move: int
    seat: Seat


class CorrectCall(Wired):
    """A call was another one: its sort, the set shown, or whose discard was taken."""

    act: Literal["correct_call"] = "correct_call"
    move: int
    call: Literal["chow", "pung", "kong"]
    tiles: Tiles
    source: Seat | None = None


class RemoveMove(Wired):
    """A move never happened."""

    act: Literal["remove_move"] = "remove_move"
    move: int


class AddMove(Wired):
    """A move was missed: it happened after move number `after` (none: now)."""

    act: Literal["add_move"] = "add_move"
    action: Action
    after: int | None = None


class Undo(Wired):
    """An earlier act is taken back as if it had never been."""

    act: Literal["undo"] = "undo"
    of: ActId


# ------------------------------------------------------------------------------------------------ clocks


class Count(Wired):
    """The five-second count runs against a seat from now."""

    act: Literal["count"] = "count"
    seat: Seat
    asked_by: Seat | None = None


class Pause(Wired):
    """All clocks of the table stand still."""

    act: Literal["pause"] = "pause"
    reason: Text = ""


class Resume(Wired):
    act: Literal["resume"] = "resume"


class ExtraTime(Wired):
    """The table's match clock runs so much longer."""

    act: Literal["extra_time"] = "extra_time"
    seconds: Annotated[int, Field(ge=-36_000, le=36_000)]
    reason: Text = ""


class HoldDraw(Wired):
    """Who may still arrange the hand after the deal asks that a seat does not draw yet (WS-F12)."""

    act: Literal["hold_draw"] = "hold_draw"
    seat: Seat
    asked_by: Seat


# ------------------------------------------------------------------------------------------------ the course of play


class Announce(Wired):
    """The referee heard a call (the microphone's key)."""

    act: Literal["announce"] = "announce"
    seat: Seat
    call: Literal["chow", "pung", "kong", "win", "ready"]


class DeclareWin(Wired):
    """A win, its hand entered by a person. `source`: who gave the tile, none for a self-draw."""

    act: Literal["win"] = "win"
    seat: Seat
    source: Seat | None = None
    tile: OneTile
    hand: Tiles
    """The concealed tiles without the winning one."""


class ConfirmWin(Wired):
    """The win is valid and pays this; none: what the engine has worked out."""

    act: Literal["win_confirmed"] = "win_confirmed"
    seat: Seat
    payments: Payments | None = None
    says: Text = ""


class EndHand(Wired):
    """How the hand ended where no win was paid. `ready`: who was ready at an exhaustive draw. `payments`: none for what
    the rule set says."""

    act: Literal["hand_ended"] = "hand_ended"
    how: Literal[
        "exhaustive", "nine_terminals", "four_winds", "four_kongs", "four_ready", "three_winners", "ruling", "time"
    ]
    ready: tuple[Seat, ...] = ()
    payments: Payments | None = None


class SeatPlayers(Wired):
    """Who sits where. `substitutes` play without rank (CO-S11)."""

    act: Literal["players"] = "players"
    names: tuple[Name, Name, Name, Name]
    substitutes: tuple[Seat, ...] = ()


class StartMatch(Wired):
    """A new match: ledger, hands and clocks begin anew with the next hand, the clock now. `points` each begins with.
    `rotations`: how often the deal has passed on before, for a match that was begun elsewhere (4: south 1)."""

    act: Literal["match_start"] = "match_start"
    points: Points | None = None
    rotations: Annotated[int, Field(ge=0, le=15)] = 0


class EndMatch(Wired):
    act: Literal["match_end"] = "match_end"
    reason: Text = ""


Did = Annotated[
    Acknowledge
    | Confirm
    | Dismiss
    | Overturn
    | Appeal
    | Uphold
    | RecordRow
    | CorrectTile
    | CorrectCount
    | CorrectTurn
    | CorrectSeat
    | CorrectCall
    | RemoveMove
    | AddMove
    | Undo
    | Count
    | Pause
    | Resume
    | ExtraTime
    | HoldDraw
    | Announce
    | DeclareWin
    | ConfirmWin
    | EndHand
    | SeatPlayers
    | StartMatch
    | EndMatch,
    Field(discriminator="act"),
]
DID: TypeAdapter[Did] = TypeAdapter(Did)

Correction = CorrectTile | CorrectCount | CorrectTurn | CorrectSeat | CorrectCall | RemoveMove | AddMove


class RefereeAct(Wired):
    """One deed of one person. `id` names it for ever; one that comes twice counts once. `at_ms` is the site's clock when
    the engine took it."""

    type: Literal["act"] = "act"
    id: ActId
    by: Text = ""
    role: Literal["referee", "operator"] = "referee"
    at_ms: int
    did: Did


class Wish(Wired):
    """An act as it is asked for, on `engine/cmd/act` (in a command's `data`) or from a page: the engine gives it its
    time, and an id where it has none."""

    id: ActId | None = None
    by: Text = ""
    role: Literal["referee", "operator"] = "referee"
    did: Did


class ActCommand(Wired):
    """On `engine/cmd/act`: the transaction is the act's id where the wish has none, so that one that comes twice counts
    once."""

    transaction: ActId
    data: Wish


class Answer(Wired):
    """What became of a wish: taken under this id, or not and why."""

    ok: bool
    id: str = ""
    error: str = ""
