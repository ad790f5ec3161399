"""A board worth drawing."""

from __future__ import annotations

from table_engine.wire.alerts import Alert, AlertRaised
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.view import MeldView, PondTile, SeatView, TableView

POND = ("1m", "9p", "0s", "5z", "7z", "2s", "3m", "4p")


def view(seq: int = 1, last: str = "South draws") -> TableView:
    seats = tuple(
        SeatView(
            seat=seat,
            name=f"Player {seat + 1}",
            wind=WINDS[seat],
            dealer=seat == 0,
            concealed=10,
            pond=tuple(PondTile(tile=code, sideways=code == "7z") for code in POND),
            melds=(MeldView(kind="pung", tiles=("6z", "6z", "6z"), turned=1, source=seat.opposite),),
            flowers=("1f",),
            ready=seat == Seat.S1,
        )
        for seat in SEATS
    )
    return TableView(
        table="table-1",
        ruleset="riichi",
        state_seq=seq,
        at_ms=1000,
        phase="playing",
        hand=1,
        turn=Seat.S1,
        turns=8,
        wall_left=43,
        dora=("3p",),
        dice=(3, 4),
        last=last,
        seats=(seats[0], seats[1], seats[2], seats[3]),
    )


def alert(**changes: object) -> Alert:
    facts: dict[str, object] = {
        "id": "a1",
        "table": "table-1",
        "code": "tile_count",
        "rule": "RI-F7",
        "ruleset": "riichi",
        "seat": Seat.S3,
        "severity": "foul",
        "confidence": 0.97,
        "at_ms": 900,
        "hand": 1,
        "turn": 7,
        "says": "North holds 14 tiles before drawing; 13 are right.",
        "citation": "Fouls: too many or too few tiles",
        "penalty": "No win and no call for the rest of the hand.",
    }
    return Alert.model_validate(facts | changes)


def raised(**changes: object) -> AlertRaised:
    return AlertRaised(after=alert(**changes))
