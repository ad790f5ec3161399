"""The words of Tenhou's records: yaku by their number, limits, why nobody won, and the line that says what a win is worth.

A viewer of tenhou.net/6 shows a win only if its line ends in 点 (or 点∀) and every yaku in 飜) or 役満).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from table_engine.records.model import WinRecord

YAKU = (
    *("門前清自摸和", "立直", "一発", "槍槓", "嶺上開花", "海底摸月", "河底撈魚", "平和", "断幺九", "一盃口"),
    *("自風 東", "自風 南", "自風 西", "自風 北", "場風 東", "場風 南", "場風 西", "場風 北"),
    *("役牌 白", "役牌 發", "役牌 中", "両立直", "七対子", "混全帯幺九", "一気通貫", "三色同順", "三色同刻"),
    *("三槓子", "対々和", "三暗刻", "小三元", "混老頭", "二盃口", "純全帯幺九", "混一色", "清一色", "人和"),
    *("天和", "地和", "大三元", "四暗刻", "四暗刻単騎", "字一色", "緑一色", "清老頭", "九蓮宝燈"),
    *("純正九蓮宝燈", "国士無双", "国士無双１３面", "大四喜", "小四喜", "四槓子", "ドラ", "裏ドラ", "赤ドラ"),
)
LIMITS = {
    "満貫": "mangan",
    "切り上げ満貫": "mangan",
    "跳満": "haneman",
    "倍満": "baiman",
    "三倍満": "sanbaiman",
    "数え役満": "counted yakuman",
    "役満": "yakuman",
    "mangan": "mangan",
    "rounded mangan": "mangan",
    "haneman": "haneman",
    "baiman": "baiman",
    "sanbaiman": "sanbaiman",
    "kazoe yakuman": "counted yakuman",
    "counted yakuman": "counted yakuman",
    "yakuman": "yakuman",
}
_LIMIT_WORDS = {
    "mangan": "満貫",
    "haneman": "跳満",
    "baiman": "倍満",
    "sanbaiman": "三倍満",
    "counted yakuman": "数え役満",
    "yakuman": "役満",
}
LIMIT_NUMBERS = ("", "mangan", "haneman", "baiman", "sanbaiman", "yakuman")
"""The third number of an AGARI's `ten`."""
EXHAUSTIVE, NAGASHI = "exhaustive draw", "all terminals discarded"
ENDINGS = {
    "流局": EXHAUSTIVE,
    "荒牌平局": EXHAUSTIVE,
    "全員聴牌": EXHAUSTIVE,
    "全員不聴": EXHAUSTIVE,
    "ryuukyoku": EXHAUSTIVE,
    "exhaustive draw": EXHAUSTIVE,
    "九種九牌": "nine terminals",
    "kyuushu kyuuhai": "nine terminals",
    "nine terminal abortion": "nine terminals",
    "四風連打": "four winds",
    "suufon renda": "four winds",
    "four wind abortion": "four winds",
    "四槓散了": "four kongs",
    "四開槓": "four kongs",
    "suukaikan": "four kongs",
    "four kan abortion": "four kongs",
    "四家立直": "four ready",
    "suucha riichi": "four ready",
    "four riichi abortion": "four ready",
    "三家和": "triple win",
    "三家和了": "triple win",
    "sanchahou": "triple win",
    "three ron abortion": "triple win",
    "流し満貫": NAGASHI,
    "nagashi mangan": NAGASHI,
    "mangan at draw": NAGASHI,
}
"""How a record calls a hand nobody won, in small letters, and how we do."""
ENDING_WORDS = {
    EXHAUSTIVE: "流局",
    "nine terminals": "九種九牌",
    "four winds": "四風連打",
    "four kongs": "四槓散了",
    "four ready": "四家立直",
    "triple win": "三家和了",
    NAGASHI: "流し満貫",
}
_WORTH = re.compile(
    r"^(?:(\d+)\s*(?:符|fu))?\s*(?:(\d+)\s*(?:飜|翻|han))?\s*(\D*?)\s*(\d+)(?:-(\d+))?\s*(?:点|points?)\s*(∀|all)?$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^(.*?)\s*[(（](?:(\d+)\s*(?:飜|翻|han)|(.*?))[)）]$", re.IGNORECASE)


class Worth(NamedTuple):
    """What a line such as `30符2飜700-1300点` says."""

    fu: int | None
    han: int | None
    limit: str
    points: int
    payments: tuple[int, ...]


def worth_of(line: str) -> Worth | None:
    """Reads the line; None when it is of no known shape. `points` is what all pay together without honba."""
    found = _WORTH.match(line.strip())
    if found is None:
        return None
    fu, han, limit, one, two, each = found.groups()
    if limit and limit.lower() not in LIMITS:
        return None
    first = int(one)
    payments: tuple[int, ...] = ()
    points = first
    if two:
        payments, points = (first, int(two)), 2 * first + int(two)
    elif each:
        payments, points = (first,), 3 * first
    known = LIMITS[limit.lower()] if limit else ""
    return Worth(int(fu) if fu else None, int(han) if han else None, known, points, payments)


def line_of(win: WinRecord) -> str:
    """The line for a win, as Tenhou writes it: fu and han below mangan, else the limit's name."""
    head = _LIMIT_WORDS.get(win.limit, "")
    if not head:
        head = f"{win.fu or 0}符{win.han or 0}飜"
    if len(win.payments) == 2:
        return f"{head}{win.payments[0]}-{win.payments[1]}点"
    if len(win.payments) == 1:
        return f"{head}{win.payments[0]}点∀"
    return f"{head}{win.points or 0}点"


def item_of(text: str) -> tuple[str, int | None]:
    """`立直(1飜)` → its name and han; a yakuman counts None."""
    found = _ITEM.match(text.strip())
    if found is None:
        return text.strip(), None
    return found[1], int(found[2]) if found[2] else None


def item_text(name: str, han: int | None) -> str:
    return f"{name}({'役満' if han is None else f'{han}飜'})"


def yakuman_count(items: Sequence[tuple[str, int | None]]) -> int:
    return sum(value is None for _, value in items)


def shares(points: int, *, dealer: bool) -> tuple[int, ...]:
    """What each pays for a self-draw worth `points` in all: `(each,)` to the dealer, `(from the others, from the dealer)` to
    another. Shares are rounded up to hundreds one by one, so the dealer's is twice the others' or a hundred less."""
    if dealer:
        return (points // 3,)
    for other in (points // 400 * 100, points // 400 * 100 + 100):
        for double in (2 * other, 2 * other - 100):
            if 2 * other + double == points:
                return (other, double)
    return ()


def limit_of(fu: int, han: int, *, yakuman: bool) -> str:
    """The limit a hand of `han` and `fu` reaches, by the common table without rounding up to mangan."""
    if yakuman:
        return "yakuman"
    for least, limit in ((13, "counted yakuman"), (11, "sanbaiman"), (8, "baiman"), (6, "haneman"), (5, "mangan")):
        if han >= least:
            return limit
    return "mangan" if (han == 4 and fu >= 40) or (han == 3 and fu >= 70) else ""
