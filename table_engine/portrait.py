"""The engine's state → what everybody may see of a table. Concealed tiles are counts, a concealed kong shows its backs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from table_engine import ask
from table_engine.engine import Engine
from table_engine.rules import RuleSet
from table_engine.state import Meld
from table_engine.wire.actions import Action, Drew, Konged
from table_engine.wire.effects import Effect
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, UNKNOWN, order
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
    a, b, c, d = (_seat(engine, seat, rules, names[seat]) for seat in SEATS)
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
        degraded=tuple(map(str, engine.degraded)),
        phrases=engine.degraded,
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


def _seat(engine: Engine, seat: Seat, rules: RuleSet, name: str) -> SeatView:
    state = engine.game
    player = state.players[seat]
    standing = tuple(effect for effect in player.effects if _may_be_known(engine, effect))
    over = not state.running
    return SeatView(
        seat=seat,
        name=name,
        wind=ask.wind(state, seat, rules) if state.hand else None,
        dealer=bool(state.hand) and seat == state.dealer,
        concealed=max(0, ask.held(player)),
        open=player.open or (),
        pond=tuple(
            PondTile(tile=one.tile, sideways=one.sideways, index=n)
            for n, one in enumerate(player.pond)
            if one.taken is None
        ),
        melds=tuple(
            _meld(meld, seat, rules, sum(len(m.tiles) for m in player.melds[:n]), shown=over)
            for n, meld in enumerate(player.melds)
        ),
        flowers=player.flowers,
        ready=player.ready,
        won=seat in state.winners,
        effects=tuple(effect.kind for effect in standing),
        standing=standing,
    )


def _may_be_known(engine: Engine, effect: Effect) -> bool:
    """What stands by itself since an alert that only the referee knows of is no news for the room."""
    case = engine.docket.find(effect.cause)
    return case is None or case.alert is None or case.booked is not None or case.alert.audience == "table"


def _meld(meld: Meld, seat: Seat, rules: RuleSet, first: int, *, shown: bool) -> MeldView:
    """`first`: how many tiles lie in the sets before it."""
    if meld.call == "concealed":
        inner = meld.tiles[1:3]
        tiles = meld.tiles if shown else (BACK, *(inner if rules.calls.concealed_kong_seen else (BACK, BACK)), BACK)
        return MeldView(kind="concealed", tiles=tiles, indices=tuple(range(first, first + len(tiles))))
    places, turned = _laid(meld, seat, rules)
    kind: Literal["chow", "pung", "kong", "added"] = "added" if meld.added else meld.call
    return MeldView(
        kind=kind,
        tiles=tuple(meld.tiles[n] for n in places),
        turned=turned,
        source=meld.source,
        indices=tuple(first + n for n in places),
    )


def _laid(meld: Meld, seat: Seat, rules: RuleSet) -> tuple[tuple[int, ...], int | None]:
    """The indices of a set's tiles as they lie, and which of them lies sideways (none where the rule set lays all upright)."""
    tiles = meld.tiles
    rest = list(range(len(tiles)))
    added = len(tiles) - 1 if meld.added is not None and tiles[-1] == meld.added else None
    if added is not None:
        rest.remove(added)
    called = next((n for n in rest if tiles[n] == meld.called), None)
    if called is None or meld.source is None:
        return tuple(range(len(tiles))), None
    rest.remove(called)
    rest.sort(key=lambda n: order(tiles[n]))
    upright = rules.calls.called_chow_place == "middle"
    place = 1 if upright else {1: len(rest), 2: 1, 3: 0}.get((meld.source - seat) % 4, 0)
    laid = (*rest[:place], called, *rest[place:], *((added,) if added is not None else ()))
    return laid, None if upright else place
