"""Tiles of an uncalibrated picture at whatever size they are in it: the picture is looked at in steps of size, coarse to fine,
and what is found is believed as far as the reader can name it.

The detector alone cannot tell a circle of a dot tile from a tile, nor a row of four tiles from a large one. The reader can:
a part or a group of tiles shows no face. So each find is worth its score, times how near it was to the size the detector is
made for, times how surely the reader sees a face (or a back) there; where finds overlap the worthier stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.tiles import BACK
from vision import quad
from vision.detect import USUAL_PX, Detector, Found, settle
from vision.labels import BACK_UP, CLASSES, FACE, INDEX, NONE, TOP
from vision.read import Reader

SMALLEST_PX = 56
"""Long side of the picture at the coarsest look: one tile that fills it is then about as long as the detector likes."""
ALWAYS_PX = 960
"""Looks go on at least to this size."""
LARGEST_PX = 4300
_STEP = 1.5
_UPSCALE = 1.6
"""The largest enlargement of a picture."""
_BORDER = 24
_OUTSIDE = (90, 100, 90)
"""Colour around a picture, the one that training has beyond the edge of its pictures."""
_PART, _MARGIN = 1280, 96
_SEEN = 0.3
_SHORT, _LONG = 20.0, 96.0
"""Lengths in the detector's pixels that a find of one look may have."""
_SPREAD = 0.75
_SMALL = 40.0
"""Tiles that are shorter than this at the finest look so far ask for a finer one."""
_FEW, _SHARE = 2, 0.04
_WORTH = 0.2
_FILLS = 0.5
"""A find that covers more of a picture than this is what the picture is of: doubt about its name counts half."""
_COVERS, _ALIKE = 0.5, 0.6
_MOST_PARTS = 12
"""No face shows more parts that pass for tiles (nine circles, and what may be seen between them)."""
_WORTHIER = 6
"""How much more it counts what a find is worth than how much it covers."""
_NEIGHBOURS, _AROUND, _ITSELF = 6, 5.0, 0.45
"""Tiles that tell what size is usual there, how many of their sides away they may lie, and what is the tile itself."""
_VOTES, _VOICES = 0.45, 5
"""What a find must be worth to tell others a size, and how many of a picture must be for any to be told."""
_OFF, _ODD = 0.38, 0.35
_ALONE, _SAME_SIZE, _SAME_PLACE = 0.8, 0.3, 0.3
"""What a find is worth that only one look has, and what the same find is: size in log, distance in its sides."""
_PARTS, _NAMED = 4, 0.5
"""How many parts a face may fall into, and how surely they and it must be named."""
_SURELY, _FARTHEST = 0.6, 8.0
_LEAST = 0.45
"""Finds worth less than this share of the best are none."""


def find(detector: Detector, reader: Reader, image: NDArray[np.uint8], sizes: Sequence[int] = ()) -> Found:
    """Tiles of a picture (h, w, 3) BGR in its own pixels, worthiest first; `score` is what each find is worth. `sizes`: long
    sides, px, at which to look when it is known how large the tiles are; none: at every size that may matter."""
    looks: list[Found] = []
    for px in sizes or steps(max(image.shape[:2])):
        scale = px / max(image.shape[:2])
        seen = look(detector, image, scale)
        named = face_share(reader, image, seen)
        worth = seen.score * _nearness(seen, scale) * np.where(fills(image, seen.corners), np.sqrt(named), named)
        worthwhile = np.asarray(worth > _WORTH * _ALONE)
        looks.append(Found(seen.corners, seen.what, np.asarray(worth, np.float32), seen.level).only(worthwhile))
        if px >= ALWAYS_PX and not sizes:
            small = lengths(worthy(chosen(agreed(looks)))) * scale < _SMALL
            if len(small) and int(small.sum()) < max(_FEW, _SHARE * len(small)):
                break
    whole = agreed(looks)
    return worthy(added_up(reader, image, whole, chosen(fitting(whole, chosen(whole)))))


