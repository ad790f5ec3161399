"""What the nets answer, in the order of their outputs."""

from __future__ import annotations

from typing import Final

from table_engine.wire.tiles import BACK, FLOWERS, KINDS, REDS, Tile

HEATS: Final = ("face", "back", "top", "arm")
"""Heat maps of the detector: a face up, a back up, the top of a standing tile; and where an arm or hand covers the table
(a mask, not centres)."""
FACE, BACK_UP, TOP, ARM = range(4)

SHAPE: Final = 8
"""Shape maps of the detector: offset of the centre (2, cells), quad code (5, see `quad`), and level: how many tiles' thickness
the quad is above the cloth."""

BLANK: Final = Tile("5z")
"""A white dragon may show nothing at all: a back, a flank or a part of another tile may look like one."""
NONE: Final = Tile("-")
"""Reader's class for a crop that shows no tile's face or back."""
CLASSES: Final = (*KINDS, *FLOWERS, *REDS, BACK, NONE)
INDEX: Final = {code: n for n, code in enumerate(CLASSES)}
