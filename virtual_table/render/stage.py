"""The bare table: cloth, rim, seams, the middle with its dice window and digits, position markers, floor around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import Layout
from virtual_table.render import noise
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
        self.rim(outer)
        self.texture((-inner, -inner, inner, inner), self.stage.felt, self.stage.grain, 5.0)
        self.cloth(inner)
        self.shade_edge(inner)
        if self.stage.seams:
            self.seams()
        if self.stage.markers:
            self.corner_plates(inner)
        if self.stage.middle != "none":
            self.console()
        return self.image

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

    def console(self) -> None:
        """The plate in the middle: a window over the dice, and four lamps and digits when it is an electric one."""
        stage, k = self.stage, self.layout.scale
        side = 70 * k
        self.texture((-side, -side, side, side), stage.panel, 2.0, 4.0)
        top_left, bottom_right = self.px(-side, side), self.px(side, -side)
        width = max(1, round(3 * k * self.per_mm))
        cv2.rectangle(
            self.image,
            top_left,
            bottom_right,
            tuple(min(255, int(v * 1.5 + 20)) for v in stage.panel),
            width,
            cv2.LINE_AA,
        )
        centre, radius = self.px(0, 0), round(30 * k * self.per_mm)
        cv2.circle(self.image, centre, radius, tuple(int(v * 0.5) for v in stage.panel), -1, cv2.LINE_AA)
        cv2.circle(self.image, centre, radius, (150, 150, 150), width, cv2.LINE_AA)
        cv2.circle(
            self.image,
            centre,
            round(radius * 0.72),
            tuple(min(255, int(v * 0.8 + 30)) for v in stage.panel),
            -1,
            cv2.LINE_AA,
        )
        if stage.middle == "console" and stage.leds:
            for seat in range(4):
                colour = ((60, 220, 250), (250, 170, 60), (80, 230, 90), (60, 80, 250))[int(self.rng.integers(4))]
                x, y = _turned(seat, 0, -53 * k)
                self.digits(x, y, seat, colour)
                lamp = self.px(*_turned(seat, 52 * k, -52 * k))
                cv2.circle(
                    self.image, lamp, max(2, round(5 * k * self.per_mm)), tuple(v // 3 for v in colour), -1, cv2.LINE_AA
                )

    def digits(self, x: float, y: float, seat: int, colour: Bgr) -> None:
        """A score in glowing digits, to be read by its seat."""
        height, width = (
            max(8, round(15 * self.layout.scale * self.per_mm)),
            max(20, round(62 * self.layout.scale * self.per_mm)),
        )
        plate: Pixels = np.full((height, width, 3), 14, np.uint8)
        text = str(int(self.rng.integers(80, 480)) * 100)
        size = height / 34
        cv2.putText(
            plate,
            text,
            (round(width * 0.12), round(height * 0.82)),
            cv2.FONT_HERSHEY_PLAIN,
            size * 2.2,
            colour,
            max(1, height // 9),
            cv2.LINE_AA,
        )
        turned = np.rot90(plate, seat)
        centre = self.px(x, y)
        top, left = centre[1] - turned.shape[0] // 2, centre[0] - turned.shape[1] // 2
        self.image[top : top + turned.shape[0], left : left + turned.shape[1]] = turned


def _turned(side: int, u: float, v: float) -> tuple[float, float]:
    """Local (u, v) of a seat → table (x, y)."""
    for _ in range(side):
        u, v = -v, u
    return u, v
