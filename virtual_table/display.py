"""A whole tile set laid out before the camera, as somebody does who has it learnt: rows of single tiles in any order, all
face up or some turned over."""

from __future__ import annotations

from random import Random

from table_engine.wire.layout import Layout
from virtual_table.customs import Customs
from virtual_table.table import Place, TileThing

_COLUMNS = 14
_ACROSS, _ALONG = 1.75, 1.6
"""Steps from tile to tile, in widths and lengths."""
_TURNED = 12
_FIRST_ID = 100_000


def laid_out(
    customs: Customs, layout: Layout, seed: int, *, turned: bool = False, back: int = 0
) -> tuple[TileThing, ...]:
    """Every tile of the set, once. `turned`: a dozen of them lie face down."""
    rng = Random(f"{seed}:display:{turned}")
    faces = list(customs.faces(customs.reds))
    rng.shuffle(faces)
    tile, rows = layout.tile, -(-len(faces) // _COLUMNS)
    out = []
    for n, face in enumerate(faces):
        x = (n % _COLUMNS - (_COLUMNS - 1) / 2) * tile.width * _ACROSS + rng.gauss(0, 1.5)
        y = ((rows - 1) / 2 - n // _COLUMNS) * tile.length * _ALONG + rng.gauss(0, 1.5)
        tilt = 180.0 if turned and n % (len(faces) // _TURNED) == 0 else 0.0
        place = Place(x, y, 0.0, rng.gauss(0, 4) + 180.0 * (rng.random() < 0.3), tilt)
        out.append(TileThing(_FIRST_ID + n, face, back, place))
    return tuple(out)
