"""Rasterises characters of font files (at development time; needs Pillow)."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from virtual_table.art import FONT_GLYPHS, GLYPH_SIZE


def rasterised(source: str, chars: str = FONT_GLYPHS) -> list[Image.Image]:
    """Characters of a font, each on a square of `GLYPH_SIZE`; empty where the font lacks it.

    `source` is a font file, `path:index` in a collection, or a glob of subset files. Raises FileNotFoundError.
    """
    path, _, index = source.partition(":")
    files = sorted(Path("/").glob(path.lstrip("/")))
    if not files:
        raise FileNotFoundError(f"no font file matches {path}: install it or correct the path")
    fonts = [ImageFont.truetype(str(file), GLYPH_SIZE * 4, index=int(index or 0)) for file in files]
    return [_glyph(fonts, char) for char in chars]


def _glyph(fonts: list[ImageFont.FreeTypeFont], char: str) -> Image.Image:
    """The glyph of the first font that has it, fitted into the square; an empty square when none has it."""
    for font in fonts:
        mask, missing = font.getmask(char), font.getmask("\uffff")
        box = mask.getbbox()
        if box is None or (mask.size == missing.size and bytes(mask) == bytes(missing)):
            continue
        side = GLYPH_SIZE * 6
        canvas = Image.new("L", (side, side), 0)
        ImageDraw.Draw(canvas).text((side / 2, side / 2), char, font=font, fill=255, anchor="mm")
        left, top, right, bottom = canvas.getbbox() or (0, 0, side, side)
        half = max(right - left, bottom - top, GLYPH_SIZE * 4 * 0.8) / 2 + 2
        x, y = (left + right) / 2, (top + bottom) / 2
        square = canvas.crop((round(x - half), round(y - half), round(x + half), round(y + half)))
        return square.resize((GLYPH_SIZE, GLYPH_SIZE), Image.Resampling.BOX)
    return Image.new("L", (GLYPH_SIZE, GLYPH_SIZE), 0)
