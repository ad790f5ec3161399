"""Learns what a tile set looks like from pictures of all its tiles, laid out in any order.

Nobody has to say which tile is which: the whole set is known to hold so many of each, so the sure ones leave fewer places
for the unsure, and copies of a face look like one another. Only what stays doubtful is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import CameraError
from table_engine.wire.tiles import BACK, Tile
from vision import pyramid
from vision.crop import cut
from vision.detect import Detector
from vision.labels import BACK_UP, FACE, INDEX, NONE
from vision.photo import consistent
from vision.profile import Floats, Profile, back_colour
from vision.read import Reader

_ROUNDS = 4
_SURE = 0.6
"""Share from which an example needs no confirmation."""
_ALIKE = 0.55
"""Likeness to the examples of its own face below which a tile is doubtful."""
_UNLIKELY = 0.25
"""Share by the net alone below which only a person may say that a tile is this one."""
_HALF = 0.5

Confirm = Callable[["Example", Tile, tuple[Tile, ...]], Tile | None]
"""Asked for a doubtful example: it, what it is taken for, and the likely codes; answers what it is, None for no tile."""


@dataclass(frozen=True, slots=True)
class Example:
    """One tile of the pictures."""

    picture: int
    quad: NDArray[np.float32]
    crop: NDArray[np.uint8]
    """(64, 64, 3) BGR, the face in the middle 46x46."""
    shares: Floats
    """Of every class, by the nets alone. (classes,)"""
    units: Floats
    """Embeddings with the quad's corners rolled by 0 to 3. (4, 128)"""
    turn: int


@dataclass(frozen=True, slots=True)
class Enrolment:
    profile: Profile
    asked: int
    """How many examples somebody had to confirm."""
    missing: tuple[Tile, ...]
    found: int


def look(
    detector: Detector, reader: Reader, pictures: Iterable[NDArray[np.uint8]], sizes: Sequence[int] = ()
) -> tuple[list[Example], NDArray[np.uint8]]:
    """Faces of the pictures (each (h, w, 3) BGR), and the crops of the backs (n, 64, 64, 3). `sizes` as in
    `pyramid.find`, where it is known how large the tiles are."""
    examples: list[Example] = []
    backs = []
    for number, image in enumerate(pictures):
        found = consistent(pyramid.find(detector, reader, image, sizes))
        corners = found.corners[found.what == FACE]
        backs.append(cut(image, found.corners[found.what == BACK_UP]))
        if not len(corners):
            continue
        seen = shown_by(reader, number, image, corners)
        examples += [e for e in seen if e.shares[INDEX[NONE]] + e.shares[INDEX[BACK]] < _HALF]
    return examples, np.concatenate(backs) if backs else np.zeros((0, 64, 64, 3), np.uint8)


def shown_by(reader: Reader, number: int, image: NDArray[np.uint8], corners: NDArray[np.float32]) -> list[Example]:
    """What lies at corners (n, 4, 2) px of picture `number` (h, w, 3) BGR, clockwise from any corner, as examples."""
    crops = [cut(image, np.roll(corners, k, axis=1)) for k in range(4)]
    looks = [reader.embed(c) for c in crops]
    shares = np.mean([kinds for kinds, _, _ in looks], axis=0)
    turns = np.mean([np.roll(turns, -k, axis=1) for k, (_, turns, _) in enumerate(looks)], axis=0)
    shares, turns = reader.flowers_named(image, corners, shares, turns)
    units = np.stack([unit for _, _, unit in looks], axis=1)
    return [
        Example(number, corners[n], crops[0][n], shares[n], units[n], int(turns[n].argmax()))
        for n in range(len(corners))
    ]


@dataclass(frozen=True, slots=True)
class Guess:
    """What an example is taken for. `fits` False: the set has no place left for another of these, it lies there twice."""

    code: Tile
    likely: tuple[Tile, ...]
    """Best first."""
    doubtful: bool
    fits: bool = True


def enrol(
    name: str, examples: Sequence[Example], backs: NDArray[np.uint8], holds: Mapping[Tile, int], confirm: Confirm
) -> Enrolment:
    """A profile of the set that `holds` so many tiles of each code. Raises CameraError when too little of it was found."""
    guesses = guessed(examples, holds)
    named = [
        confirm(example, guess.code, guess.likely) if guess.doubtful else guess.code
        for example, guess in zip(examples, guesses, strict=True)
    ]
    return learnt(name, examples, named, backs, holds, sum(guess.doubtful for guess in guesses))


