"""Pure questions about a state."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal

from table_engine.effects import effects, has
from table_engine.rules import RuleSet
from table_engine.state import FOREVER, Player, PondTile, State
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, WINDS, Seat, Wind, wind_of
from table_engine.wire.tiles import Tile, copies, is_face, kind

CallKind = Literal["chow", "pung", "kong", "own_kong"]


def whose_turn(state: State) -> Seat | None:
    """The seat that is to draw or to discard; None when no hand is being played."""
    return state.turn.actor if state.running else None


def expected(state: State, seat: Seat, rules: RuleSet) -> int:
    """Standing tiles a seat should hold now: a kong counts as three, replacements still to be drawn are missing."""
    player = state.players[seat]
    extra = 1 if state.turn.phase == "discard" and state.turn.actor == seat else 0
    return rules.set.hand - 3 * len(player.melds) + extra - player.owed


def held(player: Player) -> int:
    """Standing tiles a seat holds, by moves and by the last count at rest."""
    return player.concealed + player.off


def deviation(state: State, seat: Seat, rules: RuleSet) -> int:
    """Tiles too many (positive) or too few (negative) in a seat's hand now."""
    return held(state.players[seat]) - expected(state, seat, rules)


def wall_left(state: State, rules: RuleSet) -> int:
    """Tiles in the wall, the reserved ones included."""
    return rules.set.tiles - state.head - state.tail


def draws_left(state: State, rules: RuleSet) -> int:
    """Draws before the exhaustive draw."""
    return max(0, wall_left(state, rules) - rules.set.reserved)


def call_banned(state: State, call: CallKind, rules: RuleSet) -> bool:
    """Whether the wall is so short that this call is forbidden (TW-P5, TW-P6, RI-S10)."""
    limit = rules.call_ban.own_kongs if call == "own_kong" else rules.call_ban.discards
    return limit is not None and state.running and wall_left(state, rules) <= limit


CallBar = Literal[
    "over",
    "effect",
    "wall",
    "turn",
    "nothing_open",
    "own_discard",
    "ready",
    "not_next",
    "upper_kong",
    "just_called",
    "barred",
    "touched",
]
"""Why a call is not open: no hand is played; a standing effect; the wall is short; it is another's turn; no tile lies open;
it is the own one; ready was declared; a chow takes the upper player's discard; the upper player's may not be konged; a kong
follows on no chow or pung; the tile is barred for this player; the upper player's is, after touching the wall."""


def call_bars(
    state: State, seat: Seat, call: CallKind, rules: RuleSet, tile: Tile | None = None
) -> tuple[CallBar, ...]:
    """Everything that stands against a call now; whether the player holds the tiles for it is not asked. `tile` is the one
    called, by default the one that lies open."""
    if not state.running:
        return ("over",)
    player, offer = state.players[seat], state.turn.offer
    bars: list[CallBar] = []
    dead = call != "own_kong" and has(player, "dead_hand")  # who has a dead hand may make own kongs (相公)
    if dead or has(player, "no_win_no_call", "draw_discard_only"):
        bars.append("effect")
    if call_banned(state, call, rules):
        bars.append("wall")
    if call == "own_kong":
        if state.turn.phase != "discard" or state.turn.actor != seat or player.owed:
            bars.append("turn")
        elif _just_called(player, rules):
            bars.append("just_called")
        return tuple(bars)
    if offer is None or offer.robbing or state.turn.phase != "draw":
        return (*bars, "nothing_open")
    if offer.seat == seat:
        bars.append("own_discard")
    if player.ready:
        bars.append("ready")
    if call == "chow" and seat != offer.seat.next:
        bars.append("not_next")
    if call == "kong" and not rules.calls.kong_of_upper and offer.seat == seat.upper:
        bars.append("upper_kong")
    if offer.seat == seat.upper and has(player, "touched_wall"):
        bars.append("touched")
    called = kind(tile if tile is not None else offer.tile)
    if any(called == kind(t) for effect in effects(player, "barred") for t in effect.tiles):
        bars.append("barred")
    return tuple(bars)


def _just_called(player: Player, rules: RuleSet) -> bool:
    """The player holds the turn by a chow or pung on which no kong may follow (TW-P4, CO-S4)."""
    if player.drawn or not player.melds or player.melds[-1].source is None:
        return False
    calls = rules.calls
    return {"chow": not calls.kong_after_chow, "pung": not calls.kong_after_pung}.get(player.melds[-1].call, False)


