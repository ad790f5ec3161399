"""Watches one table through one camera: frames in, observations out, no I/O and no clock of its own.

A zone is read when it differs from what was read last, has been still for two frames, and no arm is over it; what it then
holds is said with the moment of the first still frame. Everything else costs a comparison of two small pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import Zone
from table_engine.wire.observations import HandSeen, Health, Observation, RackSeen, WallSeen, Watermark, ZoneSeen
from table_engine.wire.tiles import UNKNOWN
from vision import quality, zones
from vision.arms import Arm, arms
from vision.calibrate import Calibration
from vision.detect import Detector
from vision.frame import Frame
from vision.labels import FACE
from vision.look import Looker
from vision.motion import LEAST_PX, OUTSIDE, Grid, changed, relit, window_of
from vision.read import Reader
from vision.rectify import Window
from vision.sighting import Sighting
from vision.tracks import Tracks
from vision.wall import wall
from vision.zones import SPOTS, Spot, spot_at, spot_of

Said = list[tuple[int, Observation]]
_WATERMARK_MS = 400
_HEALTH_MS = 5_000
_STILL_FRAMES = 2
_RELIT = 0.04
"""A change of light by more than this is followed at once, a smaller one within the reading."""
_RETRIES = 3
"""An unsure zone is looked at so many times before it is said as it is."""
_SURE = 0.8
_COVERED_PX = 6
_ARM_SHARE = 0.04


@dataclass(slots=True)
class _Zone:
    """What is known of one zone."""

    still: int = 0
    """Frames since it last moved, this one included; counts from 1."""
    since_ms: int = 0
    """Moment of the first of them."""
    dirty: bool = True
    """It differs from what was read."""
    tries: int = 0
    best: dict[tuple[int, int], Sighting] = field(default_factory=dict)


class Watcher:
    """The state of one camera's view. Call `feed` with every frame in order."""

    def __init__(self, calibration: Calibration, detector: Detector, reader: Reader) -> None:
        self._detector, self._reader = detector, reader
        self._tracks = Tracks(calibration.layout.scale)
        self.sightings: dict[Spot, tuple[Sighting, ...]] = {}
        self._said: dict[tuple[Spot, str], Observation] = {}
        self._hands: dict[object, tuple[Spot, HandSeen]] = {}
        self._mark_ms = self._health_ms = -(1 << 62)
        self._troubles: tuple[str, ...] = ()
        self._said_troubles: tuple[str, ...] | None = None
        self.counters: dict[str, float] = {"frames": 0, "zones_read": 0}
        self.recalibrate(calibration)

    def recalibrate(self, calibration: Calibration) -> None:
        """Goes on with another calibration: every zone is read anew."""
        self.calibration = calibration
        self._looker = Looker(calibration, self._detector, self._reader)
        self._grid = Grid.of(calibration)
        self._zones = {spot: _Zone() for spot in SPOTS}
        self._last: NDArray[np.uint8] | None = None
        self._rest: NDArray[np.uint8] | None = None
        self._rest_still = 0

    def again(self) -> None:
        """Everything is to be said again: the engine has asked for it."""
        self._said.clear()
        self._said_troubles = None
        for spot in SPOTS:
            self._zones[spot].dirty = True

    def trouble(self, *words: str) -> None:
        """What is wrong with the camera, in words for people; nothing when all is well. While there is trouble no zone is read."""
        if words != self._troubles:
            self._troubles = words
            if not words:
                self.again()

    def feed(self, frame: Frame) -> Said:
        """Takes the next frame; returns what is to be said, by time. Raises CameraError when the frame is no picture."""
        self.counters["frames"] += 1
        small = frame.small
        said: Said = []
        wrong = quality.wrong(small)
        if wrong or self._troubles:
            self._last = None
            for zone in self._zones.values():
                zone.still = 0
            return self._ended(frame.at_ms, said, (*self._troubles, *wrong))
        moving = self._moving(small)
        differs = self._differs(small, moving)
        over, cover = arms(self._grid, differs, self.calibration.layout.scale)
        said += self._hands_seen(over, frame)
        covered = self._grid.counts(cover)
        moved, different = self._grid.counts(moving), self._grid.counts(differs)
        due: list[Spot] = []
        for n, spot in enumerate(SPOTS):
            zone = self._zones[spot]
            if moved[n] >= LEAST_PX or zone.still == 0:
                zone.still, zone.since_ms, zone.tries = 1, frame.at_ms, 0
                zone.best.clear()
            else:
                zone.still += 1
            if covered[n] >= _COVERED_PX:
                zone.still = 0
            zone.dirty = zone.dirty or different[n] >= LEAST_PX
            if zone.dirty and zone.still >= _STILL_FRAMES:
                due.append(spot)
        said += self._read(frame, due, differs)
        self._settle_rest(small, cover)
        self._last = small
        return self._ended(frame.at_ms, said, ())

    def _moving(self, small: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self._last is None or self._last.shape != small.shape:
            return np.full(small.shape, 255, np.uint8)
        return changed(self._last, small)

    def _differs(self, small: NDArray[np.uint8], moving: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Where the picture differs from the one at rest, the light taken off."""
        if self._rest is None or self._rest.shape != small.shape:
            self._rest = small.copy()
            return np.zeros(small.shape, np.uint8)
        factor = relit(self._rest, small)
        if abs(factor - 1) > _RELIT and not moving.any():
            self._rest = np.clip(self._rest.astype(np.float32) * factor, 0, 255).astype(np.uint8)
        return changed(self._rest, small)

    def _settle_rest(self, small: NDArray[np.uint8], cover: NDArray[np.uint8]) -> None:
        """What lies between the zones is taken as it is once nothing has moved for a while."""
        outer = self._grid.owner >= OUTSIDE - 1
        if self._last is not None and not changed(self._last, small)[outer].any():
            self._rest_still += 1
        else:
            self._rest_still = 0
        if self._rest is not None and self._rest_still >= _STILL_FRAMES:
            free = outer & (cover == 0)
            self._rest[free] = small[free]

    def _read(self, frame: Frame, due: list[Spot], differs: NDArray[np.uint8]) -> Said:
        """Reads the zones that are due and says what is new in them."""
        if not due:
            return []
        said: Said = []
        whole = len(due) == len(SPOTS)
        if whole:
            side = self.calibration.side_px
            look = self._looker.look(frame.image, (0, 0, side, side))
            by_spot: dict[Spot, list[Sighting]] = {spot: [] for spot in SPOTS}
            for sighting in look.sightings:
                spot = spot_of(self.calibration.layout, sighting)
                if spot is not None:
                    by_spot[spot].append(sighting)
            for spot in due:
                said += self._taken(frame, spot, tuple(by_spot[spot]), None)
            return said
        for spot in due:
            mask = self._grid.owner == SPOTS.index(spot)
            changed_here = mask & (differs > 0)
            zone = self._zones[spot]
            fresh = spot not in self.sightings
            window = window_of(
                self._grid,
                mask if fresh or not changed_here.any() else changed_here,
                self.calibration,
                0.6 * self.calibration.layout.tile.width,
            )
            look = self._looker.look(frame.image, window)
            if look.arm > _ARM_SHARE:
                zone.still = 0
                continue
            inside = tuple(s for s in look.sightings if spot_of(self.calibration.layout, s) == spot)
            said += self._taken(frame, spot, inside, window)
        return said

    def _taken(self, frame: Frame, spot: Spot, seen: tuple[Sighting, ...], window: Window | None) -> Said:
        """Takes what was seen in a window of a zone (None: in all of it); says the zone when it is sure and new."""
        self.counters["zones_read"] += 1
        zone = self._zones[spot]
        old = self.sightings.get(spot, ())
        inside = tuple(s for s in old if window is None or self._within(s, window))
        outside = tuple(s for s in old if s not in inside)
        zone.tries += 1
        if zone.tries < _RETRIES and any(_unsure(s) for s in seen):
            self._remember(zone, seen)
            return []
        seen = self._remember(zone, seen)
        numbered = self._tracks.follow(inside, seen, frame.at_ms)
        self.sightings[spot] = (*outside, *numbered)
        zone.dirty, zone.tries = False, 0
        zone.best.clear()
        owned = self._grid.owner == SPOTS.index(spot)
        if self._rest is not None:
            self._rest[owned] = frame.small[owned]
        return self._say(zone.since_ms, spot, frame.number)

    def _remember(self, zone: _Zone, seen: tuple[Sighting, ...]) -> tuple[Sighting, ...]:
        """Of several looks at the same thing the surest reading counts."""
        out = []
        for sighting in seen:
            key = (round(sighting.x / 6), round(sighting.y / 6))
            best = zone.best.get(key)
            kept = best if best is not None and best.confidence > sighting.confidence else sighting
            zone.best[key] = kept
            out.append(kept)
        return tuple(out)

    def _within(self, sighting: Sighting, window: Window) -> bool:
        x, y = self.calibration.scale(np.array([[sighting.x, sighting.y]]))[0]
        return bool(window[0] <= x < window[2] and window[1] <= y < window[3])

    def _say(self, at_ms: int, spot: Spot, number: int) -> Said:
        seat, zone = spot
        layout, here = self.calibration.layout, self.sightings.get(spot, ())
        said: list[ZoneSeen | RackSeen | WallSeen]
        match zone:
            case Zone.POND:
                said = [zones.pond(layout, seat, here, number)]
            case Zone.RACK:
                said = [zones.rack(layout, seat, here, number)]
            case Zone.WALL:
                said = [wall(self.calibration, seat, here, number)]
            case Zone.CENTRE:
                said = [zones.centre(here, number)]
            case _:
                said = list(zones.strip(layout, seat, here, number))
        out: Said = []
        for one in said:
            key = (spot, one.type if one.type != "zone" else one.zone.value)
            if not _same(self._said.get(key), one):
                self._said[key] = one
                out.append((at_ms, one))
        return out

    def _hands_seen(self, over: list[Arm], frame: Frame) -> Said:
        """Arms that came into a zone or left it."""
        out: Said = []
        now: dict[object, tuple[Spot, HandSeen]] = {}
        for arm in over:
            spot = spot_at(self.calibration.layout, arm.palm_x, arm.palm_y)
            if spot is not None:
                seen = HandSeen(seat=arm.seat, zone=spot[1], owner=spot[0], present=True, frame=frame.number)
                now[arm.seat, spot] = (spot, seen)
        for key, (_, seen) in self._hands.items():
            if key not in now:
                out.append((frame.at_ms, seen.model_copy(update={"present": False, "frame": frame.number})))
        for key, (_, seen) in now.items():
            if key not in self._hands:
                out.append((frame.at_ms, seen))
        self._hands = now
        return out

    def _ended(self, at_ms: int, said: Said, troubles: tuple[str, ...]) -> Said:
        """Adds health when it changed or is due, and the watermark, which never passes a zone that is being read."""
        out = sorted(said, key=lambda one: one[0])
        if troubles != self._said_troubles or at_ms - self._health_ms >= _HEALTH_MS:
            self._said_troubles, self._health_ms = troubles, at_ms
            health = Health(state="degraded" if troubles else "ok", degraded=troubles, counters=dict(self.counters))
            out.append((at_ms, health))
        waiting = [zone.since_ms for zone in self._zones.values() if zone.dirty and zone.still > 0]
        mark = min([at_ms, *waiting])
        if mark > self._mark_ms and (out or mark - self._mark_ms >= _WATERMARK_MS):
            self._mark_ms = mark
            out.append((mark, Watermark()))
        return out


def _unsure(sighting: Sighting) -> bool:
    return sighting.score < 0.45 or (
        sighting.what == FACE and (sighting.confidence < _SURE or sighting.code == UNKNOWN)
    )


def _same(old: Observation | None, new: ZoneSeen | RackSeen | WallSeen) -> bool:
    """Whether a zone holds what it held: same tiles in the same places, whatever the confidence of the moment."""
    match old, new:
        case ZoneSeen(), ZoneSeen():
            return _tiles(old.tiles) == _tiles(new.tiles)
        case RackSeen(), RackSeen():
            return (old.standing, old.apart, _tiles(old.open)) == (new.standing, new.apart, _tiles(new.open))
        case WallSeen(), WallSeen():
            return (old.heights, _tiles(old.open)) == (new.heights, _tiles(new.open))
    return False


def _tiles(tiles: tuple[object, ...]) -> list[tuple[object, ...]]:
    return [(t.code, t.sideways, t.group, t.track) for t in tiles]  # type: ignore[attr-defined]
