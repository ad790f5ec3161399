"""Reads any photograph of tiles, without calibration: finds the scale by itself, looks at large pictures in parts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import BACK, UNKNOWN, Tile
from vision import pyramid, quad, quality
from vision.detect import Detector, Found
from vision.labels import BACK_UP, BLANK, FACE, NONE
from vision.profile import Profile
from vision.read import Reader
from vision.stored import Stored

_ENOUGH = 8
_NEIGHBOURS, _NEAR, _VOTES = 6, 3.0, 0.45
_SIZE_OFF = 0.45
"""Tiles this much (in log) larger or smaller than their neighbourhood are none."""

_OBLONG, _SURELY = (1.15, 1.75), 0.95
"""Of a picture that one tile fills from edge to edge: how long it may be to its width, and how surely it must be read."""


@dataclass(frozen=True, slots=True)
class PhotoTile:
    """One tile of a photograph. `quad` (4, 2) px of the picture as stored, from the glyph's top left clockwise."""

    code: Tile
    confidence: float
    candidates: tuple[tuple[Tile, float], ...]
    quad: NDArray[np.float32]

    def line(self) -> dict[str, object]:
        """As JSON for people and for the measure of the project."""
        return {
            "code": self.code,
            "confidence": round(self.confidence, 3),
            "candidates": [[code, share] for code, share in self.candidates],
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in self.quad],
        }


@dataclass(frozen=True, slots=True)
class PhotoRead:
    """What a photograph shows, and the milliseconds it took."""

    file: str
    width: int
    height: int
    tiles: tuple[PhotoTile, ...]
    ms: float
    note: str = ""
    """Why a picture shows no faces, in words for people."""

    def line(self) -> dict[str, object]:
        return {
            "file": self.file,
            "width": self.width,
            "height": self.height,
            "ms": round(self.ms, 1),
            "tiles": [tile.line() for tile in self.tiles],
            **({"note": self.note} if self.note else {}),
        }


class PhotoReader:
    """Reads photographs. One instance serves many."""

    def __init__(self, *, threads: int = 2, sets: Sequence[Profile] = ()) -> None:
        """`sets`: enrolled tile sets, one of which the photographs show."""
        self._detector, self._reader = Detector(threads=threads), Reader(threads=threads, sets=sets)

    def read(self, path: Path) -> PhotoRead:
        """Raises CameraError when the file is no picture."""
        stored = Stored.of(path)
        halved = max(stored.width, stored.height) >= 2 * pyramid.LARGEST_PX  # no look is as fine as the half
        image = stored.image(halved=halved)
        began = time.perf_counter()
        tiles = self._edge_to_edge(image, self.tiles(image))
        ms = 1000 * (time.perf_counter() - began)
        if halved:
            tiles = tuple(replace(tile, quad=2 * tile.quad + np.float32(0.5)) for tile in tiles)
        note = "" if any(tile.code != BACK for tile in tiles) else _why_empty(image)
        return PhotoRead(path.name, stored.width, stored.height, tiles, ms, note)

    def tiles(self, image: NDArray[np.uint8], sizes: Sequence[int] = ()) -> tuple[PhotoTile, ...]:
        """Tiles of a picture (h, w, 3) BGR: faces and backs, best detections first. `sizes` as in `pyramid.find`."""
        found = self.find(image, sizes)
        what = found.what
        self._reader.recognise(image, found.corners[what == BACK_UP])
        faces = [n for n in range(len(found)) if what[n] == FACE]
        readings = dict(zip(faces, self._reader.read(image, found.corners[faces]), strict=True))
        out = []
        for n in range(len(found)):
            if what[n] == BACK_UP:
                out.append(PhotoTile(BACK, float(found.score[n]), (), found.corners[n]))
            elif what[n] == FACE and (reading := readings[n]).code != NONE:
                corners = np.roll(found.corners[n], -reading.turn, axis=0)
                out.append(PhotoTile(reading.code, reading.confidence, reading.candidates, corners))
        return tuple(_not_all_white(out))

    def _edge_to_edge(self, image: NDArray[np.uint8], tiles: tuple[PhotoTile, ...]) -> tuple[PhotoTile, ...]:
        """What a picture shows that was cut out around one tile: its edge is the tile's, and what is found within is hardly more
        than a part of the face, as the frame of a white dragon. At most one face may be named within, less surely."""
        high, wide = image.shape[:2]
        shaped = _OBLONG[0] < max(high, wide) / min(high, wide) < _OBLONG[1]
        named = [tile for tile in tiles if tile.code not in (BACK, UNKNOWN)]
        quads = np.array([tile.quad for tile in tiles], np.float32).reshape(-1, 4, 2)
        if not shaped or len(named) > 1 or pyramid.fills(image, quads).any():
            return tiles
        edge = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
        (whole,) = self._reader.read(image, edge[None], sure=_SURELY)
        if whole.code in (NONE, BACK, UNKNOWN) or any(tile.confidence > whole.confidence for tile in named):
            return tiles
        return (PhotoTile(whole.code, whole.confidence, whole.candidates, np.roll(edge, -whole.turn, axis=0)),)

    def find(self, image: NDArray[np.uint8], sizes: Sequence[int] = ()) -> Found:
        """Tiles at every size at which they are in the picture (h, w, 3) BGR, worthiest first."""
        return consistent(pyramid.find(self._detector, self._reader, image, sizes))


