"""The bare table: cloth, rim, seams, the middle with its dice window and digits, position markers, floor around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import Layout
from virtual_table.render import noise
from virtual_table.render.console import draw_console
from virtual_table.render.design import Bgr
from virtual_table.render.light import Light
from virtual_table.render.marks import draw_markers
from virtual_table.render.view import Camera

Pixels = npt.NDArray[np.uint8]
Cloth = Literal["felt", "weave", "pattern", "mat", "wood"]
Middle = Literal["console", "plain", "none"]


@dataclass(frozen=True, slots=True)
class Stage:
    """How a table looks without tiles. Lengths are mm at tile width 26 and grow with the layout's scale."""

    felt: Bgr = (70, 96, 36)
    cloth: Cloth = "felt"
    grain: float = 5.0
    rim: Bgr = (52, 66, 92)
    rim_width: float = 58.0
    streaks: float = 0.25
    floor: Bgr = (60, 70, 80)
    seams: bool = True
    middle: Middle = "console"
    panel: Bgr = (44, 42, 40)
    leds: bool = True
    print_: bool = False
    """The middle is covered with printed lines and coloured buttons."""
    grooves: bool = False
    junk: int = 0
    """Things standing around the table."""
    markers: bool = True
    seed: int = 0


FELTS: dict[str, Bgr] = {
    "green": (70, 96, 36),
    "blue": (112, 78, 40),
    "grey": (132, 122, 112),
    "red": (52, 40, 110),
    "black": (52, 48, 46),
    "teal": (110, 104, 30),
}


def draw_stage(stage: Stage, layout: Layout, camera: Camera, light: Light) -> Pixels:
    """The picture of the bare table. Shape height x width x 3, BGR."""
    per_mm = min(2.6, max(0.5, camera.scale_at(0, 0) * 1.05))
    texture, per_mm, reach = draw_stage_texture(stage, layout, per_mm)
    _illuminate(texture, light, reach, per_mm)
    floor = tuple(round(v * 0.8) for v in stage.floor)
    picture: Pixels = camera.warp_plane(texture, per_mm, (-reach, reach), (floor[0], floor[1], floor[2]))
    if stage.markers:
        draw_markers(picture, layout, camera, light)
    return picture


def draw_stage_texture(stage: Stage, layout: Layout, per_mm: float) -> tuple[Pixels, float, float]:
    """The table seen straight from above under even light, its pixels per mm and half its side in mm."""
    reach = layout.half + (stage.rim_width + 260) * layout.scale
    return _Painter(stage, layout, reach, per_mm).paint(), per_mm, reach


def _illuminate(texture: Pixels, light: Light, reach: float, per_mm: float) -> None:
    side = texture.shape[0]
    steps = (np.arange(side, dtype=np.float32) / per_mm - reach) / 1000
    factor = light.power * np.clip(1 + light.slope[0] * steps[None, :] - light.slope[1] * steps[:, None], 0.1, None)
    for channel in range(3):
        lit = texture[..., channel] * (factor * light.colour[channel])
        texture[..., channel] = np.clip(lit, 0, 255).astype(np.uint8)


