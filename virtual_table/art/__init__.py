"""Artwork of tile faces, shipped as small atlases; who made it and under which licence stands in `NOTICE`.

A *set* is 37 coloured face drawings on transparency (kinds and red fives), `flowers` the eight flowers, `symbols` 42
one-colour drawings, a *font* the characters a tile maker needs. Face drawings are 104x140 px: 4 px per mm of a 26x35 mm face.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.tiles import FLOWERS, KINDS, REDS

Pixels = npt.NDArray[np.uint8]

FACE_SIZE = (104, 140)
GLYPH_SIZE = 80
ATLAS_COLUMNS = 10
SET_TILES = (*KINDS, *REDS)
SYMBOL_TILES = (*KINDS, *FLOWERS)
FONT_GLYPHS = "一二三四五伍六七八九萬万東南西北白發発中梅蘭菊竹春夏秋冬花123456789ESWNPFC"

SETS = ("regular", "black")
FONTS = (
    "boku", "syuku", "mai", "wenkai", "wenkai_light", "klee", "iansui", "serif_black", "serif_semibold",
    "sans_bold", "sans_medium", "kaisei", "shippori", "antique", "potta", "magic",
)  # fmt: skip


@cache
def faces(name: str) -> dict[str, Pixels]:
    """BGRA drawings of a set ("regular" or "black") by tile code. Shape of each: 140x104x4."""
    return _cells(f"faces_{name}.png", SET_TILES, FACE_SIZE)


@cache
def flowers() -> dict[str, Pixels]:
    """BGRA drawings of the eight flowers by tile code. Shape of each: 140x104x4."""
    return _cells("flowers.png", FLOWERS, FACE_SIZE)


@cache
def symbols() -> dict[str, Pixels]:
    """Ink coverage (0..255) of the 34 kinds and 8 flowers in one colour by tile code. Shape of each: 140x104."""
    return _cells("symbols.png", SYMBOL_TILES, FACE_SIZE)


def font(name: str) -> dict[str, Pixels]:
    """Ink coverage (0..255) by character; characters the font lacks are left out. Shape of each: 80x80."""
    return _added[name] if name in _added else _shipped(name)


def add_font(name: str, cells: dict[str, Pixels]) -> None:
    """Makes a font known that is not shipped, for training; `cells` as `font` gives them, empty ones are left out."""
    _added[name] = _drawn(cells)


_added: dict[str, dict[str, Pixels]] = {}


@cache
def _shipped(name: str) -> dict[str, Pixels]:
    return _drawn(_cells(f"font_{name}.png", FONT_GLYPHS, (GLYPH_SIZE, GLYPH_SIZE)))


def _drawn(cells: dict[str, Pixels]) -> dict[str, Pixels]:
    return {char: cell for char, cell in cells.items() if cell.any()}


def _cells(file: str, keys: tuple[str, ...] | str, size: tuple[int, int]) -> dict[str, Pixels]:
    data = np.frombuffer(files(__package__).joinpath(file).read_bytes(), np.uint8)
    sheet = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    if sheet is None:
        raise ValueError(f"{file} in the installed package is no picture: install jantaku anew")
    width, height = size
    if file.startswith(("font", "symbols")) and sheet.ndim == 3:
        sheet = sheet[..., 0]
    cells: dict[str, Pixels] = {}
    for n, key in enumerate(keys):
        x, y = n % ATLAS_COLUMNS * width, n // ATLAS_COLUMNS * height
        cells[key] = np.ascontiguousarray(sheet[y : y + height, x : x + width], np.uint8)
    return cells
