"""One observation after the other → actions. The whole of fusion as one pure function.

The picture is what lies on the table, the game's state is what was told so far; their difference is explained by the
shortest sequence of deeds, legal or not. A deed is told once its signs agree. What the rules provide for needs no more
than that; what they don't is held for a while, because sensors lag more often than players break rules. Order is that of
the event times where they are certain, and the rules' order where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from table_engine.apply import apply
from table_engine.fusion import blind, shown
from table_engine.fusion.belief import Fusion
from table_engine.fusion.counts import counts, due_ms
from table_engine.fusion.deed import Deed, next_deed, wake
from table_engine.fusion.discards import discards, rereads, returns
from table_engine.fusion.doubt import DIFFERS, settle
from table_engine.fusion.draws import draws, returned
from table_engine.fusion.hand import begin, cleared, resumed, sweeping, watch_wall
from table_engine.fusion.health import attend
from table_engine.fusion.melds import flowers, leaving, melds, unseen_call
from table_engine.fusion.picture import LONG_AGO, Lying, Picture, Reading, look, put
from table_engine.fusion.view import View
from table_engine.fusion.wall import Course, Tally, counted, seen
from table_engine.fusion.wins import wins
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandStarted,
    Konged,
    TileReturned,
)
from table_engine.wire.alerts import Fault
from table_engine.wire.observations import Button, Envelope, HandSeen, HandZone
from table_engine.wire.seats import SEATS, Seat

_MOST_STEPS: Final = 200


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
    now_ms = max(fusion.now_ms, envelope.at_ms)
    picture = look(fusion.picture, envelope, now_ms)
    said = _said(envelope)
    awake = fusion.wake_ms is not None and fusion.wake_ms <= now_ms
    if picture is old:
        fusion = replace(fusion, now_ms=now_ms) if now_ms != fusion.now_ms else fusion
    elif picture.walls is old.walls and picture.wall_counts is old.wall_counts:
        fusion = replace(fusion, now_ms=now_ms, picture=picture)
    else:
        fusion = replace(
            fusion,
            now_ms=now_ms,
            picture=picture,
            counted=counted(fusion.counted, old, picture),
            seen=seen(fusion.seen, old, picture),
        )
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
        _, state, actions = _play(before, state, rules, all_due=True)
        fusion = replace(fusion, stage="clearing", clearing_ms=fusion.now_ms)
    if fusion.stage == "clearing":
        if cleared(fusion, rules):
            ended = HandEnded(at_ms=fusion.clearing_ms, confidence=0.97, won=bool(state.winners))
            fusion = replace(_between(fusion), wake_ms=fusion.now_ms + 1)
            return fusion, [*actions, ended]
        if resumed(fusion):
            fusion = replace(fusion, stage="playing")
        else:
            return replace(fusion, wake_ms=fusion.now_ms + 250), actions
    if fusion.stage == "idle":
        fusion = watch_wall(fusion, old)
        started = begin(fusion, rules)
        if started is None:
            return replace(fusion, wake_ms=fusion.now_ms + 1_000), actions
        actions.append(started)
        state = apply(state, started, rules)
        fusion = _begun(fusion, started, rules)
    elif fusion.picture.discard_counts is not old.discard_counts:
        fusion = blind.noticed(fusion, old, state)
    fusion, state, more = _play(fusion, state, rules)
    return fusion, [*actions, *more]


def _begun(fusion: Fusion, started: HandStarted, rules: RuleSet) -> Fusion:
    course = None
    if started.break_side is not None and started.break_stack is not None:
        course = Course(started.break_side, started.break_stack, rules.set.tiles // 8)
    picture, left = fusion.picture, rules.set.tiles - 4 * rules.set.hand - 1
    return replace(
        fusion,
        stage="playing",
        dora_due_ms=fusion.now_ms + fusion.patience.dora if rules.set.dora else LONG_AGO,
        picture=replace(
            picture,
            ponds=_fresh(picture.ponds, fusion.clearing_ms),
            melds=_fresh(picture.melds, fusion.clearing_ms),
            flowers=_fresh(picture.flowers, fusion.clearing_ms),
            discard_counts=tuple(
                r if r.value == 0 or r.at_ms > fusion.clearing_ms else Reading() for r in picture.discard_counts
            ),
        ),
        course=course,
        counted=_agreed(fusion.counted, left),
        seen=_agreed(fusion.seen, left),
        zones_off=(0, 0, 0, 0),
        indicators=(),
        passages=(),
        laid_ms=(LONG_AGO,) * 4,
        handled_ms=(LONG_AGO,) * 4,
        drawn_ms=LONG_AGO,
    )


def _agreed(tally: Tally, left: int) -> Tally:
    """A wall count at the start of a hand. One that is too low misses tiles of the walls as they were built; one that is
    too high has not seen all of the deal and will."""
    return Tally(tally.left, off=0 if tally.left is None else min(0, tally.left - left))


def _fresh(zones: tuple[Lying, ...], cleared_ms: int) -> tuple[Lying, ...]:
    """Zones at the start of a hand: what lay there before the table was cleared is gone, though that was never told."""
    return tuple(Lying() if zone.faces and zone.at_ms <= cleared_ms else zone for zone in zones)


def _between(fusion: Fusion) -> Fusion:
    """After a hand: nothing of it is remembered but what the sensors say."""
    picture = replace(fusion.picture, dice=(), buttons=())
    faults = {key: fault for key, fault in fusion.faults.items() if not fault.code.startswith(DIFFERS)}
    return replace(fusion, picture=picture, faults=faults, stage="idle", course=None, full=False, broke_first=None)


def _play(fusion: Fusion, state: State, rules: RuleSet, *, all_due: bool = False) -> tuple[Fusion, State, list[Action]]:
    """Explains step by step until nothing more can be told now. `all_due`: nothing is held back any longer."""
    actions: list[Action] = []
    now = 2**62 if all_due else fusion.now_ms
    view = View(fusion, state, rules)
    if shown.awaited(view) and not all_due:
        return replace(fusion, wake_ms=fusion.dora_due_ms), state, []
    deeds: list[Deed] = []
    for _ in range(_MOST_STEPS):
        deeds = list(_deeds(view))
        deed = next_deed([d for d in deeds if d.actions], now)
        if deed is None:
            break
        for action in deed.actions:
            fusion = _told(fusion, action)
            state = apply(state, action, rules)
            actions.append(action)
        fusion = replace(fusion, compared=view.compared)
        view = View(fusion, state, rules)
    if not any(d.actions for d in deeds) and not all_due:
        for action in counts(view):
            state = apply(state, action, rules)
            actions.append(action)
            view = View(replace(fusion, compared=view.compared), state, rules)
    compared = view.compared
    fusion, next_ms = settle(view, deeds)
    due = [d for d in (wake(deeds, fusion.now_ms), next_ms, *_count_dues(view)) if d is not None]
    return replace(fusion, wake_ms=min(due, default=None), compared=compared), state, actions


def _count_dues(view: View) -> Iterator[int]:
    for seat in SEATS:
        if view.rack_delta[seat] and due_ms(view, seat) > view.now_ms:
            yield due_ms(view, seat)


def _deeds(view: View) -> Iterator[Deed]:
    """Everything that seems to have been done."""
    state = view.state
    if state.turn.phase != "over":
        yield from discards(view)
        yield from melds(view)
        yield from unseen_call(view)
        yield from flowers(view)
        yield from shown.dora(view)
        yield from blind.passages(view)
        yield from blind.calls(view)
        if blind.called_away(view) is None:
            yield from blind.takings(view)
            yield from draws(view, leaving(view))
            yield from returned(view)
        yield from returns(view)
        yield from rereads(view)
    yield from shown.rereads(view)
    yield from wins(view)


def _told(fusion: Fusion, action: Action) -> Fusion:
    """What must be remembered of an action beyond the game's state."""
    match action:
        case DoraShown():
            return shown.remember(fusion)
        case Discarded(seat=seat, at_ms=at_ms) | TileReturned(seat=seat, what="discard", at_ms=at_ms):
            fusion = replace(fusion, laid_ms=_at(fusion.laid_ms, seat, at_ms))
        case Called(source=source, seat=seat, at_ms=at_ms):
            fusion = replace(fusion, laid_ms=_at(fusion.laid_ms, source, at_ms))
        case Drew(seat=seat, at_ms=at_ms):
            fusion = replace(fusion, drawn_ms=max(at_ms, fusion.drawn_ms))
        case Konged(seat=seat, at_ms=at_ms) | FlowersShown(seat=seat, at_ms=at_ms):
            pass
        case _:
            return fusion
    return replace(fusion, handled_ms=_at(fusion.handled_ms, seat, max(at_ms, fusion.handled_ms[seat])))


def _at(times: tuple[int, int, int, int], seat: Seat, at_ms: int) -> tuple[int, int, int, int]:
    a, b, c, d = put(times, seat, at_ms)
    return a, b, c, d
