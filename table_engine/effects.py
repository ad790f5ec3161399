"""Standing effects of players: put, asked for, released. Pure functions over the facts."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.state import Player, State
from table_engine.wire.effects import Effect, EffectKind, Until
from table_engine.wire.frozen import replace
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, kind


def effects(player: Player, *kinds: EffectKind) -> tuple[Effect, ...]:
    """The player's effects of these kinds, oldest first."""
    return tuple(effect for effect in player.effects if effect.kind in kinds)


def has(player: Player, *kinds: EffectKind) -> bool:
    """Whether one of these stands against the player."""
    return any(effect.kind in kinds for effect in player.effects)


def add(player: Player, new: Iterable[Effect]) -> Player:
    """The player with these as well; what stands already is not put twice."""
    more = tuple(effect for effect in new if effect not in player.effects)
    return replace(player, effects=(*player.effects, *more)) if more else player


def lift(state: State, cause: str) -> State:
    """The state without what came of one alert or act."""
    if not any(effect.cause == cause for player in state.players for effect in player.effects):
        return state
    a, b, c, d = (
        replace(player, effects=tuple(effect for effect in player.effects if effect.cause != cause))
        for player in state.players
    )
    return replace(state, players=(a, b, c, d))


def put(state: State, seat: Seat, new: Iterable[Effect]) -> State:
    """The state with effects put on one seat."""
    before = state.players[seat]
    after = add(before, new)
    return state if after is before else state.with_player(seat, after)


def expired(player: Player, until: Until) -> Player:
    """The player without what ends at this moment."""
    left = tuple(effect for effect in player.effects if effect.until != until)
    return player if len(left) == len(player.effects) else replace(player, effects=left)


def discarded(player: Player, tile: Tile) -> Player:
    """The player after an own discard in turn: a penalty tile or forced discard is settled by its tile, a live penalty
    tile that was kept becomes a dead one, and what lasted until the own discard ends."""
    if not player.effects:
        return player
    left: list[Effect] = []
    settled = False
    for effect in player.effects:
        if effect.until == "own_discard":
            continue
        if effect.kind not in ("penalty_tile", "forced_discard"):
            left.append(effect)
            continue
        rest = list(effect.tiles)
        at = next((n for n, one in enumerate(rest) if kind(one) == kind(tile)), None)
        if at is not None and not settled:
            settled = True
            rest.pop(at)
        if rest:
            kept = effect.kind == "penalty_tile" and at is None
            left.append(replace(effect, tiles=tuple(rest), live=effect.live and not kept))
    return player if tuple(left) == player.effects else replace(player, effects=tuple(left))


def carried(player: Player) -> tuple[Effect, ...]:
    """What goes on into the next hand."""
    return tuple(effect for effect in player.effects if effect.until == "match")
