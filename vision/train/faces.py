"""Faces of tile sets nobody has made: another design for every crop, bent and shaded, for the reader's training."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import BACK, FLOWERS, KINDS, REDS, Tile
from virtual_table import art
from virtual_table.render.design import Bgr, Design
from virtual_table.render.faces import paint_face
from virtual_table.render.style import Pick, random_style
from vision.crop import cut
from vision.labels import BLANK, INDEX, NONE
from vision.train.crops import UNTOLD, Crop, misfit, shaken
from vision.train.sample import Picture

SIZES = (16, 64)
"""Lengths of a face, px, before it is stretched for the reader."""
_LONG = 35 / 26
_NAMES = "梅蘭菊竹春夏秋冬"
_ORCHID, _SHORT = 2, "兰"
"""The orchid as mainland sets write it."""
_WORDS = (
    ("PLUM",),
    ("ORC", "ORCHID"),
    ("MUM", "CHRYS"),
    ("BAM", "BAMBOO"),
    ("SPR", "SPRING"),
    ("SUM", "SUMMER"),
    ("AUT", "AUTUMN"),
    ("WIN", "WINTER"),
)
_ENGLISH = 0.12
"""Share of sets that name flowers in English."""
_PLANTS, _SWAPPED = 4, 0.35
"""The first so many flowers are plants; share of sets that count the bamboo third and the chrysanthemum fourth."""
_DENSE, _DRAWN = "萬東南發", (140, 110)
_FLOWER_SHARE, _RED_SHARE = 0.36, 0.06
_MISFITS = 0.08
_WRITTEN = {
    "art": ((0.36, 0.0, 0.47), (0.36, 0.5, 1.0)),
    "symbols": ((0.37, 0.06, 0.47), (0.37, 0.06, 0.47)),
}
"""Where our drawings of flowers carry the name, of 1f to 4f and of 5f to 8f: down to, from and to, in shares of the face."""
_BLACKEST = 0.62
"""Of the box around a character: with more ink nobody tells its strokes apart."""


class Painter:
    """Paints faces; `fonts` are names the artwork knows, beside those it ships. `only`: no font but these."""

    def __init__(self, fonts: Sequence[str], *, only: bool = False) -> None:
        self.fonts, self.share = tuple(fonts), 1.0 if only else 0.7

    def crop(self, rng: np.random.Generator) -> Crop:
        """One crop (64, 64, 3) BGR of a tile among neighbours, at 16 to 64 px a face before it is stretched."""
        tile = self._tile(rng)
        ground, quad = self.lay(tile, rng)
        if tile != BLANK and rng.random() < _MISFITS:
            return Crop(cut(ground, misfit(quad, rng)[None])[0], INDEX[NONE], UNTOLD)
        roll = int(rng.integers(4))
        return Crop(cut(ground, np.roll(shaken(quad, rng), roll, axis=0)[None])[0], INDEX[tile], roll)

    def lay(
        self, tile: Tile, rng: np.random.Generator, sizes: tuple[int, int] = SIZES
    ) -> tuple[Picture, NDArray[np.float32]]:
        """One tile of a design nobody has made, among neighbours on some cloth, so many px long: picture, its quad (4, 2) px."""
        design = self._design(rng)
        face = _bent(_shrunk(_face(design, tile, _naming(rng), rng), design, rng), rng)
        others = [paint_face(design, Pick(rng)(KINDS)) for _ in range(2)] if rng.random() < 0.35 else []
        return _laid(face, others, design, rng, sizes)

    def set(self, rng: np.random.Generator) -> Set:
        """All faces of one design nobody has made."""
        design, naming = self._design(rng), _naming(rng)
        faces = {tile: _bent(_face(design, tile, naming, rng), rng) for tile in (*KINDS, *FLOWERS)}
        return Set(design, faces)

    def _tile(self, rng: np.random.Generator) -> Tile:
        draw = rng.random()
        kinds = FLOWERS if draw < _FLOWER_SHARE else REDS if draw < _FLOWER_SHARE + _RED_SHARE else KINDS
        return Pick(rng)(kinds)

    def _design(self, rng: np.random.Generator) -> Design:
        design = random_style(rng)
        if self.fonts and rng.random() < self.share:
            font, low = Pick(rng)(self.fonts), Pick(rng)(self.fonts)
            design = replace(
                design,
                characters="drawn",
                honours="drawn",
                font=font,
                font_low=font if rng.random() < 0.7 else low,
                number_ink=Pick(rng)(("black", "blue", "green", "red", "black")),
                low_ink=Pick(rng)(("red", "red", "red", "black", "blue")),
                weight=int(rng.integers(-2, 6)),
            )
        if design.number_ink == design.low_ink == "red":  # all red is what a red five is
            design = replace(design, low_ink="black")
        return replace(design, weight=min(design.weight, heaviest(design.font), heaviest(design.font_low)))


@dataclass(frozen=True, slots=True)
class Set:
    """A painted tile set."""

    design: Design
    faces: Mapping[Tile, Picture]

    def lay(self, tile: Tile, rng: np.random.Generator, least_px: int) -> tuple[Picture, NDArray[np.float32]]:
        """One of its tiles on some cloth, `least_px` to 64 px long, and where: picture, quad (4, 2) px as a detector finds it."""
        ground, quad = _laid(self.faces[tile], (), self.design, rng, (least_px, SIZES[1]))
        return ground, shaken(quad, rng)


@functools.cache
def heaviest(font: str) -> int:
    """How much a font's strokes can be thickened, in the half pixels of `Design.weight`, before they run together."""
    cells = [cell for char in _DENSE if (cell := art.font(font).get(char)) is not None and cell.any()]
    return next(
        (weight for weight in range(5, 0, -1) if all(_black(cell, weight) < _BLACKEST for cell in cells)),
        0,
    )


