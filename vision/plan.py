"""Which camera, lens and height a table needs: plain optics of a camera that looks down on the layout's square."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, cos, degrees, radians, sin, tan

from table_engine.wire.layout import Layout

MARGIN = 0.06
"""Share of the square's side that is to be seen around it: the markers' white rims, and a mount that is never exact."""
WANTED_PX = 30.0
"""Length of a face from which the reader is at its best; below `LEAST_PX` it guesses."""
LEAST_PX = 22.0
TILT_DEG = 12.0
"""Beyond this lean racks hide behind walls, and standing tiles are counted no longer."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """A picture sensor: its name in catalogues and its sides in mm, for 16:9 pictures."""

    name: str
    width: float
    height: float


SENSORS = (Sensor('1/4"', 3.6, 2.0), Sensor('1/2.8"', 5.6, 3.1), Sensor('1/2.5"', 6.2, 3.5), Sensor('1/1.8"', 7.7, 4.3))
PICTURES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))


@dataclass(frozen=True, slots=True)
class Mount:
    """A camera over a table: height above the felt, mm; lean from straight down, degrees; picture, px; angle of view across
    the picture's width, degrees (None: as the table needs it)."""

    height: float
    tilt_deg: float = 0.0
    pixels: tuple[int, int] = (1920, 1080)
    across_deg: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    needed_deg: float
    """Angle of view across the picture's width with which the square and its margin just fit."""
    covered: bool
    """Whether the lens given sees all of it."""
    face_px: float
    """Length of a face lying in the middle of the table, and of one at the far edge."""
    far_px: float
    standing_mm: float
    """By how much the top of a standing tile at the table's edge looks moved outwards."""

    @property
    def enough(self) -> bool:
        return self.covered and self.far_px >= WANTED_PX


def plan(layout: Layout, mount: Mount) -> Plan:
    """What a mount gives. Raises ValueError for a height or picture that is none."""
    if mount.height <= 2 * layout.tile.length or min(mount.pixels) < 100:
        raise ValueError("the camera must hang above the tiles and give a picture of 100 pixels or more")
    wide, high = mount.pixels
    reach = layout.half * (1 + MARGIN)
    lean = radians(mount.tilt_deg)
    near = mount.height - reach * sin(lean)  # distance along the axis of the edge the camera leans away from
    far = mount.height + reach * sin(lean)
    half_high = max(reach * cos(lean) / near, reach * cos(lean) / far)
    half_wide = max(reach / near, half_high * wide / high)
    needed = 2 * degrees(atan(half_wide))
    given = needed if mount.across_deg is None else mount.across_deg
    focal_px = wide / 2 / tan(radians(given) / 2)
    length = layout.tile.length
    return Plan(
        needed,
        given >= needed - 0.05,
        focal_px * length / mount.height * cos(lean),
        focal_px * length / far * cos(lean) * mount.height / far,
        layout.half * layout.tile.length / (mount.height - layout.tile.length),
    )


def focal_mm(sensor: Sensor, across_deg: float) -> float:
    """Focal length of a lens that gives this angle of view across the sensor's width."""
    return sensor.width / 2 / tan(radians(across_deg) / 2)
