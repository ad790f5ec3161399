"""Characters of many fonts for painting tile sets: `python -m vision.train.letters letters.npz FONT_FILE…`.

A font file is TrueType, OpenType or WOFF, or a glob of the subset files of one font. Nothing of it is shipped: only the
weights learn from it.
"""

from __future__ import annotations

import argparse
import logging
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from virtual_table import art
from virtual_table.art.glyphs import rasterised

log = logging.getLogger("letters")
GLYPHS = art.FONT_GLYPHS + "兰"
"""What is taken of a font: what the painter of virtual tables needs, and what real sets write besides."""
NEEDED = "一二三四五六七八九中"
"""A font without one of these writes no tile set; for others the painter takes a font it has."""


def held_out(name: str) -> bool:
    """True for a font that no training may see."""
    return zlib.crc32(name.encode()) % 6 == 0


def learn(path: Path, *, evaluation: bool = False) -> tuple[str, ...]:
    """Makes the fonts of a file written by `main` known to the painter; returns their names. Raises ValueError for a file of
    another version."""
    with np.load(path) as stored:
        sheets: dict[str, NDArray[np.uint8]] = {name: stored[name] for name in stored.files}
    names = tuple(name for name in sorted(sheets) if held_out(name) == evaluation)
    if any(len(sheets[name]) != len(GLYPHS) for name in names):
        raise ValueError(f"{path}: holds other characters than are wanted now, write it again")
    for name in names:
        art.add_font(name, dict(zip(GLYPHS, sheets[name], strict=True)))
    return names


def write(out: Path, sources: Sequence[str]) -> None:
    """Rasterises fonts into one file: `sources` are paths, `path:index` in a collection, or globs of subset files."""
    sheets: dict[str, NDArray[np.uint8]] = {}
    for source in sources:
        name = Path(source).parent.parent.name if "*" in source else Path(source).stem
        cells = dict(zip(GLYPHS, (np.asarray(c, np.uint8) for c in rasterised(source, GLYPHS)), strict=True))
        lacking = "".join(char for char in NEEDED if not cells[char].any())
        if lacking:
            log.warning("%s: left out, it has no %s", source, lacking)
            continue
        sheets[name] = np.stack([cells[char] for char in GLYPHS])
    np.savez_compressed(out, allow_pickle=False, **sheets)
    apart = sum(held_out(name) for name in sheets)
    log.info("%d fonts, %d of them kept apart for evaluation", len(sheets), apart)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("fonts", nargs="+", help="path, path:index in a collection, or a quoted glob of subset files")
    told = ask.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write(told.out, told.fonts)


if __name__ == "__main__":
    main()
