"""What a camera chooses for itself and is then to keep: settings that say "hold".

It warms up while they are automatic. Then one after another, so that a jump is known to be whose: what the camera says it has chosen is
read beside a few of its pictures, locked, and its pictures are looked at again. Many cameras say something stale while they choose
for themselves; then the picture jumps, and they are given back what they had.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from statistics import median
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import quality
from vision.locks import Control, Controls, Lock

_APART_MS = 150
"""Pictures nearer to each other than this are let pass: a few that are spread tell more than many that are alike."""
_WARM = 17
"""So many pictures, 2.5 s, warm a camera up: its exposure settles in 1 to 2 s. Black or blown ones do not count, or what suits
a room at night would be kept for the day."""
_LOOKS = 9
"""So many are looked at before and after, over more than a second: an arm that reaches in and out is not in their median."""
_TAKES = 4
"""So many, 0.6 s, until what was set shows: some were taken before, and cameras go there in steps."""
_TRIES = 2
"""A light that was switched, or a guest who leaned over the table, is no jump of the camera's; it does not come twice."""
_JUMP = {"exposure": 0.12, "white_balance": 0.08, "focus": 0.3}
"""By what share a picture's brightness, its colours or its edges may differ. Pictures have a gamma: 0.12 is a third more light, 0.08 a
fifth more blue. Edges shake most, and 0.3 of them are lost to a blur of less than a pixel."""
_DARK = 8.0
"""Added to grey levels before they are divided: what is nearly black has no brightness and no colour."""
_CELLS = (24, 16)

T = TypeVar("T")
Picture = NDArray[np.uint8]
Looks = NDArray[np.float64]
Course = Generator[None, Picture, T]
"""Takes one picture after another and ends with a T."""


class Holding:
    """One camera's controls that are to keep what they chose. `locks`: those that do; `notes`: what cannot be held, in words for
    people. Both grow while pictures are fed."""

    def __init__(self, camera: Controls, controls: Iterable[Control], where: str) -> None:
        self.locks: tuple[Lock, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._camera, self._where = camera, where
        self._looked_ms = 0
        self._course = self._hold_all(tuple(controls))
        next(self._course)

    def feed(self, image: Picture, at_ms: int) -> bool:
        """Takes a picture (h, w, 3) BGR; says whether `locks` or `notes` have grown."""
        if 0 <= at_ms - self._looked_ms < _APART_MS:
            return False
        self._looked_ms = at_ms
        known = len(self.locks) + len(self.notes)
        self._course.send(image)
        return len(self.locks) + len(self.notes) > known

    def _hold_all(self, controls: tuple[Control, ...]) -> Course[None]:
        yield  # what they were told before their first picture some cameras forget
        modes = {control: control.free(self._camera) for control in controls}
        if modes:
            yield from _warmed_up()
        for control, mode in modes.items():
            said = ""
            for _ in range(_TRIES):
                lock, said = yield from self._hold(control)
                if not said:
                    self.locks += (lock,)
                    break
                self._camera.set(control.mode, mode)
                yield from _warmed_up()
            else:
                self.notes += (said,)
        while True:
            yield

    def _hold(self, control: Control) -> Course[tuple[Lock, str]]:
        """Locks a control at what it chose; says why that does not hold, or nothing."""
        chose, before = yield from self._look(control)
        lock = Lock(control, chose)
        if said := lock.put(self._camera, self._where):
            return lock, said
        for _ in range(_TAKES):
            yield
        _, after = yield from self._look(control)
        jump = _jump(before, after)
        if jump <= _JUMP[control.name]:
            return lock, ""
        why = f"cannot be held at what it chose, the picture then differs by {jump:.0%}"
        return lock, f"{self._where}: its {control.name} {why}; ask for a number, or leave it automatic"

    def _look(self, control: Control) -> Course[tuple[float, Looks]]:
        """The value a control says it has and what its pictures look like, both in the middle of several."""
        values, looks = [], []
        for _ in range(_LOOKS):
            image = yield
            values.append(self._camera.get(control.prop))
            looks.append(_LOOK[control.name](image))
        return median(values), np.median(looks, axis=0)


def _warmed_up() -> Course[None]:
    """Ends when the camera has shown something for long enough."""
    shown = 0
    while shown < _WARM:
        image = yield
        shown = 0 if quality.wrong(np.ascontiguousarray(image[::4, ::4, 1])) else shown + 1


def _light(image: Picture) -> Looks:
    """Brightness of the picture's cells (cells, 1)."""
    return np.asarray(_cells(image).mean(axis=1, keepdims=True))


def _tint(image: Picture) -> Looks:
    """Blue and red of the picture's cells against their green (cells, 2)."""
    cells = _cells(image)
    return cells[:, [0, 2]] / cells[:, 1:2]


def _edges(image: Picture) -> Looks:
    """How hard the picture's hardest edges are (1, 1); at half size, where noise makes none."""
    half = cv2.resize(image[..., 1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.full((1, 1), _DARK + np.percentile(np.abs(cv2.Laplacian(half, cv2.CV_16S)), 99.5))


def _cells(image: Picture) -> Looks:
    small = cv2.resize(image, _CELLS, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float64).reshape(-1, 3) + _DARK


_LOOK: dict[str, Callable[[Picture], Looks]] = {
    "exposure": _light,
    "white_balance": _tint,
    "focus": _edges,
}


def _jump(before: Looks, after: Looks) -> float:
    """By what share most cells (n, looks) became more or less: what an arm still covers are the fewer."""
    change = np.median(after / before, axis=0)
    return float(1 - np.minimum(change, 1 / change).min())
