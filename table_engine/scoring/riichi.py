"""Japanese wins: han and fu by the `mahjong` library, payments, counters, sticks and liability by our own rules."""

from __future__ import annotations

from functools import cache
from typing import Any

from table_engine.rules import RuleSet
from table_engine.scoring.liability import liable_for
from table_engine.scoring.model import Context, Hand, Item, NoWin, Outcome, Score
from table_engine.scoring.payments import Payments, added, paid_by
from table_engine.scoring.refusal import refusal
from table_engine.scoring.yaku import FOUR_CONSECUTIVE, named
from table_engine.state import Meld
from table_engine.tariff import RiichiTariff
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.tiles import KINDS, REDS, Tile, kind

YAKUMAN = 13
_IDS = {
    **{tile: 4 * n + 1 for n, tile in enumerate(KINDS)},
    **{tile: 4 * KINDS.index(kind(tile)) for tile in REDS},
}
"""Tiles as the library's numbers 0..135; it takes the first of the four fives for the red one."""


def score(hand: Hand, context: Context, rules: RuleSet) -> Outcome:
    """The worth of a hand under riichi rules, honba and sticks of the context included in the payments."""
    tariff = rules.scoring
    assert isinstance(tariff, RiichiTariff)  # noqa: S101 - the table of scorers is keyed by it
    no_win = refusal(hand, rules)
    if no_win:
        return no_win
    calculator, melds, dora, ura, config = _asked(hand, context, tariff)
    tiles = [_IDS[t] for t in (*hand.concealed, hand.win)] + [n for meld in melds for n in meld.tiles]
    found = calculator.estimate_hand_value(tiles, _IDS[hand.win], melds, dora, config, ura_dora_indicators=ura)
    if found.error == calculator.ERR_NO_YAKU:
        return NoWin("no_yaku", phrase("the hand has a winning shape but no yaku"), 0)
    if found.error:
        says = phrase("the win is not possible like this: {why}", why=found.error.replace("_", " "))
        return NoWin("shape", says, 0)
    closed = not found.is_open_hand
    items = tuple(_item(yaku, closed=closed) for yaku in found.yaku)
    limits = items if any(yaku.is_yakuman for yaku in found.yaku) else ()
    if tariff.four_consecutive_triplets and _four_consecutive(hand):
        limits = (*limits, Item(*FOUR_CONSECUTIVE, YAKUMAN))
    if limits:
        return _yakuman(hand, context, tariff, limits, found.fu)
    main, additional = found.cost["main"], found.cost["additional"]
    payments = _ordinary(context, tariff, main, additional)
    return Score(
        context.winner,
        "han",
        items,
        found.han,
        main + 2 * additional if context.self_drawn else main,
        payments,
        found.fu,
        found.cost["yaku_level"],
    )


@cache
def _library() -> tuple[Any, Any, Any, Any]:
    from mahjong.hand_calculating.hand import HandCalculator
    from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
    from mahjong.meld import Meld as LibraryMeld

    return HandCalculator, HandConfig, OptionalRules, LibraryMeld


@cache
def _options(tariff: RiichiTariff) -> Any:  # noqa: ANN401 - the library's own class
    _, config, options, _ = _library()
    return options(
        has_open_tanyao=tariff.open_tanyao,
        has_aka_dora=tariff.red_fives,
        has_double_yakuman=tariff.double_yakuman,
        kazoe_limit=config.KAZOE_LIMITED if tariff.kazoe else config.KAZOE_SANBAIMAN,
        kiriage=tariff.round_up_mangan,
        renhou_as_yakuman=tariff.first_turn_discard == "yakuman",
    )


