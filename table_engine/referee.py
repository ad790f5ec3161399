"""The life of an alert: held back until it is sure, raised, acknowledged, then confirmed or dismissed by the referee or
withdrawn by the engine when its evidence falls away. Pure: the docket is a value, time is the table's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from table_engine.fouls.foul import Foul
from table_engine.rules import RuleSet
from table_engine.wire.alerts import Alert, AlertChange, AlertEnded, AlertRaised, AlertUpdated, Severity
from table_engine.wire.observations import Wired
from table_engine.wire.seats import Seat


class RefereeAct(Wired):
    """What a referee did about an alert. `reason` is asked for when dismissing."""

    type: Literal["referee"] = "referee"
    act: Literal["acknowledge", "confirm", "dismiss"]
    alert: str
    by: str = ""
    reason: str = ""
    at_ms: int


@dataclass(frozen=True, slots=True)
class Case:
    """One suspicion. Without `alert` it is still held back, until `due_ms`."""

    foul: Foul
    due_ms: int
    alert: Alert | None = None

    @property
    def identity(self) -> tuple[int, str, Seat, str]:
        return self.foul.hand, self.foul.code, self.foul.seat, self.foul.key

    @property
    def live(self) -> bool:
        """Held back, or told and not decided."""
        return self.alert is None or self.alert.state in ("open", "acknowledged")


@dataclass(frozen=True, slots=True)
class Docket:
    """All cases of a table that are undecided, and the decided ones of the running hand."""

    table: str
    cases: tuple[Case, ...] = ()

    @property
    def open(self) -> tuple[Alert, ...]:
        """Alerts told and not decided, oldest first."""
        return tuple(case.alert for case in self.cases if case.alert and case.live)


Changes = tuple[AlertChange, ...]


def accuse(docket: Docket, fouls: Iterable[Foul], rules: RuleSet, degraded: tuple[str, ...]) -> tuple[Docket, Changes]:
    """Takes fouls seen just now. One that is known already only makes its alert surer; a decided one stays decided.
    While the table is `degraded` nothing is more than a check."""
    changes: list[AlertChange] = []
    for seen in fouls:
        foul = replace(seen, missing=(*seen.missing, *degraded)) if degraded else seen
        if _severity(foul, rules) is None:
            continue
        new = Case(foul, foul.at_ms + foul.hold_ms)
        known = next((case for case in docket.cases if case.identity == new.identity), None)
        if known is None:
            docket = replace(docket, cases=(*docket.cases, new))
        elif known.alert is None:
            if foul.confidence > known.foul.confidence:
                docket = _swap(docket, known, replace(new, due_ms=known.due_ms))
        elif known.live or known.alert.state == "withdrawn":
            docket, change = _surer(docket, known, foul, rules)
            changes += change
    return docket, tuple(changes)


def settle(docket: Docket, now_ms: int, rules: RuleSet) -> tuple[Docket, Changes]:
    """Raises what has been held back long enough."""
    changes: list[AlertChange] = []
    for case in docket.cases:
        if case.alert is None and case.due_ms <= now_ms:
            alert = _alert(docket.table, case.foul, rules)
            docket = _swap(docket, case, replace(case, alert=alert))
            changes.append(AlertRaised(after=alert))
    return docket, tuple(changes)


def withdraw(docket: Docket, case: Case, reason: str) -> tuple[Docket, Changes]:
    """Takes a suspicion back: silently while it is held back, else as the end of its alert."""
    if case.alert is None:
        return replace(docket, cases=tuple(c for c in docket.cases if c is not case)), ()
    after = case.alert.model_copy(update={"state": "withdrawn"})
    return _swap(docket, case, replace(case, alert=after)), (AlertEnded(before=case.alert, after=after, reason=reason),)


def decide(docket: Docket, act: RefereeAct) -> tuple[Docket, Changes, Foul | None]:
    """Carries out what the referee did. The foul is given when it was confirmed and its consequences apply. An act on an
    alert that is unknown or decided changes nothing."""
    case = next((c for c in docket.cases if c.alert and c.alert.id == act.alert and c.live), None)
    if case is None or case.alert is None:
        return docket, (), None
    before = case.alert
    match act.act:
        case "acknowledge":
            after = before.model_copy(update={"state": "acknowledged"})
            return _swap(docket, case, replace(case, alert=after)), (AlertUpdated(before=before, after=after),), None
        case "confirm":
            after = before.model_copy(update={"state": "confirmed"})
            reason = act.reason or "confirmed by the referee"
            ended = AlertEnded(before=before, after=after, reason=reason)
            return _swap(docket, case, replace(case, alert=after)), (ended,), case.foul
        case "dismiss":
            after = before.model_copy(update={"state": "dismissed"})
            ended = AlertEnded(before=before, after=after, reason=act.reason or "dismissed by the referee")
            return _swap(docket, case, replace(case, alert=after)), (ended,), None


def next_hand(docket: Docket) -> Docket:
    """Forgets what was decided. What was held back is dropped: nobody can check it any more."""
    return replace(docket, cases=tuple(case for case in docket.cases if case.alert and case.live))


def _severity(foul: Foul, rules: RuleSet) -> Severity | None:
    if foul.confidence < rules.judging.check_confidence:
        return None
    return "foul" if foul.confidence >= rules.judging.foul_confidence and not foul.missing else "check"


def _surer(docket: Docket, known: Case, foul: Foul, rules: RuleSet) -> tuple[Docket, Changes]:
    before = known.alert
    severity = _severity(foul, rules)
    if before is None or severity is None:
        return docket, ()
    again = before.state == "withdrawn"
    rises = severity == "foul" and before.severity == "check"
    if not again and not rises and foul.confidence <= before.confidence:
        return docket, ()
    evidence = tuple(dict.fromkeys((*before.evidence, *foul.evidence)))
    after = before.model_copy(
        update={
            "state": "open" if again else before.state,
            "severity": severity if again or rises else before.severity,
            "confidence": foul.confidence if again else max(foul.confidence, before.confidence),
            "missing": foul.missing if again or rises else before.missing,
            "says": foul.says,
            "evidence": evidence,
        }
    )
    docket = _swap(docket, known, replace(known, foul=foul, alert=after))
    return docket, (AlertRaised(after=after) if again else AlertUpdated(before=before, after=after),)


def _alert(table: str, foul: Foul, rules: RuleSet) -> Alert:
    ruling = rules.ruling(foul.code, foul.kind)
    severity = _severity(foul, rules)
    if ruling is None or severity is None:
        raise AssertionError(f"{foul.code}/{foul.kind} was taken on the docket of {rules.id} without a ruling")
    row = rules.row(ruling.row)
    return Alert(
        id=f"{table}-{foul.hand}-{foul.code}-{int(foul.seat)}-{foul.key}",
        table=table,
        code=foul.code,
        rule=ruling.row,
        ruleset=rules.id,
        seat=foul.seat,
        severity=severity,
        confidence=foul.confidence,
        at_ms=foul.at_ms,
        hand=foul.hand,
        turn=foul.turn,
        says=foul.says,
        citation=f"{row.text} ({row.cite})",
        penalty=ruling.penalty,
        missing=foul.missing,
        evidence=foul.evidence,
    )


def _swap(docket: Docket, old: Case, new: Case) -> Docket:
    return replace(docket, cases=tuple(new if case is old else case for case in docket.cases))
