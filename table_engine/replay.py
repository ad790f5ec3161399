"""A journal folded anew: the debugger, the golden test and the way back after a crash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from table_engine import journal
from table_engine.engine import Engine, Outputs, begin, finish, step
from table_engine.events import Event
from table_engine.history import moves
from table_engine.records.journal_game import Account, game_of
from table_engine.records.model import GameRecord
from table_engine.rules import RuleSet
from table_engine.wire.actions import Action, HandEnded
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
    overrides: Mapping[str, object] = field(default_factory=dict)


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
    done = Replayed(whose.table, rules, begin(whose.table, told=True), -1, overrides=whose.overrides)
    told: list[tuple[int, Action]] = []
    for engine, outputs in follow(whose.table, journal.read(path), rules, told=True):
        done.engine = engine
        done.events += 1
        if not outputs.nothing:
            told += outputs.actions
            done.changes += outputs.changes
        if outputs.amended:
            told = _amended(told, engine)
    done.actions = [action for _, action in told]
    return done


def _amended(told: list[tuple[int, Action]], engine: Engine) -> list[tuple[int, Action]]:
    """The moves told, as they count now that the past was amended."""
    first = next((entry.number for entry in engine.history.entries), 0)
    return [*((n, action) for n, action in told if n < first), *moves(engine.history)]


def recorded(done: Replayed, source: str, *, running: bool = True) -> GameRecord:
    """What a journal led to as a game record, with fouls and the ledger's points. Without `running` the hand that has not
    ended is left out. Raises RecordError when nothing is left."""
    ends = [n for n, action in enumerate(done.actions) if isinstance(action, HandEnded)]
    actions = done.actions if running else done.actions[: ends[-1] + 1] if ends else []
    ledger = done.engine.match.ledger
    accounts: dict[int, Account] = {}
    scores: tuple[int, ...] | None = None if ledger.start_points is None else (ledger.start_points,) * 4
    for line in ledger.lines:
        accounts[line.number] = Account(scores, line.points, line.sticks)
        known = scores is not None and line.points is not None
        scores = tuple(a + b for a, b in zip(scores or (), line.points or (), strict=True)) if known else None
    alerts = {change.after.id: change.after for change in done.changes}
    return game_of(
        actions,
        done.rules,
        source,
        ledger.names,
        accounts=accounts,
        alerts=tuple(alerts.values()),
        overrides=done.overrides,
    )
