"""Standing tiles of which only the back's half of the top was found: of a set with thick backs both halves look like something,
and the detector may miss the white one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import Layout, Zone, to_seat
from table_engine.wire.seats import Seat
from vision.detect import Found
from vision.labels import BACK_UP, TOP
from vision.zones import spot_at

_PAIRS = 3
"""So many tiles of a row must show both halves before one half tells of a tile."""
_ACROSS, _LINE = 0.5, 0.3
"""Shares of a tile's width and depth within which two halves are one tile's and a row is straight."""
LARGEST_HALF = 0.62
"""Area over that of a face lying on the felt: a larger back is one that lies."""


def completed(found: Found, places: NDArray[np.float64], size: NDArray[np.floating], layout: Layout) -> Found:
    """`found` with what is the half of a standing tile as that tile's top. `places` (n, 2) mm and `size` (n,) of each."""
    half = (found.what == BACK_UP) & (size < LARGEST_HALF)
    if half.sum() <= _PAIRS:  # that many pairs and one that has no mate
        return found
    rows: defaultdict[Seat, list[int]] = defaultdict(list)
    for n in np.nonzero(half | (found.what == TOP))[0]:
        spot = spot_at(layout, float(places[n, 0]), float(places[n, 1]))
        if spot is not None and spot[1] == Zone.RACK:
            rows[spot[0]].append(int(n))
    what, corners = found.what.copy(), found.corners.copy()
    for seat, row in rows.items():
        at = {n: np.array(to_seat(seat, *places[n])) for n in row}
        tops = [n for n in row if found.what[n] == TOP]
        halves = [n for n in row if half[n]]
        mates = {h: next((t for t in tops if _one(at[h], at[t], layout)), None) for h in halves}
        pairs = [(h, t) for h, t in mates.items() if t is not None]
        if len(pairs) < _PAIRS:
            continue
        line = np.median([at[t][1] for t in tops])
        step = np.median([at[t] - at[h] for h, t in pairs], axis=0)
        move = np.median([corners[t].mean(axis=0) - corners[h].mean(axis=0) for h, t in pairs], axis=0)
        for alone in (h for h, t in mates.items() if t is None):
            if abs((at[alone] + step)[1] - line) < _LINE * layout.tile.depth:
                what[alone] = TOP
                corners[alone] += move.astype(np.float32)
    return replace(found, what=what, corners=corners)


def _one(half: NDArray[np.float64], top: NDArray[np.float64], layout: Layout) -> bool:
    apart = np.abs(half - top)
    return bool(apart[0] < _ACROSS * layout.tile.width and apart[1] < layout.tile.depth)
