"""The docket: suspicions held back until they are sure, alerts raised from them, and what the engine withdraws when its
evidence falls away. What people decide about them is in `verdicts`. Pure: the docket is a value, time is the table's own.

An alert is `open`, perhaps `acknowledged`, then `confirmed`, `dismissed` or `withdrawn`; a decision may be `overturned`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from table_engine.fouls.foul import Foul
from table_engine.penalties import Circumstances, Penalty, penalty, ruled_effects
from table_engine.rules import RuleSet, Ruling
from table_engine.wire.alerts import Alert, AlertChange, AlertEnded, AlertRaised, AlertUpdated, Phrases, Severity
from table_engine.wire.effects import Effect
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import Seat

_UNDECIDED = ("open", "acknowledged")
_COUNTED = (*_UNDECIDED, "confirmed")
_TAKEN_BACK = phrase("what it follows from was taken back")


@dataclass(frozen=True, slots=True)
class Case:
    """One suspicion. Without `alert` it is still held back, until `due_ms`. `booked` is what followed from it while it
    stands confirmed. `ruling` is the one of its foul, or that of the row a referee recorded."""

    foul: Foul
    due_ms: int
    ruling: Ruling
    alert: Alert | None = None
    booked: Penalty | None = None

    @property
    def identity(self) -> tuple[int, str, Seat, str]:
        return self.foul.hand, self.foul.code, self.foul.seat, self.foul.key

    @property
    def live(self) -> bool:
        """Held back, or told and not decided."""
        return self.alert is None or self.alert.state in _UNDECIDED

    @property
    def stands(self) -> bool:
        """Not taken back and not decided against."""
        return self.alert is None or self.alert.state in _COUNTED


@dataclass(frozen=True, slots=True)
class Docket:
    """All cases of a table: those of the running hand, and what was told in earlier hands of the match."""

    table: str
    cases: tuple[Case, ...] = ()
    earlier: tuple[Case, ...] = ()
    dealer: Seat = Seat.S0
    """Who deals the running hand: some penalties depend on it."""

    @property
    def open(self) -> tuple[Alert, ...]:
        """Alerts told and not decided, oldest first."""
        return tuple(case.alert for case in (*self.earlier, *self.cases) if case.alert and case.live)

    @property
    def told(self) -> tuple[Alert, ...]:
        """Every alert of the match, whatever became of it, oldest first."""
        return tuple(case.alert for case in (*self.earlier, *self.cases) if case.alert)

    @property
    def confirmed(self) -> tuple[Case, ...]:
        """Every foul of the match that stands confirmed."""
        return tuple(case for case in (*self.earlier, *self.cases) if case.booked)

    @property
    def waits(self) -> bool:
        """Something is held back."""
        return any(case.alert is None for case in self.cases)

    def find(self, alert: str) -> Case | None:
        """The case an alert belongs to."""
        return next((c for c in (*self.cases, *self.earlier) if c.alert and c.alert.id == alert), None)

    def swap(self, old: Case, new: Case) -> Docket:
        """The docket with one case in another's place."""
        if any(case is old for case in self.cases):
            return replace(self, cases=tuple(new if case is old else case for case in self.cases))
        return replace(self, earlier=tuple(new if case is old else case for case in self.earlier))


Changes = tuple[AlertChange, ...]


def accuse(
    docket: Docket, fouls: Iterable[Foul], rules: RuleSet, degraded: tuple[Phrase, ...]
) -> tuple[Docket, Changes]:
    """Takes fouls seen just now. One that is known already only makes its alert surer; a decided one stays decided.
    While the table is `degraded` nothing is more than a check."""
    changes: list[AlertChange] = []
    for seen in fouls:
        foul = replace(seen, missing=(*seen.missing, *degraded)) if degraded else seen
        ruling = rules.ruling(foul.code, foul.kind)
        if ruling is None or _severity(foul, rules) is None:
            continue
        new = Case(foul, foul.at_ms + foul.hold_ms, ruling)
        known = next((case for case in docket.cases if case.identity == new.identity), None)
        if known is None:
            docket = replace(docket, cases=(*docket.cases, new))
        elif known.alert is None:
            if foul.confidence > known.foul.confidence or foul.units > known.foul.units:
                docket = docket.swap(known, replace(new, due_ms=known.due_ms))
        elif known.live or known.alert.state == "withdrawn":
            docket, change = _surer(docket, known, foul, rules)
            changes += change
    return docket, tuple(changes)


def settle(docket: Docket, now_ms: int, rules: RuleSet) -> tuple[Docket, Changes]:
    """Raises what has been held back long enough."""
    changes: list[AlertChange] = []
    for case in docket.cases:
        if case.alert is None and case.due_ms <= now_ms:
            docket, alert = raise_alert(docket, case, rules)
            changes.append(AlertRaised(after=alert))
    return docket, tuple(changes)


def raise_alert(docket: Docket, case: Case, rules: RuleSet) -> tuple[Docket, Alert]:
    """The docket with the case told, and its alert."""
    alert = _alert(docket, case, rules)
    return docket.swap(case, replace(case, alert=alert)), alert


def withdraw(docket: Docket, case: Case, reason: str) -> tuple[Docket, Changes]:
    """Takes a suspicion back: silently while it is held back, else as the end of its alert. What followed from it falls
    with it."""
    docket, changes = _withdrawn(docket, case, reason)
    return falls(docket, case, changes, str(_TAKEN_BACK))


def falls(docket: Docket, base: Case, changes: Changes, reason: str) -> tuple[Docket, Changes]:
    """The docket without the undecided cases that follow from this one."""
    for case in docket.cases:
        if case.live and case.foul.follows_from(base.foul):
            docket, more = _withdrawn(docket, case, reason)
            changes += more
    return docket, changes


