"""What the table knows of a win: the hand as it stands, and under which circumstances it was made."""

from __future__ import annotations

from dataclasses import replace

from table_engine import ask, deal
from table_engine.rules import RuleSet
from table_engine.scoring import Context, Hand
from table_engine.state import Meld, State, Turn
from table_engine.wire.actions import WinShown
from table_engine.wire.seats import SEATS, Seat, Wind
from table_engine.wire.tiles import Tile, is_face, kind


def shown(before: State, win: WinShown, rules: RuleSet) -> Hand:
    """The hand laid down, with the sets and flowers that lie before the player."""
    player = before.players[win.seat]
    melds = tuple(_with_reds(meld, rules) for meld in player.melds) if rules.set.red_fives else player.melds
    return Hand(win.hand, win.tile, melds, player.flowers)


def named(before: State, win: WinShown) -> WinShown:
    """The win with the tile that lies open, where its face was not read among the tiles laid down."""
    offer = turn(before).offer
    if is_face(win.tile) or win.source is None or offer is None or offer.seat != win.source:
        return win
    return replace(win, tile=offer.tile)


def _with_reds(meld: Meld, rules: RuleSet) -> Meld:
    """Four fives are all there are, so the red ones are among them, whether they were seen or not."""
    if len(meld.tiles) != 4 or kind(meld.tiles[0])[0] != "5" or meld.tiles[0][1] == "z":
        return meld
    suit = meld.tiles[0][1]
    reds = rules.set.red_fives // 3 + (1 if suit == "p" and rules.set.red_fives % 3 else 0)
    return replace(meld, tiles=(*(Tile(f"0{suit}"),) * reds, *(Tile(f"5{suit}"),) * (4 - reds)))


def circumstances(
    before: State,
    win: WinShown,
    rules: RuleSet,
    *,
    ura: tuple[Tile, ...] = (),
    sticks: int | None = None,
) -> Context:
    """The context of a win for `scoring`. `ura`: indicators turned up under the dora, which nobody sees before.
    `sticks`: ready bets on the table; None: those of earlier hands and of this one."""
    seat, player, drawn = win.seat, before.players[win.seat], win.source is None
    watch, offer = before.passed.seats[seat], turn(before).offer
    robbing = offer is not None and offer.robbing and not drawn
    return Context(
        winner=seat,
        source=win.source,
        dealer=before.dealer,
        seat_wind=ask.wind(before, seat, rules) or Wind.EAST,
        round_wind=ask.round_wind(before),
        ready=watch.ready or player.ready,
        double_ready=watch.double,
        one_round=watch.one_round,
        last_tile=ask.draws_left(before, rules) == 0 and not robbing,
        replacement=drawn and player.replaced,
        robbing=robbing,
        first_turn=before.passed.first_turn(seat),
        last_copy=_last_copy(before, win),
        dora=before.dora,
        ura=ura if watch.ready or player.ready else (),
        honba=before.honba,
        sticks=before.sticks + len(betting(before)) if sticks is None else sticks,
        streak=before.streak,
    )


def turn(before: State) -> Turn:
    """The turn as it was before any win on the same tile."""
    return before.before_win if before.before_win is not None and before.turn.phase == "over" else before.turn


def betting(before: State) -> tuple[Seat, ...]:
    """Whose ready bets of this hand lie on the table when somebody wins now: one is not paid while the discard that
    declares it lies open for the win."""
    return deal.bets(replace(before, turn=turn(before), winners=before.winners or SEATS))


def _last_copy(before: State, win: WinShown) -> bool:
    """All other copies of the winning kind lie open in ponds and sets."""
    open_tiles = [p.tile for player in before.players for p in player.pond if p.taken is None]
    open_tiles += [
        t for player in before.players for meld in player.melds if meld.call != "concealed" for t in meld.tiles
    ]
    seen = sum(kind(tile) == kind(win.tile) for tile in open_tiles)
    return seen >= (3 if win.source is None else 4)
