"""How hands and matches begin and end: the deal, who deals next, counters and bets, draws, the last hand."""

from __future__ import annotations

from typing import Final

from table_engine import effects
from table_engine.rules import RuleSet
from table_engine.state import Ending, Player, State, Turn
from table_engine.wire.actions import HandStarted
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, is_face, is_outer, kind

_WIND_TILES = ("1z", "2z", "3z", "4z")
NINE_TERMINALS: Final = 9
"""So many kinds of terminals and honours in the first hand may be shown for a draw (RI-S6)."""
_ABORTED = ("nine_terminals", "four_winds", "four_kongs", "four_ready", "three_winners")


def started(state: State, action: HandStarted, rules: RuleSet) -> State:
    """The deal: everybody a hand, the dealer one tile more (TW-S3, CO-S2). A new match begins where the last one is over."""
    size = rules.set.hand
    players = [Player(size + (seat == action.dealer), effects=effects.carried(state.players[seat])) for seat in SEATS]
    a, b, c, d = players
    new = state.match == 0 or begins_anew(state, rules)
    passed = not new and action.dealer != state.dealer
    won_away = passed and state.winners and not three_draw(state, rules)
    counting = rules.match.dealer_stays and not new and not won_away
    return State(
        turn=Turn("discard", action.dealer),
        players=(a, b, c, d),
        hand=state.hand + 1,
        dealer=action.dealer,
        first_dealer=action.dealer.step(-state.opens) if new else state.first_dealer,
        rotations=state.opens if new else state.rotations + (action.dealer - state.dealer) % len(SEATS),
        honba=state.honba + 1 if counting else 0,
        streak=0 if new or passed else state.streak + 1,
        sticks=0 if new else sticks_left(state),
        match=state.match + new,
        match_hand=1 if new else state.match_hand + 1,
        hand_ms=action.at_ms,
        pauses=state.pauses if not new else tuple(pause for pause in state.pauses if pause[1] > action.at_ms),
        dice=action.dice,
        break_side=action.break_side,
        break_stack=action.break_stack,
        head=size * 4 + 1,
        discarded_ms=action.at_ms,
        at_ms=state.at_ms,
    )


def ended(state: State, rules: RuleSet) -> State:
    """The tiles are gone: the hand is over, and how."""
    return replace(state, turn=replace(state.turn, phase="over"), ended=state.ended or ending(state, rules))


def ending(state: State, rules: RuleSet) -> Ending:
    """How a hand that stops now has ended."""
    if three_draw(state, rules):
        return "three_winners"
    if state.winners:
        return "won"
    if state.match_over:
        return "time"
    if state.turn.phase == "draw" and rules.set.tiles - state.head - state.tail <= rules.set.reserved:
        # The fourth kong or bet and the last tile together: whether hands were shown tells which draw it is.
        early = None if any(player.open is not None for player in state.players) else abortive(state, rules)
        return early or "exhaustive"
    return abortive(state, rules) or "unknown"


def three_draw(state: State, rules: RuleSet) -> bool:
    """Three claim one tile, where that is a draw (RI-S8)."""
    return len(state.winners) > 2 and rules.wins.three == "draw"


def abortive(state: State, rules: RuleSet) -> Ending | None:
    """A draw that the moves so far call for or allow, where the rule set has such draws (RI-S6)."""
    draws = rules.match.abortive_draws
    if "four_ready" in draws and all(player.ready for player in state.players):
        return "four_ready"
    kongs = [sum(meld.is_kong for meld in player.melds) for player in state.players]
    if "four_kongs" in draws and sum(kongs) >= len(SEATS) and max(kongs) < len(SEATS):
        return "four_kongs"
    untouched = not any(player.melds for player in state.players)
    if not untouched:
        return None
    firsts = [kind(player.pond[0].tile) for player in state.players if len(player.pond) == 1]
    if "four_winds" in draws and len(firsts) == len(SEATS) and len(set(firsts)) == 1 and firsts[0] in _WIND_TILES:
        return "four_winds"
    actor = state.players[state.turn.actor]
    shown = actor.open if state.turn.phase == "discard" and not actor.pond else None
    if "nine_terminals" in draws and shown is not None and _outer_kinds(shown) >= NINE_TERMINALS:
        return "nine_terminals"
    return None


def _outer_kinds(tiles: tuple[Tile, ...]) -> int:
    """Kinds of terminals and honours among tiles; what could not be read may be any."""
    outer = {tile for tile in tiles if is_face(tile) and is_outer(tile)}
    return len(outer) + sum(not is_face(tile) for tile in tiles)


def next_dealer(state: State, rules: RuleSet) -> Seat:
    """Who deals after a hand that ended like this one: TW-S1, TW-S8, CO (庄家不连庄), RI-S6, RI-S7."""
    stays, how = rules.match.dealer_stays, state.ended
    if how == "three_winners":
        offer = state.turn.offer
        off_dealer = offer is not None and offer.seat == state.dealer
        kept = "abortive" in stays and not (off_dealer and rules.match.triple_off_dealer_passes)
    elif how in _ABORTED:
        kept = "abortive" in stays
    elif how == "exhaustive":
        kept = "draw" in stays or ("tenpai" in stays and state.dealer in state.tenpai)
    elif how == "won":
        kept = "win" in stays and state.dealer in state.winners
    else:
        kept = bool(stays)
    return state.dealer if kept else state.dealer.next


def bets(state: State) -> tuple[Seat, ...]:
    """Who has laid a ready bet in this hand: declared, and not won on at once (RI-S4)."""
    offer = state.turn.offer
    won_on = offer.seat if state.winners and offer is not None and not offer.robbing else None
    return tuple(
        seat
        for seat in SEATS
        if (player := state.players[seat]).ready and not (seat == won_on and player.pond and player.pond[-1].sideways)
    )


def sticks_left(state: State) -> int:
    """Ready bets that lie on the table after this hand: the winner takes them all."""
    if state.ended == "won":
        return 0
    return state.sticks + len(bets(state))


def last_hand(state: State, rules: RuleSet) -> bool:
    """The match has no hand after this one, unless the dealer stays."""
    match = rules.match
    if match.hands is not None and state.match_hand >= match.hands:
        return True
    return match.rounds is not None and state.rotations >= match.rounds * len(SEATS) - 1


def match_ended(state: State, rules: RuleSet) -> bool:
    """The match is over once this hand is: its hands are played, its time is up, or somebody has ended it."""
    if state.match_over:
        return True
    if state.ended is None or not last_hand(state, rules):
        return False
    return rules.match.hands is not None or next_dealer(state, rules) != state.dealer


def begins_anew(state: State, rules: RuleSet) -> bool:
    """The next hand is the first of another match. After the last of a fixed number of hands it is; a match of rounds may
    be played on beyond them, so that somebody has to say it (`match_start`, `match_end`)."""
    return state.match_over or (rules.match.hands is not None and match_ended(state, rules))