def agreed(looks: Sequence[Found]) -> Found:
    """The finds of several looks as one, worthiest first: what only one of them saw is worth less, and nothing when that is
    too little. With one look all count."""
    if len(looks) < 2:
        return joined(list(looks))
    sizes = [_sizes(f) for f in looks]
    centres = [f.corners.mean(axis=1) for f in looks]
    out = []
    for n, found in enumerate(looks):
        seen = np.zeros(len(found), np.bool_)
        for other in range(len(looks)):
            if other != n and len(found) and len(looks[other]):
                apart = np.linalg.norm(centres[n][:, None] - centres[other][None], axis=2)
                alike = np.abs(sizes[n][:, None] - sizes[other][None]) < _SAME_SIZE
                seen |= (alike & (apart < _SAME_PLACE * np.exp(sizes[n])[:, None])).any(axis=1)
        score = np.where(seen, found.score, _ALONE * found.score).astype(np.float32)
        out.append(Found(found.corners, found.what, score, found.level).only(score > _WORTH))
    return joined(out)


def steps(longest: int) -> Iterator[int]:
    """Long sides, in pixels, at which a picture of this long side is looked at."""
    px, most = float(SMALLEST_PX), min(LARGEST_PX, _UPSCALE * longest)
    while px <= most:
        yield round(px)
        px *= _STEP


def look(detector: Detector, image: NDArray[np.uint8], scale: float) -> Found:
    """Finds of one look at `scale` times the picture's size, in pixels of the picture itself. Large looks are taken in parts
    that overlap."""
    size = (max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale)))
    scaled = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    framed = cv2.copyMakeBorder(scaled, *(_BORDER,) * 4, cv2.BORDER_CONSTANT, value=_OUTSIDE)
    parts = []
    for y in range(0, framed.shape[0], _PART):
        for x in range(0, framed.shape[1], _PART):
            x0, y0 = max(0, x - _MARGIN), max(0, y - _MARGIN)
            part = framed[y0 : y + _PART + _MARGIN, x0 : x + _PART + _MARGIN]
            found = detector.find(np.ascontiguousarray(part), floor=_SEEN)
            centres = found.corners.mean(axis=1) + np.array([x0 - x, y0 - y], np.float32)
            mine = ((centres >= 0) & (centres < _PART)).all(axis=1)
            parts.append(found.only(np.asarray(mine)).moved(x0 - _BORDER, y0 - _BORDER))
    whole = joined(parts)
    long = lengths(whole)
    whole = whole.only(np.asarray((long >= _SHORT) & (long <= _LONG)))
    shape = np.array([image.shape[1] / size[0], image.shape[0] / size[1]], np.float32)
    corners = (whole.corners + 0.5) * shape - 0.5
    return Found(corners.astype(np.float32), whole.what, whole.score, whole.level)


def face_share(reader: Reader, image: NDArray[np.uint8], found: Found) -> NDArray[np.float32]:
    """How surely each find shows what the detector takes it for, 0..1: a face that can be named, a back, or neither. (n,)"""
    shares = reader.shares(image, found.corners)
    face = shares[:, [n for code, n in INDEX.items() if code not in (BACK, NONE)]].max(axis=1, initial=0.0)
    nothing, back = shares[:, INDEX[NONE]], shares[:, INDEX[BACK]]
    face = np.where(nothing > face, 0.3 * face, face)
    sure = np.where(found.what == FACE, 0.1 + 0.9 * face, np.where(found.what == BACK_UP, 0.3 + 0.7 * back, 1 - face))
    return np.asarray(sure, np.float32)


def lengths(found: Found) -> NDArray[np.float32]:
    """Longer side of each quad, px. (n,)"""
    one, two = quad.sides(found.corners)
    return np.maximum(one, two)


