"""Draws tiles as blocks with rounded edges and two-coloured sides, back to front, into any window of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.layout import TileSize
from table_engine.wire.tiles import BACK, Tile
from virtual_table.render.design import Design
from virtual_table.render.faces import paint_face
from virtual_table.render.light import Light
from virtual_table.render.view import Camera, Floats

Pixels = npt.NDArray[np.uint8]

_SHIFT = 4
_FACE_W, _FACE_H = 104, 140


@dataclass(frozen=True, slots=True)
class Block:
    """One tile in space: `rotation` (3x3 row-major) turns its own frame (x width, y up the face, z out of the face) into the table's."""

    key: int
    face: Tile
    centre: tuple[float, float, float]
    rotation: tuple[float, ...]
    size: TileSize
    design: Design

    @property
    def matrix(self) -> Floats:
        return np.array(self.rotation).reshape(3, 3)


@dataclass(slots=True)
class Shape:
    """A block seen by a camera: everything needed to draw it, in px of the whole picture."""

    block: Block
    depth: float
    box: tuple[int, int, int, int]
    """x0, y0, x1, y1 with a pixel or two around, not clipped."""
    outline: Floats
    front_outline: Floats
    sides: list[tuple[Floats, Floats, float]]
    """Per visible side: ivory quad, back quad, brightness."""
    panels: list[tuple[bool, Floats, float, float]]
    """Visible large faces: (is the face, quad in glyph order, brightness, reflection of the lamp 0..1)."""
    corners: Floats
    """Four corners of the face in glyph order (top-left, top-right, bottom-right, bottom-left), then four of the back, which
    read from behind run in the same order."""
    upward: tuple[int, int, int, int]
    """Which corners bound the narrow side that looks up most (a standing or lying-on-its-side tile shows it)."""
    shows_face: bool
    shows_back: bool
    shadow: npt.NDArray[np.int32]
    """Outline of the shadow on the felt, fixed point."""
    shadow_box: tuple[int, int, int, int]


_SIDES = (
    (0, 1, (1.0, 0.0, 0.0)),
    (0, -1, (-1.0, 0.0, 0.0)),
    (1, 1, (0.0, 1.0, 0.0)),
    (1, -1, (0.0, -1.0, 0.0)),
)
_SIDE_CORNERS = ((1, 2, 7, 4), (0, 3, 6, 5), (0, 1, 4, 5), (3, 2, 7, 6))


@lru_cache(maxsize=64)
def _template(size: TileSize, radius_share: float, back_share: float) -> Floats:
    """Points of a block in its own frame: 32 of the rounded outline, 16 of its front part, 4 face and 4 back corners, 32 of the sides."""
    hx, hy, hz = size.width / 2, size.length / 2, size.depth / 2
    r = min(radius_share * size.width, hz * 0.5)
    split = hz - (1 - back_share) * 2 * hz
    signs = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    round_ = r * (1 - 3**-0.5)
    points: list[tuple[float, float, float]] = []
    for x, y, z in signs:
        points += [
            (x * (hx - r), y * (hy - r), z * hz),
            (x * (hx - r), y * hy, z * (hz - r)),
            (x * hx, y * (hy - r), z * (hz - r)),
            (x * (hx - round_), y * (hy - round_), z * (hz - round_)),
        ]
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            points += [
                (x * (hx - r), y * (hy - r), hz),
                (x * (hx - r), y * hy, hz - r),
                (x * hx, y * (hy - r), hz - r),
                (x * (hx - round_), y * (hy - round_), hz - round_),
                (x * (hx - round_ * 0.8), y * (hy - round_ * 0.8), split),
                (x * (hx - r), y * hy, split),
                (x * hx, y * (hy - r), split),
            ]
    points += [(-hx, hy, hz), (hx, hy, hz), (hx, -hy, hz), (-hx, -hy, hz)]
    points += [(hx, hy, -hz), (-hx, hy, -hz), (-hx, -hy, -hz), (hx, -hy, -hz)]
    for axis, sign, _ in _SIDES:
        a, b = (hx, hy - r) if axis == 0 else (hy, hx - r)
        for low, high in ((split, hz - r), (-hz + r, split)):
            for along, z in ((-b, high), (b, high), (b, low), (-b, low)):
                points.append((sign * a, along, z) if axis == 0 else (along, sign * a, z))
    return np.array(points)


