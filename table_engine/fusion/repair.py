"""Doubtful readings put right by what they must be part of: a set that was called, a hand that won.

Only tiles the camera itself doubts are touched (unknown, or with candidates), and only to one of their candidates. A set or
hand that stays wrong either way is left as it was read: players do lay wrong sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Final

from table_engine.fusion.picture import Face
from table_engine.fusion.shape import complete
from table_engine.wire.frozen import replace
from table_engine.wire.tiles import BACK, Tile, is_face, is_run, is_same

SURE: Final = 0.8
_MOST_DOUBTS: Final = 2
"""So many tiles of one hand are put right at most."""


def as_set(faces: Sequence[Face]) -> tuple[Face, ...]:
    """A called set or kong as it must be."""
    return _best(faces, lambda codes: is_same(codes) or is_run(codes), len(faces))


def as_win(faces: Sequence[Face], extra: Sequence[Tile]) -> tuple[Face, ...]:
    """A hand laid open as it must be to have won together with `extra`."""
    return _best(faces, lambda codes: complete((*codes, *extra)), _MOST_DOUBTS)


def _best(faces: Sequence[Face], right: Callable[[tuple[Tile, ...]], bool], most: int) -> tuple[Face, ...]:
    codes = tuple(f.code for f in faces)
    read = tuple(faces)
    if BACK in codes or (all(is_face(c) for c in codes) and right(codes)):
        return read
    doubtful = [n for n, f in enumerate(faces) if _others(f)]
    found: list[tuple[float, tuple[Face, ...]]] = []
    for count in range(1, min(most, len(doubtful)) + 1):
        for places in combinations(doubtful, count):
            for choice in product(*(_others(faces[n]) for n in places)):
                better = list(faces)
                share = 1.0
                for n, (code, chance) in zip(places, choice, strict=True):
                    better[n] = replace(faces[n], code=code, confidence=chance)
                    share *= chance
                tried = tuple(f.code for f in better)
                if all(is_face(c) for c in tried) and right(tried):
                    found.append((share, tuple(better)))
        if found:
            return max(found, key=lambda one: one[0])[1]
    return read


def _others(face: Face) -> list[tuple[Tile, float]]:
    """What else a doubtful tile may be."""
    if is_face(face.code) and face.confidence >= SURE:
        return []
    return list(_candidates(face))


def _candidates(face: Face) -> Iterator[tuple[Tile, float]]:
    for code, share in face.candidates:
        if code != face.code and is_face(code):
            yield code, share
