"""Frames of a table snapshot as a fixed camera sees it. Only what changed since the last frame is drawn anew."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import Layout, TileSize, Zone, to_seat
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile, is_flower
from virtual_table.render.block import Block, Shape, shape_blocks
from virtual_table.render.canvas import Canvas, Window
from virtual_table.render.furniture import Furniture
from virtual_table.render.limb import Arm, Limbs
from virtual_table.render.look import Look
from virtual_table.render.optics import add_glare, add_noise, expose, lens_field
from virtual_table.render.stage import draw_stage
from virtual_table.render.truth import GroundTruth, tile_truths
from virtual_table.render.view import Camera, tip, turn
from virtual_table.table import ArmThing, TableSnapshot, TileThing

Pixels = npt.NDArray[np.uint8]


def block_of(thing: TileThing, size: TileSize, look: Look) -> Block:
    """A table thing as a block in space."""
    place = thing.place
    rotation = turn(place.angle_deg) @ tip(place.tilt_deg)
    rise = float(np.abs(rotation[2]) @ np.array([size.width, size.length, size.depth])) / 2
    flat = tuple(float(v) for v in rotation.ravel())
    return Block(thing.id, thing.face, (place.x, place.y, place.z + rise), flat, size, look.sets[thing.back % 2])


def zone_of(layout: Layout, x: float, y: float, face: Tile) -> tuple[str, int]:
    """Name of the zone that holds a table point and its seat; ("", -1) outside all."""
    for seat in SEATS:
        u, v = to_seat(seat, x, y)
        for zone in (Zone.POND, Zone.WALL, Zone.RACK):
            if layout.zone(zone).holds(u, v):
                return zone.value, int(seat)
        if layout.zone(Zone.MELD).holds(u, v):
            return (Zone.FLOWER if is_flower(face) else Zone.MELD).value, int(seat)
    inside = layout.zone(Zone.CENTRE).holds(x, y)
    return (Zone.CENTRE.value, 0) if inside else ("", -1)


class Renderer:
    """`frame(snapshot)` gives BGR pictures of the camera's size. Noise depends on the seed and the snapshot's time only."""

    def __init__(self, camera: Camera, layout: Layout, look: Look | None = None, seed: int = 0) -> None:
        self.camera, self.layout, self.look, self.seed = camera, layout, look or Look(), seed
        light, optics = self.look.light, self.look.optics
        bare = draw_stage(self.look.stage, layout, camera, light)
        self._furniture = Furniture(bare, layout, camera, light, self.look.stage.panel)
        self._canvas = Canvas(bare, camera, light)
        self._field = lens_field(optics, camera.width, camera.height)
        self._glare: Pixels = np.zeros_like(bare)
        add_glare(self._glare, optics.glares)
        self._still = bare.copy()
        self._develop([(0, 0, camera.width, camera.height)])
        self._blocks: dict[int, tuple[TileThing, Block]] = {}

    def set_exposure(self, factor: float) -> None:
        """Makes later frames darker or brighter (1 is as lit)."""
        self.look = replace(self.look, optics=replace(self.look.optics, exposure=factor))

    def frame(self, snapshot: TableSnapshot) -> Pixels:
        """The picture of a snapshot. Shape height x width x 3, BGR, a new array."""
        windows: list[Window] = []
        fitted = self._furniture.fit(snapshot)
        if fitted is not None:
            windows += self._canvas.rebase(*fitted)
        resting, carried = self._split(snapshot)
        windows += self._canvas.show(resting)
        self._develop(windows)
        picture = self._still.copy()
        limbs = self._limbs(snapshot)
        limbs.draw(picture, self._carried_shapes(carried), self._canvas.textures)
        picture = expose(picture, self.look.optics.exposure)
        add_noise(picture, self.look.optics.noise, self.seed * 1_000_003 + snapshot.at_ms)
        return picture

    def truth(self, snapshot: TableSnapshot) -> GroundTruth:
        """What is really in the frame of this snapshot."""
        resting, carried = self._split(snapshot)
        self._develop(self._canvas.show(resting))
        cover: Pixels = np.zeros((self.camera.height, self.camera.width), np.uint8)
        scratch: Pixels = np.zeros((self.camera.height, self.camera.width, 3), np.uint8)
        self._limbs(snapshot).draw(scratch, cover=cover)
        shapes = [*self._canvas.shapes, *self._carried_shapes(carried)]
        places = {thing.id: zone_of(self.layout, thing.place.x, thing.place.y, thing.face) for thing in snapshot.tiles}
        held = frozenset(thing.id for thing in snapshot.tiles if thing.held is not None)
        size = (self.camera.width, self.camera.height)
        tiles = tile_truths(shapes, size, cover=cover, places=places, held=held)
        notes = {
            "style": self.look.design.name,
            "seed": self.seed,
            "tile_mm": self.layout.tile.width,
            "stacks": self.layout.stacks,
        }
        return GroundTruth(*size, snapshot.at_ms, tiles, notes)

    def _split(self, snapshot: TableSnapshot) -> tuple[list[Block], list[Block]]:
        """Blocks that rest and blocks in a hand that is over the table."""
        hands = {arm.seat for arm in snapshot.arms}
        resting: list[Block] = []
        carried: list[Block] = []
        known = self._blocks
        fresh: dict[int, tuple[TileThing, Block]] = {}
        for thing in snapshot.tiles:
            old = known.get(thing.id)
            block = old[1] if old is not None and old[0] == thing else block_of(thing, self.layout.tile, self.look)
            fresh[thing.id] = (thing, block)
            (carried if thing.held in hands else resting).append(block)
        self._blocks = fresh
        return resting, carried

    def _carried_shapes(self, carried: list[Block]) -> list[Shape]:
        return shape_blocks(carried, self.camera, self.look.light)

    def _limbs(self, snapshot: TableSnapshot) -> Limbs:
        return Limbs([self._arm(arm) for arm in snapshot.arms], self.camera, self.look.light)

    def _arm(self, arm: ArmThing) -> Arm:
        seat = int(arm.seat)
        return Arm(
            (arm.palm_x, arm.palm_y, arm.palm_z),
            (arm.shoulder_x, arm.shoulder_y),
            self.look.skins[seat],
            self.look.sleeves[seat],
            sleeve_end=(110.0, 260.0, 150.0, 90.0)[seat],
            left=seat == 2,
            curl=0.45 if arm.carrying else 0.2,
            spread=0.3 if arm.carrying else 0.5,
            scale=self.layout.scale,
        )

    def _develop(self, windows: list[Window]) -> None:
        """Carries windows of the canvas over into the still picture, through the lens."""
        optics = self.look.optics
        height, width = self._still.shape[:2]
        edge = 4 if optics.blur > 0 else 0
        for a, b, c, d in windows:
            x0, y0, x1, y1 = max(0, a - edge), max(0, b - edge), min(width, c + edge), min(height, d + edge)
            x2, y2, x3, y3 = max(0, x0 - edge), max(0, y0 - edge), min(width, x1 + edge), min(height, y1 + edge)
            part: Pixels = self._canvas.picture[y2:y3, x2:x3]
            if edge:
                part = np.asarray(cv2.GaussianBlur(part, (5, 5), optics.blur), np.uint8)
            part = part[y0 - y2 : y1 - y2, x0 - x2 : x1 - x2]
            if optics.glares:
                part = np.asarray(cv2.add(part, self._glare[y0:y1, x0:x1]), np.uint8)
            if self._field is not None:
                part = (part * self._field[y0:y1, x0:x1]).astype(np.uint8)
            self._still[y0:y1, x0:x1] = part
