"""What an engine told, cut into hands: from one `HandStarted` to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from table_engine.wire.actions import Action, HandStarted
from table_engine.wire.alerts import Alert, AlertChange, AlertRaised


@dataclass(slots=True)
class Hand:
    """One hand as the engine followed it; `actions` without the start."""

    start: HandStarted
    actions: list[Action] = field(default_factory=list)


def hands_of(actions: Iterable[Action]) -> list[Hand]:
    """What comes before the first start belongs to no hand and is left out."""
    hands: list[Hand] = []
    for action in actions:
        if isinstance(action, HandStarted):
            hands.append(Hand(action))
        elif hands:
            hands[-1].actions.append(action)
    return hands


def raised(changes: Iterable[AlertChange]) -> list[Alert]:
    """Every alert that was raised, as it was then, withdrawn later or not."""
    return [change.after for change in changes if isinstance(change, AlertRaised)]
