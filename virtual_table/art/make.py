"""Rasterises the artwork this package ships from its sources (run by hand, needs the `art` tools; nothing at run time does).

`python -m virtual_table.art.make TILE_ART_DIR FONT_FILE…` where TILE_ART_DIR holds `fluffystuff_cc0`,
`drcmwither_flowers_svg` and `fonts/NotoSansSymbols2-Regular.ttf`, and each further argument is `name=path[:index]` of an
OFL font, the path may be a glob of subset files. Sources and licences are listed in `NOTICE` beside this file.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import resvg_py
from PIL import Image, ImageDraw, ImageFont

from virtual_table.art import ATLAS_COLUMNS, FACE_SIZE, GLYPH_SIZE, SET_TILES, SYMBOL_TILES
from virtual_table.art.glyphs import rasterised

_HERE = Path(__file__).parent
_HONOUR_FILES = ("Ton", "Nan", "Shaa", "Pei", "Haku", "Hatsu", "Chun")
_FLOWER_FILES = {"1f": "5f", "2f": "6f", "3f": "8f", "4f": "7f", "5f": "1f", "6f": "2f", "7f": "3f", "8f": "4f"}
_SYMBOL_BASE = {"m": 0x1F007, "s": 0x1F010, "p": 0x1F019}
_SYMBOL_FLOWERS = (0x1F022, 0x1F023, 0x1F025, 0x1F024, 0x1F026, 0x1F027, 0x1F028, 0x1F029)


def main(arguments: list[str]) -> None:
    art = Path(arguments[0])
    for name in ("Regular", "Black"):
        faces = [_svg(art / "fluffystuff_cc0" / name / f"{_fluffy_file(code)}.svg") for code in SET_TILES]
        _save_colour(_HERE / f"faces_{name.lower()}.png", faces)
    flowers = [_svg(art / "drcmwither_flowers_svg" / f"{_FLOWER_FILES[f'{n}f']}.svg") for n in range(1, 9)]
    _save_colour(_HERE / "flowers.png", flowers)
    _save_grey(_HERE / "symbols.png", [_symbol(art, code) for code in SYMBOL_TILES], FACE_SIZE)
    for argument in arguments[1:]:
        name, _, source = argument.partition("=")
        _save_grey(_HERE / f"font_{name}.png", rasterised(source), (GLYPH_SIZE, GLYPH_SIZE))


def _fluffy_file(code: str) -> str:
    if code[1] == "z":
        return _HONOUR_FILES[int(code[0]) - 1]
    suit = {"m": "Man", "p": "Pin", "s": "Sou"}[code[1]]
    return f"{suit}5-Dora" if code[0] == "0" else f"{suit}{code[0]}"


def _svg(path: Path) -> Image.Image:
    data = resvg_py.svg_to_bytes(svg_string=path.read_text(encoding="utf-8"), height=560)
    picture = Image.open(io.BytesIO(bytes(data))).convert("RGBA")
    width, height = FACE_SIZE
    picture.thumbnail((width * 4, height * 4), Image.Resampling.LANCZOS)
    canvas = Image.new("RGBA", (width * 4, height * 4), (255, 255, 255, 0))
    canvas.paste(picture, ((width * 4 - picture.width) // 2, (height * 4 - picture.height) // 2))
    return canvas.resize(FACE_SIZE, Image.Resampling.BOX)


def _symbol(art: Path, code: str) -> Image.Image:
    """The inside of a mahjong symbol: its frame line is cut away."""
    rank = int(code[0])
    if code[1] == "z":
        point = (0x1F000, 0x1F001, 0x1F002, 0x1F003, 0x1F006, 0x1F005, 0x1F004)[rank - 1]
    elif code[1] == "f":
        point = _SYMBOL_FLOWERS[rank - 1]
    else:
        point = _SYMBOL_BASE[code[1]] + rank - 1
    font = ImageFont.truetype(str(art / "fonts" / "NotoSansSymbols2-Regular.ttf"), 640)
    canvas = Image.new("L", (1000, 1000), 0)
    ImageDraw.Draw(canvas).text((100, 100), chr(point), font=font, fill=255)
    box = canvas.getbbox()
    if box is None:
        raise ValueError(f"the symbol font draws nothing for {code}: give NotoSansSymbols2")
    left, top, right, bottom = box
    inset = round((right - left) * 0.055)
    face = canvas.crop((left + inset, top + inset, right - inset, bottom - inset))
    return face.resize(FACE_SIZE, Image.Resampling.LANCZOS)


def _atlas(mode: str, cells: list[Image.Image], size: tuple[int, int]) -> Image.Image:
    rows = -(-len(cells) // ATLAS_COLUMNS)
    sheet = Image.new(mode, (size[0] * ATLAS_COLUMNS, size[1] * rows), 0)
    for n, cell in enumerate(cells):
        sheet.paste(cell, (n % ATLAS_COLUMNS * size[0], n // ATLAS_COLUMNS * size[1]))
    return sheet


def _save_colour(path: Path, cells: list[Image.Image]) -> None:
    pixels = np.asarray(_atlas("RGBA", cells, FACE_SIZE)).copy()
    pixels[..., 3] = np.minimum(255, (pixels[..., 3].astype(int) + 8) // 17 * 17)
    pixels[..., :3] = np.minimum(255, (pixels[..., :3].astype(int) + 4) // 8 * 8)
    pixels[pixels[..., 3] == 0] = 0
    Image.fromarray(pixels).save(path, optimize=True)


def _save_grey(path: Path, cells: list[Image.Image], size: tuple[int, int]) -> None:
    pixels = np.asarray(_atlas("L", cells, size)).astype(int)
    levels = ((pixels + 8) // 17).astype(np.uint8)
    sheet = Image.frombytes("P", (levels.shape[1], levels.shape[0]), levels.tobytes())
    sheet.putpalette([value for n in range(16) for value in (n * 17,) * 3])
    sheet.save(path, optimize=True, bits=4)


if __name__ == "__main__":
    main(sys.argv[1:])
