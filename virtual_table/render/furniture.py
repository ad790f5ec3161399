"""The moving parts of a bare table: dice, the dealer's lamp, the bay, sticks laid down."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import Layout, to_table
from table_engine.wire.seats import SEATS
from virtual_table.render.canvas import Window
from virtual_table.render.clutter import Clutter
from virtual_table.render.design import Bgr
from virtual_table.render.light import Light
from virtual_table.render.view import Camera, Floats, turn
from virtual_table.table import DieThing, StickThing, TableSnapshot

Pixels = npt.NDArray[np.uint8]

_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
_DIE = 12.0


class Furniture:
    """Draws a snapshot's fittings onto a copy of the bare table."""

    def __init__(self, bare: Pixels, layout: Layout, camera: Camera, light: Light, panel: Bgr) -> None:
        self._bare, self._layout, self._camera, self._light, self._panel = bare, layout, camera, light, panel
        self._shown: object = None
        self._windows: list[Window] = []

    def fit(self, snapshot: TableSnapshot) -> tuple[Pixels, list[Window]] | None:
        """The bare table of this snapshot and the windows that differ from the last one, or None when nothing changed."""
        shown = (snapshot.dice, snapshot.sticks, snapshot.dealer, snapshot.bay_open)
        if shown == self._shown:
            return None
        self._shown = shown
        base = self._bare.copy()
        windows = [self._bay(base) if snapshot.bay_open else self._lamp(base, snapshot)]
        if not snapshot.bay_open:
            windows += [self._die(base, die) for die in snapshot.dice]
        windows += [self._stick(base, stick) for stick in snapshot.sticks]
        changed = [*self._windows, *windows]
        self._windows = windows
        return base, changed

    def _window(self, points: Floats) -> Window:
        pixels = self._camera.project(points)
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        return (
            max(0, int(low[0]) - 3),
            max(0, int(low[1]) - 3),
            min(self._camera.width, int(high[0]) + 4),
            min(self._camera.height, int(high[1]) + 4),
        )

    def _square(self, half: float, z: float = 0.0) -> Floats:
        return np.array([[-half, half, z], [half, half, z], [half, -half, z], [-half, -half, z]])

    def _fill(self, base: Pixels, points: Floats, ink: tuple[float, ...]) -> None:
        level = self._light.power
        blue, green, red = (min(255.0, v * level) for v in ink)
        cv2.fillConvexPoly(
            base, np.rint(self._camera.project(points) * 16).astype(np.int32), (blue, green, red), cv2.LINE_AA, 4
        )

    def _bay(self, base: Pixels) -> Window:
        """The middle plate stands up on its post and the opening around it is dark."""
        k = self._layout.scale
        hole, plate = self._square(71 * k), self._square(60 * k, 55 * k)
        self._fill(base, hole, (18, 18, 20))
        self._fill(base, self._square(60 * k, 48 * k), tuple(v * 0.5 for v in self._panel))
        self._fill(base, plate, tuple(v * 1.15 + 8 for v in self._panel))
        return self._window(np.concatenate([hole, plate]))

    def _lamp(self, base: Pixels, snapshot: TableSnapshot) -> Window:
        k = self._layout.scale
        for seat in SEATS:
            x, y = to_table(seat, 52 * k, -52 * k)
            turns = np.linspace(0, 2 * np.pi, 17)[:-1]
            ring = np.stack([x + 5 * k * np.cos(turns), y + 5 * k * np.sin(turns), np.zeros(16)], axis=1)
            self._fill(base, ring, (70, 200, 255) if seat == snapshot.dealer else (40, 46, 50))
        return self._window(self._square(60 * k))

    def _die(self, base: Pixels, die: DieThing) -> Window:
        side = _DIE * self._layout.scale
        spin = turn(die.angle_deg)
        corners = np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]]) * side / 2
        low = corners @ spin.T + np.array([die.x, die.y, 0.0])
        high = low + np.array([0.0, 0.0, side])
        both = np.concatenate([low, high])
        hull = cv2.convexHull(np.rint(self._camera.project(both) * 16).astype(np.int32))
        cv2.fillConvexPoly(base, hull, (150, 156, 158), cv2.LINE_AA, 4)
        self._fill(base, high, (232, 236, 238))
        for u, v in _PIPS.get(die.pips, ()):
            radius = side * (0.17 if die.pips == 1 else 0.1)
            middle = spin @ np.array([u, v, 0.0]) * side * 0.26 + np.array([die.x, die.y, side])
            turns = np.linspace(0, 2 * np.pi, 13)[:-1]
            ring = middle + radius * np.stack([np.cos(turns), np.sin(turns), np.zeros(12)], axis=1)
            self._fill(base, ring, (40, 40, 200) if die.pips in (1, 4) else (30, 28, 26))
        return self._window(both)

    def _stick(self, base: Pixels, stick: StickThing) -> Window:
        k = self._layout.scale
        Clutter(base, self._camera, self._light.power).stick(stick.x, stick.y, stick.angle_deg, k)
        reach = np.array([[-48, -10, 0], [48, -10, 0], [48, 10, 0], [-48, 10, 0]]) * k
        return self._window(reach @ turn(stick.angle_deg).T + np.array([stick.x, stick.y, 0.0]))
