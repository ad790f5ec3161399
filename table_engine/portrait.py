"""The engine's state → what everybody may see of a table. Concealed tiles are counts, a concealed kong shows its backs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from table_engine import ask
from table_engine.engine import Engine
from table_engine.rules import RuleSet
from table_engine.state import Meld, State
from table_engine.wire.actions import Action, Drew, Konged
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, UNKNOWN, Tile, order
from table_engine.wire.view import MeldView, PondTile, SeatView, TableView
from table_engine.words import words

_PHASES: dict[str, Literal["waiting", "playing", "ended"]] = {
    "waiting": "waiting",
    "discard": "playing",
    "draw": "playing",
    "over": "ended",
}


def portrait(
    engine: Engine, rules: RuleSet, names: tuple[str, ...] = ("", "", "", ""), sensors: Mapping[str, str] | None = None
) -> TableView:
    """What everybody may see. `names` of the players by seat, `sensors` the state of every source in words."""
    state = engine.game
    a, b, c, d = (_seat(state, seat, rules, names[seat]) for seat in SEATS)
    return TableView(
        table=engine.docket.table,
        ruleset=rules.id,
        state_seq=engine.seq,
        at_ms=max(state.at_ms, 0),
        phase=_PHASES[state.turn.phase],
        hand=state.hand,
        turn=ask.whose_turn(state),
        turns=state.discards,
        wall_left=ask.draws_left(state, rules) if state.hand else None,
        dora=state.dora,
        dice=state.dice,
        last=words(engine.last, state, rules) if engine.last else "",
        seats=(a, b, c, d),
        degraded=engine.degraded,
        sensors=dict(sensors or {}),
    )


def public(action: Action, rules: RuleSet) -> Action:
    """The action as everybody may know it: no drawn tile, no concealed kong that lies face down."""
    match action:
        case Drew():
            return replace(action, tile=UNKNOWN)
        case Konged(kong="concealed") if not rules.calls.concealed_kong_seen:
            return replace(action, tile=UNKNOWN)
        case _:
            return action


def _seat(state: State, seat: Seat, rules: RuleSet, name: str) -> SeatView:
    player = state.players[seat]
    over = not state.running
    return SeatView(
        seat=seat,
        name=name,
        wind=ask.wind(state, seat, rules) if state.hand else None,
        dealer=bool(state.hand) and seat == state.dealer,
        concealed=max(0, ask.held(player)),
        open=player.open or (),
        pond=tuple(PondTile(tile=lying.tile, sideways=lying.sideways) for lying in ask.lying(player)),
        melds=tuple(_meld(meld, seat, rules, shown=over) for meld in player.melds),
        flowers=player.flowers,
        ready=player.ready,
        effects=tuple(effect.kind for effect in player.effects),
        standing=player.effects,
    )


def _meld(meld: Meld, seat: Seat, rules: RuleSet, *, shown: bool) -> MeldView:
    if meld.call == "concealed":
        inner = meld.tiles[1:3]
        tiles = meld.tiles if shown else (BACK, *(inner if rules.calls.concealed_kong_seen else (BACK, BACK)), BACK)
        return MeldView(kind="concealed", tiles=tiles)
    laid, turned = _laid(meld, seat, rules)
    kind: Literal["chow", "pung", "kong", "added"] = "added" if meld.added else meld.call
    return MeldView(kind=kind, tiles=laid, turned=turned, source=meld.source)


def _laid(meld: Meld, seat: Seat, rules: RuleSet) -> tuple[tuple[Tile, ...], int | None]:
    """The tiles as they lie, and which of them lies sideways (none where the rule set lays all upright)."""
    rest = list(meld.tiles)
    if meld.added in rest:
        rest.remove(meld.added)
    if meld.called not in rest or meld.source is None:
        return meld.tiles, None
    rest.remove(meld.called)
    rest.sort(key=order)
    upright = rules.calls.called_chow_place == "middle"
    place = 1 if upright else {1: len(rest), 2: 1, 3: 0}.get((meld.source - seat) % 4, 0)
    laid = (*rest[:place], meld.called, *rest[place:], *((meld.added,) if meld.added else ()))
    return laid, None if upright else place
