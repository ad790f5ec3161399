"""A win as screens draw it: the hand, what it scores for, and who pays."""

from __future__ import annotations

from typing import Literal

from table_engine.wire.observations import Code, Wired
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat
from table_engine.wire.view import MeldView


class ItemView(Wired):
    """One thing a hand scores for, in the rule set's own terms and in English."""

    name: str
    english: str
    value: int


class WinPhrases(Wired):
    """What the English texts of a win are made of."""

    says: Phrase | None = None
    objections: tuple[Phrase, ...] = ()


class WinView(Wired):
    """`valid` none: not known yet. `payments` by seat are empty while there are none; they hold counters and sticks.
    `says` is one line for the referee, `objections` what is wrong, a sentence each."""

    seat: Seat
    source: Seat | None = None
    tile: Code
    concealed: tuple[Code, ...] = ()
    melds: tuple[MeldView, ...] = ()
    flowers: tuple[Code, ...] = ()
    valid: bool | None = None
    paid: bool = True
    says: str = ""
    objections: tuple[str, ...] = ()
    items: tuple[ItemView, ...] = ()
    unit: Literal["han", "tai", "fan", "point"] | None = None
    total: int | None = None
    fu: int = 0
    limit: str = ""
    points: int | None = None
    payments: tuple[int, ...] = ()
    waits: tuple[Code, ...] = ()
    phrases: WinPhrases = WinPhrases()
