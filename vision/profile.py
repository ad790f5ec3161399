"""What one tile set looks like, learnt from a few pictures of it: an example of every face as the reader's net sees it, and
the colour of the backs.

With every face enrolled a face is told by the examples alone; while some are missing they only help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import SettingsError
from table_engine.wire.tiles import BACK, CODES, UNKNOWN, Tile
from vision.colour import Colour, apart
from vision.labels import CLASSES, INDEX, NONE
from vision.net import softmax

Floats = NDArray[np.float32]
_VERSION = 1
_SCALE = 36.0
"""Sharpness with which likeness to the examples becomes a share: below 34 some photographs lose by it (see docs/benchmarks.md)."""
_ALIKE = (0.78, 0.86)
"""From the first likeness on a crop is less and less likely to be no tile, from the second on it is one: of a thousand quads of
the wrong size one is so like an enrolled face."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_MIDDLE = np.s_[17:47, 17:47]


@dataclass(frozen=True, slots=True)
class Profile:
    """`units` (n, 4, 128): of each code of `codes` the mean embedding of its face turned by 0 to 3 quarters, unit length."""

    name: str
    codes: tuple[Tile, ...]
    units: Floats
    examples: tuple[int, ...]
    """How many tiles each was learnt from."""
    complete: bool
    """Every face of the set is there."""
    back: Colour | None = None
    """Colour of the backs (CIE Lab, 8 bits a channel); None when none was seen."""

    def fused(self, kinds: Floats, units: Floats) -> tuple[Floats, Floats]:
        """Shares of the net (n, classes) and embeddings (n, 128) → shares of every class with the examples taken into account
        (n, classes), and of every quarter turn (n, 4)."""
        near = np.einsum("nd,ktd->nkt", units, self.units)
        alike = np.zeros_like(kinds)
        known = [INDEX[code] for code in self.codes]
        alike[:, known] = softmax(_SCALE * near.max(axis=2))
        other = kinds[:, [INDEX[NONE], INDEX[BACK]]]
        other[:, 0] *= np.interp(near.max(axis=(1, 2)), _ALIKE, (1.0, 0.0))
        faces = kinds.copy()
        faces[:, [INDEX[NONE], INDEX[BACK]]] = 0
        if self.complete:
            mixed = alike
        else:
            missing = np.ones(len(CLASSES), np.bool_)
            missing[known] = False
            mixed = np.where(missing, faces, np.sqrt(np.maximum(faces * alike, 0)))
        total = np.maximum(mixed.sum(axis=1, keepdims=True), 1e-6)
        out = mixed / total * (1 - other.sum(axis=1, keepdims=True))
        out[:, [INDEX[NONE], INDEX[BACK]]] = other
        best = near.max(axis=2).argmax(axis=1)
        return out.astype(np.float32), softmax(_SCALE * near[np.arange(len(near)), best])

    def save(self, folder: Path) -> Path:
        """Writes `<folder>/<name>.npz`, and what people are told of it in `<name>.json`. Raises SettingsError when it cannot."""
        path = profile_path(folder, self.name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part.npz")
            np.savez_compressed(
                part,
                version=_VERSION,
                codes=np.array(self.codes),
                units=self.units.astype(np.float16),
                examples=np.array(self.examples, np.int32),
                complete=self.complete,
                back=np.array(self.back if self.back is not None else (), np.float32),
            )
            part.replace(path)
            facts = {
                "name": self.name,
                "faces": len(self.codes),
                "tiles": int(sum(self.examples)),
                "complete": self.complete,
                "back": None if self.back is None else hex_colour(self.back),
            }
            path.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")
        except OSError as error:
            raise SettingsError(f"{path}: cannot be written ({error.strerror}); choose another folder") from error
        return path


def profile_path(folder: Path, name: str) -> Path:
    """Where a set's profile lies. Raises SettingsError for a name that is none."""
    if not _NAME.fullmatch(name):
        raise SettingsError(f"tile set {name!r}: use 1 to 32 of a-z, 0-9 and '-'")
    return folder / f"{name}.npz"


def load_profile(folder: Path, name: str) -> Profile:
    """Raises SettingsError when there is no such set or its file is broken."""
    path = profile_path(folder, name)
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in folder.glob("*.npz"))) or "none"
        raise SettingsError(f"{path}: no such tile set; enrolled are {there}; `jantaku enrol {name} PHOTOS` makes it")
    try:
        with np.load(path, allow_pickle=False) as said:
            version, back = int(said["version"]), said["back"]
            codes = tuple(Tile(str(code)) for code in said["codes"])
            units = np.asarray(said["units"], np.float32)
            examples, complete = tuple(int(n) for n in said["examples"]), bool(said["complete"])
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise SettingsError(f"{path}: is no tile set ({error}); enrol it again") from error
    if version != _VERSION or units.shape != (len(codes), 4, 128) or not set(codes) <= CODES - {BACK, UNKNOWN}:
        raise SettingsError(f"{path}: was made by another version; enrol the set again")
    units /= np.maximum(np.linalg.norm(units, axis=2, keepdims=True), 1e-6)
    colour = tuple(float(v) for v in back)
    return Profile(
        name, codes, units, examples, complete, (colour[0], colour[1], colour[2]) if len(colour) == 3 else None
    )


def back_colour(crops: NDArray[np.uint8]) -> Colour | None:
    """Median colour of backs, from their crops (n, 64, 64, 3) BGR; None when there are none."""
    if not len(crops):
        return None
    middles = np.stack([cv2.cvtColor(np.ascontiguousarray(crop[_MIDDLE]), cv2.COLOR_BGR2LAB) for crop in crops])
    median = np.median(middles.reshape(-1, 3), axis=0)
    return float(median[0]), float(median[1]), float(median[2])


def hex_colour(lab: Colour) -> str:
    """A colour (CIE Lab, 8 bits a channel) as pages write it: `#rrggbb`."""
    one = np.array([[[round(v) for v in lab]]], np.uint8)
    blue, green, red = (int(v) for v in cv2.cvtColor(one, cv2.COLOR_LAB2BGR)[0, 0])
    return f"#{red:02x}{green:02x}{blue:02x}"


def by_back(profiles: Sequence[Profile], colour: Colour) -> Profile | None:
    """Which of several sets has backs of this colour: the nearest, hue and strength counting more than brightness; None when
    a set has no colour to compare."""
    if not profiles or any(p.back is None for p in profiles):
        return None
    return min(profiles, key=lambda p: apart(p.back or colour, colour))