def may_call(state: State, seat: Seat, call: CallKind, rules: RuleSet) -> bool:
    """Whether a call is open to a seat by turn, standing effects and the rules; the tiles it needs are not asked."""
    return not call_bars(state, seat, call, rules)


def lying(player: Player) -> tuple[PondTile, ...]:
    """The discards that still lie in a pond, in order."""
    return tuple(tile for tile in player.pond if tile.taken is None)


def seen(state: State) -> Counter[Tile]:
    """How many of each kind lie open or stand in hands with known faces."""
    counts: Counter[Tile] = Counter()
    for player in state.players:
        counts.update(kind(p.tile) for p in player.pond if p.taken is None)
        counts.update(kind(t) for meld in player.melds for t in meld.tiles)
        counts.update(kind(t) for t in (*player.flowers, *(player.known if player.open is None else player.open)))
    counts.update(kind(t) for t in state.dora)
    return +Counter({tile: count for tile, count in counts.items() if is_face(tile)})


def unseen(state: State, tile: Tile) -> int:
    """Copies of a kind that are nowhere to be seen. Negative: more were seen than a set holds."""
    return copies(kind(tile)) - seen(state)[kind(tile)]


def wind(state: State, seat: Seat, rules: RuleSet) -> Wind | None:
    """A seat's wind, from the break (TW-S4), the dealer, or the first hand's dealer; None while that is unknown."""
    match rules.match.winds:
        case "dealer":
            return wind_of(seat, state.dealer)
        case "first":
            return wind_of(seat, state.first_dealer)
        case "break":
            unknown = state.break_side is None and not state.dice
            return None if unknown else wind_of(seat, break_seat(state))


def who(state: State, seat: Seat, rules: RuleSet) -> Phrase:
    """A seat in a referee's words: its wind, or its number while winds are unknown."""
    held = wind(state, seat, rules)
    if held is None:
        return phrase("Seat {n}", n=seat + 1)
    return phrase("{wind} (seat {n})", wind=_WINDS[held], n=seat + 1)


_WINDS: Final = {
    Wind.EAST: phrase("East"),
    Wind.SOUTH: phrase("South"),
    Wind.WEST: phrase("West"),
    Wind.NORTH: phrase("North"),
}


def break_seat(state: State) -> Seat:
    """The seat the dice point at: its wall is counted, even where counting runs on into the next side."""
    if not state.dice:
        return state.break_side if state.break_side is not None else state.dealer
    return state.dealer.step(sum(state.dice) - 1)


def round_wind(state: State) -> Wind:
    return WINDS[state.rotations // 4 % 4]


def kongs(state: State) -> int:
    """Kongs made by all seats in this hand."""
    return sum(meld.is_kong for player in state.players for meld in player.melds)


def seats_from(seat: Seat) -> tuple[Seat, ...]:
    """All seats in playing order, beginning with this one."""
    return tuple(seat.step(n) for n in range(len(SEATS)))


def playing_ms(state: State, since_ms: int, until_ms: int) -> int:
    """How much of a span of event time counts: pauses taken off. Never negative."""
    spent = max(0, until_ms - since_ms)
    for begin, end in state.pauses:
        spent -= max(0, min(end, until_ms) - max(begin, since_ms))
    return spent


def moment_after(state: State, since_ms: int, counted_ms: int) -> int:
    """When so much time that counts will have passed since a moment; `FOREVER` or later while a pause lasts."""
    at_ms = since_ms + counted_ms
    for begin, end in state.pauses:
        if end > since_ms and begin < at_ms:
            at_ms += end - max(begin, since_ms)
    return at_ms


def paused(state: State) -> bool:
    """A pause lasts."""
    return bool(state.pauses) and state.pauses[-1][1] >= FOREVER


def awaited_by_exposed(player: Player) -> frozenset[Tile]:
    """What pairs of own tiles that everybody has seen wait for."""
    seen = [kind(tile) for tile in player.exposed]
    found: set[Tile] = set()
    for n, one in enumerate(seen):
        for other in seen[n + 1 :]:
            if one[-1] != other[-1] or one[-1] not in "mps":
                continue
            low, high = sorted((int(one[0]), int(other[0])))
            wanted = {1: (low - 1, high + 1), 2: (low + 1,)}.get(high - low, ())
            found |= {Tile(f"{rank}{one[-1]}") for rank in wanted if 1 <= rank <= 9}
    return frozenset(found)
