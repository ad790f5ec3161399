"""The difference between picture and game → deeds told one after the other, until nothing more can be told now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table_engine.apply import apply
from table_engine.fusion import blind, shown
from table_engine.fusion.belief import Fusion
from table_engine.fusion.counts import counts, due_ms
from table_engine.fusion.deed import Deed, next_deed, wake
from table_engine.fusion.discards import discards, rereads, returns
from table_engine.fusion.doubt import settle
from table_engine.fusion.draws import draws, returned
from table_engine.fusion.exposed import exposed
from table_engine.fusion.flowers import flowers
from table_engine.fusion.leaving import leaving
from table_engine.fusion.look import put
from table_engine.fusion.melds import melds, unseen_call
from table_engine.fusion.repair import SURE
from table_engine.fusion.uncalled import uncalled
from table_engine.fusion.view import View
from table_engine.fusion.wins import wins
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    Konged,
    TileCorrected,
    TileReturned,
)
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import is_face

_MOST_STEPS: Final = 200


def play(fusion: Fusion, state: State, rules: RuleSet, *, all_due: bool = False) -> tuple[Fusion, State, list[Action]]:
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
            fusion = _told(fusion, action, state)
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
        yield from exposed(view)
        yield from shown.dora(view)
        yield from blind.passages(view)
        yield from blind.calls(view)
        if blind.called_away(view) is None:
            yield from blind.takings(view)
            yield from draws(view, leaving(view))
            yield from returned(view)
        yield from returns(view)
        yield from uncalled(view)
        yield from rereads(view)
    yield from shown.rereads(view)
    yield from wins(view)


def _told(fusion: Fusion, action: Action, before: State) -> Fusion:
    """What must be remembered of an action beyond the game's state."""
    if isinstance(action, Discarded) and is_face(action.tile) and action.confidence < SURE:
        place = action.seat, len(before.players[action.seat].pond)
        fusion = replace(fusion, doubted=fusion.doubted | {place})
    if isinstance(action, TileCorrected) and action.zone == "pond" and action.confidence >= SURE:
        fusion = replace(fusion, doubted=fusion.doubted - {(action.seat, action.index)})
    match action:
        case DoraShown():
            return shown.remember(fusion)
        case Discarded(seat=seat, at_ms=at_ms) | TileReturned(seat=seat, what="discard", at_ms=at_ms):
            fusion = replace(fusion, laid_ms=_at(fusion.laid_ms, seat, at_ms))
        case Called(source=source, seat=seat, at_ms=at_ms):
            fusion = replace(fusion, laid_ms=_at(fusion.laid_ms, source, at_ms))
        case Drew(seat=seat, at_ms=at_ms):
            fusion = replace(fusion, drawn_ms=max(at_ms, fusion.drawn_ms))
        case TileReturned(seat=seat, at_ms=at_ms):
            pass
        case Konged(seat=seat, at_ms=at_ms) | FlowersShown(seat=seat, at_ms=at_ms):
            pass
        case _:
            return fusion
    return replace(fusion, handled_ms=_at(fusion.handled_ms, seat, max(at_ms, fusion.handled_ms[seat])))


def _at(times: tuple[int, int, int, int], seat: Seat, at_ms: int) -> tuple[int, int, int, int]:
    a, b, c, d = put(times, seat, at_ms)
    return a, b, c, d
