"""What an mjai `hora` tells of the hand's worth: gimite's fields, or RiichiEnv's under `meta`."""

from __future__ import annotations

import re
from typing import Any

from table_engine.records.model import WinRecord
from table_engine.wire.seats import Seat

YAKU = {
    "menzenchin_tsumoho": "門前清自摸和",
    "reach": "立直",
    "ippatsu": "一発",
    "chankan": "槍槓",
    "rinshankaiho": "嶺上開花",
    "haiteiraoyue": "海底摸月",
    "hoteiraoyui": "河底撈魚",
    "pinfu": "平和",
    "tanyaochu": "断幺九",
    "ipeko": "一盃口",
    "jikaze": "自風",
    "bakaze": "場風",
    "sangenpai": "役牌",
    "double_reach": "両立直",
    "chitoitsu": "七対子",
    "honchantaiyao": "混全帯幺九",
    "ikkitsukan": "一気通貫",
    "sanshokudojun": "三色同順",
    "sanshokudoko": "三色同刻",
    "sankantsu": "三槓子",
    "toitoiho": "対々和",
    "sananko": "三暗刻",
    "shosangen": "小三元",
    "honroto": "混老頭",
    "ryanpeko": "二盃口",
    "junchantaiyao": "純全帯幺九",
    "honiso": "混一色",
    "chiniso": "清一色",
    "tenho": "天和",
    "chiho": "地和",
    "daisangen": "大三元",
    "suanko": "四暗刻",
    "tsuiso": "字一色",
    "ryuiso": "緑一色",
    "chinroto": "清老頭",
    "churenpoton": "九蓮宝燈",
    "kokushimuso": "国士無双",
    "daisushi": "大四喜",
    "shosushi": "小四喜",
    "sukantsu": "四槓子",
    "dora": "ドラ",
    "uradora": "裏ドラ",
    "akadora": "赤ドラ",
}
"""gimite's names of yaku, and Tenhou's."""
_YAKUMAN = 100
_POINTS = re.compile(r"^(\d+)(?:/(\d+))?( all)?$")


def worth_of(event: dict[str, Any], seat: Seat, source: Seat | None, deltas: tuple[int, ...] | None) -> WinRecord:
    """Fields that are not there stay None or empty."""
    score = (event.get("meta") or {}).get("score") or {}
    fu, han = event.get("fu", score.get("fu")), event.get("fan", event.get("han", score.get("han")))
    items = tuple((str(name), _han(value)) for name, value in event.get("yakus") or [])
    points, payments = _points(event.get("hora_points", score.get("points")))
    told = event.get("jantaku") or {}
    yakuman = int(told.get("yakuman", sum(value is None for _, value in items)))
    liable = told.get("liable")
    return WinRecord(
        seat=seat,
        source=source,
        deltas=deltas,
        points=points,
        payments=tuple(told.get("payments", payments)),
        fu=int(fu) if fu else None,
        han=int(han) if han and not yakuman else None,
        yakuman=yakuman,
        limit=str(told.get("limit", "")),
        items=items,
        liable=None if liable is None else Seat(int(liable)),
    )


def _han(value: object) -> int | None:
    return int(value) if isinstance(value, int) and value < _YAKUMAN else None


def _points(value: object) -> tuple[int | None, tuple[int, ...]]:
    """All points together, and shares of a self-draw where they are told (`1300/2600`, `6000 all`)."""
    found = _POINTS.match(str(value)) if value is not None else None
    if found is None:
        return None, ()
    first = int(found[1])
    if found[2]:
        return 2 * first + int(found[2]), (first, int(found[2]))
    return (3 * first, (first,)) if found[3] else (first, ())
