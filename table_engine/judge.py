"""Judges what moved: every foul looks at the actions it watches, and takes back what no longer holds."""

from __future__ import annotations

from table_engine import referee
from table_engine.fouls import FOULS, Foul, FoulRule, Moment
from table_engine.fouls.foul import asked
from table_engine.referee import Changes, Docket
from table_engine.wire.actions import HandStarted, Moved
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase

_WATCHERS: dict[type[Moved], tuple[FoulRule, ...]] = {
    action: tuple(rule for rule in FOULS.values() if action in rule.watches)
    for action in {action for rule in FOULS.values() for action in rule.watches}
}
_FOLLOWING = tuple(rule for rule in FOULS.values() if rule.follows)


def judge(docket: Docket, moment: Moment, degraded: tuple[Phrase, ...]) -> tuple[Docket, Changes]:
    """The docket after one action, and what people have to be told. `degraded` says in words what is not known of the
    table now."""
    changes: Changes = ()
    if isinstance(moment.action, HandStarted):
        docket, changes = referee.settle(docket, moment.action.at_ms, moment.rules)
        docket = referee.next_hand(docket, moment.action.dealer)
    for case in docket.cases:
        if case.live and case.foul.hand == moment.after.hand:
            reason = FOULS[case.foul.code].lifts(moment, case.foul, case.alert is not None)
            if reason:
                docket, more = referee.withdraw(docket, case, reason)
                changes += more
    watchers = _WATCHERS.get(type(moment.action), ())
    fouls = [foul for rule in watchers if rule.code in moment.rules.fouls for foul in rule.judge(moment)]
    if fouls:
        fouls += _following(docket, moment, fouls)
    fouls += _risen(docket, moment)
    if fouls:
        docket, more = referee.accuse(docket, fouls, moment.rules, degraded)
        changes += more
    docket, more = referee.settle(docket, moment.action.at_ms, moment.rules) if docket.cases else (docket, ())
    return docket, changes + more


def _following(docket: Docket, moment: Moment, fouls: list[Foul]) -> list[Foul]:
    """What the fouls just seen lead to beyond themselves, with what they follow from."""
    standing = tuple(c.foul for c in docket.cases if c.stands and c.foul.hand == moment.after.hand)
    return [
        more if more.because else replace(more, because=foul.key)
        for rule in _FOLLOWING
        if rule.follows and rule.code in moment.rules.fouls
        for foul in fouls
        for more in rule.follows(moment, foul, standing)
    ]


def _risen(docket: Docket, moment: Moment) -> list[Foul]:
    """Fouls that were inferred and are proved by this action, with what follows from them."""
    inferred = [c.foul for c in docket.cases if c.live and c.foul.confidence < 1 and c.foul.hand == moment.after.hand]
    shown = [f for f in inferred if (rises := FOULS[f.code].rises) and rises(moment, f)]
    return [_proved(moment, f) for f in inferred if any(f is base or f.follows_from(base) for base in shown)]


def _proved(moment: Moment, inferred: Foul) -> Foul:
    """The foul as sure as the action that proves it; only what its ruling asks people for is still missing."""
    ruling = moment.rules.ruling(inferred.code, inferred.kind)
    asks = asked(ruling) if ruling else ()
    evidence = (*inferred.evidence, *moment.action.evidence)
    sure = max(inferred.confidence, moment.action.confidence)
    return replace(inferred, missing=asks, evidence=evidence, confidence=sure)
