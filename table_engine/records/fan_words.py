"""The fan of Chinese official rules by the names records use, numbered as PMN numbers them, with their usual values."""

from __future__ import annotations

_FAN = {
    88: ("大四喜", "大三元", "绿一色", "九莲宝灯", "四杠", "连七对", "十三幺"),
    64: ("清幺九", "小四喜", "小三元", "字一色", "四暗刻", "一色双龙会"),
    48: ("一色四同顺", "一色四节高"),
    32: ("一色四步高", "三杠", "混幺九"),
    24: ("七对", "七星不靠", "全双刻", "清一色", "一色三同顺", "一色三节高", "全大", "全中", "全小"),
    16: ("清龙", "三色双龙会", "一色三步高", "全带五", "三同刻", "三暗刻"),
    12: ("全不靠", "组合龙", "大于五", "小于五", "三风刻"),
    8: (
        *("花龙", "推不倒", "三色三同顺", "三色三节高", "无番和"),
        *("妙手回春", "海底捞月", "杠上开花", "抢杠和", "双暗杠"),
    ),
    6: ("碰碰和", "混一色", "三色三步高", "五门齐", "全求人", "双箭刻"),
    4: ("全带幺", "不求人", "双明杠", "和绝张"),
    2: ("箭刻", "圈风刻", "门风刻", "门前清", "平和", "四归一", "双同刻", "双暗刻", "暗杠", "断幺"),
    1: (
        *("一般高", "喜相逢", "连六", "老少副", "幺九刻", "明杠", "缺一门", "无字"),
        *("边张", "坎张", "单钓将", "自摸", "花牌"),
    ),
}
NAMES = tuple(name for names in _FAN.values() for name in names)
"""`NAMES[n - 1]` is fan number n of PMN."""
_VALUES = {name: value for value, names in _FAN.items() for name in names}
_SAME = {"嵌张": "坎张", "单调将": "单钓将", "明暗杠": "一明一暗杠"}


def name_of(number: int) -> str:
    """Raises ValueError for a number PMN has no fan for."""
    if not 1 <= number <= len(NAMES):
        raise ValueError(f"fan number {number} is not in 1..{len(NAMES)}")
    return NAMES[number - 1]


def number_of(name: str) -> int | None:
    """None for a fan that PMN has no number for."""
    name = _SAME.get(name, name)
    return NAMES.index(name) + 1 if name in NAMES else None


def value_of(name: str) -> int | None:
    return _VALUES.get(_SAME.get(name, name))


def counted(text: str) -> list[tuple[str, int]]:
    """`喜相逢*2+平和*1` → names with how often each counts."""
    fan = []
    for part in text.split("+"):
        name, _, times = part.strip().partition("*")
        if name:
            fan.append((name, int(times) if times else 1))
    return fan
