"""What a Taiwanese hand shows, read in one way: its patterns by name and how often, whether the rules count them or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from table_engine.scoring.groups import RUN, SAME
from table_engine.scoring.model import Context, Hand
from table_engine.scoring.readings import PAIR, Seen
from table_engine.scoring.shapes import waits
from table_engine.scoring.tally import NUMBER
from table_engine.tariff import TaiwanTariff
from table_engine.wire.seats import WINDS
from table_engine.wire.tiles import FLOWERS, Tile, kind

HONOURS = 27
WIND_KINDS = range(27, 31)
DRAGON_KINDS = range(31, 34)


class Whole(NamedTuple):
    """What is the same in every reading. `kinds` are the numbers of all tiles, flowers left out."""

    hand: Hand
    context: Context
    tariff: TaiwanTariff
    kinds: frozenset[int]
    concealed: bool
    waits: tuple[Tile, ...]
    chows: tuple[Seen, ...]
    """Readings that are all chows by sets, flowers and honours; the wait is not asked."""


def whole(hand: Hand, context: Context, tariff: TaiwanTariff, ways: Sequence[Seen]) -> Whole:
    """Looks at what no reading changes."""
    tiles = (*hand.concealed, hand.win, *(tile for meld in hand.melds for tile in meld.tiles))
    kinds = frozenset(NUMBER[kind(tile)] for tile in tiles)
    concealed = all(meld.call == "concealed" for meld in hand.melds)
    chow = tariff.all_chows
    allowed = (
        (chow.self_drawn or not context.self_drawn)
        and (chow.concealed or not concealed)
        and (chow.honours or max(kinds) < HONOURS)
        and (chow.flowers or not hand.flowers)
    )
    chows = tuple(way for way in ways if allowed and all(group.form == RUN for group in way.reading.groups))
    return Whole(hand, context, tariff, kinds, concealed, waits(hand.concealed, hand.melds, tariff.shapes), chows)


def patterns(way: Seen, all_of: Whole) -> dict[str, int]:
    """The patterns of one reading."""
    found = common(all_of)
    found.update(
        _honour_sets({group.low for group in way.reading.groups if group.form == SAME}, way.reading.pair, all_of)
    )
    groups, context, tariff = way.reading.groups, all_of.context, all_of.tariff
    if all(group.form == SAME for group in groups):
        found["all_pungs"] = 1
    if _is_all_chows(way, all_of):
        found["all_chows"] = 1
    hidden = sum(
        1
        for place, group in enumerate(groups)
        if group.form == SAME
        and not group.open
        and (place != way.place or (context.self_drawn and tariff.drawn_pung_concealed))
    )
    if hidden >= 3:
        found[{3: "three", 4: "four", 5: "five"}[hidden] + "_concealed_pungs"] = 1
    open_sets = sum(group.open for group in groups)
    if open_sets == len(groups) or (
        tariff.all_exposed == "two_tiles" and open_sets and len(all_of.hand.concealed) == 1
    ):
        half = context.self_drawn and not tariff.all_exposed_self_drawn
        found["half_exposed" if half else "all_exposed"] = 1
    if _is_single_wait(way, all_of):
        found["single_wait"] = 1
    _kongs(found, sum(g.kong and g.open for g in groups), sum(g.kong and not g.open for g in groups), tariff)
    return found


def paired(all_of: Whole) -> dict[str, int]:
    """The patterns of seven pairs and a triplet."""
    counts: dict[int, int] = {}
    for tile in (*all_of.hand.concealed, all_of.hand.win):
        counts[NUMBER[kind(tile)]] = counts.get(NUMBER[kind(tile)], 0) + 1
    triplets = {number for number, count in counts.items() if count == 3}
    found = common(all_of)
    found.update(_honour_sets(triplets, -1, all_of))
    found["pairs_and_triplet"] = 1
    if len(all_of.waits) == 1:
        found["single_wait"] = 1
    return found


def common(all_of: Whole) -> dict[str, int]:
    """What every reading has: suits, flowers, and the circumstances of the win."""
    context, tariff = all_of.context, all_of.tariff
    found: dict[str, int] = {}
    if all_of.concealed:
        found["concealed_hand"] = 1
        if context.self_drawn:
            found["concealed_self_draw"] = 1
    if context.self_drawn:
        found["self_draw"] = 1
    suits = {number // 9 for number in all_of.kinds if number < HONOURS}
    honours = max(all_of.kinds) >= HONOURS
    if not suits:
        found["all_honours"] = 1
    elif len(suits) == 1:
        found["half_flush" if honours else "full_flush"] = 1
    found.update(flowers(all_of.hand, context, tariff))
    if not all_of.hand.flowers and not honours:
        found["no_flowers_or_honours"] = 1
    found.update(_course(context, tariff))
    return found


def flowers(hand: Hand, context: Context, tariff: TaiwanTariff) -> dict[str, int]:
    """Own flowers, series, and none at all."""
    held = {FLOWERS.index(flower) for flower in hand.flowers}
    if not held:
        return {"no_flowers": 1}
    if "flowers_paid" in context.marks:
        return {}
    if tariff.every_flower:
        return {"any_flower": len(hand.flowers)}
    seat = WINDS.index(context.seat_wind)
    series = [low for low in (0, 4) if held.issuperset(range(low, low + 4))]
    own = [n for n in held if n % 4 == seat and not (tariff.series_takes_own_flower and n // 4 * 4 in series)]
    found = {"seat_flower": len(own), "flower_kong": len(series)}
    if len(held) == len(FLOWERS) and tariff.flower_wins == "added":
        found["eight_flowers"] = 1
    return {name: count for name, count in found.items() if count}


def _course(context: Context, tariff: TaiwanTariff) -> Iterator[tuple[str, int]]:
    """What only the course of the game decides."""
    drawn = context.self_drawn
    if context.robbing and not drawn:
        yield "robbing", 1
    if context.replacement and drawn:
        yield "after_kong", 1
    if context.last_tile:
        yield "last_draw" if drawn else "last_discard", 1
    if context.first_turn:
        yield ("heavenly" if context.dealer == context.winner else "earthly") if drawn else "human", 1
    if context.ready:
        yield "declared_ready", 1
    for mark in context.marks:
        if mark in tariff.tai and not (mark.endswith("_ready") and tariff.first_ready_declared and not context.ready):
            yield mark, 1


def _honour_sets(triplets: set[int], pair: int, all_of: Whole) -> Mapping[str, int]:
    context, tariff = all_of.context, all_of.tariff
    found: dict[str, int] = {}
    winds = [number for number in WIND_KINDS if number in triplets]
    if len(winds) == 4:
        found["big_four_winds"] = 1
    elif len(winds) == 3 and pair in WIND_KINDS:
        found["little_four_winds"] = 1
    if tariff.every_wind:
        found["any_wind"] = len(winds)
    else:
        found["seat_wind"] = int(27 + WINDS.index(context.seat_wind) in winds)
        found["round_wind"] = int(27 + WINDS.index(context.round_wind) in winds)
    dragons = [number for number in DRAGON_KINDS if number in triplets]
    if len(dragons) == 3:
        found["big_three_dragons"] = 1
    elif len(dragons) == 2 and pair in DRAGON_KINDS:
        found["little_three_dragons"] = 1
    found["dragon"] = len(dragons)
    return {name: count for name, count in found.items() if count}


def _kongs(found: dict[str, int], exposed: int, concealed: int, tariff: TaiwanTariff) -> None:
    if exposed:
        found["exposed_kong"] = exposed
    if concealed:
        found["concealed_kong"] = concealed
    if exposed + concealed == 5 and "five_kongs" in tariff.tai:
        found["five_kongs"] = 1
    elif exposed + concealed >= 4:
        found["four_kongs"] = 1


def _is_all_chows(way: Seen, all_of: Whole) -> bool:
    if way not in all_of.chows:
        return False
    match all_of.tariff.all_chows.wait:
        case "any":
            return True
        case "not_single":
            return len(all_of.waits) != 1
        case "two_sided":
            return two_sided(way, all_of.hand.win)
        case "only_two_sided":
            return all(two_sided(other, all_of.hand.win) for other in all_of.chows)


def _is_single_wait(way: Seen, all_of: Whole) -> bool:
    if len(all_of.waits) != 1:
        return False
    if all_of.tariff.single_wait == "one_kind":
        return True
    in_run = way.place != PAIR and way.reading.groups[way.place].form == RUN
    return way.place == PAIR or (in_run and not two_sided(way, all_of.hand.win))


def two_sided(way: Seen, win: Tile) -> bool:
    """Whether the winning tile completes a chow at an end that was open to either side."""
    if way.place == PAIR or way.reading.groups[way.place].form != RUN:
        return False
    low, number = way.reading.groups[way.place].low, NUMBER[kind(win)]
    return (number == low and low % 9 != 6) or (number == low + 2 and low % 9 != 0)
