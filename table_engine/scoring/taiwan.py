"""Taiwanese sixteen-tile wins: five sets and a pair, counted in tai. Which patterns there are, what each is worth and which
takes the place of which are settings, so that house rules are other settings of the same scorer."""

from __future__ import annotations

from table_engine.rules import RuleSet
from table_engine.scoring.model import Context, Hand, Item, NoWin, Outcome, Score
from table_engine.scoring.payments import paid_by
from table_engine.scoring.readings import seen
from table_engine.scoring.refusal import refusal
from table_engine.scoring.specials import SPECIALS
from table_engine.scoring.taiwan_patterns import paired, patterns, whole
from table_engine.scoring.taiwan_terms import TERMS
from table_engine.scoring.tally import tally
from table_engine.tariff import TaiwanTariff
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import FLOWERS

ALL = "*"


def score(hand: Hand, context: Context, rules: RuleSet) -> Outcome:
    """The tai of a hand and who pays for them: the best of all ways to read it."""
    tariff = rules.scoring
    assert isinstance(tariff, TaiwanTariff)  # noqa: S101 - the table of scorers is keyed by it
    alone = _flower_win(hand, context, tariff)
    if alone:
        return _score(alone, context, tariff)
    no_win = refusal(hand, rules)
    if no_win:
        by_flowers = _by_flowers(hand, context, tariff)
        return _score(by_flowers, context, tariff) if by_flowers else no_win
    ways = seen(hand)
    all_of = whole(hand, context, tariff, ways)
    on_pung = [way for way in ways if way.place >= 0 and way.reading.groups[way.place].form == "same"]
    pool = on_pung if tariff.pung_first and on_pung and not context.self_drawn else list(ways)
    found = [patterns(way, all_of) for way in pool]
    total = tally((*hand.concealed, hand.win))
    if any(SPECIALS[shape].need(total, len(hand.concealed) + 1, len(hand.melds), 1) == 0 for shape in tariff.shapes):
        found.append(paired(all_of))
    best = max(found, key=lambda one: _worth(one, tariff))
    return _score(best, context, tariff)


def _flower_win(hand: Hand, context: Context, tariff: TaiwanTariff) -> dict[str, int]:
    """A win by flowers that counts alone, whatever the hand is."""
    return _by_flowers(hand, context, tariff) if tariff.flower_wins == "alone" else {}


def _by_flowers(hand: Hand, context: Context, tariff: TaiwanTariff) -> dict[str, int]:
    """A win by flowers, where it was declared and the rules know it."""
    if "seven_rob_one" in context.marks and tariff.tai.get("seven_rob_one"):
        found = {"seven_rob_one": 1}
    elif (
        "eight_flowers" in context.marks and tariff.tai.get("eight_flowers") and len(set(hand.flowers)) == len(FLOWERS)
    ):
        found = {"eight_flowers": 1}
    else:
        return {}
    if context.first_turn:
        found["opening_flowers"] = 1
    return found


def _items(found: dict[str, int], tariff: TaiwanTariff) -> tuple[Item, ...]:
    dropped = _dropped(found, tariff)
    return tuple(
        Item(*TERMS[name], tariff.tai[name] * found[name])
        for name in TERMS
        if name in found and tariff.tai.get(name) and name not in dropped
    )


def _dropped(found: dict[str, int], tariff: TaiwanTariff) -> set[str]:
    """The patterns others take the place of."""
    dropped: set[str] = set()
    for name in found:
        for other in tariff.instead.get(name, ()):
            dropped |= {one for one in (*TERMS, "dealer") if one != name} if other == ALL else {other}
    return dropped


def _worth(found: dict[str, int], tariff: TaiwanTariff) -> tuple[int, int]:
    items = _items(found, tariff)
    return sum(item.value for item in items), len(items)


def _score(found: dict[str, int], context: Context, tariff: TaiwanTariff) -> Outcome:
    items = _items(found, tariff)
    total = sum(item.value for item in items)
    if total < tariff.minimum:
        return NoWin(
            "minimum", phrase("the hand has {n} tai; at least {least} are asked", n=total, least=tariff.minimum), 0
        )
    capped = total if tariff.cap is None else min(total, tariff.cap)
    extra = 0 if "dealer" in _dropped(found, tariff) else tariff.dealer + tariff.streak * context.streak

    def share(seat: Seat) -> int:
        if not context.self_drawn and seat != context.source:
            return 0
        with_dealer = context.dealer in (context.winner, seat)
        return tariff.base + tariff.unit * (capped + (extra if with_dealer else 0))

    payments = paid_by(context.winner, share)
    limit = "capped" if capped < total else ""
    return Score(context.winner, "tai", items, total, payments[context.winner], payments, 0, limit)
