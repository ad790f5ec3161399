"""Position markers, printed exactly where they project."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import MARKER_DICTIONARY, Layout
from virtual_table.render.light import Light
from virtual_table.render.view import Camera

Pixels = npt.NDArray[np.uint8]

_MODULE = 24
_FINE = 4
_PAPER, _INK = 224, 24
_MARGIN = 0.8
"""White around a marker, in modules."""


def draw_markers(picture: Pixels, layout: Layout, camera: Camera, light: Light) -> None:
    """Prints the layout's position markers onto the picture of a bare table."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
    half = layout.marker_side / 2 * (1 + 2 * _MARGIN / 6)
    for number, (x, y) in enumerate(layout.marker_centres):
        cells = cv2.aruco.generateImageMarker(dictionary, number, 6 * _MODULE)
        border = round(_MARGIN * _MODULE)
        printed = np.pad(np.where(cells > 0, _PAPER, _INK).astype(np.uint8), border, constant_values=_PAPER)
        square = np.array(
            [[x - half, y + half, 0], [x + half, y + half, 0], [x + half, y - half, 0], [x - half, y - half, 0]]
        )
        level = np.array(light.colour, np.float32) * np.float32(light.level(x, y))
        _stick(picture, printed, camera.project(square), level)


def _stick(picture: Pixels, printed: Pixels, quad: npt.NDArray[np.float64], level: npt.NDArray[np.float32]) -> None:
    """Warps a grey square onto a quad, finely, so that small modules keep their size."""
    x0, y0 = (max(0, int(v)) for v in np.floor(quad.min(axis=0)) - 1)
    x1, y1 = (min(limit, int(v)) for v, limit in zip(np.ceil(quad.max(axis=0)) + 2, picture.shape[1::-1], strict=True))
    if x1 <= x0 or y1 <= y0:
        return
    side = printed.shape[0]
    source = np.array([[-0.5, -0.5], [side - 0.5, -0.5], [side - 0.5, side - 0.5], [-0.5, side - 0.5]], np.float32)
    target = ((quad - (x0, y0) + 0.5) * _FINE - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    size = ((x1 - x0) * _FINE, (y1 - y0) * _FINE)
    both = cv2.merge((printed, np.full_like(printed, 255)))
    fine = cv2.warpPerspective(both, matrix, size, flags=cv2.INTER_LINEAR)
    patch = cv2.resize(fine, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA).astype(np.float32)
    part = picture[y0:y1, x0:x1]
    keep = 1 - patch[..., 1:] / 255
    part[:] = np.minimum(part * keep + patch[..., :1] * level, 255).astype(np.uint8)
