"""Tells flowers apart: name and number stand in corners, too small for the reader, so a flower is looked at again more closely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import FLOWERS
from vision.crop import cut
from vision.labels import INDEX
from vision.net import Net, softmax

SIZE = 96
TURNED, OTHER = len(FLOWERS), len(FLOWERS) + 1
"""The net's classes of a flower that does not stand upright, and of what is no flower."""
COLUMNS = [INDEX[code] for code in FLOWERS]
"""Where flowers stand among the reader's classes."""

_TEMPERATURE = 0.7
"""Scores are divided by it, so that confidence means share right on kept-apart pictures."""


class Flowers:
    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Raises SettingsError when the net cannot be loaded."""
        self._net = Net("flower", threads=threads, folder=folder)

    def named(
        self, image: NDArray[np.uint8], corners: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """How likely what lies at corners (n, 4, 2) px of the picture (h, w, 3) BGR, clockwise from any corner, are flowers (n,),
        and if they are, shares of the eight (n, 8) and of every quarter turn (n, 4)."""
        crops = np.concatenate([cut(image, np.roll(corners, -turn, axis=1), SIZE) for turn in range(4)])
        (scores,) = self._net(crops)
        shares = softmax(scores, _TEMPERATURE).reshape(4, len(corners), OTHER + 1)
        upright = shares[..., :TURNED]
        total = np.maximum(upright.sum(axis=(0, 2)), 1e-6)[:, None]
        names, turns = upright.sum(axis=0) / total, upright.sum(axis=2).T / total
        return 1 - shares[..., OTHER].mean(axis=0), names.astype(np.float32), turns.astype(np.float32)
