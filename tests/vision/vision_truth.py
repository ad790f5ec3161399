"""The virtual table for tests of vision: what a camera sees of it, and what it should say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.observations import Observation, RackSeen, WallSeen, ZoneSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK
from virtual_table.customs import customs_of
from virtual_table.render.look import Look as Appearance
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.sensing import pond_seen, rack_seen, strip_seen, wall_seen, zone_at
from virtual_table.simulation import Simulation
from virtual_table.table import Pose, TableSnapshot, TileThing
from vision.calibrate import Calibration, solve
from vision.frame import Frame
from vision.labels import BACK_UP, FACE, TOP
from vision.look import BORDER_PX, Look
from vision.sighting import Sighting

Key = tuple[Seat, str]
Contents = dict[Key, ZoneSeen | RackSeen | WallSeen]


def calibrated(camera: Camera, layout: Layout) -> Calibration:
    """A perfect calibration of a simulated camera."""
    half = layout.half
    table = np.array([[-half, -half], [half, -half], [half, half], [-half, half], [0, 0], [half / 2, 0]])
    pixels = camera.project(np.column_stack([table, np.zeros(len(table))]))
    lens = camera.lens
    return solve(
        layout,
        (camera.width, camera.height),
        table,
        pixels,
        focal=camera.focal,
        distortion=(lens.k1, lens.k2, lens.p1, lens.p2),
    )


class TruthEyes:
    """Stands in for detector and reader: gives what really lies in a window, seen with parallax."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self.snapshot: TableSnapshot | None = None
        self.looks = 0

    def look(self, _: np.ndarray, window: tuple[int, int, int, int]) -> Look:
        self.looks += 1
        assert self.snapshot is not None
        things = [t for t in self.snapshot.tiles if t.held is None]
        highest: dict[tuple[int, int], tuple[float, Sighting]] = {}
        for thing, sighting, top in sighted(self.calibration, things):
            x, y = self.calibration.scale(np.array([[sighting.x, sighting.y]]))[0]
            key = (round(thing.place.x / 8), round(thing.place.y / 8))
            near = (
                window[0] - BORDER_PX <= x < window[2] + BORDER_PX
                and window[1] - BORDER_PX <= y < window[3] + BORDER_PX
            )
            if near and highest.get(key, (-1.0,))[0] < top:
                highest[key] = (top, sighting)
        return Look(tuple(s for _, s in highest.values()), 0.0)


def sighted(calibration: Calibration, things: list[TileThing]) -> Iterator[tuple[TileThing, Sighting, float]]:
    """Things as perfect eyes see them, and the height of what they see of each."""
    tile = calibration.layout.tile
    for thing in things:
        place, standing = thing.place, thing.pose is Pose.STANDING
        top = place.z + (tile.length if standing else tile.depth)
        seen = calibration.unscale(calibration.to_rectified(np.array([[place.x, place.y, top]])))[0]
        what = TOP if standing else FACE if thing.pose is Pose.UP else BACK_UP
        code = thing.face if what == FACE else BACK
        level = 1 + place.z / tile.depth
        yield thing, Sighting(float(seen[0]), float(seen[1]), place.angle_deg, what, code, 0.99, 0.9, level), top


def contents(layout: Layout, snapshot: TableSnapshot) -> Contents:
    """What every zone of the table really holds."""
    by_zone: dict[tuple[Seat, Zone], list[TileThing]] = {}
    for thing in snapshot.tiles:
        spot = zone_at(layout, thing.place.x, thing.place.y)
        if spot is not None and thing.held is None:
            by_zone.setdefault(spot, []).append(thing)
    found: Contents = {}
    for seat in SEATS:
        melds, flowers = strip_seen(layout, seat, by_zone.get((seat, Zone.MELD), []))
        for one in (
            pond_seen(layout, seat, by_zone.get((seat, Zone.POND), [])),
            rack_seen(layout, seat, by_zone.get((seat, Zone.RACK), [])),
            wall_seen(layout, seat, by_zone.get((seat, Zone.WALL), [])),
            melds,
            flowers,
        ):
            found[key_of(one)] = one
    return found


def key_of(one: ZoneSeen | RackSeen | WallSeen) -> Key:
    return one.seat, one.zone.value if isinstance(one, ZoneSeen) else one.type


def essence(one: ZoneSeen | RackSeen | WallSeen) -> tuple[object, ...]:
    """What of a zone has to be exact: tiles, order, grouping, which lie sideways, heights, counts."""
    match one:
        case ZoneSeen():
            return tuple((t.code, t.sideways, t.group) for t in one.tiles)
        case RackSeen():
            return (one.standing, one.apart, tuple((t.code, t.sideways) for t in one.open))
        case WallSeen():
            return (one.heights, tuple((t.code, t.group) for t in one.open))


def zones_of(said: list[tuple[int, Observation]]) -> Contents:
    """The last word on each zone."""
    return {key_of(one): one for _, one in said if isinstance(one, ZoneSeen | RackSeen | WallSeen)}


def jpeg(image: np.ndarray, quality: int = 90) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


@dataclass
class Filmed:
    """A played game in front of a camera."""

    simulation: Simulation
    renderer: Renderer
    calibration: Calibration
    frames: int = 0

    @classmethod
    def of_players(
        cls, ruleset: str, *, seed: int = 1, look: Appearance | None = None, tilt_deg: float = 0.0
    ) -> Filmed:
        simulation = Simulation.of_players(customs_of(ruleset), hands=1, seed=seed)
        camera = Camera.overhead(1920, 1080, simulation.layout.half, tilt_deg=tilt_deg)
        renderer = Renderer(camera, simulation.layout, look, seed=seed)
        return cls(simulation, renderer, calibrated(camera, simulation.layout))

    def step(self, ms: int) -> Frame:
        """Lets time go by and takes a picture."""
        self.simulation.step(ms)
        return self.frame()

    def frame(self) -> Frame:
        self.frames += 1
        snapshot = self.simulation.snapshot()
        return Frame(self.simulation.at_ms, self.frames, image=self.renderer.frame(snapshot))
