"""A journal folded anew: the debugger, the golden test and the way back after a crash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from table_engine import journal
from table_engine.engine import Engine, Outputs, begin, finish, step
from table_engine.events import Event
from table_engine.rules import RuleSet
from table_engine.wire.actions import Action
from table_engine.wire.alerts import AlertChange


@dataclass(slots=True)
class Replayed:
    """What a journal led to."""

    table: str
    rules: RuleSet
    engine: Engine
    events: int = 0
    actions: list[Action] = field(default_factory=list)
    changes: list[AlertChange] = field(default_factory=list)


def follow(
    table: str, events: Iterable[Event], rules: RuleSet, *, told: bool = False
) -> Iterator[tuple[Engine, Outputs]]:
    """The engine after each event, with what it had to tell. What waits for a slower source at the end is let through
    last. `told` as for `begin`."""
    engine = begin(table, told=told)
    for event in events:
        engine, outputs = step(engine, event, rules)
        yield engine, outputs
    yield finish(engine, rules)


def replay(path: Path) -> Replayed:
    """Folds a journal from its first entry. Raises RecordError when it cannot be read."""
    whose = journal.about(path)
    rules = whose.rules()
    done = Replayed(whose.table, rules, begin(whose.table, told=True), -1)
    for engine, outputs in follow(whose.table, journal.read(path), rules, told=True):
        done.engine = engine
        done.events += 1
        if not outputs.nothing:
            done.actions += (action for _, action in outputs.actions)
            done.changes += outputs.changes
    return done
