"""Other things on a table that a reader must not take for tiles: sticks, chips, phones, cups, cards, lamps."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render.design import Bgr
from virtual_table.render.view import Camera

Pixels = npt.NDArray[np.uint8]

_NEAREST = 200.0
"""Things nearer to the lens than this (mm) are left out: they would fill the picture."""


class Clutter:
    """Draws flat or low things lying at z = 0 onto the bare table. `light` scales their colours."""

    def __init__(self, picture: Pixels, camera: Camera, level: float = 1.0) -> None:
        self.picture, self.camera, self.level = picture, camera, level

    def stick(self, x: float, y: float, degrees: float, scale: float, dots: int = 1, ink: Bgr = (40, 40, 190)) -> None:
        """A point stick, 90 x 7 mm: one red dot (1000), five (5000) or eight black ones (100)."""
        self._bar(x, y + 0.0, degrees, 92 * scale, 9 * scale, (40, 60, 50), shift=1.2 * scale)
        self._bar(x, y, degrees, 90 * scale, 7 * scale, (220, 236, 240))
        for n in range(dots):
            along = (n - (dots - 1) / 2) * 4.5 * scale
            at = self._at(x, y, degrees, along, 0)
            self._dot(at, 1.7 * scale, ink)

    def chip(self, x: float, y: float, radius: float, ink: Bgr) -> None:
        self._dot((x + 1.5, y - 1.5), radius * 1.03, (20, 24, 22))
        self._dot((x, y), radius, ink)
        self._dot((x, y), radius * 0.72, (220, 224, 226))
        self._dot((x, y), radius * 0.62, ink)

    def phone(self, x: float, y: float, degrees: float, ink: Bgr, screen: Bgr) -> None:
        self._bar(x + 4, y - 5, degrees, 156, 78, (22, 26, 24))
        self._bar(x, y, degrees, 152, 74, ink)
        self._bar(x, y, degrees, 140, 67, screen)
        for n in range(5):
            at = self._at(x, y, degrees, -52 + 24 * n, 10 * (n % 2))
            self._bar(at[0], at[1], degrees, 14, 40 - 18 * (n % 2), brightened(screen, 1.5 if n % 2 else 0.7))

    def cup(self, x: float, y: float, radius: float, ink: Bgr, drink: Bgr) -> None:
        """Seen from above: a disc with a rim; the body leans away from the camera."""
        away = np.array([x, y]) - np.array(self.camera.position[:2])
        lean = away / max(1.0, float(np.linalg.norm(away))) * radius * 0.8
        for share in np.linspace(0, 1, 8):
            centre = (x + lean[0] * share, y + lean[1] * share)
            self._dot(centre, radius * (0.8 + 0.2 * share), brightened(ink, 0.6 + 0.4 * share))
        self._dot((x + lean[0], y + lean[1]), radius * 0.86, drink)

    def card(
        self, x: float, y: float, degrees: float, width: float, height: float, paper: Bgr, ink: Bgr, lines: int
    ) -> None:
        """A card or sheet with lines of something like writing."""
        self._bar(x, y, degrees, width, height, paper)
        for n in range(lines):
            v = (n + 1) / (lines + 1) - 0.5
            at = self._at(x, y, degrees, -0.04 * width, v * height)
            self._bar(at[0], at[1], degrees, width * 0.75, height * 0.3 / (lines + 1), ink)

    def panel(self, x: float, y: float, degrees: float, text: str, ink: Bgr, width: float = 64.0) -> None:
        """Glowing digits on black."""
        plate: Pixels = np.full((40, 110, 3), 12, np.uint8)
        cv2.putText(plate, text, (6, 31), cv2.FONT_HERSHEY_PLAIN, 2.2, ink, 3, cv2.LINE_AA)
        corners = [
            self._at(x, y, degrees, u * width / 2, v * width * 0.18) for u, v in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        ]
        points = np.array([[a, b, 0.0] for a, b in corners])
        if self.camera.normal(points)[:, 2].min() < _NEAREST:
            return
        quad = self.camera.project(points).astype(np.float32)
        source = np.array([[0, 0], [109, 0], [109, 39], [0, 39]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, quad)
        size = (self.picture.shape[1], self.picture.shape[0])
        cv2.warpPerspective(
            plate, matrix, size, dst=self.picture, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT
        )

    def _at(self, x: float, y: float, degrees: float, along: float, across: float) -> tuple[float, float]:
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        return float(x + along * c - across * s), float(y + along * s + across * c)

    def _bar(
        self, x: float, y: float, degrees: float, length: float, width: float, ink: Bgr, shift: float = 0.0
    ) -> None:
        corners = [
            self._at(x + shift, y - shift, degrees, u * length / 2, v * width / 2)
            for u, v in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        ]
        self._polygon(np.array([[a, b, 0.0] for a, b in corners]), ink)

    def _dot(self, at: tuple[float, float], radius: float, ink: Bgr) -> None:
        turns = np.linspace(0, 2 * np.pi, 25)[:-1]
        self._polygon(
            np.stack([at[0] + radius * np.cos(turns), at[1] + radius * np.sin(turns), np.zeros(24)], axis=1), ink
        )

    def _polygon(self, points: npt.NDArray[np.float64], ink: Bgr) -> None:
        if self.camera.normal(points)[:, 2].min() < _NEAREST:
            return
        drawn = np.rint(self.camera.project(points) * 16).astype(np.int32)
        blue, green, red = (min(255.0, v * self.level) for v in ink)
        cv2.fillConvexPoly(self.picture, drawn, (blue, green, red), cv2.LINE_AA, 4)


def brightened(ink: Bgr, factor: float) -> Bgr:
    """A colour made brighter or darker."""
    blue, green, red = (min(255, int(v * factor)) for v in ink)
    return blue, green, red
