"""One lamp and the room's light: how bright a surface is, where shadows fall."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

from virtual_table.render.view import Floats


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp far away in `azimuth_deg` at `elevation_deg`, plus light from everywhere. A surface that looks up has brightness `power`."""

    azimuth_deg: float = 60.0
    elevation_deg: float = 62.0
    ambient: float = 0.68
    power: float = 1.0
    shadow: float = 0.42
    """Darkness of a full shadow, 0..1."""
    softness: float = 5.0
    """Width of the shadow's edge, mm."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Change of brightness per metre along x and y."""
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factors of blue, green, red."""

    @property
    def direction(self) -> Floats:
        """Unit vector towards the lamp."""
        e, a = radians(self.elevation_deg), radians(self.azimuth_deg)
        return np.array([cos(e) * cos(a), cos(e) * sin(a), sin(e)])

    def shade(self, normal: Floats) -> float:
        """Brightness of a surface relative to one that looks up."""
        towards = self.direction
        sky = 0.5 + 0.5 * float(normal[2])
        lit = max(0.0, float(normal @ towards)) / float(towards[2])
        return min(1.25, self.ambient * (0.62 + 0.38 * sky) + (1 - self.ambient) * lit)

    def gleam(self, normal: Floats, towards_eye: Floats) -> float:
        """How much of the lamp a polished surface mirrors into the eye, 0..1 (Blinn-Phong, exponent 70)."""
        half = self.direction + towards_eye
        facing = float(normal @ half) / (float(np.linalg.norm(half)) or 1.0)
        return max(0.0, facing) ** 70

    def level(self, x: float, y: float) -> float:
        """Brightness of the place, power included."""
        return self.power * max(0.1, 1 + (self.slope[0] * x + self.slope[1] * y) / 1000)

    def tint(self, brightness: float) -> npt.NDArray[np.float32]:
        return np.array(self.colour, np.float32) * np.float32(brightness)

    def cast(self, points: Floats, z: float = 0.0) -> Floats:
        """Where the shadows of points fall on the plane at height `z` (N x 3)."""
        towards = self.direction
        rise = np.maximum(points[:, 2:] - z, 0)
        out = points - towards[None, :] / towards[2] * rise
        out[:, 2] = z
        return np.asarray(out, np.float64)
