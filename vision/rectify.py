"""The metric picture: the plane of lying faces seen from straight above, 33 px to a tile's width."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibrate import Calibration

Window = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels of the rectified picture; the last column and row are not part of it."""


class Rectifier:
    """Warps pictures of one camera, whole or a window at a time."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._side = calibration.side_px
        self._maps: tuple[NDArray[np.int16], NDArray[np.uint16]] | None = None
        middle, k = (self._side - 1) / 2, calibration.px_per_mm
        back = np.array([[1 / k, 0, -middle / k], [0, -1 / k, middle / k], [0, 0, 1]])
        self._matrix = calibration.plane(calibration.layout.tile.depth) @ back
        if any(calibration.lens.distortion):
            ys, xs = np.mgrid[0 : self._side, 0 : self._side]
            flat = np.column_stack([xs.ravel(), ys.ravel(), np.ones(xs.size)]) @ self._matrix.T
            real = (
                calibration.lens.real(flat[:, :2] / flat[:, 2:]).astype(np.float32).reshape(self._side, self._side, 2)
            )
            coarse, fine = cv2.convertMaps(real[..., 0], real[..., 1], cv2.CV_16SC2)
            self._maps = (np.asarray(coarse, np.int16), np.asarray(fine, np.uint16))

    def whole(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return self.window(image, (0, 0, self._side, self._side))

    def window(self, image: NDArray[np.uint8], window: Window) -> NDArray[np.uint8]:
        """One window of the rectified picture. `image` (h, w, 3) or (h, w), of the calibration's size."""
        x0, y0, x1, y1 = window
        if self._maps is None:
            shift = np.array([[1, 0, x0], [0, 1, y0], [0, 0, 1]], np.float64)
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            return np.asarray(
                cv2.warpPerspective(image, self._matrix @ shift, (x1 - x0, y1 - y0), flags=flags), np.uint8
            )
        coarse, fine = self._maps
        return np.asarray(cv2.remap(image, coarse[y0:y1, x0:x1], fine[y0:y1, x0:x1], cv2.INTER_LINEAR), np.uint8)
