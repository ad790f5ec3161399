"""The reducer: state and what moved → state. It accepts everything that can happen on a table, legal or not, and judges
nothing. A tile nobody knew of is taken as it is seen, a move out of turn leaves the turn where the rules put it."""

from __future__ import annotations

from typing import Literal

from table_engine import deal, effects, said
from table_engine.corrected import corrected
from table_engine.passed import note
from table_engine.rules import RuleSet
from table_engine.state import Meld, Offer, Player, PondTile, State, Turn
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    ClockRan,
    CountSeen,
    Discarded,
    DoraShown,
    DrawHeld,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TilesExposed,
    TurnCorrected,
    WinShown,
)
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, kind


def apply(state: State, action: Action, rules: RuleSet) -> State:
    """The state after an action. Never raises for anything played."""
    match action:
        case Drew():
            after = _drew(state, action)
        case Discarded():
            after = _discarded(state, action)
        case Called():
            after = _called(state, action)
        case Konged():
            after = _konged(state, action)
        case FlowersShown(seat=seat, tiles=tiles):
            player = state.players[seat]
            less = _without(player, tiles)
            shown = replace(
                less,
                flowers=(*player.flowers, *tiles),
                owed=player.owed + max(0, len(tiles) - player.early),
                early=max(0, player.early - len(tiles)),
                flowered=player.flowered + (len(tiles) if state.turn.actor == seat else 0),
            )
            after = said.replaced(state, seat).with_player(seat, shown)
        case DoraShown(tile=tile):
            after = replace(state, dora=(*state.dora, tile))
        case WinShown(seat=seat, hand=hand):
            winners = state.winners if seat in state.winners else (*state.winners, seat)
            shown = replace(state.players[seat], open=hand)
            over = replace(state.turn, phase="over")
            state = state if state.winners else replace(state, before_win=state.turn)
            after = said.carried_out(state, seat).with_player(seat, shown, turn=over)
            after = after if winners == state.winners else replace(after, winners=winners)
        case HandStarted():
            after = deal.started(state, action, rules)
        case HandEnded():
            after = deal.ended(state, rules)
        case TileReturned():
            after = _returned(state, action)
        case TileCorrected():
            after = corrected(state, action)
        case CountSeen(seat=seat, concealed=concealed):
            player = state.players[seat]
            after = state.with_player(seat, replace(player, off=concealed - player.concealed))
        case HandShown(seat=seat, hand=hand):
            after = state.with_player(seat, replace(state.players[seat], open=hand))
        case TilesExposed(tiles=tiles, where="wall"):
            after = replace(state, turned_up=(*state.turned_up, *tiles))
        case TilesExposed(seat=seat, tiles=tiles):
            after = state.with_player(seat, said.exposed(state.players[seat], tiles))
        case CallAnnounced():
            after = said.announced(state, action)
        case TurnCorrected(seat=seat, phase=phase):
            offer = state.turn.offer if phase == "draw" else None
            after = replace(state, turn=Turn(phase, seat, offer), ended=None)
        case DrawHeld(seat=seat):
            after = replace(state, held=(*state.held, seat))
        case ClockRan(clock="match"):
            after = replace(state, match_over=True, ended="time" if state.running else state.ended)
        case ClockRan():
            after = state
    passed = note(state.passed, action, rules)
    if passed is after.passed and after.at_ms >= action.at_ms:
        return after
    return replace(after, passed=passed, at_ms=max(after.at_ms, action.at_ms))


def _drew(state: State, action: Drew) -> State:
    seat, turn = action.seat, state.turn
    player = state.players[seat]
    known = (*player.known, action.tile) if is_face(action.tile) else player.known
    owed, ahead, surplus, early = player.owed, player.ahead_ms, player.surplus, player.early
    if owed:
        owed -= 1
    elif turn.phase == "discard" and turn.actor == seat and action.end == "tail":
        early += 1
    elif turn.phase == "draw" and (turn.actor == seat or state.resumes(seat, "draw")):
        turn = Turn("discard", seat)
    elif turn.phase == "discard" and turn.actor == seat.upper:
        ahead = action.at_ms
    elif state.running and turn.actor != seat:
        surplus += 1
    drawn = replace(
        player,
        concealed=player.concealed + 1,
        known=known,
        owed=owed,
        early=early,
        replaced=player.owed > 0,
        drawn_from=action.end,
        ahead_ms=ahead,
        surplus=surplus,
        drawn=player.drawn + 1,
    )
    drawn = effects.expired(drawn, "own_draw") if drawn.effects else drawn
    state = said.drawn(_taken_from_wall(state, action.end, 1), seat)
    return state.with_player(seat, drawn, turn=turn)