class _Painter:
    def __init__(self, stage: Stage, layout: Layout, reach: float, per_mm: float) -> None:
        self.stage, self.layout, self.reach, self.per_mm = stage, layout, reach, per_mm
        self.rng = np.random.default_rng([stage.seed, 11])
        side = round(2 * reach * per_mm)
        self.image: Pixels = np.empty((side, side, 3), np.uint8)

    def paint(self) -> Pixels:
        k, half = self.layout.scale, self.layout.half
        inner, outer = half + 8 * k, half + (8 + self.stage.rim_width) * k
        self.image[:] = self.stage.floor
        self.texture((-self.reach, -self.reach, self.reach, self.reach), self.stage.floor, 4.0, 12.0)
        self.junk(outer)
        self.rim(outer)
        self.texture((-inner, -inner, inner, inner), self.stage.felt, self.stage.grain, 5.0)
        self.cloth(inner)
        self.shade_edge(inner)
        if self.stage.seams:
            self.seams()
        if self.stage.markers:
            self.corner_plates(inner)
        if self.stage.grooves:
            self.grooves()
        if self.stage.middle != "none":
            self.texture((-70 * k, -70 * k, 70 * k, 70 * k), self.stage.panel, 2.0, 4.0)
            draw_console(
                self.part((-70 * k, -70 * k, 70 * k, 70 * k)), self.stage.panel, self.lit(), self.stage.print_, self.rng
            )
        return self.image

    def lit(self) -> bool:
        return self.stage.middle == "console" and self.stage.leds

    def px(self, x: float, y: float) -> tuple[int, int]:
        return round((x + self.reach) * self.per_mm - 0.5), round((self.reach - y) * self.per_mm - 0.5)

    def part(self, box: tuple[float, float, float, float]) -> Pixels:
        left, top = self.px(box[0], box[3])
        right, bottom = self.px(box[2], box[1])
        return self.image[max(0, top) : bottom, max(0, left) : right]

    def texture(self, box: tuple[float, float, float, float], colour: Bgr, grain: float, patches: float) -> None:
        part = self.part(box)
        shape = part.shape[:2]
        fine = noise.cut(noise.white(), shape, self.rng) * grain
        fine += noise.cut(noise.clouds(), shape, self.rng, max(1.0, shape[0] / 700)) * patches
        for channel in range(3):
            part[..., channel] = np.clip(colour[channel] * (1 + fine / 128) + fine * 0.3, 0, 255).astype(np.uint8)

    def rim(self, outer: float) -> None:
        stage = self.stage
        self.texture((-outer, -outer, outer, outer), stage.rim, 1.5, 6.0)
        part = self.part((-outer, -outer, outer, outer))
        if stage.streaks > 0:
            shape = part.shape[:2]
            wavy = noise.cut(noise.clouds(), (shape[0], max(2, shape[1] // 12)), self.rng)
            wavy = np.asarray(cv2.resize(wavy, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)
            part[:] = np.clip(part * (1 + 0.35 * stage.streaks * wavy)[..., None], 0, 255).astype(np.uint8)
        width = max(2, round(6 * self.layout.scale * self.per_mm))
        for inset, gain in ((0, 0.72), (width, 1.18), (2 * width, 1.06)):
            ring = part[inset : part.shape[0] - inset, inset : part.shape[1] - inset]
            for strip in (ring[:width], ring[-width:], ring[width:-width, :width], ring[width:-width, -width:]):
                strip[:] = np.clip(strip * gain, 0, 255).astype(np.uint8)

    def cloth(self, inner: float) -> None:
        part = self.part((-inner, -inner, inner, inner))
        rows, columns = part.shape[:2]
        match self.stage.cloth:
            case "felt":
                return
            case "weave":
                step = max(2.0, 3 * self.per_mm)
                wave = (
                    np.sin(np.arange(rows) * 2 * np.pi / step)[:, None]
                    * np.sin(np.arange(columns) * 2 * np.pi / step)[None, :]
                )
                gain = 1 + 0.08 * wave
            case "mat":
                step = max(4.0, 9 * self.per_mm)
                gain = 1 + 0.14 * (np.arange(rows) % step < step * 0.2)[:, None] * np.ones((1, columns)) * -1
            case "wood":
                wavy = noise.cut(noise.clouds(), (rows, max(2, columns // 14)), self.rng)
                gain = 1 + 0.25 * cv2.resize(wavy, (columns, rows), interpolation=cv2.INTER_LINEAR)
            case "pattern":
                gain = (
                    1
                    + 0.5
                    * np.clip(
                        noise.cut(noise.clouds(), (rows, columns), self.rng, self.rng.uniform(0.4, 1.6)) * 6, -1, 1
                    )
                    * 0.5
                )
        part[:] = np.clip(part * np.asarray(gain, np.float32)[..., None], 0, 255).astype(np.uint8)

    def shade_edge(self, inner: float) -> None:
        """The rim stands above the cloth and darkens its edge."""
        part = self.part((-inner, -inner, inner, inner))
        width = max(3, round(14 * self.layout.scale * self.per_mm))
        ramp = (0.55 + 0.45 * np.linspace(0, 1, width) ** 0.6).astype(np.float32)
        for strip, gain in (
            (part[:width], ramp[:, None, None]),
            (part[-width:], ramp[::-1, None, None]),
            (part[:, :width], ramp[None, :, None]),
            (part[:, -width:], ramp[None, ::-1, None]),
        ):
            strip[:] = (strip * gain).astype(np.uint8)

    def seams(self) -> None:
        """Slits where the walls rise, and the edge of the middle."""
        layout, k = self.layout, self.layout.scale
        dark = tuple(int(v * 0.35) for v in self.stage.felt)
        light = tuple(min(255, int(v * 1.25 + 8)) for v in self.stage.felt)
        width = max(1, round(1.4 * k * self.per_mm))
        across = layout.stacks / 2 * layout.tile.width + 6 * k
        near, far = layout.wall_v - 0.62 * layout.tile.length, layout.wall_v + 0.62 * layout.tile.length
        for side in range(4):
            corners = [_turned(side, u, v) for u, v in ((-across, near), (across, near), (across, far), (-across, far))]
            outline = np.array([self.px(x, y) for x, y in corners], np.int32)
            cv2.polylines(self.image, [outline + 1], True, light, width, cv2.LINE_AA)
            cv2.polylines(self.image, [outline], True, dark, width, cv2.LINE_AA)

    def corner_plates(self, inner: float) -> None:
        plate = tuple(int(v * 0.5) for v in self.stage.rim)
        for x, y in self.layout.marker_centres:
            reach = inner - abs(x)
            self.part((x - reach, y - reach, x + reach, y + reach))[:] = plate

    def grooves(self) -> None:
        """Thin lines from the corners of the middle outwards, and a square around it, as many automatic tables have."""
        k = self.layout.scale
        dark = tuple(int(v * 0.3) for v in self.stage.felt)
        width = max(1, round(1.2 * k * self.per_mm))
        inner, outer = 74 * k, float(self.rng.uniform(150, 215)) * k
        for side in range(4):
            ends = [self.px(*_turned(side, u, v)) for u, v in ((inner, -inner), (outer, -outer), (-outer, -outer))]
            cv2.line(self.image, ends[0], ends[1], dark, width, cv2.LINE_AA)
            cv2.line(self.image, ends[1], ends[2], dark, width, cv2.LINE_AA)

    def junk(self, outer: float) -> None:
        """Shapeless things around the table: chairs, bags, legs, side tables with their clutter."""
        for _ in range(self.stage.junk):
            angle, away = float(self.rng.uniform(0, 2 * np.pi)), outer * float(self.rng.uniform(1.05, 1.5))
            middle = self.px(away * float(np.cos(angle)) * 1.2, away * float(np.sin(angle)) * 1.2)
            axes = [max(2, round(float(v) * self.layout.scale * self.per_mm)) for v in self.rng.uniform(12, 120, 2)]
            ink = tuple(float(v) for v in np.clip(self.rng.uniform(15, 220) + self.rng.normal(0, 25, 3), 0, 255))
            turn = float(self.rng.uniform(0, 180))
            if self.rng.random() < 0.5:
                cv2.ellipse(self.image, middle, (axes[0], axes[1]), turn, 0, 360, ink, -1, cv2.LINE_AA)
            else:
                corners = cv2.boxPoints(((float(middle[0]), float(middle[1])), (axes[0] * 2.0, axes[1] * 2.0), turn))
                cv2.fillConvexPoly(self.image, corners.astype(np.int32), ink, cv2.LINE_AA)


def _turned(side: int, u: float, v: float) -> tuple[float, float]:
    """Local (u, v) of a seat → table (x, y)."""
    for _ in range(side):
        u, v = -v, u
    return u, v
