"""The four printed markers in the table's corners: where they are seen, a calibration from them, and whether they moved."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import CameraError
from table_engine.wire.layout import MARKER_DICTIONARY, Layout
from vision.calibrate import Calibration, Floats, seen_from, solve


def table_corners(layout: Layout, marker: int, turned: int = 0) -> Floats:
    """Corners of a marker on the felt, from its printed top left clockwise. `turned`: seat 0 sits so many quarter turns
    counter-clockwise from where the markers have it. (4, 2) mm"""
    x, y = layout.marker_centres[marker]
    r = layout.marker_side / 2
    return seen_from(turned, np.array([[x - r, y + r], [x + r, y + r], [x + r, y - r], [x - r, y - r]]))


def find(grey: NDArray[np.uint8]) -> dict[int, Floats]:
    """Markers 0..3 in a grey picture: corners (4, 2) px, from the printed top left clockwise."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.cornerRefinementWinSize = 3
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(grey)
    if ids is None:
        return {}
    found: dict[int, Floats] = {}
    for marker, quad in zip(ids.ravel(), corners, strict=True):
        if int(marker) in range(4):
            found[int(marker)] = np.asarray(quad, np.float64).reshape(4, 2)
    return found


def calibrate(
    layout: Layout,
    image: NDArray[np.uint8],
    *,
    turned: int = 0,
    focal: float | None = None,
    distortion: tuple[float, float, float, float] | None = None,
) -> Calibration:
    """A calibration from a picture (h, w, 3) BGR in which at least three of the four markers can be seen, or two when the others lie
    outside the picture and the focal length is known: that of a camera which shares its table with another.

    Raises CameraError naming the markers that are missing.
    """
    found = find(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8))
    absent = [n for n in range(4) if n not in found]
    size = (image.shape[1], image.shape[0])
    made = None
    if len(found) >= 2:
        table = np.concatenate([table_corners(layout, n, turned) for n in sorted(found)])
        pixels = np.concatenate([found[n] for n in sorted(found)])
        made = solve(layout, size, table, pixels, focal=focal, distortion=distortion)
    if made is None or (len(found) == 2 and any(_inside(made, table_corners(layout, n, turned)) for n in absent)):
        missing = ", ".join(map(str, absent))
        raise CameraError(f"calibration: markers {missing} are not seen; free the table's corners or use corners_px")
    if len(found) == 2 and focal is None:
        raise CameraError(
            "calibration: two markers alone do not tell how high tiles lie; give focal_px (`jantaku lens` finds it) or show a third"
        )
    if made.error_mm > 5.0:
        raise CameraError(
            f"calibration: the markers fit the table only to {made.error_mm:.0f} mm; check tile_width_mm, their places and the lens"
        )
    return replace(made, turned=turned)


def _inside(made: Calibration, corners: Floats) -> bool:
    """Whether a marker would be seen whole."""
    seen = made.project(np.column_stack([corners, np.zeros(4)]))
    return bool((seen >= 0).all() and (seen < made.size).all())


def moved_mm(calibration: Calibration, image: NDArray[np.uint8]) -> float | None:
    """How far the markers that can be seen lie from where they should, mm (median); None when none is seen.

    Looks only at the picture around each marker's place, so that it may run while the table is watched; anywhere in it when none
    is there.
    """
    found: dict[int, Floats] = {}
    for marker in range(4):
        expected = table_corners(calibration.layout, marker, calibration.turned)
        seen = calibration.project(np.column_stack([expected, np.zeros(4)]))
        reach = 0.8 * float(np.ptp(seen, axis=0).max())
        x0, y0 = np.floor(np.maximum(seen.min(axis=0) - reach, 0)).astype(int)
        x1, y1 = np.ceil(np.maximum(seen.max(axis=0) + reach, 0)).astype(int)
        part = image[y0:y1, x0:x1]
        if min(part.shape[:2]) < 16:
            continue
        here = find(np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8))
        if marker in here:
            found[marker] = here[marker] + [x0, y0]
    found = found or find(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8))
    if not found:
        return None
    gaps = [
        calibration.locate(corners, 0.0) - table_corners(calibration.layout, marker, calibration.turned)
        for marker, corners in found.items()
    ]
    return float(np.median(np.linalg.norm(np.concatenate(gaps), axis=1)))
