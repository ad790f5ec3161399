"""The whole game as one pure function: everything that came in, one after the other → state, actions, alerts, faults.

    event → merged by time over all sources → fusion → what moved → match (reducer, clocks, judge, docket, ledger)

No clock, no wire, no disk. The same events in the same order give the same state, byte by byte (`fingerprint`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from table_engine.entry import Entry
from table_engine.events import Event, SourcePresence
from table_engine.fusion import order
from table_engine.fusion.belief import Fusion
from table_engine.fusion.observe import observe
from table_engine.history import Chapter, History, differences, meant, refold, removed_signs, touched
from table_engine.match import Match, acted, as_move, moved, timed
from table_engine.referee import Changes, Docket
from table_engine.refusals import refused
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import Action, TileCorrected
from table_engine.wire.acts import RefereeAct
from table_engine.wire.alerts import Alert, Fault
from table_engine.wire.frozen import replace
from table_engine.wire.observations import Envelope
from table_engine.wire.phrases import Phrase, phrase

_FAULT_SHOWN_MS = 10_000
"""How long a fault that is over at once (a lost message) is shown and keeps the table degraded."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One table between two events. Start with `begin`."""

    match: Match
    history: History
    merge: order.Merge = field(default_factory=order.Merge)
    fusion: Fusion = field(default_factory=Fusion)
    lost: tuple[Fault, ...] = ()
    """Faults of the merge that are still shown."""
    seq: int = 0
    """Grows with every action, every act and every change of an alert."""
    last: Action | None = None
    retracted: tuple[Alert, ...] = ()
    """Alerts that were told and no longer hold since the past was amended."""
    removed: frozenset[str] = frozenset()
    """Signs of moves a person said never happened: they tell nothing again."""

    @property
    def game(self) -> State:
        return self.match.game

    @property
    def docket(self) -> Docket:
        return self.match.docket

    @property
    def now_ms(self) -> int:
        """Up to this moment everything is known."""
        return self.merge.released_ms

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (*self.fusion.faults.values(), *self.lost)

    @property
    def degraded(self) -> tuple[Phrase, ...]:
        """What is not known of the table now, in words."""
        return tuple(fault.words for fault in self.faults)


@dataclass(frozen=True, slots=True)
class Stumble:
    """A message or an act our own code could not follow. It is left out, the table is degraded for a while."""

    envelope: Envelope | RefereeAct
    error: Exception


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one event led to. `actions` come with the sequence number of the state they led to. `amended`: the past is
    another one now, what was told of it before counts no more. `refused`: why an act changed nothing."""

    actions: tuple[tuple[int, Action], ...] = ()
    changes: Changes = ()
    faults_changed: bool = False
    stumbles: tuple[Stumble, ...] = ()
    act: RefereeAct | None = None
    amended: bool = False
    refused: str = ""

    @property
    def nothing(self) -> bool:
        return not (self.actions or self.changes or self.faults_changed or self.act)


_NOTHING = Outputs()


def begin(table: str, *, told: bool = False) -> Engine:
    """A table nothing is known of yet. `told`: every coming and going of a source will be an event (`SourcePresence`), so
    that a slow one is waited for; otherwise one that is three seconds behind the others is not."""
    match = Match(Docket(table))
    return Engine(match, History((Chapter(match),)), order.Merge(told=told))


def step(engine: Engine, event: Event, rules: RuleSet) -> tuple[Engine, Outputs]:
    """The engine after one event, and what the world has to be told."""
    match event:
        case Envelope():
            merged = order.offer(engine.merge, event)
        case SourcePresence(src=src, boot=boot, online=online):
            merged = order.presence(engine.merge, src, boot=boot, online=online)
        case RefereeAct():
            return _wished(engine, event, rules)
    return _released(engine, merged, rules)


def finish(engine: Engine, rules: RuleSet) -> tuple[Engine, Outputs]:
    """Lets everything through that still waits for a slower source: the end of a journal or of a played record."""
    return _released(engine, order.drain(engine.merge), rules)


def _released(engine: Engine, merged: order.Merged, rules: RuleSet) -> tuple[Engine, Outputs]:
    before = engine
    engine = replace(engine, merge=merged.merge)
    if merged.faults or engine.lost:
        recent = [f for f in (*engine.lost, *merged.faults) if f.since_ms > engine.now_ms - _FAULT_SHOWN_MS]
        engine = replace(engine, lost=tuple(recent))
    actions: list[tuple[int, Action]] = []
    changes: Changes = ()
    stumbles: list[Stumble] = []
    for envelope in merged.released:
        try:
            engine, moved, told = _observed(engine, envelope, before.now_ms, rules)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not hold the table up at one message for ever
            stumbles.append(Stumble(envelope, error))
            engine = replace(engine, lost=(*engine.lost, _stumbled(envelope, error)))
            continue
        actions += moved
        changes += told
    if engine.now_ms >= engine.match.clocks.due_ms or engine.docket.waits:
        engine, ran, more = _timed(engine, rules)
        actions += ran
        changes += more
    faults_changed = engine.fusion.faults is not before.fusion.faults or engine.lost != before.lost
    if not (actions or changes or faults_changed):
        return engine, _NOTHING
    return engine, Outputs(tuple(actions), changes, faults_changed and engine.faults != before.faults, tuple(stumbles))


def _observed(
    engine: Engine, envelope: Envelope, time_ms: int, rules: RuleSet
) -> tuple[Engine, list[tuple[int, Action]], Changes]:
    observed = observe(engine.fusion, engine.game, envelope, rules)
    if observed.fusion is not engine.fusion:
        engine = replace(engine, fusion=observed.fusion)
    actions: list[tuple[int, Action]] = []
    changes: Changes = ()
    for action in observed.actions:
        if _overruled(engine, action):
            continue
        engine, more = _moved(engine, action, time_ms, rules)
        actions.append((engine.seq, action))
        changes += more
    return engine, actions, changes


def _timed(engine: Engine, rules: RuleSet) -> tuple[Engine, list[tuple[int, Action]], Changes]:
    """After the table's time has run on."""
    quiet = engine.fusion.wake_ms is None
    match, changes, ran = timed(engine.match, engine.now_ms, rules, engine.degraded, quiet=quiet)
    actions: list[tuple[int, Action]] = []
    for action in ran:
        engine = replace(engine, seq=engine.seq + 1, last=action)
        actions.append((engine.seq, action))
    if match is not engine.match:
        engine = replace(engine, match=match, seq=engine.seq + 1 if changes else engine.seq)
    return engine, actions, changes


