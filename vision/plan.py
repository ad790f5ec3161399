"""Which camera, lens and height a table needs: plain optics of a camera that looks down on the layout's square."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, cos, degrees, radians, sin, tan
from typing import Literal

from table_engine.wire.layout import Layout

MARGIN = 0.06
"""Share of the square's side that is to be seen around it: the markers' white rims, and a mount that is never exact."""
WANTED_PX = 30.0
"""Length of a face from which the reader is at its best; below `LEAST_PX` it guesses."""
LEAST_PX = 22.0
OVERLAP = 2.5
"""How far, in tile lengths, each of two cameras sees beyond the middle: a tile on it is whole in both pictures."""
LEANING_DEG = 2.0
"""A tile that lies on a dent or on another's edge leans by so much and mirrors a lamp from twice as far aside."""
TILT_DEG = 12.0
"""Beyond this lean racks hide behind walls, and standing tiles are counted no longer."""
STACK_MM = 1.2
"""Of a tile 26 mm wide: walls that look moved by less are told high from low by what was touched alone."""


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
    cameras: Literal[1, 2] = 1
    """Two: one over each half of the table, the long side of its picture along the middle line."""


@dataclass(frozen=True, slots=True)
class Plan:
    needed_deg: float
    """Angle of view across the picture's width with which the square and its margin just fit."""
    covered: bool
    """Whether the lens given sees all of it."""
    face_px: float
    """Length of a face lying in the middle of the picture, and of one at the far edge."""
    far_px: float
    standing_mm: float
    """By how much the top of a standing tile at the edge of what the camera sees looks moved outwards."""
    stack_mm: float
    """By how much, at least, the upper of two tiles of a wall looks moved against the lower one."""

    @property
    def enough(self) -> bool:
        return self.covered and self.far_px >= WANTED_PX


def plan(layout: Layout, mount: Mount) -> Plan:
    """What a mount gives. Raises ValueError for a height or picture that is none."""
    if mount.height <= 2 * layout.tile.length or min(mount.pixels) < 100:
        raise ValueError("the camera must hang above the tiles and give a picture of 100 pixels or more")
    wide, high = mount.pixels
    reach = layout.half * (1 + MARGIN)
    deep = reach if mount.cameras == 1 else (reach + OVERLAP * layout.tile.length) / 2
    lean = radians(mount.tilt_deg)
    near = mount.height - deep * sin(lean)  # distance along the axis of the edge the camera leans away from
    far = mount.height + deep * sin(lean)
    half_high = max(deep * cos(lean) / near, deep * cos(lean) / far)
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
        _stack_mm(layout, mount),
    )


def _stack_mm(layout: Layout, mount: Mount) -> float:
    """Nothing looks moved right below a camera, which hangs over the middle, or over that of its half, when it does not lean."""
    aside = mount.height * tan(radians(mount.tilt_deg)) + (mount.cameras - 1) * layout.half / 2
    wall = abs(layout.wall_v)
    nearest = min(abs(wall - aside), wall)
    return nearest * layout.tile.depth / (mount.height - 2 * layout.tile.depth)


def lamp_mm(layout: Layout, camera_mm: float, lamp_mm: float) -> float:
    """How far from the middle of the table a lamp at this height above the felt has to hang, mm, that no tile on the table mirrors
    it into a camera above the middle: the mirror image lies beyond the table's edge even for a tile that leans a little."""
    aside = tan(2 * radians(LEANING_DEG))
    return layout.half + lamp_mm * (layout.half / camera_mm + aside) / (1 - aside * layout.half / camera_mm)


def focal_mm(sensor: Sensor, across_deg: float) -> float:
    """Focal length of a lens that gives this angle of view across the sensor's width."""
    return sensor.width / 2 / tan(radians(across_deg) / 2)
