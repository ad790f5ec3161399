"""Reads faces: which tile, how sure, what else it might be, and which way up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import BACK, FLOWERS, UNKNOWN, Tile
from vision.crop import cut
from vision.flower import COLUMNS, Flowers
from vision.labels import CLASSES, NONE
from vision.net import Net, softmax
from vision.profile import Profile, back_colour, by_back

SURE = 0.55
"""Below this confidence a face is seen but not read."""
_DOUBT = 0.92
"""Below this a face is looked at from four sides instead of one."""
_FLOWER = 0.1
"""A face that may be a flower so surely is looked at more closely."""
_FLOWER_FOR_SURE = 0.9
"""One of which the reader is so sure is looked at once, others in all four turns."""
_MOST, _LEAST, _WITNESS = 1 - 1e-4, 1e-4, (0.02, 0.98)
"""Nothing is believed for certain: by the reader, of a flower's names, by the closer look."""
_OWN_WORD = 0.2
"""What the reader's own word on which flower it is counts beside the closer look's (fitted on painted sets)."""
_TEMPERATURE = 0.8
"""Scores are divided by it: fitted on kept-apart pictures so that confidence means share right (see models/README.md)."""
_RANKED = 4
_FACES = [n for n, code in enumerate(CLASSES) if code not in (BACK, NONE)]


@dataclass(frozen=True, slots=True)
class Reading:
    """One crop read. `code` is `?` when nothing is sure enough; `labels.NONE` when the crop shows no tile."""

    code: Tile
    confidence: float
    candidates: tuple[tuple[Tile, float], ...]
    """Best first, the best included; faces only."""
    turn: int
    """Quarter turns clockwise by which the face is rotated in the crop: upright corners are `np.roll(corners, -turn, 0)`."""
    turn_confidence: float


class Reader:
    def __init__(self, *, threads: int = 1, folder: Path | None = None, sets: Sequence[Profile] = ()) -> None:
        """`folder`: of other nets than ours. `sets`: enrolled tile sets that may lie on the table; the first is believed to until
        the backs say otherwise. Raises SettingsError when the net cannot be loaded."""
        self._net = Net("reader", threads=threads, folder=folder)
        self._flowers = Flowers(threads=threads, folder=folder)
        self.sets = tuple(sets)
        self.profile = self.sets[0] if self.sets else None
        """The tile set that is read now; None: any."""

    def recognise(self, image: NDArray[np.uint8], backs: NDArray[np.float32]) -> None:
        """Takes, of several enrolled sets, the one whose backs these are: quads (n, 4, 2) px of the picture (h, w, 3) BGR."""
        if len(self.sets) > 1 and (colour := back_colour(cut(image, backs))) is not None:
            self.profile = by_back(self.sets, colour) or self.profile

    def read(self, image: NDArray[np.uint8], corners: NDArray[np.float32], *, sure: float = SURE) -> list[Reading]:
        """One reading for each quad, corners (n, 4, 2) in pixels of the picture (h, w, 3) BGR, clockwise from any corner."""
        if not len(corners):
            return []
        kinds, turns = self._scores(cut(image, corners))
        doubtful = np.nonzero(kinds.max(axis=1) < _DOUBT)[0]
        if len(doubtful):
            for k in (1, 2, 3):
                more, way = self._scores(cut(image, np.roll(corners[doubtful], k, axis=1)))
                kinds[doubtful] += more
                turns[doubtful] += np.roll(way, -k, axis=1)
            kinds[doubtful] /= 4
            turns[doubtful] /= 4
        kinds, turns = self.flowers_named(image, corners, kinds, turns)
        return _readings(kinds, turns, sure)

    def flowers_named(
        self,
        image: NDArray[np.uint8],
        corners: NDArray[np.float32],
        kinds: NDArray[np.float32],
        turns: NDArray[np.float32],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Shares of every class (n, classes) and of every quarter turn (n, 4) as they are given, but that a closer look tells of
        what may be a flower among the quads (n, 4, 2) px of the picture (h, w, 3) BGR whether it is one rather than another face,
        which one, and its turn. A flower that looks like an enrolled one is told by its example already."""
        own = kinds[:, COLUMNS]
        flower = own.sum(axis=1)
        asked = np.nonzero((flower > _FLOWER) & ~self._enrolled(own.argmax(axis=1)))[0]
        if not len(asked):
            return kinds, turns
        face = kinds[asked][:, _FACES].sum(axis=1)
        before = np.clip(flower[asked] / face, 0.0, _MOST)
        guess, doubted = turns[asked].argmax(axis=1), before < _FLOWER_FOR_SURE
        likely, names, ways = self._flowers.named(image, corners[asked], guess, doubted)
        likely = np.clip(likely, *_WITNESS)
        after = before * likely / (before * likely + (1 - before) * (1 - likely))
        names *= np.maximum(own[asked] / flower[asked, None], _LEAST) ** _OWN_WORD
        names /= names.sum(axis=1, keepdims=True)
        kinds, turns = kinds.copy(), turns.copy()
        kinds[asked[:, None], _FACES] *= ((1 - after) / (1 - before))[:, None]
        kinds[asked[:, None], COLUMNS] = (face * after)[:, None] * names
        turns[asked] = np.where(after[:, None] > 0.5, ways, turns[asked])
        return kinds, turns

    def _enrolled(self, flowers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these, numbered as `FLOWERS` has them, the set that is read has examples of. (n,)"""
        known = self.profile.codes if self.profile is not None else ()
        return np.array([code in known for code in FLOWERS], np.bool_)[flowers]

    def shares(self, image: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.float32]:
        """Shares of every class for each quad as one look gives them, (n, classes): quick, less exact than `read`."""
        if not len(corners):
            return np.zeros((0, len(CLASSES)), np.float32)
        return self._scores(cut(image, corners))[0]

    def embed(self, crops: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Crops (n, 64, 64, 3) → what the net alone says: shares of every class (n, classes) and of every quarter turn
        (n, 4), and unit embeddings (n, 128)."""
        kinds, turns, units = self._net.of_many(crops)
        return softmax(kinds, _TEMPERATURE), softmax(turns), units

    def _scores(self, crops: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Shares of every class (n, classes) and of every quarter turn (n, 4), of the set that is read."""
        kinds, turns, units = self.embed(crops)
        return self.profile.fused(kinds, units) if self.profile is not None else (kinds, turns)


def _readings(kinds: NDArray[np.float32], turns: NDArray[np.float32], sure: float) -> list[Reading]:
    orders = np.argsort(-kinds, axis=1)[:, : _RANKED + 2]
    best = np.take_along_axis(kinds, orders, axis=1).tolist()
    ways, out = turns.argmax(axis=1).tolist(), []
    for order, shares, way, turn in zip(orders.tolist(), best, ways, turns.max(axis=1).tolist(), strict=True):
        first, confidence = CLASSES[order[0]], shares[0]
        named = [(CLASSES[n], round(share, 4)) for n, share in zip(order, shares, strict=True)]
        ranked = tuple(one for one in named if one[0] not in (NONE, BACK))[:_RANKED]
        code = first if confidence >= sure or first == NONE else UNKNOWN
        out.append(Reading(code, min(confidence, 1.0), ranked, way, turn))
    return out