_OUTLINE = slice(0, 32)
_FRONT = slice(32, 60)
_FACE = slice(60, 64)
_BACK = slice(64, 68)
_SIDE0 = 68


def shape_blocks(blocks: Sequence[Block], camera: Camera, light: Light) -> list[Shape]:
    """Projects blocks; the result is ordered for drawing, the farthest first."""
    if not blocks:
        return []
    local = np.stack([_template(b.size, b.design.body.radius, b.design.body.back_share) for b in blocks])
    matrices = np.stack([b.matrix for b in blocks])
    centres = np.array([b.centre for b in blocks])
    world = np.einsum("npk,njk->npj", local, matrices) + centres[:, None, :]
    outlines = world[:, _OUTLINE].reshape(-1, 3)
    pixels = camera.project(world.reshape(-1, 3)).reshape(len(blocks), -1, 2)
    shadows = camera.project(light.cast(outlines)).reshape(len(blocks), -1, 2)
    eye = np.array(camera.position)
    depths = np.linalg.norm(centres - eye, axis=1)
    shapes = [
        _shape(block, matrix, points, drawn, shadow, eye, float(depth), light)
        for block, matrix, points, drawn, shadow, depth in zip(
            blocks, matrices, world, pixels, shadows, depths, strict=True
        )
    ]
    shapes.sort(key=lambda s: (-s.depth, s.block.key))
    return shapes


def _shape(
    block: Block, matrix: Floats, points: Floats, drawn: Floats, shadow: Floats, eye: Floats, depth: float, light: Light
) -> Shape:
    sides = []
    for n, (axis, sign, _) in enumerate(_SIDES):
        normal = matrix[:, axis] * sign
        first = _SIDE0 + n * 8
        if float(normal @ (eye - points[first])) > 0:
            sides.append((drawn[first : first + 4], drawn[first + 4 : first + 8], light.shade(normal)))
    normal = matrix[:, 2]
    face = float(normal @ (eye - points[_FACE.start])) > 0
    back = float(-normal @ (eye - points[_BACK.start])) > 0
    panels = []
    towards_eye = (eye - np.array(block.centre)) / depth
    if face:
        panels.append((True, drawn[_FACE], light.shade(normal), light.gleam(normal, towards_eye)))
    if back:
        panels.append((False, drawn[_BACK], light.shade(-normal), light.gleam(-normal, towards_eye)))
    ups = (matrix[2, 0], -matrix[2, 0], matrix[2, 1], -matrix[2, 1])
    return Shape(
        block,
        depth,
        _bounds(drawn[_OUTLINE]),
        drawn[_OUTLINE],
        drawn[_FRONT],
        sides,
        panels,
        drawn[_FACE.start : _BACK.stop],
        _SIDE_CORNERS[int(np.argmax(ups))],
        face,
        back,
        _hull(shadow),
        _bounds(shadow),
    )


def _bounds(points: Floats) -> tuple[int, int, int, int]:
    low, high = points.min(axis=0), points.max(axis=0)
    return int(low[0]) - 2, int(low[1]) - 2, int(high[0]) + 3, int(high[1]) + 3


class Textures:
    """Faces and backs ready to be warped: premultiplied BGRA at full, half and quarter size, painted when first asked for."""

    def __init__(self) -> None:
        self._made: dict[tuple[Design, Tile], tuple[Pixels, ...]] = {}

    def of(self, design: Design, tile: Tile) -> tuple[Pixels, ...]:
        key = (design, tile)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = _levels(design, tile)
        return found


