"""The whole game as one pure function: everything that came in, one after the other → state, actions, alerts, faults.

    event → merged by time over all sources → fusion → what moved → reducer → judge → alerts

No clock, no wire, no disk. The same events in the same order give the same state, byte by byte (`fingerprint`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b

from table_engine import effects, referee
from table_engine.apply import apply
from table_engine.events import Event, SourcePresence
from table_engine.fouls import Moment
from table_engine.fusion import order
from table_engine.fusion.belief import Fusion
from table_engine.fusion.observe import observe
from table_engine.judge import judge
from table_engine.referee import Changes, Docket
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.verdicts import decide
from table_engine.wire.actions import Action
from table_engine.wire.acts import Acknowledge, Appeal, Confirm, Dismiss, Overturn, RecordRow, RefereeAct, Uphold
from table_engine.wire.alerts import Fault
from table_engine.wire.observations import Envelope

_FAULT_SHOWN_MS = 10_000
"""How long a fault that is over at once (a lost message) is shown and keeps the table degraded."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One table between two events. Start with `begin`."""

    docket: Docket
    merge: order.Merge = field(default_factory=order.Merge)
    fusion: Fusion = field(default_factory=Fusion)
    game: State = field(default_factory=State)
    lost: tuple[Fault, ...] = ()
    """Faults of the merge that are still shown."""
    seq: int = 0
    """Grows with every action and every change of an alert."""
    last: Action | None = None

    @property
    def now_ms(self) -> int:
        """Up to this moment everything is known."""
        return self.merge.released_ms

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (*self.fusion.faults.values(), *self.lost)

    @property
    def degraded(self) -> tuple[str, ...]:
        """What is not known of the table now, in words."""
        return tuple(fault.says for fault in self.faults)


@dataclass(frozen=True, slots=True)
class Stumble:
    """A message our own code could not follow. It is left out, the table is degraded for a while."""

    envelope: Envelope
    error: Exception


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one event led to. `actions` come with the sequence number of the state they led to."""

    actions: tuple[tuple[int, Action], ...] = ()
    changes: Changes = ()
    faults_changed: bool = False
    stumbles: tuple[Stumble, ...] = ()

    @property
    def nothing(self) -> bool:
        return not (self.actions or self.changes or self.faults_changed)


_NOTHING = Outputs()


def begin(table: str, *, told: bool = False) -> Engine:
    """A table nothing is known of yet. `told`: every coming and going of a source will be an event (`SourcePresence`), so
    that a slow one is waited for; otherwise one that is three seconds behind the others is not."""
    return Engine(Docket(table), order.Merge(told=told))


def step(engine: Engine, event: Event, rules: RuleSet) -> tuple[Engine, Outputs]:
    """The engine after one event, and what the world has to be told."""
    match event:
        case Envelope():
            merged = order.offer(engine.merge, event)
        case SourcePresence(src=src, boot=boot, online=online):
            merged = order.presence(engine.merge, src, boot=boot, online=online)
        case RefereeAct():
            return _decided(engine, event, rules)
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
            engine, moved, told = _observed(engine, envelope, rules)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not hold the table up at one message for ever
            stumbles.append(Stumble(envelope, error))
            engine = replace(engine, lost=(*engine.lost, _stumbled(envelope, error)))
            continue
        actions += moved
        changes += told
    if engine.docket.cases:
        docket, more = referee.settle(engine.docket, engine.now_ms, rules)
        if docket is not engine.docket:
            engine = replace(engine, docket=docket, seq=engine.seq + 1)
        changes += more
    faults_changed = engine.fusion.faults is not before.fusion.faults or engine.lost != before.lost
    if not (actions or changes or faults_changed):
        return engine, _NOTHING
    return engine, Outputs(tuple(actions), changes, faults_changed and engine.faults != before.faults, tuple(stumbles))


def _observed(engine: Engine, envelope: Envelope, rules: RuleSet) -> tuple[Engine, list[tuple[int, Action]], Changes]:
    observed = observe(engine.fusion, engine.game, envelope, rules)
    if observed.fusion is not engine.fusion:
        engine = replace(engine, fusion=observed.fusion)
    actions: list[tuple[int, Action]] = []
    changes: Changes = ()
    for action in observed.actions:
        engine, more = _moved(engine, action, rules)
        actions.append((engine.seq, action))
        changes += more
    return engine, actions, changes


def _stumbled(envelope: Envelope, error: Exception) -> Fault:
    what = f"the engine stumbled over message {envelope.id} ({type(error).__name__}: {error}) and goes on without it"
    return Fault(source="engine", code="stumbled", says=f"{what}; please report it", since_ms=envelope.at_ms)


def _moved(engine: Engine, action: Action, rules: RuleSet) -> tuple[Engine, Changes]:
    after = apply(engine.game, action, rules)
    docket, changes = judge(engine.docket, Moment(engine.game, action, after, rules), engine.degraded)
    return replace(engine, game=after, docket=docket, seq=engine.seq + 1, last=action), changes


def _decided(engine: Engine, act: RefereeAct, rules: RuleSet) -> tuple[Engine, Outputs]:
    match act.did:
        case Acknowledge() | Confirm() | Dismiss() | Overturn() | Appeal() | Uphold() | RecordRow() as did:
            decision = decide(engine.docket, act, did, engine.game, rules)
        case _:
            return engine, _NOTHING
    if not decision.changes:
        return engine, _NOTHING
    game = engine.game
    if decision.booked and decision.booked.booked and decision.booked.foul.hand == game.hand:
        game = effects.put(game, decision.booked.foul.seat, decision.booked.booked.effects)
    if decision.released and decision.released.alert:
        game = effects.lift(game, decision.released.alert.id)
    return replace(engine, docket=decision.docket, game=game, seq=engine.seq + 1), Outputs(changes=decision.changes)


def fingerprint(engine: Engine) -> str:
    """32 hex digits that differ whenever anything in the engine's state differs."""
    return blake2b(repr(engine).encode(), digest_size=16).hexdigest()