def joined(parts: Sequence[Found]) -> Found:
    """Several findings as one, best first."""
    if not parts:
        return Found.none()
    score = np.concatenate([f.score for f in parts])
    order = np.argsort(-score, kind="stable")
    return Found(
        np.concatenate([f.corners for f in parts])[order],
        np.concatenate([f.what for f in parts])[order],
        score[order],
        np.concatenate([f.level for f in parts])[order],
    )


def chosen(found: Found) -> Found:
    """Of finds that cover one another the worthiest: one of two alike, and of a large one and those within it either a tile
    without its parts or the tiles without their group."""
    found = settle(found)
    shared, areas = _overlaps(found)
    tile = (found.what != TOP) & (found.score > _VOTES)
    alive = np.ones(len(found), np.bool_)
    for n in range(1, len(found)):
        alike = np.minimum(areas[:n], areas[n]) > _ALIKE * np.maximum(areas[:n], areas[n])
        alive[n] = not (alive[:n] & alike & (shared[n, :n] > _COVERS)).any()
    value = _value(found)
    for big in np.argsort(areas):
        inner = alive & (areas < _ALIKE * areas[big]) & (shared[big] > _COVERS)
        if alive[big] and inner.any():
            if value[big] >= value[inner].sum() and (inner & tile).sum() <= _MOST_PARTS:
                alive &= ~inner
            else:
                alive[big] = False
    return found.only(alive)


def fitting(found: Found, first: Found) -> Found:
    """The finds, worthiest first, each worth less the more its size differs from that of the tiles around it as a `first`
    choice took them: half a tile and two tiles may look like one, but not among others."""
    sizes, others = _sizes(found), _sizes(first)
    apart = np.linalg.norm(found.corners.mean(axis=1)[:, None] - first.corners.mean(axis=1)[None], axis=2)
    votes = (first.score > _VOTES) & (first.what != TOP)
    if votes.sum() < _VOICES:
        return found
    score = found.score.copy()
    for n in range(len(found)):
        far = np.where(votes & (apart[n] > _ITSELF * np.exp(sizes[n])), apart[n], np.inf)
        near = np.argsort(far)[:_NEIGHBOURS]
        near = near[far[near] < _AROUND * np.exp(others[near])]
        if len(near) >= _NEIGHBOURS // 2:
            off = sizes[n] - float(np.median(others[near]))
            score[n] *= max(_ODD, float(np.exp(-((off / _OFF) ** 4))))
    order = np.argsort(-score, kind="stable")
    return Found(found.corners[order], found.what[order], score[order], found.level[order])


def added_up(reader: Reader, image: NDArray[np.uint8], found: Found, best: Found) -> Found:
    """The `best` finds, worthiest first, with the parts of a face given up for the face: half a 4p looks like a 2p. The face is
    one of those `found`, and its number the sum of its parts'; it stays in parts when the tiles around are as large as they, and
    when there are none unless it fills the picture: two 2p may lie by themselves."""
    sizes, others, centres = _sizes(found), _sizes(best), best.corners.mean(axis=1)
    within = quad.inside(found.corners, centres) & (best.what == FACE)
    within &= 2 * (others - sizes[:, None]) < np.log(_ALIKE)
    count = within.sum(axis=1)
    wholes = np.nonzero((found.what == FACE) & (count > 1) & (count <= _PARTS))[0]
    parts = np.nonzero(within[wholes].any(axis=0))[0]
    numbers = dict(zip(parts, _numbers(reader, image, best.corners[parts]), strict=True))
    votes, whole_picture = (best.what != TOP) & (best.score > _VOTES), fills(image, found.corners)
    kept, faces = np.ones(len(best), np.bool_), []
    for n, (number, suit) in zip(wholes, _numbers(reader, image, found.corners[wholes]), strict=True):
        mine = within[n]
        said = [numbers[part] for part in np.nonzero(mine)[0]]
        adds_up = {suit} == {of for _, of in said} and sum(one for one, _ in said) == number > 0
        if not (adds_up and kept[mine].all()):
            continue
        apart = np.linalg.norm(found.corners[n].mean(axis=0) - centres, axis=1)
        around = others[votes & ~mine & (apart < _AROUND * np.exp(others))]
        whole = whole_picture[n]
        if len(around):
            usual = np.median(around)
            whole = abs(sizes[n] - usual) < abs(np.median(others[mine]) - usual)
        if whole:
            kept &= ~mine
            face = found.only(np.array([n]))
            faces.append(Found(face.corners, face.what, best.score[mine].max(keepdims=True), face.level))
    return joined([best.only(kept), *faces])


