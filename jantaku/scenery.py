"""The site of a virtual table: where its camera hangs, where its cable ends, on which ports everything meets.

A simulated site is an ordinary site file. Nothing in it tells the sensors' code that the table is not there, except the
`clock` they all read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import numpy as np

from jantaku.house import answers
from jantaku.sites import free_port
from table_engine.rules import load_ruleset
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.settings import (
    BridgeSettings,
    BrokerSettings,
    CameraSettings,
    Point,
    Site,
    TableSettings,
    WebSettings,
)
from virtual_table.render.view import Camera

TABLE, CAMERA, BRIDGE = "table-1", "vision", "bridge"
TAGS = "tags.toml"
Sensor = Literal["serial", "camera"]
SENSORS: tuple[Sensor, ...] = ("serial", "camera")
TILT_DEG = 7.0
"""The camera hangs a little aside, as cameras do."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """What a simulated site is made of. `fps` is of the camera in simulated time."""

    folder: Path
    ruleset: str
    width: int = 1920
    height: int = 1080
    fps: float = 15.0
    tile_width_mm: float = 26.0
    sensors: tuple[Sensor, ...] = SENSORS
    web_port: int | None = None
    players: tuple[str, str, str, str] = ("", "", "", "")
    control: str | None = None
    tags: bool = False
    """The tiles have tags and the racks have readers: the engine knows the hands."""
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Settings of the rule set by which the game is played otherwise."""


def camera_above(layout: Layout, width: int, height: int) -> Camera:
    """The virtual table's camera: as renderer and site file both need it."""
    return Camera.overhead(width, height, layout.half, tilt_deg=TILT_DEG)


def corners_px(camera: Camera, layout: Layout) -> tuple[Point, Point, Point, Point]:
    """Where the corners of the layout's square lie in the picture, in the site file's order."""
    h = layout.half
    at = camera.project(np.array([[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]]))
    a, b, c, d = ((round(float(x), 2), round(float(y), 2)) for x, y in at)
    return a, b, c, d


def site_of(scenery: Scenery) -> Site:
    """The site file's content, with ports that are free now. Raises SettingsError for an unknown rule set."""
    rules = load_ruleset(scenery.ruleset, scenery.overrides)
    layout = Layout(TileSize.of_width(scenery.tile_width_mm), rules.set.tiles // 8)
    eye = camera_above(layout, scenery.width, scenery.height)
    camera = CameraSettings(
        id=CAMERA,
        source=f"http://127.0.0.1:{free_port()}/stream.mjpg",
        fps=scenery.fps,
        width=scenery.width,
        height=scenery.height,
        calibration="corners",
        corners_px=corners_px(eye, layout),
        focal_px=round(eye.focal, 2),
    )
    table = TableSettings(
        id=TABLE,
        ruleset=scenery.ruleset,
        overrides=dict(scenery.overrides),
        tile_width_mm=scenery.tile_width_mm,
        players=scenery.players,
        cameras=(camera,) if "camera" in scenery.sensors else (),
        tags=scenery.folder / TAGS if scenery.tags else None,
        bridges=(BridgeSettings(id=BRIDGE, port=str(scenery.folder / "serial"), secret=scenery.tags),)
        if "serial" in scenery.sensors
        else (),
    )
    return Site(
        venue="demo",
        data=scenery.folder / "data",
        clock=scenery.folder / "clock",
        broker=BrokerSettings(port=free_port(), store=scenery.folder / "broker"),
        web=WebSettings(port=scenery.web_port or free_port(), guests="viewer", demo=scenery.control),
        tables=(table,),
    )


def shows_itself(site: Site) -> bool:
    """Whether the virtual table of a simulated site has been switched on: camera and cable are there."""
    (table,) = site.tables
    ports = [urlsplit(camera.source).port or 0 for camera in table.cameras]
    return all(answers("127.0.0.1", port)() for port in ports) and all(Path(b.port).exists() for b in table.bridges)
