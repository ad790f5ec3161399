"""Whether a camera calibrated by hand still stands where it stood: the pictures of the table's corners are looked for again."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibrate import Calibration, Floats

_PATCH_PX = 72
_REACH_PX = 44
_NEAR_PX = 4
"""How far the look goes that only tells whether nothing has moved."""
_ALIKE = 0.75
"""Correlation from which a corner is believed to be found again."""
_PLAIN = 6.0
"""A patch with less contrast than this, grey levels, says nothing."""
_LEAST, _SURELY = 3, 2
"""Corners that tell how the camera has moved, and that it has not."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """What the corners of the layout's square looked like. `patches` by corner: (y0, x0, picture), for those worth it."""

    calibration: Calibration
    corners: Floats
    """(4, 2) px of the picture, as in `calibrate.from_corners`."""
    patches: dict[int, tuple[int, int, NDArray[np.uint8]]]

    @classmethod
    def of(cls, calibration: Calibration, image: NDArray[np.uint8]) -> Anchors:
        """From the picture (h, w, 3) BGR that belongs to the calibration. Corners outside it or without contrast are left out."""
        half = calibration.layout.half
        square = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]], np.float64)
        corners = calibration.project(square)
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        patches = {}
        for n, (x, y) in enumerate(corners):
            x0 = int(np.clip(x - _PATCH_PX / 2, 0, max(grey.shape[1] - _PATCH_PX, 0)))
            y0 = int(np.clip(y - _PATCH_PX / 2, 0, max(grey.shape[0] - _PATCH_PX, 0)))
            part = np.asarray(grey[y0 : y0 + _PATCH_PX, x0 : x0 + _PATCH_PX], np.uint8)
            if part.shape == (_PATCH_PX, _PATCH_PX) and part.std() > _PLAIN:
                patches[n] = (y0, x0, part.copy())
        return cls(calibration, corners, patches)

    def stand(self, image: NDArray[np.uint8]) -> bool:
        """Whether corners are seen just where they were; False does not say that they have moved."""
        found = self.found(image, _NEAR_PX)
        gaps = [np.abs(place - self.corners[n]).max() for n, place in found.items()]
        return len(gaps) >= _SURELY and max(gaps) <= 1

    def found(self, image: NDArray[np.uint8], reach: int = _REACH_PX) -> dict[int, Floats]:
        """Corners that are seen again, by number: where they are now, (2,) px. An arm over a corner hides it."""
        out: dict[int, Floats] = {}
        for n, (y0, x0, patch) in self.patches.items():
            top, left = max(0, y0 - reach), max(0, x0 - reach)
            part = image[top : y0 + _PATCH_PX + reach, left : x0 + _PATCH_PX + reach]
            if part.shape[0] < _PATCH_PX or part.shape[1] < _PATCH_PX:
                continue
            match = cv2.matchTemplate(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), patch, cv2.TM_CCOEFF_NORMED)
            _, best, _, at = cv2.minMaxLoc(match)
            if best >= _ALIKE:
                out[n] = self.corners[n] + [left + at[0] - x0, top + at[1] - y0]
        return out

    def moved_mm(self, image: NDArray[np.uint8]) -> float | None:
        """How far the corners have moved, mm (median); None when too few are seen to tell."""
        found = self.found(image)
        if len(found) < min(_LEAST, max(len(self.patches), 1)):
            return None
        now, before = np.array(list(found.values())), self.corners[list(found)]
        gaps = self.calibration.locate(now, 0.0) - self.calibration.locate(before, 0.0)
        return float(np.median(np.linalg.norm(gaps, axis=1)))

    def corners_now(self, image: NDArray[np.uint8]) -> Floats | None:
        """Where the four corners are now, (4, 2) px: those not seen go where the others say; None when fewer than three are."""
        found = self.found(image)
        if len(found) < _LEAST:
            return None
        before, now = self.corners[list(found)].astype(np.float32), np.array(list(found.values()), np.float32)
        matrix, _ = cv2.estimateAffine2D(before, now, method=cv2.LMEDS)
        if matrix is None:
            return None
        moved = self.corners @ np.asarray(matrix)[:, :2].T + np.asarray(matrix)[:, 2]
        for n, place in found.items():
            moved[n] = place
        return np.asarray(moved, np.float64)
