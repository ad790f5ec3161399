"""Runs envelopes through the merger and fusion, as the engine does, without a judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from table_engine.apply import apply
from table_engine.fusion.belief import Fusion
from table_engine.fusion.observe import observe
from table_engine.fusion.order import Merge, drain, offer
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.actions import Action, Called, DoraShown, HandStarted, Moved
from table_engine.wire.observations import Envelope


@dataclass
class Told:
    """What fusion told."""

    actions: list[Action] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    fusion: Fusion = field(default_factory=Fusion)
    state: State = field(default_factory=State)

    @property
    def moves(self) -> list[Action]:
        """Without the start and the first indicator, times, evidence and confidence."""
        begun = [bare(a) for a in self.actions if not isinstance(a, HandStarted)]
        return begun[1:] if begun and isinstance(begun[0], DoraShown) else begun


def bare(action: Action) -> Action:
    assert isinstance(action, Moved)
    same = replace(action, at_ms=0, evidence=(), confidence=1.0)
    return replace(same, place=None) if isinstance(same, Called) else same


def tell(envelopes: Iterable[Envelope], ruleset: str) -> Told:
    rules = load_ruleset(ruleset)
    told, merge = Told(), Merge()

    def take(released: Iterable[Envelope]) -> None:
        for one in released:
            observed = observe(told.fusion, told.state, one, rules)
            told.fusion = observed.fusion
            told.faults.update(f.code for f in observed.faults)
            for action in observed.actions:
                told.state = apply(told.state, action, rules)
                told.actions.append(action)

    for envelope in envelopes:
        merged = offer(merge, envelope)
        merge = merged.merge
        take(merged.released)
    take(drain(merge).released)
    return told
