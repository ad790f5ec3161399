"""The names four sources give the patterns of the sixteen-tile game → the names of our settings."""

from __future__ import annotations

_SIMPLE = str.maketrans(
    "門獨聽槓風搶開撈魚無對過報幾順鳳單單員發東萬圈國龍眾", "门独听杠风抢开捞鱼无对过报几顺凤单单员发东万圈国龙众"
)

_NAMES = {
    "门清": "concealed_hand",
    "all_self": "concealed_hand",
    "不求": "concealed_self_draw",
    "不求人": "concealed_self_draw",
    "自摸": "self_draw",
    "self_goal": "self_draw",
    "圈风刻": "round_wind",
    "圈风": "round_wind",
    "场风": "round_wind",
    "wind_round": "round_wind",
    "门风刻": "seat_wind",
    "门风": "seat_wind",
    "wind_seat": "seat_wind",
    "见字": "any_wind",
    "三元牌": "dragon",
    "三元牌刻": "dragon",
    "箭牌": "dragon",
    "dragon": "dragon",
    "独听": "single_wait",
    "single_candidate": "single_wait",
    "正花": "seat_flower",
    "flower": "seat_flower",
    "花牌": "any_flower",
    "花杠": "flower_kong",
    "flower_kong": "flower_kong",
    "无花": "no_flowers",
    "无字无花": "no_flowers_or_honours",
    "抢杠": "robbing",
    "枪杠": "robbing",
    "extend_kong_goal": "robbing",
    "杠上开花": "after_kong",
    "岭上": "after_kong",
    "kong_goal": "after_kong",
    "海底捞月": "last_draw",
    "海底": "last_draw",
    "self_goal_last_tile": "last_draw",
    "河底捞鱼": "last_discard",
    "河底": "last_discard",
    "半求": "half_exposed",
    "半求人": "half_exposed",
    "half_no_self": "half_exposed",
    "全求": "all_exposed",
    "全求人": "all_exposed",
    "no_self": "all_exposed",
    "平胡": "all_chows",
    "sequence": "all_chows",
    "三暗刻": "three_concealed_pungs",
    "cover3": "three_concealed_pungs",
    "四暗刻": "four_concealed_pungs",
    "cover4": "four_concealed_pungs",
    "五暗刻": "five_concealed_pungs",
    "cover5": "five_concealed_pungs",
    "碰碰胡": "all_pungs",
    "all_pong": "all_pungs",
    "混一色": "half_flush",
    "one_suit_mix": "half_flush",
    "清一色": "full_flush",
    "one_suit": "full_flush",
    "字一色": "all_honours",
    "only_honor": "all_honours",
    "小三元": "little_three_dragons",
    "small_dragon": "little_three_dragons",
    "大三元": "big_three_dragons",
    "big_dragon": "big_three_dragons",
    "小四喜": "little_four_winds",
    "small_wind": "little_four_winds",
    "大四喜": "big_four_winds",
    "big_wind": "big_four_winds",
    "嚦咕嚦咕": "pairs_and_triplet",
    "八对半": "pairs_and_triplet",
    "天胡": "heavenly",
    "地胡": "earthly",
    "人胡": "human",
    "天听": "heavenly_ready",
    "地听": "earthly_ready",
    "咪几": "early_ready",
    "报听": "declared_ready",
    "明杠": "exposed_kong",
    "暗杠": "concealed_kong",
    "四杠子": "four_kongs",
    "五杠子": "five_kongs",
    "八仙过海": "eight_flowers",
    "flower_8": "eight_flowers",
    "七抢一": "seven_rob_one",
    "flower_7": "seven_rob_one",
    "配牌花胡": "opening_flowers",
}
_TOGETHER = {"门清自摸", "all_self_goal", "门清一摸三", "门清自一摸三"}
"""Three tai under one name: a concealed hand, a self-draw, and the two together."""


def patterns_of(name: str, tai: int) -> dict[str, int]:
    """Our patterns for one of their items; a name that is not known stands for itself, so that it shows as a difference."""
    plain = name.translate(_SIMPLE).replace("（", "(").split("(")[0].split("×")[0].split("*")[0].strip()
    if plain in _TOGETHER or "门清自摸" in name.translate(_SIMPLE):
        return {"concealed_hand": 1, "concealed_self_draw": 1, "self_draw": tai - 2}
    for candidate in (plain, plain.split(" ")[0], plain.removeprefix("point_")):
        if candidate in _NAMES:
            return {_NAMES[candidate]: tai}
    return {name: tai}
