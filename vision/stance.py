"""Whether a camera still stands where it stood when it was calibrated: by the table's markers, or by the corners given by hand."""

from __future__ import annotations

import numpy as np

from vision import markers
from vision.anchors import Anchors
from vision.calibrate import Calibration, from_corners
from vision.frame import Frame
from vision.motion import changed

_BUMPED_MM = 4.0
_STILL_MM = 1.5
"""A camera that was pushed stands still again when it has moved no more than this between two looks."""
_STEADY = 3
"""So many looks in a row have to find it there."""
_ELSEWHERE = 0.35
"""When more of the picture than this is another than when the camera last stood, and nothing known is seen, it looks elsewhere."""


class Stance:
    """One calibration held against picture after picture."""

    def __init__(self, calibration: Calibration, frame: Frame, *, by_hand: bool) -> None:
        """`frame` is the picture that belongs to the calibration. `by_hand`: its corners were given, there are no markers."""
        self.calibration = calibration
        self._anchors = Anchors.of(calibration, frame.image)
        self._by_hand = by_hand
        self._stood = frame.small.copy()
        self._off: float | None = None
        self._looks = 0

    @property
    def steady(self) -> bool:
        """It was pushed and has come to rest where it can be calibrated anew."""
        return self._looks >= _STEADY

    def look(self, frame: Frame) -> str:
        """What is wrong with where the camera stands, in words for people; nothing when it stands or when arms hide it."""
        anchors, image = self._anchors, frame.image
        moved: float | None = 0.0
        if not anchors.stand(image):  # which costs a tenth of looking for markers
            moved = anchors.moved_mm(image) if self._by_hand else markers.moved_mm(self.calibration, image)
        seen = "corners" if self._by_hand else "markers"
        if moved is None:
            self._off, self._looks = None, 0
            if not self._elsewhere(frame):
                return ""
            return f"the camera looks elsewhere: the table's {seen} are not seen; turn it back, or calibrate it anew"
        if moved < _BUMPED_MM:
            self._off, self._looks = None, 0
            self._stood = frame.small.copy()
            return ""
        rests = self._off is not None and abs(moved - self._off) < _STILL_MM
        self._off, self._looks = moved, self._looks + 1 if rests else 1
        return f"the camera has moved: the table's {seen} are {moved:.0f} mm off; fix its mount"

    def followed(self, frame: Frame) -> Calibration | None:
        """With corners given by hand: the calibration with the corners where they are seen now; None when too few are."""
        corners, before = self._anchors.corners_now(frame.image), self.calibration
        if corners is None:
            return None
        lens = before.lens
        return from_corners(
            before.layout, before.size, corners, turned=before.turned, focal=lens.focal, distortion=lens.distortion
        )

    def _elsewhere(self, frame: Frame) -> bool:
        if frame.small.shape != self._stood.shape:
            return True
        return float(np.count_nonzero(changed(self._stood, frame.small))) > _ELSEWHERE * frame.small.size
