"""Faces cut out of a picture and stretched square, the way the reader sees them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE = 64
FACE = 46
_COARSE = 2.2
"""Faces so many times longer than in the crop are cut from a halved picture, so that fine print does not turn into moiré."""


def cut(image: NDArray[np.uint8], corners: NDArray[np.float32], size: int = SIZE) -> NDArray[np.uint8]:
    """Picture (h, w, 3) and corners (n, 4, 2) in its pixels → crops (n, size, size, 3), the face in the middle (46x46 of 64x64),
    the first edge on top. Aspect is thrown away."""
    crops = np.empty((len(corners), size, size, 3), np.uint8)
    face = size * FACE / SIZE
    low, high = (size - face) / 2 - 0.5, (size + face) / 2 - 0.5
    square = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    levels = [image]
    edges = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).max(axis=1, initial=0.0)
    for n, (quad, edge) in enumerate(zip(corners, edges, strict=True)):
        level, longest = 0, float(edge)
        while longest > _COARSE * face:
            level, longest = level + 1, longest / 2
        while len(levels) <= level:
            levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.uint8))
        # pyrDown keeps pixel 0 on pixel 0: middles of pixels are what coordinates mean here, so no half shift
        matrix = cv2.getPerspectiveTransform((quad / 2**level).astype(np.float32), square)
        cv2.warpPerspective(levels[level], matrix, (size, size), crops[n], cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    return crops