def _black(cell: Picture, weight: int) -> float:
    """Share of ink in the box around a character that is drawn as large as on a face."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (weight + 1,) * 2)
    drawn = cv2.dilate(cv2.resize(cell, _DRAWN, interpolation=cv2.INTER_CUBIC), kernel)
    x, y, wide, high = cv2.boundingRect(drawn)
    return float(drawn[y : y + high, x : x + wide].mean()) / 255


@dataclass(frozen=True, slots=True)
class _Naming:
    """How a set tells its flowers apart."""

    english: bool
    swapped: bool
    """The bamboo is the third and the chrysanthemum the fourth."""


def _naming(rng: np.random.Generator) -> _Naming:
    return _Naming(bool(rng.random() < _ENGLISH), bool(rng.random() < _SWAPPED))


def _face(design: Design, tile: Tile, naming: _Naming, rng: np.random.Generator) -> Picture:
    if tile == BACK:
        wide, high = art.FACE_SIZE
        return np.full((high, wide, 3), design.body.back, np.uint8)
    return _flower(design, tile, naming, rng) if tile in FLOWERS else paint_face(design, tile)


def _inks(design: Design) -> tuple[Bgr, ...]:
    return design.inks.black, design.inks.red, design.inks.green, design.inks.blue


def _flower(design: Design, tile: Tile, naming: _Naming, rng: np.random.Generator) -> Picture:
    """A picture somewhere, with the flower's name and its number in corners, as most makers do; now and then as shipped."""
    if rng.random() < 0.2:
        return paint_face(design, tile)
    named = rng.random() < 0.96
    face = _smaller(
        _picture(design, tile if rng.random() < 0.5 or not named else None, rng),
        design,
        float(rng.uniform(0.55, 0.95)),
        (float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.45, 0.75))),
    )
    inks = _inks(design)
    rank, left = int(tile[0]), rng.random() < 0.5
    if named:
        size = float(rng.uniform(0.22, 0.5))
        at = (0.06 + size / 2 if left else 0.94 - size / 2, 0.05 + size * 0.4)
        if naming.english:
            mask, size = _word(Pick(rng)(_WORDS[rank - 1]), rng), float(rng.uniform(0.3, 0.6))
        else:
            short = rank == _ORCHID and _SHORT in art.font(design.font) and rng.random() < 0.6
            mask = _letter(design, _SHORT if short else _NAMES[rank - 1])
        _stamp(face, mask, inks[int(rng.integers(4))], at, size)
    if not named or rng.random() < 0.7:
        digits = "1234" if rng.random() < 0.7 else "一二三四"
        if named and naming.swapped and rank <= _PLANTS:
            digits = digits[:2] + digits[3] + digits[2]
        size = float(rng.uniform(0.16, 0.32))
        low = rng.random() < 0.3
        at = (0.94 - size / 2 if left else 0.06 + size / 2, (0.94 - size * 0.4) if low else 0.05 + size * 0.4)
        _stamp(face, _letter(design, digits[(rank - 1) % 4]), inks[int(rng.integers(4))], at, size)
    return face


