"""Walls: how high each stack is, from where the top faces seem to lie.

Seen from one camera the upper layer appears further from the point below the camera than the lower one. A side stands a
little off its line as a whole, and its stacks tell by how much; what is left is half a millimetre. The height a quad looks
to have is the detector's guess and weighs little: beside stacks of two it takes a single tile for two.
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
_ALIGNED_MM = 0.7
"""The same once it is known how far the whole side stands off its line."""
_LOOK, _FEW, _BESIDE = 0.45, 0.9, 1.2
"""Spread of the levels the detector judges: whether a whole side is high or low, of a few tiles alone, and of each once the
place of its side is known: the detector takes a single tile beside stacks of two for two."""
_ODD_ONE = 2.0
_CLEARLY = 0.7
_CLEARLY_OPEN = 0.95
"""How high faces look was learned on the cloth, hardly on walls."""
_FAR = 16.0
"""A tile further off than this (squared, in spreads) is off for another reason than its height."""
_STAYS_MM, _STAYS_MOST = (1.0, 0.5), 6.0
"""Spread along a side and across it of where a stack is found twice, at tile width 26, and the most that weighs."""
_GROWN = 3.0
"""What it costs a stack to be higher than before: walls are eaten."""
_TAKEN, _FEW_LOOKED_AT = 3.0, 4
"""What it costs the end of a side to be as high as before, when the picture has changed there and no stack is gone, and any
other stack to be lower: hands take one tile at a time. Only where so few stacks were looked at anew."""
_STOOD = 0.7
"""Share of the score that a top must have where a stack stood before."""
_CHANGED_PX = 3
"""So many pixels of the small picture have to differ on a stack."""
_ENOUGH_SEEN = 4
_FAINT, _PER_OFF, _MOST, _FAINT_ALONE = 0.5, 0.07, 0.85, 0.4
"""A top is believed from this share of the side's usual score on, and so much more for each squared spread it is off: the
end of a side shows a flank that looks like one more tile. What is left of a side when few are must have so much."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """Stacks and heights that fit sightings best, (n,) each, and how clearly."""

    index: NDArray[np.int64]
    height: NDArray[np.int64]
    gap: NDArray[np.float64]
    """(n, 2) mm off the place in u and v."""
    off: NDArray[np.float64]
    """(n,) the same squared, in spreads, shift and what hides it taken off."""
    margin: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Before:
    """A side as it was read last."""

    seen: tuple[Sighting, ...]
    heights: tuple[int, ...]


def wall(
    calibration: Calibration,
    seat: Seat,
    sightings: Iterable[Sighting],
    frame: int,
    before: Before | None = None,
    changed: NDArray[np.float32] | None = None,
) -> WallSeen:
    """Heights of every stack of a side, from its player's right, and the faces that lie up in it. `changed`: where hands changed
    the picture since `before`, (n, 2) mm."""
    layout = calibration.layout
    seen = [s for s in sightings if s.what != TOP]
    heights = [0] * layout.stacks
    if not seen:
        return WallSeen(seat=seat, heights=tuple(heights), frame=frame)
    seen, judged = _settled(calibration, seat, seen, before, changed)
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
    sure = min([*judged.margin.tolist(), *(s.score for s in seen)], default=0.0)
    return WallSeen(seat=seat, heights=tuple(heights), open=tuple(opened), confidence=round(sure, 3), frame=frame)


def _settled(
    calibration: Calibration,
    seat: Seat,
    seen: list[Sighting],
    before: Before | None,
    changed: NDArray[np.float32] | None,
) -> tuple[list[Sighting], _Judged]:
    """The sightings that are tops of stacks, and of which."""
    moved, stood = _moved(calibration, seat, seen, before, changed)
    if len(seen) < _ENOUGH_SEEN:
        judged = _judged(calibration, seat, seen, np.zeros(2), _FEW, moved)
        floors = np.full(len(seen), _FAINT_ALONE)
    else:
        judged = _judged(calibration, seat, seen, np.zeros(2), _LOOK, moved)
        for _ in range(2):
            judged = _judged(calibration, seat, seen, np.median(judged.gap, axis=0), _BESIDE, moved, judged)
        floors = np.minimum(_FAINT * float(np.median([s.score for s in seen])) + _PER_OFF * judged.off, _MOST)
    floors = np.where(stood, _STOOD * floors, floors)
    tops = [n for n, s in enumerate(seen) if s.what == FACE or s.score >= floors[n]]  # a flank shows no face
    kept = [seen[n] for n in tops]
    return kept, _Judged(
        judged.index[tops], judged.height[tops], judged.gap[tops], judged.off[tops], judged.margin[tops]
    )


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


def _judged(
    calibration: Calibration,
    seat: Seat,
    seen: Sequence[Sighting],
    shift: NDArray[np.float64],
    look: float,
    moved: NDArray[np.float64],
    first: _Judged | None = None,
) -> _Judged:
    """`moved`: what each height costs by what was there before (n, 2); `first`: what a first look took them for, when `shift`
    is that of the whole side."""
    level = np.array([s.level for s in seen])
    fits = [
        _fit(calibration, seat, seen, height, shift, near=_PLACE_MM if first is None else _ALIGNED_MM)
        for height in (1, 2)
    ]
    if first is not None:
        fits[0] = _peeping(calibration, seat, seen, fits[0], shift, first)
    costs = [
        off + ((level - height) / look) ** 2 + moved[:, height - 1]
        for height, (_, _, off) in zip((1, 2), fits, strict=True)
    ]
    if first is not None:
        costs = [cost + _odd(first, height) for height, cost in zip((1, 2), costs, strict=True)]
    upper = costs[1] < costs[0]
    index, gap, off = (np.where(upper if k != 1 else upper[:, None], fits[1][k], fits[0][k]) for k in range(3))
    margin = 1 / (1 + np.exp(-np.abs(costs[1] - costs[0]) / 2))
    return _Judged(index, np.where(upper, 2, 1), gap, off, margin)


def _moved(
    calibration: Calibration,
    seat: Seat,
    seen: Sequence[Sighting],
    before: Before | None,
    changed: NDArray[np.float32] | None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What it costs sightings to be tops of height 1 and of height 2 (n, 2), by the stacks that stood there before: one that
    lost its upper tile looks shifted against the others, whatever the camera's own error, and one that lost none does not.
    And of which of them a stack stood there (n,)."""
    costs, stood = np.zeros((len(seen), 2)), np.zeros(len(seen), np.bool_)
    tops = [s for s in before.seen if s.what != TOP] if before is not None else []
    if before is None or not tops or not len(seen):
        return costs, stood
    layout = calibration.layout
    now, then = ([lowered(calibration, seat, some, height) for height in (1, 2)] for some in (seen, tops))
    stacks = _stacks_at(layout, then[1][:, 0]).astype(int).tolist()
    stayed: dict[int, tuple[int, int]] = {}
    for n in range(len(seen)):
        far = np.hypot(*(then[0] - now[0][n]).T)
        near = int(far.argmin())
        was = before.heights[stacks[near]] if 0 <= stacks[near] < len(before.heights) else 0
        if was and far[near] < layout.tile.width / 2:
            stayed[near] = (n, was)
            stood[n] = True
    gaps = [now[was - 1][n] - then[was - 1][near] for near, (n, was) in stayed.items()]
    pushed = np.median(gaps, axis=0) if len(gaps) >= _ENOUGH_SEEN else np.zeros(2)
    anew = [near for near, (n, _) in stayed.items() if seen[n] is not tops[near]]
    grows = _GROWN if len(anew) <= _FEW_LOOKED_AT else 0.0  # else it is being built
    for near, (n, was) in stayed.items():
        for height in (1, 2):
            gap = (now[height - 1][n] - then[was - 1][near] - pushed) / (np.array(_STAYS_MM) * layout.scale)
            costs[n, height - 1] = min(float(gap @ gap), _STAYS_MOST) + grows * (height > was)
    gone = len(stayed) < len(tops)
    if changed is None or len(anew) > _FEW_LOOKED_AT:
        return costs, stood
    for near in anew:
        n, was = stayed[near]
        end = not {stacks[near] - 1, stacks[near] + 1} <= set(stacks)
        here = np.hypot(*(changed - (seen[n].x, seen[n].y)).T) < layout.tile.length / 2
        if was > 1 and here.sum() >= _CHANGED_PX:
            costs[n] += (0.0, _TAKEN) if end and not gone else (_TAKEN, 0.0)
    return costs, stood


