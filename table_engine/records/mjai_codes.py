"""mjai's words for tiles and for hands that nobody won."""

from __future__ import annotations

from table_engine.records.tenhou_words import EXHAUSTIVE, NAGASHI
from table_engine.wire.tiles import CODES, Tile

_HONOURS = "ESWNPFC"
ENDINGS = {
    "fanpai": EXHAUSTIVE,
    "exhaustive": EXHAUSTIVE,
    "exhaustive_draw": EXHAUSTIVE,
    "kyushukyuhai": "nine terminals",
    "kyushu_kyuhai": "nine terminals",
    "sufonrenta": "four winds",
    "sufurenta": "four winds",
    "suukaikan": "four kongs",
    "sukaikan": "four kongs",
    "suchareach": "four ready",
    "suucha_riichi": "four ready",
    "sanchaho": "triple win",
    "sanchahou": "triple win",
    "nagashimangan": NAGASHI,
    "nagashi_mangan": NAGASHI,
}
REASONS = {
    EXHAUSTIVE: "fanpai",
    "nine terminals": "kyushukyuhai",
    "four winds": "sufonrenta",
    "four kongs": "suukaikan",
    "four ready": "suchareach",
    "triple win": "sanchaho",
    NAGASHI: "nagashimangan",
}


def pai(tile: Tile) -> str:
    """A tile in mjai's letters: red fives `5mr`, honours E S W N P F C."""
    if tile[0] == "0":
        return f"5{tile[1]}r"
    return _HONOURS[int(tile[0]) - 1] if tile[-1] == "z" else tile


def tile_of(text: object) -> Tile:
    """Raises ValueError for what is no tile of mjai."""
    word = str(text)
    if len(word) == 1 and word in _HONOURS:
        return Tile(f"{_HONOURS.index(word) + 1}z")
    if len(word) == 3 and word[0] == "5" and word[2] == "r":
        word = f"0{word[1]}"
    if word not in CODES or word in ("b", "") or word[-1] == "f":
        raise ValueError(f"{text!r} is not a tile of mjai")
    return Tile(word)
