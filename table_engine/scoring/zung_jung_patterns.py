"""The patterns of Zung Jung by their numbers, with their values, and which of them a hand holds.

Source: Zung Jung Mahjong Scoring System v3.3, Alan Kwan Shiu Ho (zj-mahjong.info), the scoring of the World Series of
Mahjong. Patterns of one series (the first two numbers) are not counted together: only the highest is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from table_engine.scoring.groups import RUN, SAME, Group, Reading

PATTERNS: dict[str, tuple[str, str, int]] = {
    "1.1": ("平和", "All sequences", 5),
    "1.2": ("门前清", "Concealed hand", 5),
    "1.3": ("断幺九", "No terminals", 5),
    "2.1.1": ("混一色", "Mixed one-suit", 40),
    "2.1.2": ("清一色", "Pure one-suit", 80),
    "2.2": ("九莲宝灯", "Nine gates", 480),
    "3.1": ("番牌", "Value honor", 10),
    "3.2.1": ("小三元", "Small three dragons", 40),
    "3.2.2": ("大三元", "Big three dragons", 130),
    "3.3.1": ("小三风", "Small three winds", 30),
    "3.3.2": ("大三风", "Big three winds", 120),
    "3.3.3": ("小四喜", "Small four winds", 320),
    "3.3.4": ("大四喜", "Big four winds", 400),
    "3.4": ("字一色", "All honors", 320),
    "4.1": ("对对和", "All triplets", 30),
    "4.2.1": ("二暗刻", "Two concealed triplets", 5),
    "4.2.2": ("三暗刻", "Three concealed triplets", 30),
    "4.2.3": ("四暗刻", "Four concealed triplets", 125),
    "4.3.1": ("一杠", "One kong", 5),
    "4.3.2": ("二杠", "Two kong", 20),
    "4.3.3": ("三杠", "Three kong", 120),
    "4.3.4": ("四杠", "Four kong", 480),
    "5.1.1": ("一般高", "Two identical sequences", 10),
    "5.1.2": ("两般高", "Two identical sequences twice", 60),
    "5.1.3": ("一色三同顺", "Three identical sequences", 120),
    "5.1.4": ("一色四同顺", "Four identical sequences", 480),
    "6.1": ("三色同顺", "Three similar sequences", 35),
    "6.2.1": ("三色小同刻", "Small three similar triplets", 30),
    "6.2.2": ("三色同刻", "Three similar triplets", 120),
    "7.1": ("一气通贯", "Nine-tile straight", 40),
    "7.2.1": ("三连刻", "Three consecutive triplets", 100),
    "7.2.2": ("四连刻", "Four consecutive triplets", 200),
    "8.1.1": ("混全带幺", "Mixed lesser terminals", 40),
    "8.1.2": ("纯全带幺", "Pure lesser terminals", 50),
    "8.1.3": ("混幺九", "Mixed greater terminals", 100),
    "8.1.4": ("清幺九", "Pure greater terminals", 400),
    "9.1.1": ("海底捞月", "Final draw", 10),
    "9.1.2": ("河底捞鱼", "Final discard", 10),
    "9.2": ("岭上开花", "Win on kong", 10),
    "9.3": ("抢杠", "Robbing a kong", 10),
    "9.4.1": ("天和", "Blessing of heaven", 155),
    "9.4.2": ("地和", "Blessing of earth", 155),
    "10.1": ("十三幺九", "Thirteen terminals", 160),
    "10.2": ("七对子", "Seven pairs", 30),
}
CHICKEN = ("鸡和", "Chicken hand")

_HONOURS = 27
_TERMINALS = frozenset((0, 8, 9, 17, 18, 26))


def by_kinds(kinds: frozenset[int]) -> Iterator[str]:
    """What follows from the kinds of tiles alone, in regular hands and seven pairs."""
    suits = {number // 9 for number in kinds if number < _HONOURS}
    honours = max(kinds) >= _HONOURS
    if not suits:
        yield "3.4"
    elif len(suits) == 1:
        yield "2.1.1" if honours else "2.1.2"
    if not honours and not kinds & _TERMINALS:
        yield "1.3"
    if kinds <= _TERMINALS:
        yield "8.1.4"
    elif all(number >= _HONOURS or number in _TERMINALS for number in kinds):
        yield "8.1.3"


def by_sets(reading: Reading, hidden: int, seat_wind: int) -> Iterator[str]:
    """What follows from the sets. `hidden`: concealed triplets and kongs; `seat_wind`: number of the own wind's kind."""
    groups, pair = reading.groups, reading.pair
    runs = [group.low for group in groups if group.form == RUN]
    same = [group.low for group in groups if group.form == SAME]
    if not same:
        yield "1.1"
    if not runs:
        yield "4.1"
    if hidden >= 2:
        yield f"4.2.{hidden - 1}"
    kongs = sum(group.kong for group in groups)
    if kongs:
        yield f"4.3.{kongs}"
    yield from ["3.1"] * sum(number > 30 or number == seat_wind for number in same)
    yield from _honours(same, pair)
    yield from _alike(runs)
    yield from _similar(runs, same, pair)
    yield from _consecutive(runs, same)
    if runs:
        yield from _lesser(groups, pair)


def _honours(same: list[int], pair: int) -> Iterator[str]:
    dragons, winds = sum(number > 30 for number in same), sum(27 <= number <= 30 for number in same)
    if dragons == 3:
        yield "3.2.2"
    elif dragons == 2 and pair > 30:
        yield "3.2.1"
    wind_pair = 27 <= pair <= 30
    if winds == 4:
        yield "3.3.4"
    elif winds == 3:
        yield "3.3.3" if wind_pair else "3.3.2"
    elif winds == 2 and wind_pair:
        yield "3.3.1"


def _alike(runs: list[int]) -> Iterator[str]:
    counts = sorted(Counter(runs).values(), reverse=True)
    match counts:
        case [4]:
            yield "5.1.4"
        case [3, *_]:
            yield "5.1.3"
        case [2, 2]:
            yield "5.1.2"
        case [2, *_]:
            yield "5.1.1"


def _similar(runs: list[int], same: list[int], pair: int) -> Iterator[str]:
    if any({rank, rank + 9, rank + 18} <= set(runs) for rank in range(7)):
        yield "6.1"
    for rank in range(9):
        held = [number in same for number in (rank, rank + 9, rank + 18)]
        if all(held):
            yield "6.2.2"
        elif sum(held) == 2 and pair == rank + 9 * held.index(False):
            yield "6.2.1"


def _consecutive(runs: list[int], same: list[int]) -> Iterator[str]:
    if any({low, low + 3, low + 6} <= set(runs) for low in (0, 9, 18)):
        yield "7.1"
    for length, number in ((4, "7.2.2"), (3, "7.2.1")):
        starts = (9 * suit + rank for suit in range(3) for rank in range(10 - length))
        if any(all(start + n in same for n in range(length)) for start in starts):
            yield number
            return


def _lesser(groups: tuple[Group, ...], pair: int) -> Iterator[str]:
    parts = [set(group.numbers) for group in groups] + [{pair}]
    if all(part & _TERMINALS for part in parts):
        yield "8.1.2"
    elif all(part & _TERMINALS or max(part) >= _HONOURS for part in parts):
        yield "8.1.1"