def worthy(found: Found) -> Found:
    """Without what is worth much less than the rest, or far smaller than any tile can look that lies further away than the
    largest; unless these are worth less together, for a bare cloth may pass for a back. The measure of worth is the find that
    three tenths of all that is covered are worthier than."""
    if not len(found):
        return found
    areas = quad.area(found.corners)  # best first
    best = found.score[min(int(np.searchsorted(np.cumsum(areas), 0.3 * areas.sum())), len(found) - 1)]
    good = found.score > _LEAST * best
    largest = areas[good & (found.score > _SURELY * found.score[0])].max(initial=0.0)
    near, value = areas * _FARTHEST**2 > largest, _value(found)
    return found.only(good & near if value[good & near].sum() > value[good & ~near].sum() else good)


def _value(found: Found) -> NDArray[np.float64]:
    """What each counts for among finds of which not all can be tiles: how worthy it is and how much it covers. (n,)"""
    return np.asarray(found.score.astype(np.float64) ** _WORTHIER * quad.area(found.corners))


def fills(image: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which quads (n, 4, 2) px are what the picture (h, w, 3) is of. (n,)"""
    return np.asarray(quad.area(corners) > _FILLS * image.shape[0] * image.shape[1])


def _numbers(reader: Reader, image: NDArray[np.uint8], corners: NDArray[np.float32]) -> list[tuple[int, str]]:
    """Number and suit of each face that is named surely and whose number can be counted (circles, bamboo); others: 0 and none."""
    shares = reader.shares(image, corners)
    names = [
        CLASSES[n] if share > _NAMED else NONE
        for n, share in zip(shares.argmax(axis=1), shares.max(axis=1), strict=True)
    ]
    return [(int(name[0]) or 5, name[1]) if name[1:] in ("p", "s") else (0, "") for name in names]


def _sizes(found: Found) -> NDArray[np.float64]:
    """Logarithm of the side of a square as large as each quad. (n,)"""
    return np.asarray(np.log(np.maximum(quad.area(found.corners).astype(np.float64), 1.0)) / 2)


def _overlaps(found: Found) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of each pair the share of the smaller that the other covers (n, n), and the areas (n,)."""
    areas, centres = quad.area(found.corners), found.corners.mean(axis=1)
    reach = np.linalg.norm(found.corners - centres[:, None], axis=2).max(axis=1)
    near = np.linalg.norm(centres[:, None] - centres[None], axis=2) < reach[:, None] + reach[None]
    shared = np.zeros((len(found), len(found)), np.float32)
    for a, b in zip(*np.nonzero(np.triu(near, 1)), strict=True):
        common, _ = cv2.intersectConvexConvex(found.corners[a], found.corners[b])
        shared[a, b] = shared[b, a] = common / max(float(min(areas[a], areas[b])), 1e-6)
    return shared, areas


def _nearness(found: Found, scale: float) -> NDArray[np.float32]:
    """What a find is worth at the size it had in the look: most near the usual size. (n,)"""
    off = np.log(np.maximum(lengths(found) * scale, 1e-3) / USUAL_PX)
    return np.asarray(0.5 + 0.5 * np.exp(-((off / _SPREAD) ** 2)), np.float32)
