"""The yaku in their own names (as Tenhou writes them, which viewers of its records want) and in English."""

from __future__ import annotations

from functools import cache

FOUR_CONSECUTIVE = ("四連刻", "Four consecutive triplets")

BY_TENHOU: tuple[tuple[str, str], ...] = (
    ("門前清自摸和", "Fully concealed self-draw"),
    ("立直", "Riichi"),
    ("一発", "One shot"),
    ("槍槓", "Robbing a kong"),
    ("嶺上開花", "After a kong"),
    ("海底摸月", "Last tile from the wall"),
    ("河底撈魚", "Last discard"),
    ("平和", "Pinfu"),
    ("断幺九", "All simples"),
    ("一盃口", "Pure double chow"),
    ("自風 東", "Seat wind east"),
    ("自風 南", "Seat wind south"),
    ("自風 西", "Seat wind west"),
    ("自風 北", "Seat wind north"),
    ("場風 東", "Round wind east"),
    ("場風 南", "Round wind south"),
    ("場風 西", "Round wind west"),
    ("場風 北", "Round wind north"),
    ("役牌 白", "White dragon"),
    ("役牌 發", "Green dragon"),
    ("役牌 中", "Red dragon"),
    ("両立直", "Double riichi"),
    ("七対子", "Seven pairs"),
    ("混全帯幺九", "Half outside hand"),
    ("一気通貫", "Pure straight"),
    ("三色同順", "Mixed triple chow"),
    ("三色同刻", "Triple pung"),
    ("三槓子", "Three kongs"),
    ("対々和", "All pungs"),
    ("三暗刻", "Three concealed pungs"),
    ("小三元", "Little three dragons"),
    ("混老頭", "All terminals and honours"),
    ("二盃口", "Twice pure double chow"),
    ("純全帯幺九", "Full outside hand"),
    ("混一色", "Half flush"),
    ("清一色", "Full flush"),
    ("人和", "Blessing of man"),
    ("天和", "Blessing of heaven"),
    ("地和", "Blessing of earth"),
    ("大三元", "Big three dragons"),
    ("四暗刻", "Four concealed pungs"),
    ("四暗刻単騎", "Four concealed pungs, single wait"),
    ("字一色", "All honours"),
    ("緑一色", "All green"),
    ("清老頭", "All terminals"),
    ("九蓮宝燈", "Nine gates"),
    ("純正九蓮宝燈", "Pure nine gates"),
    ("国士無双", "Thirteen orphans"),
    ("国士無双１３面", "Thirteen orphans, thirteen waits"),
    ("大四喜", "Big four winds"),
    ("小四喜", "Little four winds"),
    ("四槓子", "Four kongs"),
    ("ドラ", "Dora"),
    ("裏ドラ", "Ura dora"),
    ("赤ドラ", "Red five"),
)
"""By Tenhou's number of the yaku."""


@cache
def _numbers() -> dict[int, int]:
    from mahjong.hand_calculating.yaku_config import YAKU_ID_TO_TENHOU_ID
    from mahjong.hand_calculating.yaku_list import AkaDora, Dora, UraDora
    from mahjong.hand_calculating.yaku_list.yakuman import RenhouYakuman

    bonus = {Dora.yaku_id: 52, UraDora.yaku_id: 53, AkaDora.yaku_id: 54}
    return {**YAKU_ID_TO_TENHOU_ID, RenhouYakuman.yaku_id: 36, **bonus}


def named(yaku_id: int) -> tuple[str, str]:
    """Own and English name of a yaku of the `mahjong` library by its number there."""
    return BY_TENHOU[_numbers()[yaku_id]]
