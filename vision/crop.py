"""Faces cut out of a picture and stretched square, the way the reader sees them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE = 64
FACE = 46
_LOW, _HIGH = (SIZE - FACE) / 2 - 0.5, (SIZE + FACE) / 2 - 0.5
_SQUARE = np.array([[_LOW, _LOW], [_HIGH, _LOW], [_HIGH, _HIGH], [_LOW, _HIGH]], np.float32)
_COARSE = 2.2 * FACE
"""Faces longer than this are cut from a halved picture, so that fine print does not turn into moiré."""


def cut(image: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Picture (h, w, 3) and corners (n, 4, 2) in its pixels → crops (n, 64, 64, 3), the face in the middle 46x46, the first
    edge on top. Aspect is thrown away."""
    crops = np.empty((len(corners), SIZE, SIZE, 3), np.uint8)
    levels = [image]
    for n, quad in enumerate(corners):
        level, longest = 0, float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).max())
        while longest > _COARSE:
            level, longest = level + 1, longest / 2
        while len(levels) <= level:
            levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.uint8))
        # pyrDown keeps pixel 0 on pixel 0: middles of pixels are what coordinates mean here, so no half shift
        matrix = cv2.getPerspectiveTransform((quad / 2**level).astype(np.float32), _SQUARE)
        cv2.warpPerspective(levels[level], matrix, (SIZE, SIZE), crops[n], cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    return crops
