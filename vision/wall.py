"""Walls: how high each stack is, from where the top faces seem to lie and how high they look.

Seen from one camera the upper layer appears further from the point below the camera and a little larger than the lower one,
and the detector says how high a quad looks. Near the point below the camera, or on the side a tilted camera looks along, the
place tells little and the look decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from table_engine.wire.layout import Layout, to_seat
from table_engine.wire.observations import TileSeen, WallSeen
from table_engine.wire.seats import Seat
from vision.calibrate import Calibration
from vision.labels import FACE, TOP
from vision.sighting import Sighting, seen_by

_PLACE_MM = 1.2
"""Spread of the places at which tiles of a wall are found, at tile width 26."""
_LOOK = 0.3
"""Spread of the levels the detector judges."""


@dataclass(frozen=True, slots=True)
class _Stack:
    sighting: Sighting
    index: int
    height: int
    gap: tuple[float, float]
    margin: float


def wall(calibration: Calibration, seat: Seat, sightings: Iterable[Sighting], frame: int) -> WallSeen:
    """Heights of every stack of a side, from its player's right, and the faces that lie up in it."""
    layout = calibration.layout
    seen = [s for s in sightings if s.what != TOP]
    shift = (0.0, 0.0)
    stacks = [_judged(calibration, seat, s, shift) for s in seen]
    if len(stacks) >= 4:  # the whole side may stand a little off its line
        shift = (median(s.gap[0] for s in stacks), median(s.gap[1] for s in stacks))
        stacks = [_judged(calibration, seat, s, shift) for s in seen]
    heights = [0] * layout.stacks
    sure = 1.0
    opened: list[TileSeen] = []
    for stack in stacks:
        heights[stack.index] = max(heights[stack.index], stack.height)
        sure = min(sure, stack.margin, stack.sighting.score)
        if stack.sighting.what == FACE:
            opened.append(seen_by(stack.sighting, seat, group=stack.index))
    opened.sort(key=lambda t: t.group)
    return WallSeen(seat=seat, heights=tuple(heights), open=tuple(opened), confidence=round(sure, 3), frame=frame)


def _judged(calibration: Calibration, seat: Seat, sighting: Sighting, shift: tuple[float, float]) -> _Stack:
    """The stack and height that fit a sighting best."""
    layout = calibration.layout
    options = []
    for height in (1, 2):
        u, v = lowered(calibration, seat, sighting, height)
        index = min(layout.stacks - 1, max(0, round(layout.stacks / 2 - 0.5 - (u - shift[0]) / layout.tile.width)))
        gap = (u - layout.wall_u(index), v - layout.wall_v)
        spread = _PLACE_MM * layout.scale
        off = min(((gap[0] - shift[0]) ** 2 + (gap[1] - shift[1]) ** 2) / spread**2, 16.0)
        look = ((sighting.level - height) / _LOOK) ** 2
        options.append((off + look, index, height, gap))
    options.sort()
    best, other = options
    margin = 1 / (1 + float(np.exp(-(other[0] - best[0]) / 2)))
    return _Stack(sighting, best[1], best[2], best[3], margin)


def lowered(calibration: Calibration, seat: Seat, sighting: Sighting, height: int) -> tuple[float, float]:
    """Where (u, v) a sighting lies if it is the top of a stack of this height."""
    depth = calibration.layout.tile.depth
    point = calibration.scale(np.array([[sighting.x, sighting.y]]))
    x, y = calibration.to_metric(point, depth * height)[0]
    return to_seat(seat, float(x), float(y))


def stacks_seen(layout: Layout, us: Iterable[float]) -> int | None:
    """17 or 18 stacks a side, from how the stacks lie about the middle: whole tile widths away, or half ones. None: unclear.

    `us` are the places along the line of six or more stacks.
    """
    phases = np.array([u / layout.tile.width for u in us])
    if len(phases) < 6:
        return None
    turn = np.exp(2j * np.pi * phases).mean()
    if abs(turn) < 0.6:
        return None
    return 17 if abs(np.angle(turn)) < np.pi / 2 else 18
