"""Watches one seat's standing hand through a camera that sees its faces: frames in, the hand's tiles out.

Nothing is calibrated: the row is found by its line. A hand is told once two looks in a row agree on it; pictures in which
something moves are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.observations import HandFaces, Health, Observation, Watermark
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import BACK, Tile
from vision import quality
from vision.detect import USUAL_PX
from vision.frame import Frame
from vision.photo import PhotoReader, PhotoTile

Said = list[tuple[int, Observation]]
Eyes = Callable[[NDArray[np.uint8]], Sequence[PhotoTile]]
_WATERMARK_MS, _HEALTH_MS = 400, 5_000
_MOVES = 9.0
"""Difference of two small pictures, grey levels after a blur, from which a spot has moved."""
_SPOTS = 0.002
"""Share of the picture that has to move for it to count."""
_STILL = 2
_LOOKS = 4
_OFF_LINE = 0.5
_ASIDE = 1.3
"""A tile this many spacings from the next one at the row's right end is a drawn tile."""
_MOST, _ENOUGH = 20, 4


class RackEyes:
    """Reads pictures of one camera that does not move: once the size of the tiles is known only that size is looked at."""

    def __init__(self, reader: PhotoReader) -> None:
        self._reader = reader
        self._sizes: tuple[int, ...] = ()
        self._usual = 0

    def __call__(self, image: NDArray[np.uint8]) -> Sequence[PhotoTile]:
        """Tiles of a picture (h, w, 3) BGR."""
        tiles = self._reader.tiles(image, self._sizes)
        if self._sizes and 2 * len(tiles) < self._usual:
            tiles, self._sizes = self._reader.tiles(image), ()
        if len(tiles) >= _ENOUGH:
            long = float(np.median([np.linalg.norm(t.quad[3] - t.quad[0]) for t in tiles]))
            self._sizes, self._usual = (round(USUAL_PX / long * max(image.shape[:2])),), len(tiles)
        return tiles


class RackWatcher:
    """The state of one rack camera. Call `feed` with every frame in order."""

    def __init__(self, seat: Seat, eyes: Eyes) -> None:
        """`eyes` finds and reads the tiles of a picture (h, w, 3) BGR: `PhotoReader.tiles`."""
        self._seat, self._eyes = seat, eyes
        self._last: NDArray[np.float32] | None = None
        self._read: NDArray[np.float32] | None = None
        self._still = self._looks = 0
        self._since_ms = 0
        self._before: HandFaces | None = None
        self._told: HandFaces | None = None
        self._mark_ms = self._health_ms = -(1 << 62)
        self._troubles: tuple[str, ...] | None = None

    def again(self) -> None:
        """Everything is to be said again: the engine has asked for it."""
        self._told = self._troubles = None
        self._read = None

    def feed(self, frame: Frame) -> Said:
        """Takes the next frame; returns what is to be said. Raises CameraError when the frame is no picture."""
        wrong = quality.wrong(frame.small)
        said: Said = []
        if wrong:
            self._last = None
        else:
            said = self._looked(frame)
        if wrong != self._troubles or frame.at_ms - self._health_ms >= _HEALTH_MS:
            self._troubles, self._health_ms = wrong, frame.at_ms
            said.append((frame.at_ms, Health(state="degraded" if wrong else "ok", degraded=wrong)))
        waits = self._looks > 0 or (self._still < _STILL and self._last is not None)
        mark = min(frame.at_ms, self._since_ms) - 1 if waits else frame.at_ms
        if mark > self._mark_ms and (said or mark - self._mark_ms >= _WATERMARK_MS):
            self._mark_ms = mark
            said.append((mark, Watermark()))
        return said

    def _looked(self, frame: Frame) -> Said:
        now = np.asarray(cv2.GaussianBlur(frame.small, (5, 5), 0), np.float32)
        before, self._last = self._last, now
        if before is None or before.shape != now.shape or _moved(before, now):
            self._still, self._looks, self._before = 0, 0, None
            self._since_ms = frame.at_ms
            return []
        self._still += 1
        if self._still < _STILL or (self._read is not None and not self._looks and not _moved(self._read, now)):
            return []
        seen = hand(self._seat, self._eyes(frame.image))
        self._looks += 1
        agreed = seen is not None and seen == self._before
        self._before = seen
        if not agreed and self._looks < _LOOKS:
            return []
        self._looks, self._read, self._before = 0, now, None
        if seen is None or not agreed or seen == self._told:
            return []
        self._told = seen
        return [(max(self._since_ms, self._mark_ms + 1), seen)]


def _moved(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    return bool((np.abs(one - two) > _MOVES).mean() > _SPOTS)


def hand(seat: Seat, tiles: Sequence[PhotoTile]) -> HandFaces | None:
    """The longest row of faces of a picture as a hand, left to right as its player reads it; None without a row."""
    faces = [t for t in tiles if t.code != BACK]
    row = longest_row(faces)
    if not row:
        return None
    right = np.sum([t.quad[1] - t.quad[0] + t.quad[2] - t.quad[3] for t in row], axis=0)
    along = np.array([t.quad.mean(axis=0) @ right for t in row]) / max(float(np.linalg.norm(right)), 1e-6)
    order = np.argsort(along)
    codes = [Tile(str(row[int(n)].code)) for n in order][:_MOST]
    gaps = np.diff(along[order])
    apart = len(gaps) >= 2 and gaps[-1] > _ASIDE * float(np.median(gaps[:-1]))
    if apart and len(codes) == len(row):
        return HandFaces(seat=seat, tiles=tuple(codes[:-1]), drawn=codes[-1])
    return HandFaces(seat=seat, tiles=tuple(codes))


def longest_row(tiles: Sequence[PhotoTile]) -> list[PhotoTile]:
    """Of all lines through two tiles the tiles on the one that has most, no further from it than half a tile's length."""
    if len(tiles) < 2:
        return list(tiles)
    centres = np.array([t.quad.mean(axis=0) for t in tiles], np.float64)
    sizes = np.array([max(np.linalg.norm(t.quad[3] - t.quad[0]), np.linalg.norm(t.quad[1] - t.quad[0])) for t in tiles])
    best = np.zeros(len(tiles), np.bool_)
    for a in range(len(tiles)):
        for b in range(a + 1, len(tiles)):
            way = centres[b] - centres[a]
            length = float(np.linalg.norm(way))
            if length < 1e-6:
                continue
            off = np.abs((centres - centres[a]) @ np.array([-way[1], way[0]]) / length)
            on = off < _OFF_LINE * sizes
            if on.sum() > best.sum():
                best = on
    return [t for t, on in zip(tiles, best, strict=True) if on]
