"""A camera's lens from a few pictures of a printed board: focal length, middle, distortion.

The board is a ChArUco: chess board with ArUco markers in its white squares, so that part of it may be out of the picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import CameraError

COLUMNS, ROWS = 9, 6
_MARKER = 0.75
"""Side of a marker over that of a square."""
_LEAST_CORNERS, _LEAST_VIEWS = 12, 4
_WORST_PX = 1.5


@dataclass(frozen=True, slots=True)
class LensFound:
    """`focal_px` and `lens` as the site file wants them, for pictures of `size` (width, height) px."""

    size: tuple[int, int]
    focal_px: float
    lens: tuple[float, float, float, float]
    error_px: float
    """How far the corners lie from where the lens puts them, root mean square."""
    views: int
    covered: float
    """Share of the picture's middle and edges (a grid of 4x4) in which a corner was seen."""


def board() -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), 1.0, _MARKER, dictionary)


def board_picture(square_px: int = 220) -> NDArray[np.uint8]:
    """The board to print, black on white, grey (h, w)."""
    size = (COLUMNS * square_px, ROWS * square_px)
    return np.asarray(board().generateImage(size, marginSize=square_px // 3), np.uint8)


def find_lens(pictures: Iterable[tuple[str, NDArray[np.uint8]]]) -> LensFound:
    """From pictures (name, (h, w, 3) BGR) of the board held at different angles. Raises CameraError naming what is missing."""
    detector = cv2.aruco.CharucoDetector(board())
    places: list[NDArray[np.float32]] = []
    seen: list[NDArray[np.float32]] = []
    size: tuple[int, int] | None = None
    for name, image in pictures:
        here = (image.shape[1], image.shape[0])
        if size is not None and here != size:
            raise CameraError(
                f"{name}: is {here[0]}x{here[1]}, the others are {size[0]}x{size[1]}; use one camera's pictures"
            )
        size = here
        corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
        if ids is None or len(ids) < _LEAST_CORNERS:
            continue
        places.append(np.asarray(board().getChessboardCorners(), np.float32)[np.ravel(ids)])
        seen.append(np.asarray(corners, np.float32).reshape(-1, 2))
    if size is None or len(seen) < _LEAST_VIEWS:
        raise CameraError(
            f"lens: the board was seen in {len(seen)} pictures, {_LEAST_VIEWS} or more are needed; hold it flat, in focus, tilted "
            "each time another way"
        )
    start = np.array([[size[0], 0, (size[0] - 1) / 2], [0, size[0], (size[1] - 1) / 2], [0, 0, 1]], np.float64)
    flags = (
        cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_K3
    )
    error, matrix, bent, _, _ = cv2.calibrateCamera(places, seen, size, start, np.zeros(5), flags=flags)
    if not np.isfinite(error) or error > _WORST_PX:
        raise CameraError(
            f"lens: the pictures fit one lens only to {error:.1f} px; hold the board flat and still, and do not zoom between them"
        )
    k1, k2, p1, p2 = (float(v) for v in np.ravel(bent)[:4])
    spots = {(int(4 * x / size[0]), int(4 * y / size[1])) for view in seen for x, y in view.reshape(-1, 2)}
    return LensFound(size, float(matrix[0, 0]), (k1, k2, p1, p2), float(error), len(seen), len(spots) / 16)