def _why_empty(image: NDArray[np.uint8]) -> str:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    shrink = min(1.0, 480 / max(grey.shape))
    size = (max(1, round(grey.shape[1] * shrink)), max(1, round(grey.shape[0] * shrink)))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA) if shrink < 1 else grey
    wrong = quality.wrong(np.asarray(small, np.uint8))
    return (
        wrong[0] if wrong else "no face of a tile is seen: show faces at least 20 pixels long, in focus and not covered"
    )


def consistent(found: Found) -> Found:
    """Without tiles of a size that no tile there can have: tiles next to one another are about equally large.

    A tile with neighbours is held against their median, one without against a plane fitted to the logarithm of size over the
    picture (least squares that trust outliers less each time).
    """
    if len(found) < _ENOUGH:
        return found
    sizes = np.log(np.maximum(quad.area(found.corners), 1.0).astype(np.float64)) / 2
    centres = found.corners.mean(axis=1).astype(np.float64)
    off = np.abs(_off_plane(sizes, centres, found.score.astype(np.float64)))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    for n in range(len(found)):
        alike = np.where((found.what == found.what[n]) & (found.score > _VOTES), apart[n], np.inf)
        alike[n] = np.inf
        near = np.argsort(alike)[:_NEIGHBOURS]
        near = near[alike[near] < _NEAR * np.exp(sizes[n])]
        if len(near) >= _NEIGHBOURS // 2:
            off[n] = abs(sizes[n] - float(np.median(sizes[near])))
    return found.only(np.asarray(off < _SIZE_OFF))


def _off_plane(
    sizes: NDArray[np.float64], centres: NDArray[np.float64], score: NDArray[np.float64]
) -> NDArray[np.float64]:
    place = np.column_stack([np.ones(len(sizes)), (centres - centres.mean(axis=0)) / max(float(centres.std()), 1.0)])
    off = sizes - np.median(sizes)
    for _ in range(12):
        trust = score**2 / (1 + (off / 0.15) ** 2)
        pull = np.diag([0.0, 0.02, 0.02]) * trust.sum()
        plane = np.linalg.solve((place * trust[:, None]).T @ place + pull, (place * trust[:, None]).T @ sizes)
        off = sizes - place @ plane
    return np.asarray(off, np.float64)


def _not_all_white(tiles: list[PhotoTile]) -> list[PhotoTile]:
    """A white dragon may be blank, and so is every pale square of a chess board: a picture of little else is not believed."""
    white = [t for t in tiles if t.code == BLANK]
    if len(white) <= 4 or len(white) <= len([t for t in tiles if t.code not in (BACK, UNKNOWN)]) / 2:
        return tiles
    return [replace(t, code=UNKNOWN) if t.code == BLANK else t for t in tiles]


def draw(image: NDArray[np.uint8], tiles: Sequence[PhotoTile]) -> NDArray[np.uint8]:
    """A copy of the picture with every tile outlined and named."""
    out = image.copy()
    thick = max(1, max(image.shape[:2]) // 900)
    for tile in tiles:
        colour = (160, 160, 160) if tile.code == BACK else (0, 140, 255) if tile.code == "?" else (60, 200, 0)
        corners = np.round(tile.quad).astype(np.int32)
        cv2.polylines(out, [corners], True, colour, thick, cv2.LINE_AA)
        size = float(np.linalg.norm(tile.quad[0] - tile.quad[2])) / 75
        at = (int(tile.quad[:, 0].mean() - 14 * size), int(tile.quad[:, 1].mean() + 8 * size))
        cv2.putText(out, tile.code, at, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), thick + 2, cv2.LINE_AA)
        cv2.putText(out, tile.code, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thick, cv2.LINE_AA)
    return out
