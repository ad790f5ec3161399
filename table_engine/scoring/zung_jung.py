"""Zung Jung wins: patterns add up, at most one of a series; the limit is 320, and a pattern at or above it counts alone.

In a discard win of more than 25 points the two others pay 25 each and the discarder the rest, so that the winner always
gets three times the hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from table_engine.rules import RuleSet
from table_engine.scoring.groups import SAME
from table_engine.scoring.model import Context, Hand, Item, NoWin, Outcome, Score
from table_engine.scoring.payments import paid_by
from table_engine.scoring.readings import Seen, seen
from table_engine.scoring.refusal import refusal
from table_engine.scoring.specials import SPECIALS
from table_engine.scoring.tally import NUMBER, tally
from table_engine.scoring.zung_jung_patterns import CHICKEN, PATTERNS, by_kinds, by_sets
from table_engine.tariff import Shape, ZungJungTariff
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.tiles import kind


def score(hand: Hand, context: Context, rules: RuleSet) -> Outcome:
    """The points of a hand and who pays them: the best of all ways to read it."""
    tariff = rules.scoring
    assert isinstance(tariff, ZungJungTariff)  # noqa: S101 - the table of scorers is keyed by it
    no_win = refusal(hand, rules)
    if no_win:
        return no_win
    best = max(_ways(hand, context, tariff), key=lambda numbers: (_value(numbers, tariff), len(numbers)))
    items, value = _items(best, tariff), _value(best, tariff)
    if value < tariff.minimum:
        return NoWin(
            "minimum", phrase("the hand has {n} points; at least {least} are asked", n=value, least=tariff.minimum), 0
        )
    responsible = context.liable if context.liable is not None else context.source

    def share(seat: Seat) -> int:
        if context.self_drawn or value <= tariff.share:
            return value
        return 3 * value - 2 * tariff.share if seat == responsible else tariff.share

    payments = paid_by(context.winner, share)
    total = sum(item.value for item in items)
    limit = "limit" if total >= tariff.limit else ""
    return Score(context.winner, "point", items, value, payments[context.winner], payments, 0, limit)


def _ways(hand: Hand, context: Context, tariff: ZungJungTariff) -> Iterator[tuple[str, ...]]:
    """The numbers of the patterns of every reading."""
    tiles = (*hand.concealed, hand.win)
    kinds = frozenset(NUMBER[kind(t)] for t in (*tiles, *(t for meld in hand.melds for t in meld.tiles)))
    luck = tuple(_luck(context))
    for way in seen(hand):
        yield (*_regular(way, hand, context, kinds), *luck)
    total = tally(tiles)

    def is_shape(shape: Shape) -> bool:
        return shape in tariff.shapes and SPECIALS[shape].need(total, len(tiles), len(hand.melds), 1) == 0

    if is_shape("thirteen_orphans"):
        yield ("10.1", *luck)
    if is_shape("seven_pairs") or is_shape("seven_pairs_with_four"):
        yield ("10.2", *by_kinds(kinds), *luck)


def _regular(way: Seen, hand: Hand, context: Context, kinds: frozenset[int]) -> Iterator[str]:
    hidden = sum(
        group.form == SAME and not group.open and (place != way.place or context.self_drawn)
        for place, group in enumerate(way.reading.groups)
    )
    if all(meld.call == "concealed" for meld in hand.melds):
        yield "1.2"
    found = list(by_kinds(kinds))
    yield from found
    terminals_only = any(number.startswith("8.") for number in found)
    wind = 27 + WINDS.index(context.seat_wind)
    yield from (n for n in by_sets(way.reading, hidden, wind) if not (terminals_only and n.startswith("8.")))
    if not hand.melds and _nine_gates(hand):
        yield "2.2"


def _nine_gates(hand: Hand) -> bool:
    """The standing tiles alone are 1112345678999 of one suit."""
    suits = {kind(tile)[1] for tile in (*hand.concealed, hand.win)}
    ranks = sorted(int(kind(tile)[0]) for tile in hand.concealed)
    return len(suits) == 1 and suits < {"m", "p", "s"} and ranks == [1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]


def _luck(context: Context) -> Iterator[str]:
    if context.last_tile:
        yield "9.1.1" if context.self_drawn else "9.1.2"
    if context.replacement and context.self_drawn:
        yield "9.2"
    if context.robbing and not context.self_drawn:
        yield "9.3"
    if context.first_turn:
        if context.self_drawn and context.dealer == context.winner:
            yield "9.4.1"
        elif context.source == context.dealer:
            yield "9.4.2"


def _items(numbers: tuple[str, ...], tariff: ZungJungTariff) -> tuple[Item, ...]:
    """In the order of the list; of a limit pattern nothing else is counted."""
    limits = [number for number in numbers if PATTERNS[number][2] >= tariff.limit]
    if limits:
        name, english, value = PATTERNS[max(limits, key=lambda number: PATTERNS[number][2])]
        return (Item(name, english, value),)
    if not numbers:
        return (Item(*CHICKEN, tariff.chicken),)
    order = [number for number in PATTERNS if number in numbers]
    return tuple(
        Item(PATTERNS[number][0], PATTERNS[number][1], PATTERNS[number][2] * numbers.count(number)) for number in order
    )


def _value(numbers: tuple[str, ...], tariff: ZungJungTariff) -> int:
    items = _items(numbers, tariff)
    total = sum(item.value for item in items)
    return total if len(items) == 1 else min(total, tariff.limit)
