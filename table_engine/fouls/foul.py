"""What a foul is to the engine: a pure look at one action, with the states before and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from table_engine import ask
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import Action, Moved
from table_engine.wire.seats import Seat


@dataclass(frozen=True, slots=True)
class Moment:
    """One action with the states around it."""

    before: State
    action: Action
    after: State
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Foul:
    """A breach seen at one moment. `key` tells incidents of one kind in one hand apart. It is told once `hold_ms` of the
    table's time have passed without it having been lifted: a late accusation is better than a false one.

    `confidence` is how sure it is that it happened (0..1), `missing` what would still have to be known to rule on it.
    """

    code: str
    kind: str
    seat: Seat
    at_ms: int
    says: str
    key: str = ""
    confidence: float = 1.0
    missing: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    hold_ms: int = 0
    hand: int = 0
    turn: int = 0


class FoulRule(NamedTuple):
    """One foul. `watches` names the actions at which `judge` has to look; `lifts` says why a foul no longer holds after
    an action (None: it does), `told` whether it has been told already. `rows` says by kind what is covered, for people."""

    code: str
    watches: tuple[type[Moved], ...]
    judge: Callable[[Moment], Iterable[Foul]]
    lifts: Callable[[Moment, Foul, bool], str | None]


def who(moment: Moment, seat: Seat) -> str:
    """A seat in a referee's words: its wind, or its number while winds are unknown."""
    wind = ask.wind(moment.after, seat, moment.rules)
    return f"{wind.capitalize()} (seat {seat + 1})" if wind else f"Seat {seat + 1}"


def foul(
    moment: Moment,
    code: str,
    kind: str,
    seat: Seat,
    says: str,
    *,
    key: str = "",
    hold_ms: int = 0,
    missing: tuple[str, ...] = (),
) -> Iterable[Foul]:
    """One foul by the action of this moment, or none where the rule set has no ruling on it."""
    if moment.rules.ruling(code, kind) is None:
        return
    action = moment.action
    yield Foul(
        code=code,
        kind=kind,
        seat=seat,
        at_ms=action.at_ms,
        says=says,
        key=key or kind,
        confidence=action.confidence,
        missing=missing,
        evidence=action.evidence,
        hold_ms=hold_ms,
        hand=moment.after.hand,
        turn=moment.before.discards + 1,
    )
