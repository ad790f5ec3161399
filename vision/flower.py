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
_TEMPERATURE = 0.85
"""Scores are divided by it, so that the confidence of what is read in the end means share right on painted sets kept apart."""
_PLAINLY = 0.8
"""Where less speaks for an upright flower the other three turns are looked at too."""
_LEAST = 1e-6


class Flowers:
    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Raises SettingsError when the net cannot be loaded."""
        self._net = Net("flower", threads=threads, folder=folder)

    def named(
        self,
        image: NDArray[np.uint8],
        corners: NDArray[np.float32],
        turns: NDArray[np.int64],
        doubted: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """How likely what lies at corners (n, 4, 2) px of the picture (h, w, 3) BGR, clockwise from any corner, are flowers (n,),
        and if they are, shares of the eight (n, 8) and of every quarter turn (n, 4). `turns` (n,): by how many each is likely turned
        clockwise; others are looked at where it is then no plain upright flower, and where it is `doubted` (n,) to be one."""
        rows = np.arange(len(corners))
        shares = self._shares(image, corners, turns)
        upright = np.zeros((len(corners), 4, TURNED), np.float32)
        upright[rows, turns] = shares[:, :TURNED]
        other = shares[:, OTHER].copy()
        again = np.nonzero(doubted | (shares[:, :TURNED].sum(axis=1) < _PLAINLY))[0]
        for more in (1, 2, 3) if len(again) else ():
            way = (turns[again] + more) % 4
            shares = self._shares(image, corners[again], way)
            upright[again, way] = shares[:, :TURNED]
            other[again] += shares[:, OTHER]
        other[again] /= 4
        upright = np.maximum(upright, _LEAST)
        total = upright.sum(axis=(1, 2))[:, None]
        return 1 - other, upright.sum(axis=1) / total, upright.sum(axis=2) / total

    def _shares(
        self, image: NDArray[np.uint8], corners: NDArray[np.float32], turns: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Of the net's classes (n, 10), each quad turned back by so many quarters."""
        back = np.stack([np.roll(quad, -turn, axis=0) for quad, turn in zip(corners, turns, strict=True)])
        (scores,) = self._net.of_many(cut(image, back, SIZE))
        return softmax(scores, _TEMPERATURE)