def _odd(first: _Judged, height: int) -> NDArray[np.float64]:
    """What it costs a stack to be of this height by those beside it: sides are eaten from their ends, so one tile between two
    stacks of which one is high is odd, and so is a high stack between single tiles. (n,)"""
    high, low = (set(first.index[first.height == h].tolist()) for h in (2, 1))
    odd = []
    for index in first.index.tolist():
        beside = {index - 1, index + 1}
        odd.append(beside <= low if height == 2 else beside <= high | low and not beside.isdisjoint(high))
    return np.where(odd, _ODD_ONE, 0.0)


_Fit = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def _peeping(
    calibration: Calibration,
    seat: Seat,
    seen: Sequence[Sighting],
    low: _Fit,
    shift: NDArray[np.float64],
    first: _Judged,
) -> _Fit:
    """The fit of single tiles, which a higher stack beside them hides on the side of the camera: what is left to see of them
    lies up to half of what is hidden further off."""
    index, gap, _ = low
    layout = calibration.layout
    # How much of the lower layer the upper one hides, along u, away from the camera.
    hides = lowered(calibration, seat, seen, 1)[:, 0] - lowered(calibration, seat, seen, 2)[:, 0]
    high = set(first.index[first.height == 2].tolist())
    rest = gap - shift
    for n in range(len(seen)):
        towards = int(index[n]) + (1 if hides[n] > 0 else -1)  # stacks count from the right, against u
        if towards in high:
            half = float(hides[n]) / 2
            rest[n, 0] -= min(max(float(rest[n, 0]), min(half, 0.0)), max(half, 0.0))
    return index, gap, _squared(rest, _ALIGNED_MM * layout.scale)


