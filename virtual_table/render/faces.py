"""Paints the face of a tile in a design: 140x104 px, BGR, ink on ivory."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.tiles import Tile
from virtual_table import art
from virtual_table.render.design import Bgr, Design
from virtual_table.render.suits import BAMBOOS, PINS, draw_bamboo, draw_bird, draw_pin

Pixels = npt.NDArray[np.uint8]

_FINE = 2
_WIDTH, _HEIGHT = art.FACE_SIZE[0] * _FINE, art.FACE_SIZE[1] * _FINE
_NUMBERS = "一二三四五六七八九"
_WINDS = "東南西北"
_BLOSSOMS = "梅蘭菊竹春夏秋冬"
_INDEX_LETTERS = "ESWNPFC"


def paint_face(design: Design, tile: Tile) -> Pixels:
    """The drawing of one face (not "b" or "?"). Shape 140x104x3, BGR."""
    canvas: Pixels = np.empty((_HEIGHT, _WIDTH, 3), np.uint8)
    canvas[:] = design.body.ivory
    painter = _Painter(design, canvas)
    match tile[1]:
        case "m":
            painter.character(tile)
        case "p":
            painter.dots(tile)
        case "s":
            painter.bamboos(tile)
        case "z":
            painter.honour(int(tile[0]))
        case _:
            painter.flower(tile)
    painter.index(tile)
    return _engrave(canvas, design)


def _engrave(canvas: Pixels, design: Design) -> Pixels:
    """Shrinks the drawing to its size; ink lies a little deeper than the ivory, so one flank is dark and one bright."""
    size = art.FACE_SIZE
    face = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA).astype(np.int16)
    if design.body.engraving > 0:
        depth = np.abs(face - np.array(design.body.ivory, np.int16)).max(axis=2).astype(np.float32)
        depth = np.minimum(depth, 90)
        slope = cv2.blur(depth - np.roll(depth, (1, 1), (0, 1)), (2, 2))
        face += (slope * (-0.45 * design.body.engraving))[..., None].astype(np.int16)
    return np.clip(face, 0, 255).astype(np.uint8)


class _Painter:
    def __init__(self, design: Design, canvas: Pixels) -> None:
        self.design, self.canvas = design, canvas

    def ink(self, name: str) -> Bgr:
        inks = self.design.inks
        return {"black": inks.black, "red": inks.red, "green": inks.green, "blue": inks.blue}[name]

    def character(self, tile: Tile) -> None:
        design, red = self.design, tile[0] == "0"
        rank = 5 if red else int(tile[0])
        if design.characters in ("regular", "black"):
            self.drawing(tile)
        elif design.characters == "symbols":
            ink = self.ink("red") if red else self.ink(design.number_ink)
            self.stamp(_part(art.symbols()[f"{rank}m"], 0.0, 0.44), ink, (0.13, 0.07, 0.74, 0.39))
            self.stamp(
                _part(art.symbols()[f"{rank}m"], 0.44, 1.0),
                self.ink("red" if red else design.low_ink),
                (0.13, 0.46, 0.74, 0.48),
            )
        else:
            number = design.five if rank == 5 else _NUMBERS[rank - 1]
            tall = 0.34 if rank <= 3 else 0.38
            k = design.glyph_scale
            self.glyph(
                design.font, number, self.ink("red" if red else design.number_ink), (0.5, 0.28), 0.68 * k, tall * k
            )
            self.glyph(
                design.font_low,
                design.ten_thousand,
                self.ink("red" if red else design.low_ink),
                (0.5, 0.71),
                0.66 * k,
                0.45 * k,
            )
        self.mark(red and design.characters == "drawn")

    def dots(self, tile: Tile) -> None:
        design, red = self.design, tile[0] == "0"
        rank = 5 if red else int(tile[0])
        if design.dots in ("regular", "black"):
            self.drawing(tile)
            return
        if design.dots == "symbols":
            self.stamp(art.symbols()[f"{rank}p"], self.ink("red") if red else self.ink("blue"), (0.1, 0.08, 0.8, 0.84))
            return
        share, marks = PINS[rank]
        area = (0.11, 0.09, 0.78, 0.82)
        paper = design.body.ivory
        for u, v, letter in marks:
            ink = self.suit_ink("r" if red else letter)
            second = self.ink("red") if (rank == 1 or letter == "r" or red) and design.colourful else ink
            at = ((area[0] + u * area[2]) * _WIDTH, (area[1] + v * area[3]) * _HEIGHT)
            radius = share * area[2] * _WIDTH * (design.pin_scale if rank > 1 else min(1.15, design.pin_scale * 1.02))
            draw_pin(self.canvas, at, radius, design.big_pin if rank == 1 else design.pin, ink, second, paper)
        self.mark(red)

    def bamboos(self, tile: Tile) -> None:
        design, red = self.design, tile[0] == "0"
        rank = 5 if red else int(tile[0])
        if rank == 1 and design.bird == "symbols":
            self.stamp(art.symbols()["1s"], self.ink("green"), (0.08, 0.05, 0.84, 0.9))
        elif rank == 1 and design.bird == "drawn":
            box = (0.1 * _WIDTH, 0.06 * _HEIGHT, 0.8 * _WIDTH, 0.88 * _HEIGHT)
            inks = (self.suit_ink("g"), self.suit_ink("b"), self.ink("red"))
            draw_bird(self.canvas, box, inks, design.seed)
        elif rank == 1 or design.bamboos in ("regular", "black"):
            self.drawing(tile)
        elif design.bamboos == "symbols":
            self.stamp(art.symbols()[f"{rank}s"], self.ink("red") if red else self.ink("green"), (0.1, 0.08, 0.8, 0.84))
        else:
            share, marks = BAMBOOS[rank]
            for u, v, degrees, letter in marks:
                at = ((0.14 + u * 0.72) * _WIDTH, (0.1 + v * 0.8) * _HEIGHT)
                width = _WIDTH * (0.125 if rank in (6, 7, 8, 9) else 0.15) * design.bamboo_scale
                length = share * 0.8 * _HEIGHT
                ink = self.suit_ink("r" if red else letter)
                draw_bamboo(self.canvas, at, length, degrees, design.bamboo, ink, design.body.ivory, width)
            self.mark(red)

    def honour(self, rank: int) -> None:
        design = self.design
        if rank == 5:
            self.white()
        elif design.honours in ("regular", "black"):
            self.drawing(Tile(f"{rank}z"))
        else:
            ink = self.ink({6: "green", 7: "red"}.get(rank, design.wind_ink))
            if design.honours == "symbols":
                self.stamp(art.symbols()[f"{rank}z"], ink, (0.04, 0.04, 0.92, 0.92))
                return
            char = {6: design.fortune, 7: "中"}.get(rank) or _WINDS[rank - 1]
            k = design.glyph_scale
            self.glyph(design.font, char, ink, (0.5, 0.5), 0.8 * k, 0.72 * k)

    def white(self) -> None:
        kind, ink = self.design.white, self.ink(self.design.white_ink)
        if kind == "blank":
            return
        if kind == "glyph":
            self.glyph(self.design.font, "白", ink, (0.5, 0.5), 0.74, 0.66)
            return
        thick = max(3, round(_WIDTH * (0.05 if kind == "frame" else 0.028)))
        for inset in (0.14,) if kind == "frame" else (0.12, 0.2):
            left, top = round(inset * _WIDTH), round(inset * 0.9 * _HEIGHT)
            cv2.rectangle(self.canvas, (left, top), (_WIDTH - left, _HEIGHT - top), ink, thick, cv2.LINE_AA)
        if kind == "ornate":
            for x in (0.16, 0.84):
                for y in (0.145, 0.855):
                    cv2.circle(
                        self.canvas, (round(x * _WIDTH), round(y * _HEIGHT)), round(0.07 * _WIDTH), ink, -1, cv2.LINE_AA
                    )
            for y in np.arange(0.26, 0.8, 0.12):
                for x in (0.16, 0.84):
                    cv2.circle(
                        self.canvas,
                        (round(x * _WIDTH), round(float(y) * _HEIGHT)),
                        round(0.03 * _WIDTH),
                        ink,
                        -1,
                        cv2.LINE_AA,
                    )

    def flower(self, tile: Tile) -> None:
        rank, design = int(tile[0]), self.design
        first = "red" if rank > 4 else "blue"
        match design.flowers:
            case "art":
                self.blend(art.flowers()[tile], (0.04, 0.04, 0.92, 0.92))
            case "symbols":
                cell = art.symbols()[tile]
                self.stamp(cell, self.ink("green"), (0.08, 0.08, 0.84, 0.84))
                title = cell.copy()
                title[45:, :] = 0
                title[:, 48:] = 0
                self.stamp(title, self.ink("red"), (0.08, 0.08, 0.84, 0.84))
            case "glyph":
                self.glyph(design.font, _BLOSSOMS[rank - 1], self.ink(first), (0.42, 0.34), 0.56, 0.42)
                self.glyph("serif_black", str((rank - 1) % 4 + 1), self.ink("black"), (0.8, 0.15), 0.2, 0.16)
                self.spray(rank)

    def spray(self, rank: int) -> None:
        """A twig with blossoms under a flower's name."""
        rng = np.random.default_rng([self.design.seed, rank])
        foot = (round(_WIDTH * rng.uniform(0.3, 0.7)), round(_HEIGHT * 0.93))
        for _ in range(int(rng.integers(4, 7))):
            tip = (round(_WIDTH * rng.uniform(0.12, 0.88)), round(_HEIGHT * rng.uniform(0.58, 0.86)))
            cv2.line(self.canvas, foot, tip, self.ink("green"), int(rng.integers(3, 7)), cv2.LINE_AA)
            ink = self.ink(("red", "blue", "green", "black")[int(rng.integers(0, 4))])
            cv2.circle(self.canvas, tip, int(rng.integers(5, 14)), ink, -1, cv2.LINE_AA)

    def index(self, tile: Tile) -> None:
        design = self.design
        if design.index == "none":
            return
        rank = 5 if tile[0] == "0" else int(tile[0])
        char = {"f": str((rank - 1) % 4 + 1), "z": _INDEX_LETTERS[min(rank, 7) - 1]}.get(tile[1], str(rank))
        ink = self.ink("red" if tile[0] == "0" else design.index_ink)
        self.glyph("sans_bold", char, ink, (0.1, 0.09), 0.15, 0.13)
        if design.index == "corners":
            turned: Pixels = np.ascontiguousarray(self.canvas[::-1, ::-1])
            _Painter(design, turned).glyph("sans_bold", char, ink, (0.1, 0.09), 0.15, 0.13)
            self.canvas[:] = turned[::-1, ::-1]

    def mark(self, red: bool) -> None:
        if red and self.design.red_mark:
            cv2.circle(
                self.canvas,
                (round(0.86 * _WIDTH), round(0.1 * _HEIGHT)),
                round(0.07 * _WIDTH),
                self.ink("red"),
                -1,
                cv2.LINE_AA,
            )

    def suit_ink(self, letter: str) -> Bgr:
        if self.design.colourful or letter == "r":
            return self.ink({"g": "green", "b": "blue", "r": "red"}[letter])
        return self.ink("black")

    def glyph(self, font: str, char: str, ink: Bgr, centre: tuple[float, float], width: float, height: float) -> None:
        cell = art.font(font).get(char)
        if cell is None:
            cell = art.font("serif_black")[char]
        self.stamp(cell, ink, (centre[0] - width / 2, centre[1] - height / 2, width, height))

    def stamp(self, mask: Pixels, ink: Bgr, box: tuple[float, float, float, float]) -> None:
        """Blends one ink through a coverage mask stretched to a box given in face widths and heights."""
        left, top = round(box[0] * _WIDTH), round(box[1] * _HEIGHT)
        width, height = round(box[2] * _WIDTH), round(box[3] * _HEIGHT)
        cover = cv2.resize(mask, (width, height), interpolation=cv2.INTER_CUBIC)
        if self.design.weight:
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(self.design.weight) + 1,) * 2)
            cover = cv2.dilate(cover, kernel) if self.design.weight > 0 else cv2.erode(cover, kernel)
        x0, y0, x1, y1 = max(0, left), max(0, top), min(_WIDTH, left + width), min(_HEIGHT, top + height)
        part = self.canvas[y0:y1, x0:x1]
        alpha = (cover[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32) / 255)[..., None]
        part[:] = (part * (1 - alpha) + np.array(ink, np.float32) * alpha + 0.5).astype(np.uint8)

    def drawing(self, tile: Tile) -> None:
        """A face of the coloured sets: the black set's white ink becomes this design's dark one on a light body."""
        source = (
            self.design.characters if tile[1] == "m" else self.design.dots if tile[1] == "p" else self.design.honours
        )
        if tile[1] == "s":
            source = self.design.bamboos
        cell = art.faces("black" if source == "black" else "regular")[tile]
        if source == "black" and sum(self.design.body.ivory) > 380:
            cell = _darkened(cell, self.design.inks.black, self.design.inks.red)
        self.blend(cell, (0.05, 0.05, 0.9, 0.9))

    def blend(self, cell: Pixels, box: tuple[float, float, float, float]) -> None:
        left, top = round(box[0] * _WIDTH), round(box[1] * _HEIGHT)
        width, height = round(box[2] * _WIDTH), round(box[3] * _HEIGHT)
        patch = _hue_shifted(cv2.resize(cell, (width, height), interpolation=cv2.INTER_CUBIC), self.design.shift)
        alpha = patch[..., 3:].astype(np.float32) / 255
        part = self.canvas[top : top + height, left : left + width]
        part[:] = (part * (1 - alpha) + patch[..., :3] * alpha + 0.5).astype(np.uint8)


def _hue_shifted(patch: npt.NDArray[Any], degrees: int) -> npt.NDArray[Any]:
    if degrees == 0:
        return patch
    hsv = cv2.cvtColor(np.ascontiguousarray(patch[..., :3]), cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(np.int16) + degrees // 2) % 180
    out = patch.copy()
    out[..., :3] = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    return out


def _part(cell: Pixels, top: float, bottom: float) -> Pixels:
    rows = cell.shape[0]
    cut = cell[round(rows * top) : round(rows * bottom)]
    return np.ascontiguousarray(cut)


def _darkened(cell: Pixels, ink: Bgr, accent: Bgr) -> Pixels:
    """White and black swapped, the yellow accents red: the black set for a white body."""
    out = cell.copy()
    colour = cell[..., :3].astype(np.int16)
    vivid = (colour.max(axis=2) - colour.min(axis=2)) > 60
    bright = colour.min(axis=2) > 140
    out[..., :3][bright] = ink
    out[..., :3][~bright & ~vivid] = (232, 240, 242)
    yellow = vivid & (colour[..., 1] > 110)
    out[..., :3][yellow] = accent
    return out
