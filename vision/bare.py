"""How the table looks without tiles: what looks the same there now is no tile, whatever a net says.

Seams, lamps, prints and stains are learned zone by zone whenever a zone is read as empty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.calibrate import Calibration
from vision.frame import SHRINK
from vision.sighting import Sighting

_SAME = 8.0
"""Median difference of the most differing channel, levels, below which a place looks as it did empty."""
_DARK, _ASKED = 12, 4_000
"""So many pixels brighter than that tell how the light has changed."""
_RATIOS = np.exp(np.arange(-2.5, 2.5, 0.02))
"""By how much brighter the light may have become, in steps."""
_BESIDE, _AGREED = 2, 0.2
"""Steps by which noise spreads what is one ratio, and what share of the pixels has to agree on it."""
_BARE = 5.0
"""As `_SAME`, of one pixel: a sleeve may have nearly the cloth's grey."""


class BareTable:
    """A small picture of the table without tiles, in colour (a back may have the cloth's grey), as far as it has been seen so."""

    def __init__(self, calibration: Calibration, shape: tuple[int, ...]) -> None:
        self._calibration = calibration
        self._picture = np.zeros((*shape, 3), np.uint8)
        self._known = np.zeros(shape, np.bool_)
        self._asked = np.zeros(0, np.int64)
        self._lit: tuple[NDArray[np.uint8], float] | None = None
        """The last small picture that was asked about, and how much brighter it is."""

    def learn(self, mask: NDArray[np.bool_], coarse: NDArray[np.uint8]) -> None:
        """The marked part (h, w) of this small picture (h, w, 3) shows no tile."""
        self._picture[mask] = coarse[mask]
        self._known |= mask
        bright = np.flatnonzero(self._known & (self._picture[..., 1] > _DARK))
        self._asked = bright[:: max(1, len(bright) // _ASKED)]
        self._lit = None

    def shows(self, sighting: Sighting, coarse: NDArray[np.uint8]) -> bool:
        """Whether the place of a sighting looks in this small picture (h, w, 3) as it does without a tile."""
        tile = self._calibration.layout.tile
        centre = self._calibration.project(np.array([[sighting.x, sighting.y, tile.depth]]))[0] / SHRINK
        edge = self._calibration.project(np.array([[sighting.x + tile.width / 2, sighting.y, tile.depth]]))[0] / SHRINK
        reach = max(1, round(0.8 * float(np.hypot(*(edge - centre)))))
        column, row = (round(float(v)) for v in centre)
        part = np.s_[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
        known = self._known[part]
        if known.size == 0 or not known.all():
            return False
        return float(np.median(self._gap(part, coarse))) < _SAME

    def here(self, mask: NDArray[np.bool_], coarse: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which of the marked pixels (h, w) look as they do without a tile or anything else: (marked,)."""
        return np.asarray(self._known[mask] & (self._gap(mask, coarse) < _BARE))

    def _gap(self, part: NDArray[np.bool_] | tuple[slice, slice], coarse: NDArray[np.uint8]) -> NDArray[np.float32]:
        """How far the most differing channel is from the bare table's in today's light, levels."""
        if self._lit is None or self._lit[0] is not coarse:
            self._lit = coarse, self._light(coarse)
        gap = np.abs(coarse[part] - self._picture[part].astype(np.float32) * self._lit[1])
        return np.asarray(gap.max(axis=-1), np.float32)

    def _light(self, coarse: NDArray[np.uint8]) -> float:
        """How much brighter it is than when the bare table was seen: what most pixels agree on. Tiles agree on nothing."""
        now, then = (picture.reshape(-1, 3)[self._asked, 1].astype(np.float64) for picture in (coarse, self._picture))
        ratios = now / np.maximum(then, 1)
        if not len(ratios):
            return 1.0
        found, _ = np.histogram(ratios, _RATIOS)
        agreed = np.convolve(found, np.ones(2 * _BESIDE + 1), "same")
        best = int(agreed.argmax())
        if agreed[best] < _AGREED * len(ratios):
            return float(np.median(ratios))
        low, high = max(best - _BESIDE, 0), min(best + _BESIDE + 1, len(_RATIOS) - 1)
        return float(np.median(ratios[(ratios >= _RATIOS[low]) & (ratios <= _RATIOS[high])]))