def _picture(design: Design, tile: Tile | None, rng: np.random.Generator) -> Picture:
    """A face with a picture and no writing: the flower's own, or, for None, one that tells nothing of which it is."""
    shown = tile or Tile(f"{int(rng.integers(1, 9))}f")
    if tile is None and rng.random() < 0.5:
        return _doodle(design, rng)
    kind: Literal["art", "symbols"] = "art" if rng.random() < 0.5 else "symbols"
    face = paint_face(replace(design, flowers=kind, index="none"), shown)
    low, left, right = _WRITTEN[kind][int(shown[0]) > 4]
    high, wide = face.shape[:2]
    part = face[: round(low * high), round(left * wide) : round(right * wide)]
    part[:] = design.body.ivory
    return face


def _doodle(design: Design, rng: np.random.Generator) -> Picture:
    """Strokes, blots and rings of several inks: people, boats and houses as makers draw them are as various."""
    wide, high = art.FACE_SIZE
    face: Picture = np.full((high, wide, 3), design.body.ivory, np.uint8)
    inks = _inks(design)
    some = [inks[int(n)] for n in rng.integers(4, size=3)]
    for _ in range(int(rng.integers(4, 14))):
        ink, thick = some[int(rng.integers(3))], int(rng.integers(1, 5))
        at = (int(rng.integers(8, wide - 8)), int(rng.integers(20, high - 8)))
        match int(rng.integers(4)):
            case 0 | 1:
                steps = rng.normal(0, 1, (int(rng.integers(6, 20)), 2)).cumsum(axis=0)
                line = np.asarray(at) + cv2.GaussianBlur(steps, (1, 5), 1.0) * rng.uniform(2, 8)
                cv2.polylines(face, [np.round(line).astype(np.int32)], False, ink, thick, cv2.LINE_AA)
            case 2:
                axes = (int(rng.integers(3, 18)), int(rng.integers(3, 18)))
                cv2.ellipse(
                    face, at, axes, int(rng.integers(180)), 0, int(rng.integers(120, 361)), ink, thick, cv2.LINE_AA
                )
            case _:
                blot = np.asarray(at) + rng.normal(0, 9, (int(rng.integers(3, 7)), 2))
                cv2.fillPoly(face, [np.round(cv2.convexHull(blot.astype(np.float32))).astype(np.int32)], ink)
    return face


def _letter(design: Design, char: str) -> Picture:
    known = art.font(design.font)
    return known[char] if char in known else art.font("serif_black")[char]


def _word(text: str, rng: np.random.Generator) -> Picture:
    """Ink of an English word in one of several plain hands, 0..255."""
    hand, thick = int(rng.integers(5)), int(rng.integers(2, 7))
    (wide, high), below = cv2.getTextSize(text, hand, 2.0, thick)
    mask: Picture = np.zeros((high + below + 2 * thick, wide + 2 * thick), np.uint8)
    cv2.putText(mask, text, (thick, high + thick), hand, 2.0, 255, thick, cv2.LINE_AA)
    x, y, w, h = cv2.boundingRect(mask)
    return mask[y : y + h, x : x + w]