def _taken_from_wall(state: State, end: Literal["head", "tail"], count: int) -> State:
    if end == "head":
        return replace(state, head=state.head + count)
    return replace(state, tail=state.tail + count)


def _discarded(state: State, action: Discarded) -> State:
    """The turn passes counter-clockwise to the seat after the discarder (TW-S7), who may have drawn already."""
    seat, turn, following = action.seat, state.turn, action.seat.next
    player = state.players[seat]
    less = replace(
        _without(player, (action.tile,)),
        pond=(*player.pond, PondTile(action.tile, action.sideways, action.at_ms)),
        owed=0,
        ahead_ms=None,
        drawn_from=None,
        replaced=False,
        ready=player.ready or action.sideways,
        drawn=0,
        flowered=0,
        konged=None,
    )
    if less.effects and turn.actor == seat:
        less = effects.discarded(less, action.tile)
    offer = Offer(seat, action.tile, action.at_ms)
    waiting = state.players[following]
    if player.surplus and not (turn.phase == "discard" and turn.actor == seat):
        less = replace(less, surplus=player.surplus - 1)
    if not state.running:
        after = turn
    elif waiting.ahead_ms is not None:
        after = Turn("discard", following, offer)
        state = state.with_player(following, replace(waiting, ahead_ms=None))
    else:
        after = Turn("draw", following, offer)
    state = said.discarded(state, seat)
    state = replace(state, discards=state.discards + 1, before_discard=turn, discarded_ms=action.at_ms)
    return state.with_player(seat, less, turn=after)


def _called(state: State, action: Called) -> State:
    seat, source = action.seat, action.source
    own = list(action.tiles)
    if action.tile in own:
        own.remove(action.tile)
    owing, chower = said.owes_set(state, seat), source.next
    if chower != seat and state.players[chower].exposed:
        state = state.with_player(chower, said.taken_away(state.players[chower], action.tile))
    state = _late(said.carried_out(state, seat), seat).with_player(
        source, _take(state.players[source], action.tile, seat)
    )
    player = state.players[seat]
    taken = replace(
        _without(player, tuple(own)),
        melds=(*player.melds, Meld(action.call, action.tiles, action.tile, source)),
        owed=player.owed + (1 if action.call == "kong" else 0),
        konged="exposed" if action.call == "kong" else player.konged,
    )
    turn = _lying_still(state.turn, state) if owing else Turn("discard", seat)
    return state.with_player(seat, taken, turn=turn)


def _lying_still(turn: Turn, state: State) -> Turn:
    """The turn without a discard on offer that was called or taken back: it is nobody's to take any more."""
    offer = turn.offer
    if offer is None or offer.robbing:
        return turn
    pond = state.players[offer.seat].pond
    lies = bool(pond) and pond[-1].taken is None and pond[-1].tile == offer.tile
    return turn if lies else replace(turn, offer=None)


def _late(state: State, seat: Seat) -> State:
    """A call by another seat turns a draw made ahead of turn into a surplus tile."""
    for other in SEATS:
        player = state.players[other]
        if other != seat and player.ahead_ms is not None:
            state = state.with_player(other, replace(player, ahead_ms=None, surplus=player.surplus + 1))
    return state


def _konged(state: State, action: Konged) -> State:
    seat, tile = action.seat, action.tile
    player = state.players[seat]
    if action.kong == "concealed":
        four = _four(player, tile)
        melds = (*player.melds, Meld("concealed", four))
        less = _without(player, four)
    else:
        melds = _added(player.melds, tile)
        less = _without(player, (tile,))
    offer = Offer(seat, tile, action.at_ms, robbing=True)
    turn = Turn("discard", seat, offer) if state.running and state.turn.actor == seat else state.turn
    # Told after the own discard, it was laid before it and seen late: its replacement was drawn already, or forgone.
    due = state.turn.phase == "discard" and state.turn.actor == seat
    owed, early = player.owed + (due and not player.early), max(0, player.early - 1)
    made = replace(less, melds=melds, owed=owed, early=early, konged=action.kong)
    return said.carried_out(state, seat).with_player(seat, made, turn=turn)


def _four(player: Player, tile: Tile) -> tuple[Tile, ...]:
    """The four tiles of a concealed kong: those known to stand in the hand, the rest as named."""
    if not is_face(tile):
        return (UNKNOWN,) * 4
    known = tuple(t for t in player.known if kind(t) == kind(tile))[:4]
    return (*known, *(kind(tile),) * (4 - len(known)))


