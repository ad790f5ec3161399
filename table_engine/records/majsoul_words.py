"""Majsoul's numbers for yaku and for hands nobody won, and Tenhou's words for them."""

from __future__ import annotations

_YAKU = (
    *("", "門前清自摸和", "立直", "槍槓", "嶺上開花", "海底摸月", "河底撈魚", "役牌 白", "役牌 發", "役牌 中"),
    *("自風", "場風", "断幺九", "一盃口", "平和", "混全帯幺九", "一気通貫", "三色同順", "両立直", "三色同刻"),
    *("三槓子", "対々和", "三暗刻", "小三元", "混老頭", "七対子", "純全帯幺九", "混一色", "二盃口", "清一色"),
    *("一発", "ドラ", "赤ドラ", "裏ドラ", "抜きドラ", "天和", "地和", "大三元", "四暗刻", "字一色"),
    *("緑一色", "清老頭", "国士無双", "小四喜", "四槓子", "九蓮宝燈", "八連荘", "純正九蓮宝燈", "四暗刻単騎"),
    *("国士無双１３面", "大四喜"),
)
ENDINGS = {1: "nine terminals", 2: "four winds", 3: "four kongs", 4: "four ready", 5: "triple win"}


def yaku_of(number: int) -> str:
    return _YAKU[number] if 0 < number < len(_YAKU) else f"yaku {number}"
