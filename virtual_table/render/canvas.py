"""The still part of the picture: the bare table with tiles and their shadows. Only what changed is drawn anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render.block import Block, Shape, Textures, draw_block, shape_blocks
from virtual_table.render.light import Light
from virtual_table.render.view import Camera

Pixels = npt.NDArray[np.uint8]
Window = tuple[int, int, int, int]
"""x0, y0, x1, y1; the last column and row are not part of it."""

_BORDER = 4


class Canvas:
    """`picture` is the bare table with the blocks given last. `base` (H x W x 3, BGR) is the bare table and stays as it is."""

    def __init__(self, base: Pixels, camera: Camera, light: Light, textures: Textures | None = None) -> None:
        self.base, self.camera, self.light = base, camera, light
        self.textures = textures or Textures()
        self.picture: Pixels = base.copy()
        self.shapes: list[Shape] = []
        self._blocks: dict[int, Block] = {}

    def show(self, blocks: Sequence[Block]) -> list[Window]:
        """Changes the picture so that exactly these blocks (keys unique) lie on the table. Returns the windows drawn anew."""
        wanted = {block.key: block for block in blocks}
        changed = {key for key in wanted.keys() | self._blocks.keys() if wanted.get(key) != self._blocks.get(key)}
        if not changed:
            return []
        old = {shape.block.key: shape for shape in self.shapes}
        fresh = shape_blocks([wanted[key] for key in wanted if key in changed], self.camera, self.light)
        kept = [old[key] for key in wanted if key not in changed]
        self.shapes = sorted([*kept, *fresh], key=lambda s: (-s.depth, s.block.key))
        self._blocks = wanted
        touched = [*fresh, *(old[key] for key in changed if key in old)]
        windows = self._windows(touched)
        for window in windows:
            self._draw(window)
        return windows

    def rebase(self, base: Pixels, windows: Iterable[Window]) -> list[Window]:
        """Puts another bare table under the tiles; it differs from the one before in `windows` only."""
        self.base = base
        height, width = base.shape[:2]
        merged = [
            w for w in _merged([_clip(window, width, height) for window in windows]) if w[2] > w[0] and w[3] > w[1]
        ]
        for window in merged:
            self._draw(window)
        return merged

    def _windows(self, shapes: Iterable[Shape]) -> list[Window]:
        height, width = self.base.shape[:2]
        reach = self._reach()
        found: list[Window] = []
        for shape in shapes:
            a, b = shape.box, shape.shadow_box
            found.append(
                (min(a[0], b[0] - reach), min(a[1], b[1] - reach), max(a[2], b[2] + reach), max(a[3], b[3] + reach))
            )
        merged = _merged([_clip(window, width, height) for window in found])
        return [window for window in merged if window[2] > window[0] and window[3] > window[1]]

    def _reach(self) -> int:
        """How far a blurred shadow reaches beyond its outline, px."""
        return 3 * self._sigma() + 2

    def _sigma(self) -> int:
        return max(1, round(self.light.softness * self.camera.scale_at(0, 0) * 0.5))

    def _draw(self, window: Window) -> None:
        """Draws a little more than the window and keeps the window: edges clipped by a border are smoothed differently."""
        height, width = self.base.shape[:2]
        x0, y0, x1, y1 = window
        wide = _clip((x0 - _BORDER, y0 - _BORDER, x1 + _BORDER, y1 + _BORDER), width, height)
        part = self.base[wide[1] : wide[3], wide[0] : wide[2]].copy()
        self._shadows(part, wide)
        for shape in self.shapes:
            if _meets(shape.box, wide):
                draw_block(part, (wide[0], wide[1]), shape, self.textures, self.light)
        left, top = x0 - wide[0], y0 - wide[1]
        self.picture[y0:y1, x0:x1] = part[top : top + y1 - y0, left : left + x1 - x0]

    def _shadows(self, part: Pixels, window: Window) -> None:
        if self.light.shadow <= 0:
            return
        reach = self._reach()
        x0, y0, x1, y1 = window[0] - reach, window[1] - reach, window[2] + reach, window[3] + reach
        mask: Pixels = np.zeros((y1 - y0, x1 - x0), np.uint8)
        move = np.array((x0 * 16, y0 * 16), np.int32)
        found = False
        for shape in self.shapes:
            if _meets(shape.shadow_box, (x0, y0, x1, y1)):
                cv2.fillConvexPoly(mask, shape.shadow - move, 255, cv2.LINE_AA, 4)
                found = True
        if not found:
            return
        sigma = self._sigma()
        soft = cv2.GaussianBlur(mask, (6 * sigma + 1, 6 * sigma + 1), sigma)[reach:-reach, reach:-reach]
        factor = cv2.bitwise_not(cv2.convertScaleAbs(soft, alpha=self.light.shadow))
        cv2.multiply(part, cv2.merge((factor, factor, factor)), dst=part, scale=1 / 255)


def _clip(window: Window, width: int, height: int) -> Window:
    return max(0, window[0]), max(0, window[1]), min(width, window[2]), min(height, window[3])


def _meets(a: Window, b: Window) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _merged(windows: list[Window]) -> list[Window]:
    """Joins windows that overlap until none do."""
    todo, done = list(windows), list[Window]()
    while todo:
        window = todo.pop()
        for n, other in enumerate(done):
            if _meets(window, other):
                del done[n]
                todo.append(
                    (
                        min(window[0], other[0]),
                        min(window[1], other[1]),
                        max(window[2], other[2]),
                        max(window[3], other[3]),
                    )
                )
                break
        else:
            done.append(window)
    return sorted(done)
