"""Which zones are worth reading now: what moves, what lies still, what differs from the table as it was read last, where arms are."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arms import Arm, arms
from vision.calibrate import Calibration
from vision.motion import LEAST_PX, NOWHERE, Grid, changed, relit, window_of
from vision.rectify import Window
from vision.zones import SPOTS, Spot

STILL_FRAMES = 2
_RELIT = 0.012
"""A change of light by more than this is taken off; a smaller one changes no pixel by enough."""
_DARK = 12
"""Levels at or below which a pixel says nothing about the light."""
_MOST = 0.4
"""When more of the picture differs than arms can cover, the light has changed."""
_COVERED_PX = 6
_FINE_STEP, _FINE_PX = 4, 8
"""Where an arm was, so many pixels that differ by so little are worth a look: of two tiles on one another, right under the
camera, the lower one looks as the upper one did."""
_MARGIN = 0.55
"""What is read around what differs, in tile lengths: a tile of which only an edge differs from the cloth is in it with its middle."""
_GHOST_MS = 2_500
"""What has not moved for so long is looked at even if it seems to be an arm: it may have become part of the table."""


@dataclass(slots=True)
class ZoneState:
    """What is known of one zone's picture."""

    still: int = 0
    """Frames for which it has not moved nor been covered, this one included; 0: an arm is over it."""
    since_ms: int = 0
    """Moment of the first of them."""
    covered_ms: int | None = None
    """Since when an arm that does not move is over it."""
    veiled_ms: int | None = None
    """Since when the reading sees an arm over it that does not move."""
    fresh: bool = True
    """It is to be read whole, whatever it looks like."""
    differs: bool = False
    stirred: bool = True
    """Something moved in it, or an arm was over it, since it was read; else only the light can have changed."""
    touched: bool = True
    """An arm was over it since it was read: tiles come and go with hands."""
    closely: bool = False
    """An arm was over it since it was read or no small difference was found: such are looked for."""

    @property
    def open(self) -> bool:
        """Something in it is still to be said."""
        return self.fresh or self.differs


@dataclass(frozen=True, slots=True)
class Glance:
    """What one frame shows before anything is read."""

    due: tuple[Spot, ...]
    arms: tuple[Arm, ...]
    differs: NDArray[np.uint8]


