"""One observation after the other → actions. The whole of fusion as one pure function.

The picture is what lies on the table, the game's state is what was told so far; their difference is explained by the
shortest sequence of deeds, legal or not. A deed is told once its signs agree. What the rules provide for needs no more
than that; what they don't is held for a while, because sensors lag more often than players break rules. Order is that of
the event times where they are certain, and the rules' order where they are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from table_engine.apply import apply
from table_engine.deal import three_draw
from table_engine.fusion import blind
from table_engine.fusion.belief import Fusion
from table_engine.fusion.explain import play
from table_engine.fusion.hand import begin, cleared, resumed, sweeping, watch_wall
from table_engine.fusion.health import attend
from table_engine.fusion.look import look
from table_engine.fusion.panorama import united
from table_engine.fusion.picture import Picture
from table_engine.fusion.stage import begun, between
from table_engine.fusion.wall import counted, seen
from table_engine.fusion.wins import LAID_OPEN
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import Action, CallAnnounced, HandEnded
from table_engine.wire.alerts import Fault
from table_engine.wire.frozen import replace
from table_engine.wire.observations import Button, Envelope, HandSeen, HandZone

_BACK_MS: Final = 200
"""So long a source that was away goes on telling how things lie now."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What an observation led to: the belief, the actions in the order they took place, and the faults now standing."""

    fusion: Fusion
    actions: tuple[Action, ...] = ()
    faults: tuple[Fault, ...] = ()


def observe(fusion: Fusion, state: State, envelope: Envelope, rules: RuleSet) -> Observed:
    """Takes the next envelope of the merged stream (`order.offer`), watermarks and health included. `state` is the game
    with every action told so far applied."""
    old = fusion.picture
    fusion = attend(fusion, envelope)
    panorama, envelope = united(fusion.panorama, envelope, fusion.silent, fusion.clearing_ms)
    if panorama is not fusion.panorama:
        fusion = replace(fusion, panorama=panorama)
    now_ms = max(fusion.now_ms, envelope.at_ms)
    picture = look(fusion.picture, envelope, now_ms, fusion.away("camera").from_ms)
    said = _said(envelope)
    awake = fusion.wake_ms is not None and fusion.wake_ms <= now_ms
    if picture is old:
        fusion = replace(fusion, now_ms=now_ms) if now_ms != fusion.now_ms else fusion
    elif picture.walls is old.walls and picture.wall_counts is old.wall_counts:
        fusion = replace(fusion, now_ms=now_ms, picture=picture)
    else:
        tally = counted(fusion.counted, old, picture)
        if envelope.at_ms <= fusion.away("bridge").to_ms + _BACK_MS and fusion.alive("camera"):
            tally = replace(tally, takings=())  # in which order its sides lost their tiles meanwhile, it cannot tell
        fusion = replace(fusion, now_ms=now_ms, picture=picture, counted=tally, seen=seen(fusion.seen, old, picture))
    # An arm alone tells nothing unless something waits for a sign of who did it.
    news = picture is not old and (fusion.wake_ms is not None or not isinstance(envelope.data, HandSeen | HandZone))
    if not news and not awake:
        return Observed(fusion, said, tuple(fusion.faults.values()))
    fusion, actions = _explain(fusion, old, state, rules)
    return Observed(fusion, (*said, *actions), tuple(fusion.faults.values()))


def _said(envelope: Envelope) -> tuple[Action, ...]:
    match envelope.data:
        case Button(seat=seat, call=call) if call != "referee":
            return (CallAnnounced(at_ms=envelope.at_ms, evidence=(envelope.id,), seat=seat, call=call),)
        case _:
            return ()


def _explain(fusion: Fusion, old: Picture, state: State, rules: RuleSet) -> tuple[Fusion, list[Action]]:
    actions: list[Action] = []
    if fusion.stage == "playing" and sweeping(fusion, old):
        before = replace(fusion, picture=replace(old, bay=fusion.picture.bay))
        _, state, actions = play(before, state, rules, all_due=True)
        fusion = replace(fusion, stage="clearing", clearing_ms=fusion.now_ms, swept=before.picture)
    if fusion.stage == "clearing":
        if cleared(fusion, rules):
            won = bool(state.winners) and not three_draw(state, rules)
            ended = HandEnded(at_ms=fusion.clearing_ms, confidence=0.97, won=won)
            fusion = replace(between(fusion), wake_ms=fusion.now_ms + 1)
            return fusion, [*actions, ended]
        if resumed(fusion):
            fusion = replace(fusion, stage="playing")
        else:
            return replace(fusion, wake_ms=fusion.now_ms + 250), [*actions, *_late(fusion, old, state, rules)]
    if fusion.stage == "idle":
        fusion = watch_wall(fusion, old, rules)
        started = begin(fusion, rules)
        if started is None:
            return replace(fusion, wake_ms=fusion.now_ms + 1_000), actions
        actions.append(started)
        state = apply(state, started, rules)
        fusion = begun(fusion, started, rules)
    elif fusion.picture.discard_counts is not old.discard_counts:
        fusion = blind.noticed(fusion, old, state)
    if fusion.now_ms <= fusion.back_ms + _BACK_MS:
        return replace(fusion, wake_ms=fusion.back_ms + _BACK_MS + 1), actions
    fusion, state, more = play(fusion, state, rules)
    return fusion, [*actions, *more]


def _late(fusion: Fusion, old: Picture, state: State, rules: RuleSet) -> list[Action]:
    """A hand that lies open before the sweep has reached it, though no camera saw it when it was shown: a camera that was
    away looks again just after the bay has opened."""
    if state.winners or fusion.picture.racks is old.racks:
        return []
    racks = tuple(
        new if new is not was and len(new.open) >= LAID_OPEN and not new.standing else kept
        for new, was, kept in zip(fusion.picture.racks, old.racks, fusion.swept.racks, strict=True)
    )
    if racks == fusion.swept.racks:
        return []
    shown = replace(fusion, picture=replace(fusion.swept, racks=racks))
    return play(shown, state, rules, all_due=True)[2]
