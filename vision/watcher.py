"""Watches one table through one camera: frames in, observations out, no I/O and no clock of its own.

A zone is read when it differs from what was read last, has been still for two frames, and no arm is over it; what it then
holds is said with the moment of the first still frame. Everything else costs a comparison of two small pictures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    HandSeen,
    Health,
    Observation,
    RackSeen,
    TileSeen,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN
from vision import quality, zones
from vision.arms import Arm
from vision.attention import Attention
from vision.bare import BareTable
from vision.belief import believed, in_company, strange, unmoved
from vision.calibrate import Calibration
from vision.colour import Colour, apart, median
from vision.frame import Frame
from vision.labels import BACK_UP, FACE
from vision.look import Look
from vision.rectify import Window
from vision.sighting import Sighting
from vision.tracks import Tracks
from vision.wall import Before, lowered, stacks_seen, wall
from vision.zones import Spot, spot_at, spot_of

Said = list[tuple[int, Observation]]
ZoneWord = ZoneSeen | RackSeen | WallSeen
_WATERMARK_MS = 400
_HEALTH_MS = 5_000
_RETRIES = 3
"""An unsure zone is looked at so many times before it is said as it is, one from which
something is gone at least twice, unless the cloth shows where it lay."""
_UNTOUCHED = 4
"""So many looks at a zone that no arm was over, before something is believed to be gone from it."""
_SURE, _SURE_SCORE = 0.8, 0.35
_PLAIN = 0.85
"""A detection of this score is believed whatever the cloth looks like there."""
_SHOWN_BACK, _ENOUGH_BACKS, _SAME_BACKS = 0.6, 8, 9.0
"""Score of a find that shows the colour of backs, how many of them tell it, and by how much it changes with the light alone."""
_ARM_SHARE = 0.04
_ARM_DIFFERS, _ARM_SURELY = 0.25, 0.6
"""What looks like an arm and differs less from the zone at rest is the cloth; from the second share on it is an arm however
long it rests."""
_MANY = 9
"""When so many zones are to be read, one look at the whole table is cheaper."""


class Eyes(Protocol):
    def look(self, image: NDArray[np.uint8], window: Window) -> Look:
        """Tiles whose middle lies in a window of the rectified picture; `image` is the camera's."""
        ...