class Attention:
    """Looks at small pictures only."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self.grid = Grid.of(calibration)
        self.masks = {spot: self.grid.owner == n for n, spot in enumerate(SPOTS)}
        self.zones = {spot: ZoneState() for spot in SPOTS if self.masks[spot].any()}
        """Of the zones that the camera sees a part of."""
        self._outer = self.grid.owner >= NOWHERE
        self._last: NDArray[np.uint8] | None = None
        self._read: NDArray[np.uint8] | None = None
        """Every zone's picture when it was read last."""
        self._rest: NDArray[np.uint8] | None = None
        """The same in today's light."""
        self._outer_still_ms: int | None = None

    def blind(self) -> None:
        """A picture came that shows nothing: whatever comes next has to lie still anew."""
        self._last = None
        for zone in self.zones.values():
            zone.still = 0

    def glance(self, small: NDArray[np.uint8], at_ms: int) -> Glance:
        """Takes the next small picture (h, w) grey."""
        if self._rest is None or self._read is None or self._rest.shape != small.shape:
            self._rest, self._read = small.copy(), small.copy()
        first = self._last is None or self._last.shape != small.shape
        moving = np.full(small.shape, 255, np.uint8) if first or self._last is None else changed(self._last, small)
        self._last = small
        differs = changed(self._rest, small)
        if not moving.any() or np.count_nonzero(differs) > _MOST * differs.size:
            factor = relit(self._read, small)
            if abs(factor - 1) > _RELIT:
                self._rest = _lit(self._read, factor)
                differs = changed(self._rest, small)
        moved = self.grid.counts(moving)
        self._relight(small, moved, differs)
        for spot, zone in self.zones.items():
            if zone.fresh:
                differs[self.masks[spot]] = 0
        over, cover = arms(self.grid, differs, self.calibration.layout.scale)
        self._absorb(small, moving, cover, at_ms)
        self._judge(moved, differs, cover, at_ms)
        self._look_closely(small, differs)
        due = [spot for spot, zone in self.zones.items() if zone.open and zone.still >= STILL_FRAMES]
        return Glance(tuple(due), tuple(over), differs)

    def _relight(self, small: NDArray[np.uint8], moved: NDArray[np.int64], differs: NDArray[np.uint8]) -> None:
        """Takes off, of every zone that differs and does not move, the light that most of its pixels agree on: lamps and
        windows do not light a table evenly. `moved`: as `Grid.counts`; `differs` is corrected in place."""
        if self._rest is None or self._read is None or not differs.any():
            return
        different = self.grid.counts(differs)
        for n in np.nonzero((different[: len(SPOTS)] >= LEAST_PX) & (moved[: len(SPOTS)] < LEAST_PX))[0]:
            mask = self.masks[SPOTS[n]]
            told = mask & (self._read > _DARK)
            if not told.any():
                continue
            factor = float(np.median(small[told].astype(np.float32) / self._read[told]))
            self._rest[mask] = _lit(self._read[mask], factor)
            x, y, wide, high = cv2.boundingRect(mask.astype(np.uint8))
            part = np.s_[max(0, y - 1) : y + high + 1, max(0, x - 1) : x + wide + 1]
            differs[part][mask[part]] = changed(self._rest[part], small[part])[mask[part]]

    def _judge(
        self, moved: NDArray[np.int64], differs: NDArray[np.uint8], cover: NDArray[np.uint8], at_ms: int
    ) -> None:
        different, covered = self.grid.counts(differs), self.grid.counts(cover)
        for n, spot in enumerate(SPOTS):
            zone = self.zones.get(spot)
            if zone is None:
                continue
            stirred = bool(moved[n] >= LEAST_PX)
            if covered[n] >= _COVERED_PX:
                zone.touched = zone.closely = True
            if covered[n] < _COVERED_PX:
                zone.covered_ms = None
            elif stirred or zone.covered_ms is None:
                zone.covered_ms = at_ms
            if zone.covered_ms is not None and at_ms - zone.covered_ms < _GHOST_MS:
                zone.still = 0
            elif stirred or zone.still == 0:
                zone.still, zone.since_ms = 1, at_ms
            else:
                zone.still += 1
            zone.stirred = zone.stirred or stirred or zone.still == 0
            if stirred:
                zone.veiled_ms = None
            zone.differs = bool(different[n] >= LEAST_PX)

    def _look_closely(self, small: NDArray[np.uint8], differs: NDArray[np.uint8]) -> None:
        """After an arm was over a zone in which nothing differs plainly: whether it does so a little. `differs` then says where."""
        asked = [s for s, zone in self.zones.items() if zone.closely and zone.still >= STILL_FRAMES]
        if not asked or self._rest is None:
            return
        fine = changed(self._rest, small, _FINE_STEP)
        counts = self.grid.counts(fine)
        for spot in asked:
            zone = self.zones[spot]
            if zone.open:
                continue
            zone.closely = zone.differs = bool(counts[SPOTS.index(spot)] >= _FINE_PX)
            if zone.differs:
                differs[self.masks[spot]] = fine[self.masks[spot]]

    def _absorb(
        self, small: NDArray[np.uint8], moving: NDArray[np.uint8], cover: NDArray[np.uint8], at_ms: int
    ) -> None:
        """What lies between the zones and beyond is taken as it is: at once when no arm is over it, else after a while."""
        if (moving[self._outer] > 0).any() or self._outer_still_ms is None:
            self._outer_still_ms = at_ms
            return
        free = self._outer if at_ms - self._outer_still_ms >= _GHOST_MS else self._outer & (cover == 0)
        if self._rest is not None and self._read is not None:
            self._rest[free] = self._read[free] = small[free]

    def window(self, spot: Spot, differs: NDArray[np.uint8]) -> Window:
        """The part of the rectified picture that has to be read of a zone: what differs, or all of it."""
        mask = self.masks[spot]
        here = mask & (differs > 0)
        chosen = mask if self.zones[spot].fresh or not here.any() else here
        return window_of(self.grid, chosen, self.calibration, _MARGIN * self.calibration.layout.tile.length)

    def took(self, spot: Spot, small: NDArray[np.uint8]) -> None:
        """The zone was read from this picture."""
        zone, mask = self.zones[spot], self.masks[spot]
        zone.fresh = zone.differs = zone.stirred = zone.touched = zone.closely = False
        zone.veiled_ms = None
        if self._rest is not None and self._read is not None:
            self._rest[mask] = self._read[mask] = small[mask]

    def wait_for_arm(self, spot: Spot, at_ms: int, *, surely: bool) -> bool:
        """The reading saw an arm over the zone: it waits again. False when it is to be taken all the same: it is not `surely`
        one, and has not moved for long."""
        zone = self.zones[spot]
        if zone.veiled_ms is None:
            zone.veiled_ms = at_ms
        if not surely and at_ms - zone.veiled_ms >= _GHOST_MS:
            return False
        zone.still = 0
        if zone.covered_ms is not None:
            zone.covered_ms = at_ms
        return True

    def read_anew(self, spot: Spot) -> None:
        """The zone is to be read whole, and what it holds is said of the moment it is next seen at rest."""
        zone = self.zones.get(spot)
        if zone is not None:
            zone.fresh, zone.still = True, 0

    def waiting_ms(self, at_ms: int) -> int:
        """The earliest moment that may still be spoken of, `at_ms` when nothing waits."""
        return min([at_ms, *(zone.since_ms for zone in self.zones.values() if zone.open and zone.still > 0)])


def _lit(picture: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    return np.asarray(np.clip(picture.astype(np.float32) * factor + 0.5, 0, 255), np.uint8)