def _withdrawn(docket: Docket, case: Case, reason: str) -> tuple[Docket, Changes]:
    if case.alert is None:
        return replace(docket, cases=tuple(c for c in docket.cases if c is not case)), ()
    after = case.alert.model_copy(update={"state": "withdrawn", "reason": reason})
    ended = AlertEnded(before=case.alert, after=after, reason=reason)
    return docket.swap(case, replace(case, alert=after, booked=None)), (ended,)


def next_hand(docket: Docket, dealer: Seat = Seat.S0) -> Docket:
    """The docket of the next hand. What was held back is dropped: nobody can check it any more."""
    told = tuple(case for case in docket.cases if case.alert)
    return replace(docket, cases=(), earlier=(*docket.earlier, *told), dealer=dealer)


def nth(docket: Docket, case: Case) -> int:
    """The how-manieth breach of its row by its seat in its hand this is, from 1; decided against and taken back ones do
    not count."""
    foul, row = case.foul, case.ruling.row
    before = 0
    for other in (*docket.earlier, *docket.cases):
        if other is case or other.identity == case.identity:
            break
        if other.foul.hand == foul.hand and other.foul.seat == foul.seat and other.ruling.row == row and other.stands:
            before += 1
    return before + 1


def price(docket: Docket, case: Case, rules: RuleSet, chosen: int | None = None) -> Penalty:
    """What a case costs, or would cost once confirmed. `chosen`: points the referee set."""
    foul = case.foul
    circumstances = Circumstances(
        foul.seat, docket.dealer, nth(docket, case), foul.other, foul.units, foul.tiles, foul.worth, chosen
    )
    return penalty(case.ruling, rules, circumstances, alert_id(docket.table, foul))


def effects_of(docket: Docket, case: Case) -> tuple[Effect, ...]:
    """The standing effects a case has once its foul counts."""
    foul = case.foul
    circumstances = Circumstances(foul.seat, docket.dealer, other=foul.other, tiles=foul.tiles)
    return ruled_effects(case.ruling, circumstances, alert_id(docket.table, foul))


def alert_id(table: str, foul: Foul) -> str:
    """The name an alert keeps for ever: it says the same foul of the same hand however often the hand is folded anew."""
    return f"{table}-{foul.hand}-{foul.code}-{int(foul.seat)}-{foul.key}"


def priced(penalty: Penalty, phrases: Phrases) -> dict[str, object]:
    """The fields of an alert that a penalty fills; `phrases` are those of its other fields."""
    return {
        "phrases": phrases.model_copy(update={"effects": tuple(effect.phrase for effect in penalty.effects)}),
        "points": penalty.points,
        "foul_points": penalty.foul_points,
        "warning": penalty.warning,
        "effects": tuple(str(effect) for effect in penalty.effects),
    }


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
    more = foul.units > known.foul.units
    if not again and not rises and not more and foul.confidence <= before.confidence:
        return docket, ()
    evidence = tuple(dict.fromkeys((*before.evidence, *foul.evidence)))
    new = replace(known, foul=foul)
    missing = {"missing": foul.missing} if again or rises else {}
    phrases = before.phrases.model_copy(update={"says": foul.says, **missing})
    after = before.model_copy(
        update={
            "state": "open" if again else before.state,
            "reason": "" if again else before.reason,
            "severity": severity if again or rises else before.severity,
            "confidence": foul.confidence if again else max(foul.confidence, before.confidence),
            "missing": tuple(map(str, foul.missing)) if again or rises else before.missing,
            "says": str(foul.says),
            "evidence": evidence,
            **priced(price(docket, new, rules), phrases),
        }
    )
    docket = docket.swap(known, replace(new, alert=after))
    return docket, (AlertRaised(after=after) if again else AlertUpdated(before=before, after=after),)


def _alert(docket: Docket, case: Case, rules: RuleSet) -> Alert:
    foul, ruling = case.foul, case.ruling
    severity = _severity(foul, rules)
    if severity is None:
        raise AssertionError(f"{foul.code}/{foul.kind} was taken on the docket of {rules.id} below what is told")
    row = rules.row(ruling.row)
    citation = phrase("{rule} ({place})", rule=Phrase(row.text), place=row.cite)
    identity = alert_id(docket.table, foul)
    alert = Alert(
        id=identity,
        table=docket.table,
        code=foul.code,
        rule=ruling.row,
        ruleset=rules.id,
        seat=foul.seat,
        severity=severity,
        confidence=foul.confidence,
        at_ms=foul.at_ms,
        hand=foul.hand,
        turn=foul.turn,
        says=str(foul.says),
        citation=str(citation),
        penalty=ruling.penalty,
        missing=tuple(map(str, foul.missing)),
        evidence=foul.evidence,
        incident=_incident(docket, case, rules) or identity,
        audience=ruling.audience,
        other=foul.other,
        tiles=foul.tiles,
        choices=ruling.fine.choices if ruling.fine else (),
    )
    phrases = Phrases(says=foul.says, citation=citation, missing=foul.missing)
    return alert.model_copy(update=priced(price(docket, case, rules), phrases))


def _incident(docket: Docket, case: Case, rules: RuleSet) -> str:
    """The incident an alert belongs to: that of another one of the same seat at the same time, or from the same signs."""
    foul = case.foul
    for other in docket.cases:
        if other is case or other.alert is None or other.foul.hand != foul.hand or other.foul.seat != foul.seat:
            continue
        near = abs(other.foul.at_ms - foul.at_ms) <= rules.judging.incident_ms
        follows = foul.because and foul.because == other.foul.key
        if near or follows or set(foul.evidence) & set(other.foul.evidence):
            return other.alert.incident or other.alert.id
    return ""