def _wished(engine: Engine, act: RefereeAct, rules: RuleSet) -> tuple[Engine, Outputs]:
    try:
        return act_on(engine, act, rules)
    except Exception as error:  # noqa: BLE001 - an act that stands in the journal must not stop its table for ever
        engine = replace(engine, lost=(*engine.lost, _stumbled(act, error)))
        return engine, Outputs(
            faults_changed=True, stumbles=(Stumble(act, error),), refused=f"the engine stumbled: {error}"
        )


def _overruled(engine: Engine, action: Action) -> bool:
    """A person has said otherwise about the very tile, or that what these signs show never happened."""
    if isinstance(action, TileCorrected):
        return (action.zone, action.index) in engine.game.players[action.seat].pinned
    return bool(engine.removed) and bool(action.evidence) and engine.removed.issuperset(action.evidence)


def _stumbled(envelope: Envelope | RefereeAct, error: Exception) -> Fault:
    says = phrase(
        "the engine stumbled over message {message} ({error}) and goes on without it; please report it",
        message=envelope.id,
        error=f"{type(error).__name__}: {error}",
    )
    return Fault.told("engine", "stumbled", says, envelope.at_ms)


def _moved(engine: Engine, action: Action, time_ms: int, rules: RuleSet) -> tuple[Engine, Changes]:
    degraded = engine.degraded
    entry = Entry(engine.seq + 1, action, time_ms, degraded)
    history = engine.history.add(entry, engine.match)
    match, changes = moved(engine.match, action, rules, degraded)
    return replace(engine, match=match, history=history, seq=entry.number, last=action), changes


def move_on(engine: Engine, action: Action, rules: RuleSet) -> tuple[Engine, Outputs]:
    """The engine after a move that is known, without sensors: a record, a case sheet. The table's time runs to it."""
    match, changes, ran = timed(engine.match, action.at_ms, rules, engine.degraded)
    engine = replace(engine, match=match, merge=replace(engine.merge, released_ms=action.at_ms))
    engine, more = _moved(engine, action, action.at_ms, rules)
    told = tuple((engine.seq, one) for one in (*ran, action))
    return engine, Outputs(told, changes + more)


def refusal(engine: Engine, act: RefereeAct, rules: RuleSet) -> str:
    """Why an act cannot be done now, in one sentence; empty when it can."""
    return refused(engine.match, engine.history, act, rules)


def act_on(engine: Engine, act: RefereeAct, rules: RuleSet) -> tuple[Engine, Outputs]:
    """The engine after an act; one that cannot be done changes nothing and is `refused`."""
    if reason := refusal(engine, act, rules):
        return engine, Outputs(refused=reason)
    old = engine.match
    entry = meant(Entry(engine.seq + 1, act, engine.now_ms, engine.degraded), engine.history, rules)
    history = engine.history.add(entry, old)
    engine = replace(engine, history=history, seq=entry.number)
    first = touched(history, entry)
    if first is None:
        move = as_move(act)
        match, changes = moved(old, move, rules, entry.degraded) if move else acted(old, act, rules)
        told = ((entry.number, move),) if move else ()
        return replace(engine, match=match, last=move or engine.last), Outputs(told, changes, act=act)
    history, match = refold(history, first, engine.now_ms, rules)
    changes = differences(old, match, f"the past was put right ({act.did.act.replace('_', ' ')})")
    gone = tuple(c.after for c in changes if c.type == "end" and match.docket.find(c.after.id) is None)
    kept = tuple(alert for alert in engine.retracted if match.docket.find(alert.id) is None)
    engine = replace(engine, match=match, history=history, retracted=(*kept, *gone), removed=removed_signs(history))
    return engine, Outputs((), changes, act=act, amended=True)


def fingerprint(engine: Engine) -> str:
    """32 hex digits that differ whenever anything in the engine's state differs."""
    return blake2b(repr(engine).encode(), digest_size=16).hexdigest()