def guessed(examples: Sequence[Example], holds: Mapping[Tile, int]) -> list[Guess]:
    """What each example is, going by the net, by how like one another they are, and by how many of each the set `holds`.
    Raises CameraError when too little of the set was found."""
    size = sum(holds.values())
    if len(examples) < len(holds) / 2:
        raise CameraError(
            f"enrolment: {len(examples)} faces found of a set of {size}; lay all tiles face up, apart, and fill the picture"
        )
    codes = _codes(holds)
    layouts = max(1, round(len(examples) / size))
    places = {code: layouts * holds[code] for code in codes}
    known = [INDEX[code] for code in codes]
    generic = np.stack([e.shares[known] for e in examples])
    shares, chosen = generic, assigned(generic, codes, places)
    units = np.zeros((len(codes), 4, 128), np.float32)
    for _ in range(_ROUNDS):
        units = _means(examples, chosen, codes, units)
        near = np.stack([np.einsum("rd,ktd->krt", e.units, units) for e in examples])  # (n, k, 4, 4)
        alike = np.stack([[near[:, :, r, (r + t) % 4] for r in range(4)] for t in range(4)]).mean(axis=1).max(axis=0)
        shares = _mixed(generic, alike)
        chosen = assigned(shares, codes, places)
    out = []
    for n, code in enumerate(chosen):
        order = np.argsort(-shares[n])[:4]
        own = codes.index(code) if code is not None else int(order[0])
        unsure = shares[n, own] < _SURE or alike[n, own] < _ALIKE or generic[n, own] < _UNLIKELY
        out.append(Guess(codes[own], tuple(codes[k] for k in order), code is None or bool(unsure), code is not None))
    return out


def learnt(
    name: str,
    examples: Sequence[Example],
    named: Sequence[Tile | None],
    backs: NDArray[np.uint8],
    holds: Mapping[Tile, int],
    asked: int = 0,
) -> Enrolment:
    """A profile from examples and what each is (None: no tile)."""
    codes = _codes(holds)
    units = _means(examples, named, codes, np.zeros((len(codes), 4, 128), np.float32))
    units = _means(examples, named, codes, units)
    count = Counter(code for code in named if code is not None)
    there = [k for k, code in enumerate(codes) if count[code]]
    profile = Profile(
        name,
        tuple(codes[k] for k in there),
        units[there],
        tuple(count[codes[k]] for k in there),
        len(there) == len(codes),
        back_colour(backs),
    )
    return Enrolment(profile, asked, tuple(code for code in codes if not count[code]), len(examples))


def _codes(holds: Mapping[Tile, int]) -> tuple[Tile, ...]:
    return tuple(code for code, many in holds.items() if many)


def assigned(shares: Floats, codes: Sequence[Tile], places: Mapping[Tile, int]) -> list[Tile | None]:
    """Which code each row of `shares` (n, codes) is, no code more often than it has places: the surest first. None where no
    place was left that it might be."""
    out: list[Tile | None] = [None] * len(shares)
    left = dict(places)
    for flat in np.argsort(-shares, axis=None):
        n, k = divmod(int(flat), len(codes))
        if out[n] is None and left[codes[k]] > 0:
            out[n] = codes[k]
            left[codes[k]] -= 1
    return out


def _means(examples: Sequence[Example], chosen: Sequence[Tile | None], codes: Sequence[Tile], before: Floats) -> Floats:
    """Mean embedding of each code by turn, (codes, 4, 128). An example is turned the way that fits the means `before` best,
    at first the way the net says."""
    sums = np.zeros((len(codes), 4, 128), np.float32)
    for example, code in zip(examples, chosen, strict=True):
        if code is None:
            continue
        k = codes.index(code)
        turn = example.turn
        if before[k].any():
            fits = [float(sum(example.units[r] @ before[k, (r + t) % 4] for r in range(4))) for t in range(4)]
            turn = int(np.argmax(fits))
        for r in range(4):
            sums[k, (r + turn) % 4] += example.units[r]
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=2, keepdims=True), 1e-6), np.float32)


def _mixed(generic: Floats, alike: Floats) -> Floats:
    """What the net says and how like the examples it is, as one share. (n, codes)"""
    grown = np.exp(14.0 * (alike - alike.max(axis=1, keepdims=True))) * np.sqrt(np.maximum(generic, 1e-4))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True), np.float32)


def full_set(*, flowers: int = 8, reds: int = 0) -> dict[Tile, int]:
    """How many tiles of each code a set holds: `flowers` 0, 4 or 8, `reds` red fives 0, 3 or 4 (two of dots)."""
    holds = {code: 4 for code in INDEX if code not in (BACK, NONE) and code[1] != "f" and code[0] != "0"}
    for code, many in {"0m": 1, "0p": max(1, reds - 2), "0s": 1}.items():
        if reds:
            holds[Tile(code)] = many
            holds[Tile("5" + code[1])] -= many
    holds.update({Tile(f"{n}f"): 1 for n in range(1, flowers + 1)})
    return holds


def shown(examples: Sequence[Example], made: Enrolment, cell: int = 96) -> NDArray[np.uint8]:
    """What was learnt as a picture: for each face the example most like what was learnt of it, with its code."""
    columns = 9
    rows = -(-len(made.profile.codes) // columns)
    out = np.full((rows * (cell + 18), columns * cell, 3), 40, np.uint8)
    for n, code in enumerate(made.profile.codes):
        fits = [
            max(float(sum(e.units[r] @ made.profile.units[n, (r + t) % 4] for r in range(4))) for t in range(4))
            for e in examples
        ]
        best = examples[int(np.argmax(fits))]
        y, x = (n // columns) * (cell + 18), (n % columns) * cell
        out[y : y + cell, x : x + cell] = cv2.resize(np.rot90(best.crop, best.turn), (cell, cell))
        cv2.putText(out, code, (x + 4, y + cell + 14), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
    return out