def _added(melds: tuple[Meld, ...], tile: Tile) -> tuple[Meld, ...]:
    """The sets with the fourth tile laid to the pung of its kind, or, where there is none, wrongly to the last pung."""
    pungs = [n for n, meld in enumerate(melds) if meld.call == "pung" and meld.added is None]
    fitting = [n for n in pungs if kind(melds[n].tiles[0]) == kind(tile)]
    if not pungs:
        return melds
    at = (fitting or pungs)[-1]
    grown = replace(melds[at], tiles=(*melds[at].tiles, tile), added=tile)
    return (*melds[:at], grown, *melds[at + 1 :])


def _returned(state: State, action: TileReturned) -> State:
    seat = action.seat
    player = state.players[seat]
    match action.what:
        case "draw":
            return _undrawn(state, action)
        case "discard" if player.pond and player.pond[-1].taken is None:
            last = player.pond[-1]
            back = replace(
                player,
                concealed=player.concealed + 1,
                known=(*player.known, last.tile) if is_face(last.tile) else player.known,
                pond=player.pond[:-1],
                ready=player.ready and not last.sideways,
            )
            newest = (offer := state.turn.offer) is not None and offer.seat == seat and not offer.robbing
            turn = (state.before_discard or Turn("discard", seat)) if newest else state.turn
            state = replace(state, discards=state.discards - 1, before_discard=None).with_player(seat, back)
            return replace(state, turn=_lying_still(turn, state))
        case "call" if player.melds and player.melds[-1].source is not None:
            return _uncalled(state, seat, player.melds[-1], player.melds[-1].source)
        case _:
            return state


def _undrawn(state: State, action: TileReturned) -> State:
    """A drawn tile back on the wall, at the end it came from."""
    seat, turn = action.seat, state.turn
    player = state.players[seat]
    owed, ahead, surplus = player.owed, player.ahead_ms, player.surplus
    if player.replaced:
        owed += 1
    elif ahead is not None:
        ahead = None
    elif surplus:
        surplus -= 1
    elif turn.phase == "discard" and turn.actor == seat:
        turn = Turn("draw", seat)
    known = _remove(player.known, action.tile) if action.tile in player.known else player.known
    back = replace(
        player,
        concealed=player.concealed - 1,
        known=known,
        drawn=max(0, player.drawn - 1),
        owed=owed,
        replaced=False,
        drawn_from=None,
        ahead_ms=ahead,
        surplus=surplus,
    )
    return _taken_from_wall(state, player.drawn_from or "head", -1).with_player(seat, back, turn=turn)


def _uncalled(state: State, seat: Seat, meld: Meld, source: Seat) -> State:
    player = state.players[seat]
    own = list(meld.tiles)
    if meld.called in own:
        own.remove(meld.called)
    faces = tuple(t for t in own if is_face(t))
    back = replace(
        player,
        concealed=player.concealed + len(own),
        known=(*player.known, *faces),
        exposed=(*player.exposed, *faces),
        melds=player.melds[:-1],
        owed=max(0, player.owed - (1 if meld.call == "kong" else 0)),
    )
    giver = state.players[source]
    pond = list(giver.pond)
    for n in range(len(pond) - 1, -1, -1):
        if pond[n].taken == seat:
            pond[n] = replace(pond[n], taken=None)
            break
    state = state.with_player(source, replace(giver, pond=tuple(pond)))
    offer = Offer(source, meld.called or UNKNOWN, state.at_ms)
    return state.with_player(seat, back, turn=Turn("draw", source.next, offer))


def _take(player: Player, tile: Tile, seat: Seat) -> Player:
    """The giver's pond with its last fitting discard marked as taken."""
    lying = [n for n, one in enumerate(player.pond) if one.taken is None]
    fitting = [n for n in lying if kind(player.pond[n].tile) == kind(tile) or not is_face(player.pond[n].tile)]
    last = [n for n in lying if n == len(player.pond) - 1]
    for n in (*fitting[-1:], *last):
        taken = replace(player.pond[n], taken=seat)
        return replace(player, pond=(*player.pond[:n], taken, *player.pond[n + 1 :]))
    return player


def _without(player: Player, tiles: tuple[Tile, ...]) -> Player:
    """The player with these tiles out of the hand. A tile that was not known leaves the known ones as they are, unless
    everything was known: then one known must have been wrong, and the hand's faces are forgotten."""
    known, exposed = player.known, player.exposed
    for tile in tiles:
        if tile in known:
            known = _remove(known, tile)
        if tile in exposed:
            exposed = _remove(exposed, tile)
    concealed = player.concealed - len(tiles)
    if len(known) > max(0, concealed):
        known = ()
    return replace(player, concealed=concealed, known=known, exposed=exposed)


def _remove(tiles: tuple[Tile, ...], tile: Tile) -> tuple[Tile, ...]:
    at = tiles.index(tile)
    return (*tiles[:at], *tiles[at + 1 :])