def _stamp(face: Picture, mask: Picture, ink: tuple[int, int, int], at: tuple[float, float], size: float) -> None:
    high, wide = face.shape[:2]
    side = max(8, round(size * wide))
    tall = max(6, round(side * mask.shape[0] / mask.shape[1]))
    x, y = (
        int(np.clip(at[0] * wide - side / 2, 0, wide - side)),
        int(np.clip(at[1] * high - tall / 2, 0, high - tall)),
    )
    cover = cv2.resize(mask, (side, tall), interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    part = face[y : y + tall, x : x + side]
    part[:] = part * (1 - cover) + np.array(ink, np.float32) * cover


def _shrunk(face: Picture, design: Design, rng: np.random.Generator) -> Picture:
    return _smaller(face, design, float(rng.uniform(0.8, 1.0)), (0.5, 0.5)) if rng.random() < 0.5 else face


def _smaller(face: Picture, design: Design, share: float, at: tuple[float, float]) -> Picture:
    """The drawing at `share` of its size with its middle at `at`, on bare ivory."""
    high, wide = face.shape[:2]
    inside = np.clip(at, share / 2, 1 - share / 2)
    move = np.array(
        [[share, 0, (inside[0] - share / 2) * wide], [0, share, (inside[1] - share / 2) * high]], np.float64
    )
    ivory = design.body.ivory
    return np.asarray(cv2.warpAffine(face, move, (wide, high), flags=cv2.INTER_AREA, borderValue=ivory), np.uint8)


def _bent(face: Picture, rng: np.random.Generator) -> Picture:
    """Strokes no font has: a smooth random warp of some pixels, more along one way than the other."""
    if rng.random() < 0.3:
        return face
    high, wide = face.shape[:2]
    ys, xs = np.mgrid[0:high, 0:wide].astype(np.float32)
    push = [
        cv2.resize(
            rng.normal(0, rng.uniform(0.5, 3.0), (6, 5)).astype(np.float32), (wide, high), interpolation=cv2.INTER_CUBIC
        )
        for _ in range(2)
    ]
    return np.asarray(
        cv2.remap(face, xs + push[0], ys + push[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _laid(
    face: Picture,
    others: Sequence[Picture],
    design: Design,
    rng: np.random.Generator,
    sizes: tuple[int, int] = SIZES,
) -> tuple[Picture, NDArray[np.float32]]:
    """The face on some cloth, one flank and the back's layer seen on one side, neighbours that touch. → picture, quad (4, 2)."""
    long = int(rng.integers(*sizes))
    wide = max(10, round(long / _LONG))
    body = _rounded(np.asarray(cv2.resize(face, (wide, long), interpolation=cv2.INTER_AREA), np.uint8), design, rng)
    pad = long // 2
    ground = np.empty((long + 2 * pad, wide + 2 * pad, 3), np.uint8)
    ground[:] = rng.integers(0, 256, 3)
    noise = rng.normal(0, rng.uniform(0, 12), (*ground.shape[:2], 1))
    ground[:] = np.clip(ground + noise, 0, 255)
    thick = int(rng.integers(0, max(2, long // 2)))
    side = int(rng.integers(4))
    shade = float(rng.uniform(0.35, 1.0))
    flank = tuple(int(c * shade) for c in design.body.ivory)
    back = tuple(int(c * shade) for c in design.body.back)
    x0, y0, x1, y1 = pad, pad, pad + wide, pad + long
    ways = ((0, -1), (1, 0), (0, 1), (-1, 0))
    dx, dy = ways[side]
    share = design.body.back_share
    for far, colour in ((thick, back), (round(thick * (1 - share)), flank)):
        ground[
            max(0, y0 + min(0, dy * far)) : y1 + max(0, dy * far), max(0, x0 + min(0, dx * far)) : x1 + max(0, dx * far)
        ] = colour
    for n, other in enumerate(others):
        near = cv2.resize(other, (wide, long), interpolation=cv2.INTER_AREA)
        gap = int(rng.integers(0, 3))
        if n == 0:
            ground[y0:y1, : x0 - gap] = near[:, wide - (x0 - gap) :] if wide >= x0 - gap else near[:, -1:]
        else:
            room = ground.shape[1] - x1 - gap
            ground[y0:y1, x1 + gap :] = near[:, :room] if wide >= room else near[:, :1]
    ground[y0:y1, x0:x1] = body
    quad = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32) - 0.5
    return ground, quad


def _rounded(body: Picture, design: Design, rng: np.random.Generator) -> Picture:
    """Edges fall away from the light."""
    high, wide = body.shape[:2]
    rim = max(1, round(design.body.radius * wide))
    edge = np.full((high, wide), 1 - float(rng.uniform(0, 0.35)), np.float32)
    edge[rim:-rim, rim:-rim] = 1.0
    soft = cv2.GaussianBlur(edge, (0, 0), max(0.6, rim / 2))[..., None]
    return np.asarray(np.clip(body * soft, 0, 255), np.uint8)
