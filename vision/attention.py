"""Which zones are worth reading now: what moves, what lies still, what differs from the table as it was read last, where arms are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arms import Arm, arms
from vision.calibrate import Calibration
from vision.motion import LEAST_PX, NOWHERE, Grid, changed, relit, window_of
from vision.rectify import Window
from vision.zones import SPOTS, Spot

STILL_FRAMES = 2
_RELIT = 0.04
"""A change of light by more than this is taken off; a smaller one changes no pixel by enough."""
_MOST = 0.4
"""When more of the picture differs than arms can cover, the light has changed."""
_COVERED_PX = 6
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
    fresh: bool = True
    """It is to be read whole, whatever it looks like."""
    differs: bool = False

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
        self.zones = {spot: ZoneState() for spot in SPOTS}
        self.masks = {spot: self.grid.owner == n for n, spot in enumerate(SPOTS)}
        self._outer = self.grid.owner >= NOWHERE
        self._last: NDArray[np.uint8] | None = None
        self._rest: NDArray[np.uint8] | None = None
        self._outer_still_ms: int | None = None

    def blind(self) -> None:
        """A picture came that shows nothing: whatever comes next has to lie still anew."""
        self._last = None
        for zone in self.zones.values():
            zone.still = 0

    def glance(self, small: NDArray[np.uint8], at_ms: int) -> Glance:
        """Takes the next small picture (h, w) grey."""
        if self._rest is None or self._rest.shape != small.shape:
            self._rest = small.copy()
        first = self._last is None or self._last.shape != small.shape
        moving = np.full(small.shape, 255, np.uint8) if first or self._last is None else changed(self._last, small)
        self._last = small
        differs = changed(self._rest, small)
        if not moving.any() or np.count_nonzero(differs) > _MOST * differs.size:
            factor = relit(self._rest, small)
            if abs(factor - 1) > _RELIT:
                self._rest = np.clip(self._rest.astype(np.float32) * factor, 0, 255).astype(np.uint8)
                differs = changed(self._rest, small)
        for spot, zone in self.zones.items():
            if zone.fresh:
                differs[self.masks[spot]] = 0
        over, cover = arms(self.grid, differs, self.calibration.layout.scale)
        self._absorb(small, moving, cover, at_ms)
        return Glance(self._judge(moving, differs, cover, at_ms), tuple(over), differs)

    def _judge(
        self, moving: NDArray[np.uint8], differs: NDArray[np.uint8], cover: NDArray[np.uint8], at_ms: int
    ) -> tuple[Spot, ...]:
        moved, different, covered = self.grid.counts(moving), self.grid.counts(differs), self.grid.counts(cover)
        due = []
        for n, spot in enumerate(SPOTS):
            zone = self.zones[spot]
            stirred = bool(moved[n] >= LEAST_PX)
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
            zone.differs = bool(different[n] >= LEAST_PX)
            if zone.open and zone.still >= STILL_FRAMES:
                due.append(spot)
        return tuple(due)

    def _absorb(
        self, small: NDArray[np.uint8], moving: NDArray[np.uint8], cover: NDArray[np.uint8], at_ms: int
    ) -> None:
        """What lies between the zones and beyond is taken as it is: at once when no arm is over it, else after a while."""
        if (moving[self._outer] > 0).any() or self._outer_still_ms is None:
            self._outer_still_ms = at_ms
            return
        free = self._outer if at_ms - self._outer_still_ms >= _GHOST_MS else self._outer & (cover == 0)
        if self._rest is not None:
            self._rest[free] = small[free]

    def window(self, spot: Spot, differs: NDArray[np.uint8]) -> Window:
        """The part of the rectified picture that has to be read of a zone: what differs, or all of it."""
        mask = self.masks[spot]
        here = mask & (differs > 0)
        chosen = mask if self.zones[spot].fresh or not here.any() else here
        return window_of(self.grid, chosen, self.calibration, 0.6 * self.calibration.layout.tile.width)

    def took(self, spot: Spot, small: NDArray[np.uint8]) -> None:
        """The zone was read from this picture."""
        zone, mask = self.zones[spot], self.masks[spot]
        zone.fresh = zone.differs = False
        if self._rest is not None:
            self._rest[mask] = small[mask]

    def hidden(self, spot: Spot, at_ms: int) -> None:
        """The reading saw an arm over the zone: it waits again."""
        zone = self.zones[spot]
        zone.still = 0
        if zone.covered_ms is not None:
            zone.covered_ms = at_ms

    def waiting_ms(self, at_ms: int) -> int:
        """The earliest moment that may still be spoken of, `at_ms` when nothing waits."""
        return min([at_ms, *(zone.since_ms for zone in self.zones.values() if zone.open and zone.still > 0)])
