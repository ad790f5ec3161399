"""What is really in a picture: every tile with its corners, how much of it can be seen, and where it belongs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.tiles import BACK, Tile
from virtual_table.render.block import Shape

Pixels = npt.NDArray[np.uint8]
Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class TileTruth:
    """One tile of a picture. Corners are px, pixel centres at whole numbers."""

    key: int
    code: Tile
    """What the camera sees: the face's code when the face can be seen, "b" when the back can, "?" when neither."""
    face: Tile
    """What is engraved on it, seen or not."""
    pose: str
    """"up", "down", "standing" (on a short side) or "side" (on a long side)."""
    quad: Quad | None
    """Corners of the large face that is seen, in glyph order (top-left, top-right, bottom-right, bottom-left); a back's in the same
    order as read from behind. None when neither is seen."""
    edge: Quad | None
    """Corners of the narrow side that looks up, for tiles not lying flat."""
    visible: float
    """Share of the quad that nothing covers and that lies in the picture."""
    edge_visible: float
    zone: str = ""
    seat: int = -1
    held: bool = False


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The truth about one picture; `notes` says how it was made (camera, style, light)."""

    width: int
    height: int
    at_ms: int
    tiles: tuple[TileTruth, ...]
    notes: Mapping[str, Any]

    def save(self, path: Path) -> None:
        """Writes JSON. Raises OSError."""
        path.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> GroundTruth:
        """Reads what `save` wrote. Raises OSError, ValueError, KeyError or TypeError for anything else."""
        raw = json.loads(path.read_text(encoding="utf-8"))
        tiles = tuple(TileTruth(**{**t, "quad": _quad(t["quad"]), "edge": _quad(t["edge"])}) for t in raw["tiles"])
        return cls(raw["width"], raw["height"], raw["at_ms"], tiles, raw["notes"])


def _quad(raw: list[list[float]] | None) -> Quad | None:
    if raw is None:
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in raw)
    return a, b, c, d


def _as_quad(points: npt.NDArray[np.float64]) -> Quad:
    return _quad(np.round(points, 2).tolist()) or ((0.0, 0.0),) * 4


def tile_truths(
    shapes: Sequence[Shape],
    size: tuple[int, int],
    *,
    cover: Pixels | None = None,
    places: Mapping[int, tuple[str, int]] | None = None,
    held: frozenset[int] = frozenset(),
) -> tuple[TileTruth, ...]:
    """The truth about blocks drawn in this order into a picture of `size` (width, height). `cover` (H x W) is above 127 where
    something else hides the tiles. `places` gives zone and seat by key. Visibility is counted on an id map."""
    ids = _id_map(shapes, size)
    if cover is not None:
        ids[cover > 127] = 0
    counts = np.bincount(ids.ravel(), minlength=3 * len(shapes) + 4)
    truths = [_truth(n, shape, counts, places or {}, held) for n, shape in enumerate(shapes)]
    return tuple(sorted(truths, key=lambda t: t.key))


def _id_map(shapes: Sequence[Shape], size: tuple[int, int]) -> npt.NDArray[np.int32]:
    """3n+1 body, 3n+2 large face, 3n+3 upward narrow side of shape n."""
    ids = np.zeros((size[1], size[0]), np.int32)
    for n, shape in enumerate(shapes):
        cv2.fillConvexPoly(ids, cv2.convexHull(np.rint(shape.outline * 16).astype(np.int32)), 3 * n + 1, cv2.LINE_8, 4)
        edge = shape.corners[list(shape.upward)]
        if shape.block.matrix[2, 2] ** 2 < 0.5:
            cv2.fillConvexPoly(ids, np.rint(edge * 16).astype(np.int32), 3 * n + 3, cv2.LINE_8, 4)
        if shape.shows_face or shape.shows_back:
            cv2.fillConvexPoly(ids, np.rint(_panel_quad(shape) * 16).astype(np.int32), 3 * n + 2, cv2.LINE_8, 4)
    return ids


def _panel_quad(shape: Shape) -> npt.NDArray[np.float64]:
    return shape.corners[:4] if shape.shows_face else shape.corners[4:]


def _truth(
    n: int, shape: Shape, counts: npt.NDArray[Any], places: Mapping[int, tuple[str, int]], held: frozenset[int]
) -> TileTruth:
    block = shape.block
    up = block.matrix[2]
    flat = up[2] ** 2 >= 0.5
    pose = ("up" if up[2] > 0 else "down") if flat else ("standing" if abs(up[1]) >= abs(up[0]) else "side")
    seen = shape.shows_face or shape.shows_back
    quad = _panel_quad(shape)
    edge = shape.corners[list(shape.upward)]
    zone, seat = places.get(block.key, ("", -1))
    return TileTruth(
        block.key,
        block.face if shape.shows_face else BACK if shape.shows_back else Tile("?"),
        block.face,
        pose,
        _as_quad(quad) if seen else None,
        None if flat else _as_quad(edge),
        _share(counts[3 * n + 2], quad) if seen else 0.0,
        0.0 if flat else _share(counts[3 * n + 3], edge),
        zone,
        seat,
        block.key in held,
    )


def _share(count: int, quad: npt.NDArray[np.float64]) -> float:
    """`count` pixels of those the quad would fill alone, the part outside the picture included."""
    corner = np.floor(quad.min(axis=0)) - 1
    columns, rows = (int(v) for v in np.ceil(quad.max(axis=0) - corner) + 3)
    if columns * rows > 4_000_000:
        return 0.0
    mask = np.zeros((rows, columns), np.uint8)
    cv2.fillConvexPoly(mask, np.rint((quad - corner) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    alone = int(np.count_nonzero(mask))
    return round(min(1.0, float(count) / max(1, alone)), 3)
