"""Walls: how high each stack is, from where the top faces seem to lie and how high they look.

Seen from one camera the upper layer appears further from the point below the camera than the lower one, and the detector says
how high a quad looks. On the side along which a tilted camera looks the place tells little and the look decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import Layout, to_seat
from table_engine.wire.observations import TileSeen, WallSeen
from table_engine.wire.seats import Seat
from vision.calibrate import Calibration
from vision.labels import FACE, TOP
from vision.sighting import Sighting, seen_by

_PLACE_MM = 1.2
"""Spread of the places at which tiles of a wall are found, at tile width 26."""
_LOOK = 0.45
"""Spread of the levels the detector judges."""
_CLEARLY = 0.7
_CLEARLY_OPEN = 0.95
"""How high faces look was learned on the cloth, hardly on walls."""
_FAR = 16.0
"""A tile further off than this (squared, in spreads) is off for another reason than its height."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """Stacks and heights that fit sightings best, (n,) each, and how clearly."""

    index: NDArray[np.int64]
    height: NDArray[np.int64]
    gap: NDArray[np.float64]
    """(n, 2) mm off the place in u and v."""
    margin: NDArray[np.float64]


def wall(calibration: Calibration, seat: Seat, sightings: Iterable[Sighting], frame: int) -> WallSeen:
    """Heights of every stack of a side, from its player's right, and the faces that lie up in it."""
    layout = calibration.layout
    seen = [s for s in sightings if s.what != TOP]
    heights = [0] * layout.stacks
    if not seen:
        return WallSeen(seat=seat, heights=tuple(heights), frame=frame)
    judged = _judged(calibration, seat, seen, np.zeros(2))
    if len(seen) >= 4:  # the whole side may stand a little off its line
        judged = _judged(calibration, seat, seen, np.median(judged.gap, axis=0))
    opened: list[TileSeen] = []
    for n, sighting in enumerate(seen):
        index = int(judged.index[n])
        heights[index] = max(heights[index], int(judged.height[n]))
        if sighting.what == FACE:
            opened.append(seen_by(sighting, seat, group=index))
    _lean_on_neighbours(heights, judged)
    unsure = [n for n, s in enumerate(seen) if s.what == FACE and judged.margin[n] < _CLEARLY_OPEN]
    _open_as_neighbours(heights, {int(judged.index[n]) for n in unsure})
    opened.sort(key=lambda t: t.group)
    sure = min(float(judged.margin.min()), *(s.score for s in seen))
    return WallSeen(seat=seat, heights=tuple(heights), open=tuple(opened), confidence=round(sure, 3), frame=frame)


def _lean_on_neighbours(heights: list[int], judged: _Judged) -> None:
    """An unclear stack between two clear ones of one height has that height."""
    clear = dict.fromkeys(judged.index[judged.margin >= _CLEARLY].tolist(), True)
    for index in judged.index[judged.margin < _CLEARLY].tolist():
        beside = {heights[n] for n in (index - 1, index + 1) if clear.get(n)}
        if len(beside) == 1 and clear.get(index - 1) and clear.get(index + 1):
            heights[index] = beside.pop()


def _open_as_neighbours(heights: list[int], opened: set[int]) -> None:
    """A tile is turned up where it lies: its stack stays as high as the stacks beside it, where those agree."""
    for index in opened:
        beside = {heights[n] for n in (index - 1, index + 1) if 0 <= n < len(heights) and n not in opened} - {0}
        if len(beside) == 1:
            heights[index] = beside.pop()


def in_place(
    calibration: Calibration, seat: Seat, seen: Sequence[Sighting], stacks: Sequence[int]
) -> NDArray[np.float64]:
    """How far (squared, in spreads, at most 16) sightings lie from where a stack of either height has its top, if a side has one
    of these numbers of stacks. (n,)"""
    options = [replace(calibration, layout=replace(calibration.layout, stacks=n)) for n in stacks]
    offs = [_fit(one, seat, seen, height, np.zeros(2))[2] for one in options for height in (1, 2)]
    return np.asarray(np.min(offs, axis=0), np.float64)


def _judged(calibration: Calibration, seat: Seat, seen: Sequence[Sighting], shift: NDArray[np.float64]) -> _Judged:
    level = np.array([s.level for s in seen])
    indices, gaps, costs = [], [], []
    for height in (1, 2):
        index, gap, off = _fit(calibration, seat, seen, height, shift)
        indices.append(index)
        gaps.append(gap)
        costs.append(off + ((level - height) / _LOOK) ** 2)
    upper = costs[1] < costs[0]
    margin = 1 / (1 + np.exp(-np.abs(costs[1] - costs[0]) / 2))
    return _Judged(
        np.where(upper, indices[1], indices[0]),
        np.where(upper, 2, 1),
        np.where(upper[:, None], gaps[1], gaps[0]),
        margin,
    )


def _fit(
    calibration: Calibration, seat: Seat, seen: Sequence[Sighting], height: int, shift: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """If sightings are tops of stacks of this height: which stacks (n,), how far off in u and v (n, 2) mm, and squared in spreads (n,)."""
    layout = calibration.layout
    places = lowered(calibration, seat, seen, height)
    stack = np.rint(layout.stacks / 2 - 0.5 - (places[:, 0] - shift[0]) / layout.tile.width)
    index = np.clip(stack, 0, layout.stacks - 1).astype(np.int64)
    line = np.column_stack([(layout.stacks / 2 - 0.5 - index) * layout.tile.width, np.full(len(seen), layout.wall_v)])
    gap = places - line
    off = np.minimum((((gap - shift) / (_PLACE_MM * layout.scale)) ** 2).sum(axis=1), _FAR)
    return index, gap, off


def lowered(calibration: Calibration, seat: Seat, seen: Sequence[Sighting], height: int) -> NDArray[np.float64]:
    """Where sightings lie (n, 2: u, v mm) if they are the tops of stacks of this height."""
    points = calibration.scale(np.array([[s.x, s.y] for s in seen]))
    places = calibration.to_metric(points, calibration.layout.tile.depth * height)
    return np.column_stack(to_seat(seat, places[:, 0], places[:, 1]))  # type: ignore[arg-type]  # works on arrays alike


def stacks_seen(layout: Layout, us: Sequence[float]) -> int | None:
    """17 or 18 stacks a side, from how stacks lie about the middle: whole tile widths away, or half ones. None: unclear.

    `us` are the places along the line of stacks.
    """
    if len(us) < _ENOUGH:
        return None
    turn = complex(np.exp(2j * np.pi * np.array(us) / layout.tile.width).mean())
    if abs(turn) < _CLEAR:
        return None
    return 17 if turn.real > 0 else 18


_ENOUGH = 8
_CLEAR = 0.6