def _asked(hand: Hand, context: Context, tariff: RiichiTariff) -> tuple[Any, Any, Any, Any, Any]:
    """A hand and its circumstances in the library's words."""
    calculator, config, _, _ = _library()
    drawn, closed = context.self_drawn, all(meld.call == "concealed" for meld in hand.melds)
    ready = closed and (context.ready or context.double_ready)
    first = context.first_turn and not hand.melds
    dealer = context.dealer == context.winner
    asked = config(
        is_tsumo=drawn,
        is_riichi=ready,
        is_daburu_riichi=ready and context.double_ready,
        is_ippatsu=ready and context.one_round,
        is_rinshan=drawn and context.replacement,
        is_chankan=not drawn and context.robbing,
        is_haitei=drawn and context.last_tile and not context.replacement,
        is_houtei=not drawn and context.last_tile and not context.robbing,
        is_tenhou=first and drawn and dealer,
        is_chiihou=first and drawn and not dealer,
        is_renhou=first and not drawn and not dealer and tariff.first_turn_discard != "nothing",
        player_wind=27 + WINDS.index(context.seat_wind),
        round_wind=27 + WINDS.index(context.round_wind),
        options=_options(tariff),
    )
    asked.is_dealer = dealer
    dora = [_IDS[t] for t in context.dora]
    ura = [_IDS[t] for t in context.ura] if tariff.ura else []
    return calculator, [_meld(meld) for meld in hand.melds], dora, ura, asked


def _meld(meld: Meld) -> Any:  # noqa: ANN401 - the library's own class
    *_, library = _library()
    names = {"chow": library.CHI, "pung": library.PON}
    name = library.KAN if meld.is_kong else names[meld.call]
    return library(meld_type=name, tiles=sorted(_IDS[t] for t in meld.tiles), opened=meld.call != "concealed")


def _item(yaku: Any, *, closed: bool) -> Item:  # noqa: ANN401 - the library's own class
    name, english = named(yaku.yaku_id)
    return Item(name, english, yaku.han_closed if closed or not yaku.han_open else yaku.han_open)


def _four_consecutive(hand: Hand) -> bool:
    """Four triplets or kongs of consecutive numbers in one suit."""
    if any(meld.call == "chow" for meld in hand.melds):
        return False
    counts: dict[Tile, int] = {}
    for tile in (*hand.concealed, hand.win, *(t for meld in hand.melds for t in meld.tiles)):
        counts[kind(tile)] = counts.get(kind(tile), 0) + 1
    many = {tile for tile, count in counts.items() if count >= 3}
    return any(all(f"{low + n}{suit}" in many for n in range(4)) for suit in "mps" for low in range(1, 7))


def _ordinary(context: Context, tariff: RiichiTariff, main: int, additional: int) -> Payments:
    """`main` from the dealer or discarder, `additional` from each of the others at a self-draw; counters and sticks."""

    def share(seat: Seat) -> int:
        if context.self_drawn:
            return (main if seat == context.dealer else additional) + tariff.honba // 3 * context.honba
        return main + tariff.honba * context.honba if seat == context.source else 0

    return paid_by(context.winner, share, tariff.stick * context.sticks)


def _yakuman(hand: Hand, context: Context, tariff: RiichiTariff, limits: tuple[Item, ...], fu: int) -> Score:
    """Limit hands add up; those a player is liable for are paid by it."""
    dealer = context.dealer == context.winner
    bases = sum(item.value // YAKUMAN for item in limits)
    who, names = liable_for(hand, context, tariff)
    owed = sum(item.value // YAKUMAN for item in limits if item.name in names) if who is not None else 0
    whole = 48000 if dealer else 32000
    parts = [_ordinary(context, tariff, *_limit(context, bases - owed, dealer=dealer))]
    if who is not None and owed:
        plain = Context(winner=context.winner, source=context.source, dealer=context.dealer, sticks=context.sticks)
        rest = _ordinary(plain, tariff, *_limit(context, bases - owed, dealer=dealer))
        amount = owed * whole

        def share(seat: Seat) -> int:
            if context.self_drawn or who == context.source:
                return amount + tariff.honba * context.honba if seat == who else 0
            counters = tariff.honba * context.honba
            if seat == who:
                return amount // 2 + (counters if tariff.liable_counters == "liable" else 0)
            if seat == context.source:
                return amount // 2 + (counters if tariff.liable_counters == "discarder" else 0)
            return 0

        parts = [rest, paid_by(context.winner, share)]
    limit = "yakuman" if bases == 1 else f"{bases}x yakuman"
    return Score(context.winner, "han", limits, bases * YAKUMAN, bases * whole, added(parts), fu, limit)


def _limit(context: Context, bases: int, *, dealer: bool) -> tuple[int, int]:
    """What dealer or discarder and the others pay for so many limits."""
    if context.self_drawn:
        return 16000 * bases, (16000 if dealer else 8000) * bases
    return (48000 if dealer else 32000) * bases, 0