class Watcher:
    """The state of one camera's view. Call `feed` with every frame in order."""

    def __init__(self, calibration: Calibration, eyes: Callable[[Calibration], Eyes]) -> None:
        """`eyes` makes what finds and reads tiles under a calibration: a `look.Looker`."""
        self._eyes_of = eyes
        self._tracks = Tracks(calibration.layout.scale)
        self.sightings: dict[Spot, tuple[Sighting, ...]] = {}
        self._tries: dict[Spot, tuple[int, list[Sighting]]] = {}
        self._said: dict[tuple[Seat, str], ZoneWord] = {}
        self._hands: dict[tuple[Seat, Spot], HandSeen] = {}
        self._passing: set[tuple[Seat, Spot]] = set()
        self._mark_ms = self._health_ms = -(1 << 62)
        self._troubles: tuple[str, ...] = ()
        self._said_troubles: tuple[str, ...] | None = None
        self.counters: dict[str, float] = {"frames": 0, "zones_read": 0}
        self.recalibrate(calibration)

    def recalibrate(self, calibration: Calibration) -> None:
        """Goes on with another calibration: every zone is read anew."""
        self.calibration = calibration
        self._eyes = self._eyes_of(calibration)
        self._attention = Attention(calibration)
        self._bare = BareTable(calibration, self._attention.grid.owner.shape)
        self._stacks: tuple[int, ...] = (17, 18)
        self._sides: dict[Seat, Before] = {}
        self._backs: Colour | None = None

    def fits(self, frame: Frame) -> bool:
        """Whether the frame has the size this calibration was made for. Raises CameraError when it is no picture."""
        return frame.small.shape == self._attention.grid.owner.shape

    def again(self) -> None:
        """Everything is to be said again: the engine has asked for it."""
        self._said.clear()
        self._said_troubles = None
        for zone in self._attention.zones.values():
            zone.fresh = True

    def forget(self) -> None:
        """What was seen last may have been seen from elsewhere: everything is read and said again."""
        self.sightings.clear()
        self._sides.clear()
        self._tries.clear()
        self._backs = None
        self.again()

    def trouble(self, *words: str) -> None:
        """What is wrong with the camera, in words for people; nothing when all is well. Under trouble no zone is read."""
        if self._troubles and not words:
            for zone in self._attention.zones.values():
                zone.fresh = True
        self._troubles = words

    def feed(self, frame: Frame) -> Said:
        """Takes the next frame; returns what is to be said, by time. Raises CameraError when the frame is no picture."""
        self.counters["frames"] += 1
        wrong = (*self._troubles, *quality.wrong(frame.small))
        if wrong:
            self._attention.blind()
            return self._ended(frame.at_ms, [], wrong)
        glance = self._attention.glance(frame.small, frame.at_ms)
        said = self._hands_seen(glance.arms, frame)
        for spot in [s for s in self._tries if self._attention.zones[s].still <= 1]:
            del self._tries[spot]
        if len(glance.due) >= _MANY:
            side = self.calibration.side_px
            found = in_company(self._eyes.look(frame.image, (0, 0, side, side)).sightings)
            lying: defaultdict[Spot | None, list[Sighting]] = defaultdict(list)
            for sighting in found:
                lying[self._spot(sighting)].append(sighting)
            self._learn_backs([s for seat in SEATS for s in lying[seat, Zone.WALL]])
            for spot in glance.due:
                said += self._taken(frame, spot, lying[spot])
        else:
            for spot in glance.due:
                window = self._attention.window(spot, glance.differs)
                look = self._eyes.look(frame.image, window)
                arm = self._arm(look, spot, glance.differs, frame)
                if arm < _ARM_DIFFERS or not self._attention.wait_for_arm(spot, frame.at_ms, surely=arm >= _ARM_SURELY):
                    seen = [s for s in look.sightings if self._spot(s) == spot]
                    changed = self._changed(spot, glance.differs) if spot[1] == Zone.WALL else None
                    said += self._taken(frame, spot, seen, window, changed)
        return self._ended(frame.at_ms, said, ())

    def _spot(self, sighting: Sighting) -> Spot | None:
        return spot_of(self.calibration.layout, sighting)

    def _arm(self, look: Look, spot: Spot, differs: NDArray[np.uint8], frame: Frame) -> float:
        """How much of what looks like an arm over the zone differs from the zone at rest and from the bare table: nothing is the
        cloth, all an arm. 0 without one; a half where nothing is known of the zone."""
        if look.arm <= _ARM_SHARE:
            return 0.0
        grid, mask = self._attention.grid, self._attention.masks[spot]
        if self._attention.zones[spot].fresh:
            return 0.5
        for part in (mask, np.ones_like(mask)):  # what is over no pixel of the zone is beside it
            places = np.column_stack([grid.x[part], grid.y[part]]).astype(np.float64)
            over = look.arm_over(self.calibration.scale(places))
            if over.any():
                unlike = (differs[part] > 0) & ~self._bare.here(part, frame.coarse)
                return float(unlike[over].mean())
        return 0.0

    def _changed(self, spot: Spot, differs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Where a zone that an arm was over differs from when it was read last, (n, 2) mm; nowhere when it was not."""
        zone, grid = self._attention.zones[spot], self._attention.grid
        here = self._attention.masks[spot] & (differs > 0) & (zone.touched and not zone.fresh)
        return np.column_stack([grid.x[here], grid.y[here]])

    def _taken(
        self,
        frame: Frame,
        spot: Spot,
        seen: list[Sighting],
        window: Window | None = None,
        changed: NDArray[np.float32] | None = None,
    ) -> Said:
        """Takes what was seen in a window of a zone (None: in all of it); says the zone when it is sure and new. `changed`: where
        hands changed it, (n, 2) mm."""
        self.counters["zones_read"] += 1
        tries, before = self._tries.pop(spot, (0, []))
        scale, zone, old = self.calibration.layout.scale, self._attention.zones[spot], self.sightings.get(spot, ())
        here = [o for o in old if window is None or self._within(o, window)]
        around = [o for o in old if o not in here]
        if spot[1] == Zone.WALL:
            self._learn_backs(seen)  # before they are judged by it: another set may have risen
        seen = believed(self.calibration, spot, seen, self._stacks, around, self._backs)
        seen = [s for s in seen if s.score >= _PLAIN or not self._bare.shows(s, frame.coarse)]
        if not zone.stirred and not zone.fresh:
            seen = unmoved([o for o in here if not self._bare.shows(o, frame.coarse)], seen, scale)
        seen = [_surest(s, before, scale) for s in seen]
        if tries + 1 < _RETRIES and any(_unsure(s) for s in seen):
            self._tries[spot] = (tries + 1, [*seen, *before])
            return []
        gone = [o for o in here if not any(_same(s, o, scale) for s in seen)]
        looks = 2 if zone.touched or zone.fresh else _UNTOUCHED
        if tries + 1 < looks and any(not self._bare.shows(o, frame.coarse) for o in gone):
            self._tries[spot] = (tries + 1, [*seen, *before])
            return []
        seen += [s for s in before if any(_same(s, o, scale) for o in gone)]
        if window is not None:
            seen = [s for s in seen if self._within(s, window) or any(_same(s, o, scale) for o in old)]
        inside = [s for s in old if window is None or self._within(s, window) or any(_same(s, n, scale) for n in seen)]
        outside = [s for s in old if s not in inside]
        self.sightings[spot] = (*outside, *self._tracks.follow(inside, seen, frame.at_ms))
        self._attention.took(spot, frame.small)
        if not self.sightings[spot]:
            self._bare.learn(self._attention.masks[spot], frame.coarse)
        return self._say(zone.since_ms, spot, frame.number, changed)

    def _within(self, sighting: Sighting, window: Window) -> bool:
        x, y = self.calibration.scale(np.array([[sighting.x, sighting.y]]))[0]
        return bool(window[0] <= x < window[2] and window[1] <= y < window[3])

    def _say(self, at_ms: int, spot: Spot, number: int, changed: NDArray[np.float32] | None) -> Said:
        """What a zone holds, unless that was said last."""
        seat, zone = spot
        layout, here = self.calibration.layout, self.sightings[spot]
        words: Iterable[ZoneWord]
        match zone:
            case Zone.POND:
                words = [zones.pond(layout, seat, here, number)]
            case Zone.RACK:
                words = [zones.rack(layout, seat, here, number)]
            case Zone.WALL:
                sides = [s for s, z in self.sightings if z == Zone.WALL] if self._count_stacks() else [seat]
                words = [self._wall(side, number, changed if side == seat else None) for side in sides]
            case Zone.CENTRE:
                words = [zones.centre(here, number)]
            case _:
                words = zones.strip(layout, seat, here, number)
        said: Said = []
        for word in words:
            key = (word.seat, word.zone.value if isinstance(word, ZoneSeen) else word.type)
            if _essence(self._said.get(key)) != _essence(word):
                self._said[key] = word
                said.append((at_ms, word))
        return said

    def _learn_backs(self, walls: Iterable[Sighting]) -> None:
        """Learns from the walls what the set's backs look like. What was taken for a back elsewhere is looked at again."""
        shown = [s.colour for s in walls if s.colour is not None and s.score >= _SHOWN_BACK]
        if len(shown) < _ENOUGH_BACKS:
            return
        known, self._backs = self._backs, median(shown)
        if known is not None and apart(known, self._backs) < _SAME_BACKS:
            return
        for spot, here in self.sightings.items():
            if spot[1] not in (Zone.POND, Zone.MELD):
                continue
            if known is not None or any(s.what == BACK_UP and strange(s, self._backs) for s in here):
                self._attention.read_anew(spot)

    def _wall(self, seat: Seat, number: int, changed: NDArray[np.float32] | None) -> WallSeen:
        here = self.sightings[seat, Zone.WALL]
        word = wall(self.calibration, seat, here, number, self._sides.get(seat), changed)
        self._sides[seat] = Before(here, word.heights)
        return word

    def _count_stacks(self) -> bool:
        """Learns from the walls that stand whether a side has 17 or 18 stacks. True when that is news."""
        us: list[float] = []
        for seat in SEATS:
            backs = [s for s in self.sightings.get((seat, Zone.WALL), ()) if s.what == BACK_UP]
            if backs:
                us += lowered(self.calibration, seat, backs, 2)[:, 0].tolist()
        layout = self.calibration.layout
        stacks = stacks_seen(layout, us)
        if stacks is None:
            return False
        self._stacks = (stacks,)
        if stacks == layout.stacks:
            return False
        self.calibration = replace(self.calibration, layout=replace(layout, stacks=stacks))
        self._sides.clear()  # stacks are counted anew
        return True

    def _hands_seen(self, over: Iterable[Arm], frame: Frame) -> Said:
        """Arms that stay in a zone for two frames, or left it; what only passes through is not worth a word."""
        now: dict[tuple[Seat, Spot], HandSeen] = {}
        for arm in over:
            spot = spot_at(self.calibration.layout, arm.palm_x, arm.palm_y)
            if spot is not None:
                now[arm.seat, spot] = HandSeen(
                    seat=arm.seat, zone=spot[1], owner=spot[0], present=True, frame=frame.number
                )
        said: Said = []
        for key in [key for key in self._hands if key not in now]:
            left = self._hands.pop(key).model_copy(update={"present": False, "frame": frame.number})
            said.append((frame.at_ms, left))
        for key, came in now.items():
            if key in self._passing and key not in self._hands:
                self._hands[key] = came
                said.append((frame.at_ms, came))
        self._passing = set(now)
        return said

    def _ended(self, at_ms: int, said: Said, troubles: tuple[str, ...]) -> Said:
        """Adds health when it changed or is due, and the watermark, which never passes a zone that is being read."""
        out = sorted(said, key=lambda one: one[0])
        if troubles != self._said_troubles or at_ms - self._health_ms >= _HEALTH_MS:
            self._said_troubles, self._health_ms = troubles, at_ms
            # Under trouble nothing is read: nobody may wait for what this camera would have seen, or miss it.
            state = Health(state="lost" if troubles else "ok", degraded=troubles, counters=dict(self.counters))
            out.append((at_ms, state))
        mark = self._attention.waiting_ms(at_ms)
        if mark > self._mark_ms and (out or mark - self._mark_ms >= _WATERMARK_MS):
            self._mark_ms = mark
            out.append((mark, Watermark()))
        return out


def _unsure(sighting: Sighting) -> bool:
    if sighting.what != FACE:
        return False
    return sighting.score < _SURE_SCORE or sighting.confidence < _SURE or sighting.code == UNKNOWN


def _surest(sighting: Sighting, before: Iterable[Sighting], scale: float) -> Sighting:
    """Of several looks at the same tile the surest one."""
    return max([sighting, *(s for s in before if _same(s, sighting, scale))], key=lambda s: s.confidence)


def _same(one: Sighting, two: Sighting, scale: float) -> bool:
    """Two looks at one tile: at the border of a window its middle falls now inside, now outside."""
    return one.what == two.what and abs(one.x - two.x) < 6 * scale and abs(one.y - two.y) < 6 * scale


def _essence(word: ZoneWord | None) -> object:
    """What has to differ for a zone to be said again: tiles and their order, not the confidence of the moment."""
    match word:
        case ZoneSeen():
            return _tiles(word.tiles)
        case RackSeen():
            return word.standing, word.apart, _tiles(word.open)
        case WallSeen():
            return word.heights, _tiles(word.open)
    return None


def _tiles(tiles: Iterable[TileSeen]) -> list[tuple[str, bool, int, int]]:
    return [(t.code, t.sideways, t.group, t.track) for t in tiles]
