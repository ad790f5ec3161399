"""Hands put together for tests: from notation, or at random as sets and a pair."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Context, Hand
from table_engine.scoring.notation import written
from table_engine.state import Meld
from table_engine.tariff import TaiwanTariff
from table_engine.wire.seats import SEATS, WINDS
from table_engine.wire.tiles import KINDS, SUITED, Tile, kind

RULES = ("riichi", "chinese_official", "taiwan16", "world_series")


def hand(text: str, win: str, *, flowers: str = "") -> Hand:
    """`123m456p [777z]` and the winning tile."""
    told = written(text)
    return Hand(told.tiles, Tile(win), told.melds, (*told.flowers, *written(flowers).flowers))


def counted(rules: RuleSet) -> RuleSet:
    """The rule set without a minimum, so that every shape scores."""
    return rules.model_copy(update={"scoring": rules.scoring.model_copy(update={"minimum": 0})})


def taiwan(**changes: object) -> RuleSet:
    rules = load_ruleset("taiwan16")
    assert isinstance(rules.scoring, TaiwanTariff)
    return rules.model_copy(update={"scoring": rules.scoring.model_copy(update=changes)})


def complete_hand(rules: RuleSet, rng: random.Random) -> Hand:
    """Sets and a pair of real copies, some sets shown."""
    need = rules.set.hand // 3
    while True:
        groups = [_group(rng) for _ in range(need)]
        pair = rng.choice(KINDS)
        every = [tile for group in groups for tile in group] + [pair, pair]
        if max(Counter(every).values()) <= 4:
            break
    shown = rng.randrange(need + 1)
    melds = tuple(_shown(group, rng, every) for group in groups[:shown])
    standing = [tile for group in groups[shown:] for tile in group] + [pair, pair]
    rng.shuffle(standing)
    return Hand(tuple(standing[1:]), standing[0], melds)


def _group(rng: random.Random) -> list[Tile]:
    if rng.random() < 0.5:
        low = rng.choice([tile for tile in SUITED if tile[0] in "1234567"])
        return [Tile(f"{int(low[0]) + n}{low[1]}") for n in range(3)]
    return [rng.choice(KINDS)] * 3


def _shown(group: list[Tile], rng: random.Random, every: list[Tile]) -> Meld:
    source = SEATS[rng.randrange(1, 4)]
    if group[0] != group[1]:
        return Meld("chow", tuple(group), group[0], SEATS[3])
    if rng.random() < 0.3 and every.count(group[0]) == 3:
        every.append(group[0])
        four = (group[0],) * 4
        return Meld("concealed", four) if rng.random() < 0.5 else Meld("kong", four, group[0], source)
    return Meld("pung", tuple(group), group[0], source)


def context(rng: random.Random, *, closed: bool) -> Context:
    """Any circumstances that do not contradict each other."""
    winner, dealer = rng.choice(SEATS), rng.choice(SEATS)
    drawn = rng.random() < 0.5
    ready = closed and rng.random() < 0.5
    return Context(
        winner=winner,
        source=None if drawn else winner.step(rng.randrange(1, 4)),
        dealer=dealer,
        seat_wind=WINDS[(winner - dealer) % 4],
        round_wind=rng.choice(WINDS),
        ready=ready,
        one_round=ready and rng.random() < 0.3,
        last_tile=rng.random() < 0.1,
        replacement=drawn and rng.random() < 0.1,
        robbing=not drawn and rng.random() < 0.1,
        dora=(rng.choice(KINDS),),
        ura=(rng.choice(KINDS),),
        honba=rng.randrange(4),
        sticks=rng.randrange(4),
        streak=rng.randrange(3),
    )


def shuffled(one: Hand, rng: random.Random) -> Hand:
    """The same hand with tiles, sets and flowers in another order."""
    concealed, flowers = list(one.concealed), list(one.flowers)
    melds = [replace(meld, tiles=tuple(rng.sample(meld.tiles, len(meld.tiles)))) for meld in one.melds]
    rng.shuffle(concealed)
    rng.shuffle(melds)
    rng.shuffle(flowers)
    return Hand(tuple(concealed), one.win, tuple(melds), tuple(flowers))


def naive_complete(tiles: tuple[Tile, ...]) -> bool:
    """Sets and a pair by trying, slowly: the reference for the tables."""
    counts = Counter(kind(tile) for tile in tiles)
    return len(tiles) % 3 == 2 and any(
        _only_sets(counts - Counter({pair: 2})) for pair, count in counts.items() if count >= 2
    )


def _only_sets(counts: Counter[Tile]) -> bool:
    counts = +counts
    if not counts:
        return True
    first = min(counts, key=KINDS.index)
    if counts[first] >= 3 and _only_sets(counts - Counter({first: 3})):
        return True
    run = [Tile(f"{int(first[0]) + n}{first[1]}") for n in range(3)] if first[1] != "z" and first[0] <= "7" else []
    return bool(run) and all(counts[tile] for tile in run) and _only_sets(counts - Counter(run))
