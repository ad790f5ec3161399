"""What people are told: fouls of players as alerts, troubles of equipment as faults. Never mixed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from table_engine.wire.observations import Code, Confidence, Wired
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat

Severity = Literal["check", "foul"]
"""`check`: something is not as it should be, evidence for a ruling is missing. `foul`: enough evidence to tell the referee."""


class Phrases(Wired):
    """What the English texts of an alert are made of, under the same names, for whoever tells them in another language.
    Where one is empty its text was written by a person, or by a version of ours that did not know phrases."""

    says: Phrase | None = None
    citation: Phrase | None = None
    missing: tuple[Phrase, ...] = ()
    effects: tuple[Phrase, ...] = ()


class Alert(Wired):
    """One suspected breach of one rule by one seat."""

    id: str
    table: str
    code: str
    """The foul's own name, the same in all rule sets, e.g. `tile_count`."""
    rule: str
    """Catalogue id under the rule set in force, e.g. `TW-F3`: what is cited."""
    ruleset: str
    seat: Seat
    severity: Severity
    confidence: Confidence
    at_ms: int
    hand: int
    turn: int
    says: str
    """One sentence a referee would say."""
    citation: str
    """The rule's text (translated) with chapter."""
    penalty: str
    missing: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    state: Literal["open", "acknowledged", "confirmed", "dismissed", "withdrawn", "overturned"] = "open"
    incident: str = ""
    """Alerts of one incident carry the id of the first of them."""
    audience: Literal["referee", "table"] = "referee"
    """Who may be told, by the rule set."""
    other: Seat | None = None
    """The discarder or the player harmed, where the penalty goes to one."""
    tiles: tuple[Code, ...] = ()
    """Tiles the foul is about: exposed, or to be discarded."""
    points: tuple[int, int, int, int] = (0, 0, 0, 0)
    """What the suggested penalty (once confirmed: the penalty) moves, by seat."""
    foul_points: int = 0
    warning: bool = False
    """The first time is free: a warning."""
    choices: tuple[int, ...] = ()
    """Points the referee may choose from."""
    effects: tuple[str, ...] = ()
    """Standing effects, in words."""
    by: str = ""
    """Who decided last."""
    reason: str = ""
    """Why it was dismissed, overturned, upheld or withdrawn."""
    appeal: Literal["", "open", "upheld", "overturned"] = ""
    phrases: Phrases = Phrases()


class AlertRaised(Wired):
    type: Literal["new"] = "new"
    after: Alert


class AlertUpdated(Wired):
    type: Literal["update"] = "update"
    before: Alert
    after: Alert


class AlertEnded(Wired):
    """`reason` says why it no longer holds."""

    type: Literal["end"] = "end"
    before: Alert
    after: Alert
    reason: str


AlertChange = Annotated[AlertRaised | AlertUpdated | AlertEnded, Field(discriminator="type")]
ALERT_CHANGE: TypeAdapter[AlertChange] = TypeAdapter(AlertChange)


class Fault(Wired):
    """Equipment in doubt: what, where, what to do. Accuses nobody."""

    source: str
    code: str
    says: str
    since_ms: int
    phrase: Phrase | None = None
    """What `says` is made of, where it can be told in other languages."""

    @classmethod
    def told(cls, source: str, code: str, phrase: Phrase, since_ms: int) -> Fault:
        """One that can be told in other languages."""
        return cls(source=source, code=code, says=str(phrase), since_ms=since_ms, phrase=phrase)

    @property
    def words(self) -> Phrase:
        """What it says, in whatever language there is."""
        return self.phrase or Phrase(self.says)