def _squared(gap: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    return np.asarray(np.minimum(((gap / spread) ** 2).sum(axis=1), _FAR), np.float64)


def _fit(
    calibration: Calibration,
    seat: Seat,
    seen: Sequence[Sighting],
    height: int,
    shift: NDArray[np.float64],
    near: float = _PLACE_MM,
) -> _Fit:
    """If sightings are tops of stacks of this height: which stacks (n,), how far off in u and v (n, 2) mm, and squared in
    spreads of `near` mm, at tile width 26 (n,)."""
    layout = calibration.layout
    places = lowered(calibration, seat, seen, height)
    index = np.clip(_stacks_at(layout, places[:, 0] - shift[0]), 0, layout.stacks - 1).astype(np.int64)
    us = np.asarray(layout.wall_u(index))  # type: ignore[arg-type]  # works on arrays alike
    line = np.column_stack([us, np.full(len(seen), layout.wall_v)])
    gap = places - line
    return index, gap, _squared(gap - shift, near * layout.scale)


def lowered(calibration: Calibration, seat: Seat, seen: Sequence[Sighting], height: int) -> NDArray[np.float64]:
    """Where sightings lie (n, 2: u, v mm) if they are the tops of stacks of this height."""
    points = calibration.scale(np.array([[s.x, s.y] for s in seen], np.float64).reshape(-1, 2))
    places = calibration.to_metric(points, calibration.layout.tile.depth * height)
    return np.column_stack(to_seat(seat, places[:, 0], places[:, 1]))  # type: ignore[arg-type]  # works on arrays alike


def _stacks_at(layout: Layout, us: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole numbers of the stacks nearest to some u, mm: `Layout.wall_u` turned round. Beyond a side's ends they count on. (n,)"""
    return np.asarray(np.rint(layout.stacks / 2 - 0.5 - us / layout.tile.width))


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
