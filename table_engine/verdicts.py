"""What people decide about alerts, and the fouls they record themselves. Pure: acts and a docket → the next docket, what
has to be told, and which penalty came into force or fell.
"""

from __future__ import annotations

from dataclasses import dataclass

from table_engine.fouls.foul import Foul
from table_engine.referee import Case, Changes, Docket, alert_id, falls, price, priced, raise_alert
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.acts import (
    Acknowledge,
    Appeal,
    Confirm,
    Dismiss,
    Overturn,
    RecordRow,
    RefereeAct,
    Uphold,
)
from table_engine.wire.alerts import Alert, AlertEnded, AlertRaised, AlertUpdated
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase, phrase

Verdict = Acknowledge | Confirm | Dismiss | Overturn | Appeal | Uphold | RecordRow
_DECIDED = ("confirmed", "dismissed", "overturned")
_FELL = {
    "dismissed": phrase("what it follows from was dismissed"),
    "overturned": phrase("what it follows from was overturned"),
}
_CONFIRMED = phrase("confirmed by the referee")
RECORDED = "referee"
"""The code of fouls that a person recorded."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an act led to. `booked`: the case whose penalty is in force now, `released`: the one whose penalty fell."""

    docket: Docket
    changes: Changes = ()
    booked: Case | None = None
    released: Case | None = None


def refusal(docket: Docket, did: Verdict, rules: RuleSet) -> str:
    """Why an act cannot be done, in one sentence; empty when it can."""
    if isinstance(did, RecordRow):
        if rules.recorded(did.row, did.kind) is None:
            return f"no ruling on {did.row}{f' ({did.kind})' if did.kind else ''} in {rules.id}; choose a row of its catalogue"
        return ""
    case = docket.find(did.alert)
    if case is None or case.alert is None:
        return f"no alert {did.alert!r} at this table; it may have been withdrawn"
    state, by = case.alert.state, case.alert.by
    match did:
        case Acknowledge() if state != "open":
            return f"{state} by {by or 'the engine'} already"
        case Confirm() | Dismiss() if not case.live:
            return f"{state} by {by or 'the engine'} already; overturn it to change that"
        case Overturn() if state not in _DECIDED:
            return f"it is {state}: only a decision can be overturned"
        case Appeal() if state not in _DECIDED:
            return f"it is {state}: only a decision can be appealed against"
        case Uphold() if case.alert.appeal != "open":
            return "nobody has appealed against it"
        case _:
            return ""


def decide(docket: Docket, act: RefereeAct, did: Verdict, state: State, rules: RuleSet) -> Decision:
    """Carries out what a person decided. An act that can no longer be done changes nothing."""
    if refusal(docket, did, rules):
        return Decision(docket)
    if isinstance(did, RecordRow):
        return _recorded(docket, act, did, state, rules)
    case = docket.find(did.alert)
    if case is None or case.alert is None:
        return Decision(docket)
    match did:
        case Acknowledge():
            return _updated(docket, case, case.alert, {"state": "acknowledged", "by": act.by})
        case Confirm(points=points, tiles=tiles, note=note):
            foul = replace(case.foul, tiles=(*case.foul.tiles, *tiles))
            return _confirmed(docket, replace(case, foul=foul), case, act, note, rules, points)
        case Dismiss(reason=reason):
            return _ended(docket, case, case.alert, "dismissed", act, reason)
        case Overturn(reason=reason) if case.booked is not None:
            return _ended(docket, case, case.alert, "overturned", act, reason)
        case Overturn(reason=reason):
            return _confirmed(docket, case, case, act, reason, rules, None)
        case Appeal(text=text):
            return _updated(docket, case, case.alert, {"appeal": "open", "reason": text or case.alert.reason})
        case Uphold(reason=reason):
            return _updated(docket, case, case.alert, {"appeal": "upheld", "by": act.by, "reason": reason})


def _updated(docket: Docket, case: Case, before: Alert, fields: dict[str, object]) -> Decision:
    after = before.model_copy(update=fields)
    return Decision(docket.swap(case, replace(case, alert=after)), (AlertUpdated(before=before, after=after),))


def _ended(docket: Docket, case: Case, before: Alert, state: str, act: RefereeAct, reason: str) -> Decision:
    fields: dict[str, object] = {"state": state, "by": act.by, "reason": reason}
    if before.appeal == "open":
        fields["appeal"] = "overturned"
    after = before.model_copy(update=fields)
    docket = docket.swap(case, replace(case, alert=after, booked=None))
    docket, changes = falls(docket, case, (AlertEnded(before=before, after=after, reason=reason),), str(_FELL[state]))
    return Decision(docket, changes, released=case if case.booked else None)


def _confirmed(
    docket: Docket, case: Case, old: Case, act: RefereeAct, note: str, rules: RuleSet, points: int | None
) -> Decision:
    before = old.alert
    if before is None:
        return Decision(docket)
    booked = price(docket, case, rules, points)
    reason = note or str(_CONFIRMED)
    fields: dict[str, object] = {"state": "confirmed", "by": act.by, "reason": reason, "tiles": case.foul.tiles}
    if before.appeal == "open":
        fields["appeal"] = "overturned"
    after = before.model_copy(update={**fields, **priced(booked, before.phrases)})
    case = replace(case, alert=after, booked=booked)
    return Decision(docket.swap(old, case), (AlertEnded(before=before, after=after, reason=reason),), booked=case)


def _row(did: RecordRow, rules: RuleSet) -> Phrase:
    return phrase("Seat {n}: {rule}", n=did.seat + 1, rule=Phrase(rules.row(did.row).text))


def _recorded(docket: Docket, act: RefereeAct, did: RecordRow, state: State, rules: RuleSet) -> Decision:
    """A row of the catalogue goes on the docket as a case confirmed by who recorded it."""
    ruling = rules.recorded(did.row, did.kind)
    if ruling is None:
        return Decision(docket)
    foul = Foul(
        code=RECORDED,
        kind=did.kind or did.row,
        seat=did.seat,
        at_ms=act.at_ms,
        says=Phrase(did.note) if did.note else _row(did, rules),
        key=act.id,
        hand=state.hand,
        turn=state.discards + 1,
        other=did.other,
        tiles=tuple(did.tiles),
    )
    case = Case(foul, act.at_ms, ruling)
    if docket.find(alert_id(docket.table, foul)):
        return Decision(docket)
    docket = replace(docket, cases=(*docket.cases, case))
    docket, alert = raise_alert(docket, case, rules)
    told = next(c for c in docket.cases if c.alert is alert)
    decision = _confirmed(docket, told, told, act, did.note, rules, did.points)
    return replace(decision, changes=(AlertRaised(after=alert), *decision.changes))
