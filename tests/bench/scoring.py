"""How fast wins are checked, waits and tenpai distance found and hands scored, on one core: our tables, the libraries used
directly, and a naive way, in one run.

    python tests/bench/scoring.py [--hands 20000]

Processor seconds are measured, so that other work on the machine counts little. Hands are half random tiles, half sets and
a pair with some tiles exchanged. Libraries get their own form of the hand, made beforehand.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scoring"))

from hands_made import complete_hand, context, counted, naive_complete

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import Context, Hand, shapes, suits
from table_engine.scoring.chinese import _NAMES, MissingFanError, library
from table_engine.wire.tiles import KINDS, Tile

WALL = [tile for tile in KINDS for _ in range(4)]
TARGET = {"win check": 50_000, "waits": 50_000, "distance": 50_000, "score": 5_000}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hands", type=int, default=20_000)
    options = parser.parse_args()
    began = time.process_time()
    suits.tables()
    print(f"tables built at the first question: {time.process_time() - began:.2f} s of processor time")
    rng = random.Random(7)
    slow = 0
    for size, name in ((13, "riichi"), (16, "taiwan16"), (13, "chinese_official")):
        slow += _shapes(name, size, options.hands, rng)
    for name in ("riichi", "chinese_official", "taiwan16", "world_series"):
        slow += _scores(name, options.hands // 4, rng)
    _overlay(rng)
    return min(slow, 1)


def _shapes(name: str, size: int, count: int, rng: random.Random) -> int:
    rules = load_ruleset(name)
    hands = [_hand(size, rng) for _ in range(count)]
    full = [(*hand, _drawn(hand, rng)) for hand in hands]
    kinds = rules.scoring.shapes
    print(f"\n{name}, {size} and {size + 1} tiles{', shapes ' + ', '.join(kinds) if kinds else ''}")
    _warm(hands, kinds)
    slow = _line("win check", [("ours", lambda h: shapes.complete(h, 0, kinds), full), *_win_others(name, full)])
    slow += _line(
        "waits", [("ours", lambda h: shapes.waits(h, (), kinds), hands), ("naive", _naive_waits, hands[:200])]
    )
    slow += _line(
        "distance", [("ours", lambda h: shapes.distance(h, (), kinds), hands), *_distance_others(name, hands)]
    )
    return slow


def _warm(hands: Sequence[tuple[Tile, ...]], kinds: Sequence) -> None:
    """Sums of rows are remembered at their first sight; a table sees the same ones again and again."""
    for hand in hands[:5000]:
        shapes.distance(hand, (), kinds)


def _win_others(name: str, full: Sequence[tuple[Tile, ...]]) -> list[tuple[str, Callable, Sequence]]:
    others: list[tuple[str, Callable, Sequence]] = [("naive", naive_complete, full[:2000])]
    if name == "riichi":
        from mahjong.agari import Agari

        others.insert(0, ("mahjong", Agari.is_agari, [_counts(hand) for hand in full]))
    return others


def _distance_others(name: str, hands: Sequence[tuple[Tile, ...]]) -> list[tuple[str, Callable, Sequence]]:
    if name == "riichi":
        from mahjong.shanten import Shanten

        return [("mahjong", Shanten.calculate_shanten, [_counts(hand) for hand in hands[:3000]])]
    if name == "chinese_official" and _has_fan():
        from MahjongGB import MahjongShanten

        given = [tuple(_NAMES[tile] for tile in hand) for hand in hands]
        return [("PyMahjongGB", lambda hand: MahjongShanten((), hand), given)]
    return [("naive", _naive_distance, hands[:3])]


def _scores(name: str, count: int, rng: random.Random) -> int:
    if name == "chinese_official" and not _has_fan():
        print(f"\n{name}: PyMahjongGB is not installed")
        return 0
    rules = counted(load_ruleset(name)) if name != "riichi" else load_ruleset(name)
    asked = []
    for _ in range(count):
        hand = complete_hand(rules, rng)
        asked.append((hand, context(rng, closed=all(meld.call == "concealed" for meld in hand.melds))))
    print(f"\n{name}, full scores")
    ways: list[tuple[str, Callable, Sequence]] = [("ours", lambda one: scoring.score(*one, rules), asked)]
    if name == "chinese_official":
        closed = [(hand, told) for hand, told in asked if not hand.melds]
        ways.append(("PyMahjongGB", _fan, closed))
    if name == "riichi":
        ways.append(("mahjong", _mahjong, [_for_mahjong(hand) for hand, _ in asked if not hand.melds]))
    return _line("score", ways)


def _fan(one: tuple[Hand, Context]) -> object:
    hand, told = one
    names = tuple(_NAMES[tile] for tile in hand.concealed)
    return library()((), names, _NAMES[hand.win], 0, told.self_drawn, False, False, False, 0, 0)


def _for_mahjong(hand: Hand) -> tuple[list[int], int]:
    numbers = [4 * KINDS.index(tile) + 1 for tile in (*hand.concealed, hand.win)]
    return numbers, numbers[-1]


def _mahjong(one: tuple[list[int], int]) -> object:
    from mahjong.hand_calculating.hand import HandCalculator

    return HandCalculator.estimate_hand_value(*one)


def _overlay(rng: random.Random) -> None:
    """Waits of four hands, as often as an overlay asks."""
    print("\noverlay: waits of four hands")
    for name in ("riichi", "taiwan16", "chinese_official"):
        rules = load_ruleset(name)
        took = []
        for _ in range(500):
            hands = [_hand(rules.set.hand, rng) for _ in range(4)]
            began = time.process_time()
            for hand in hands:
                scoring.waits(hand, (), rules)
            took.append((time.process_time() - began) * 1000)
        took.sort()
        print(f"  {name:<18} p50 {took[250]:.3f} ms, p99 {took[495]:.3f} ms, most {took[-1]:.3f} ms (asked: 5 ms)")


def _line(what: str, ways: Iterable[tuple[str, Callable, Sequence]]) -> int:
    """Prints how many a second each way manages. 1 when ours misses its target."""
    slow, told = 0, []
    for who, work, given in ways:
        began = time.process_time()
        for one in given:
            work(one)
        rate = len(given) / max(1e-9, time.process_time() - began)
        told.append(f"{who} {rate:,.0f}/s")
        slow += who == "ours" and rate < TARGET[what]
    print(f"  {what:<10} {', '.join(told)}{'  MISSED' if slow else ''} (asked: {TARGET[what]:,}/s)")
    return slow


def _hand(size: int, rng: random.Random) -> tuple[Tile, ...]:
    if rng.random() < 0.5:
        return tuple(rng.sample(WALL, size))
    made = complete_hand(load_ruleset("riichi" if size == 13 else "taiwan16"), rng)
    tiles = [*made.concealed, *(tile for meld in made.melds for tile in meld.tiles[:3])][:size]
    for _ in range(rng.randrange(4)):
        tiles[rng.randrange(size)] = rng.choice(KINDS)
    return tuple(tiles) if max(Counter(tiles).values()) <= 4 else tuple(rng.sample(WALL, size))


def _drawn(hand: tuple[Tile, ...], rng: random.Random) -> Tile:
    waits = shapes.waits(hand)
    return rng.choice(waits) if waits else next(t for t in rng.sample(KINDS, 34) if hand.count(t) < 4)


def _counts(hand: Sequence[Tile]) -> list[int]:
    counts = [0] * 34
    for tile in hand:
        counts[KINDS.index(tile)] += 1
    return counts


def _naive_waits(hand: tuple[Tile, ...]) -> list[Tile]:
    return [tile for tile in KINDS if hand.count(tile) < 4 and naive_complete((*hand, tile))]


def _naive_distance(hand: tuple[Tile, ...]) -> int:
    """By exchanging tiles until it is ready, one more at a time; given up at two."""
    if _naive_waits(hand):
        return 0
    for place in range(len(hand)):
        rest = hand[:place] + hand[place + 1 :]
        if any(_naive_waits((*rest, tile)) for tile in KINDS if rest.count(tile) < 4):
            return 1
    return 2


def _has_fan() -> bool:
    try:
        library()
    except MissingFanError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