def _levels(design: Design, tile: Tile) -> tuple[Pixels, ...]:
    if tile == BACK:
        face = np.empty((_FACE_H, _FACE_W, 3), np.uint8)
        face[:] = design.body.back
    else:
        face = paint_face(design, tile)
    edge = _edge_distance(design.body.radius * _FACE_W)
    alpha = np.clip(edge + 0.5, 0, 1)
    rim = np.clip(1 - edge / (design.body.radius * _FACE_W * 0.9), 0, 1)
    shade = 1 - design.body.edge * rim**2
    image = np.empty((_FACE_H, _FACE_W, 4), np.float32)
    image[..., :3] = face * (shade * alpha)[..., None]
    image[..., 3] = alpha * 255
    full = np.clip(image + 0.5, 0, 255).astype(np.uint8)
    half = cv2.resize(full, (_FACE_W // 2, _FACE_H // 2), interpolation=cv2.INTER_AREA)
    quarter = cv2.resize(full, (_FACE_W // 4, _FACE_H // 4), interpolation=cv2.INTER_AREA)
    return full, half, quarter


@lru_cache(maxsize=32)
def _edge_distance(radius: float) -> npt.NDArray[np.float32]:
    """How far each pixel lies inside a rounded rectangle, px, negative outside."""
    y, x = np.mgrid[0:_FACE_H, 0:_FACE_W].astype(np.float32) + 0.5
    inset = radius * 0.3
    qx = np.abs(x - _FACE_W / 2) - (_FACE_W / 2 - radius)
    qy = np.abs(y - _FACE_H / 2) - (_FACE_H / 2 - radius)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) + np.minimum(np.maximum(qx, qy), 0)
    return np.asarray(radius - inset - outside, np.float32)


def draw_block(window: Pixels, offset: tuple[int, int], shape: Shape, textures: Textures, light: Light) -> None:
    """Draws one block. `window` is the part of the picture whose top-left pixel is `offset`."""
    design = shape.block.design
    body = design.body
    move = np.array(offset, np.float64)
    x, y, _ = shape.block.centre
    level = light.level(x, y)
    ivory, back = np.array(body.ivory, np.float64), np.array(body.back, np.float64)
    edge = max((s[2] for s in shape.sides), default=0.75)
    top = max((p[2] for p in shape.panels), default=1.0)
    rim = 0.5 * (edge + top) * (1 - 0.5 * body.edge)
    _fill(window, _hull(shape.outline - move), back * (edge * level))
    front = _hull(shape.front_outline - move)
    _fill(window, front, ivory * (rim * level))
    for ivory_quad, back_quad, bright in shape.sides:
        _fill(window, _fixed(back_quad - move), back * (bright * level))
        _fill(window, _fixed(ivory_quad - move), ivory * (bright * level))
    for is_face, quad, bright, gleam in shape.panels:
        tile = shape.block.face if is_face else BACK
        shine = 90 * body.gloss * gleam * level
        _panel(window, quad - move, textures.of(design, tile), light.tint(bright * level), shine)


def _panel(
    window: Pixels, quad: Floats, levels: tuple[Pixels, ...], tint: npt.NDArray[np.float32], shine: float
) -> None:
    """Warps a texture onto a quad, with the level of detail that fits, multiplies it by a tint and adds `shine` grey levels."""
    rows, columns = window.shape[:2]
    x0, y0 = max(0, int(np.floor(quad[:, 0].min())) - 1), max(0, int(np.floor(quad[:, 1].min())) - 1)
    x1, y1 = min(columns, int(np.ceil(quad[:, 0].max())) + 2), min(rows, int(np.ceil(quad[:, 1].max())) + 2)
    if x1 <= x0 or y1 <= y0:
        return
    length = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    level = 0 if length > 95 else 1 if length > 46 else 2
    if level == 2 and length > 30:
        level = 1
    texture = levels[level]
    h, w = texture.shape[:2]
    source = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
    target = (quad - (x0, y0)).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    patch = cv2.warpPerspective(texture, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
    part = window[y0:y1, x0:x1]
    drawn = patch[..., :3] * tint
    if shine >= 1:
        drawn += patch[..., 3:] * np.float32(shine / 255)
    keep = (255 - patch[..., 3:]).astype(np.float32) * np.float32(1 / 255)
    drawn += part * keep
    np.minimum(drawn, 255, out=drawn)
    part[:] = drawn


def _fixed(points: Floats) -> npt.NDArray[np.int32]:
    return np.rint(points * (1 << _SHIFT)).astype(np.int32)


def _hull(points: Floats) -> npt.NDArray[np.int32]:
    return np.asarray(cv2.convexHull(_fixed(points)), np.int32)


def _fill(window: Pixels, polygon: npt.NDArray[np.int32], colour: Floats) -> None:
    blue, green, red = np.minimum(colour, 255).tolist()
    cv2.fillConvexPoly(window, polygon, (blue, green, red), cv2.LINE_AA, _SHIFT)
