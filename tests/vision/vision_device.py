"""A camera that is not there: what `cv2.VideoCapture` opens, with every way of cameras to take settings, and a picture that shows
what it really uses."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import cv2
import numpy as np

from table_engine.wire.settings import CameraSettings
from vision.camera import Capture

EXPOSURE, WHITE_BALANCE, FOCUS = cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_FOCUS
AUTOMATIC = {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_AUTO_WB: 1.0, cv2.CAP_PROP_AUTOFOCUS: 1.0}
MANUAL = {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_AUTO_WB: 0.0, cv2.CAP_PROP_AUTOFOCUS: 0.0}
MODES = {
    EXPOSURE: cv2.CAP_PROP_AUTO_EXPOSURE,
    WHITE_BALANCE: cv2.CAP_PROP_AUTO_WB,
    FOCUS: cv2.CAP_PROP_AUTOFOCUS,
}
SUITS = {EXPOSURE: 157.0, WHITE_BALANCE: 4600.0, FOCUS: 30.0}
"""What makes the picture right."""


class Device:
    """Stands where `cv2.VideoCapture` opens a camera. `deaf`: properties it refuses; `stubborn`: it agrees to and does not do;
    `steps`: of a property; `forgets`: after so many pictures everything is automatic again; `stale`: while it chooses them for
    itself, it says what was set last of these."""

    def __init__(
        self,
        *,
        deaf: Sequence[int] = (),
        stubborn: Sequence[int] = (),
        steps: dict[int, float] | None = None,
        forgets: int | None = None,
        stale: Sequence[int] = (),
        sizes: Sequence[tuple[int, int]] = ((1920, 1080),),
        modes: dict[int, float] = AUTOMATIC,
    ) -> None:
        self.deaf, self.stubborn, self.steps, self.forgets, self.sizes = deaf, stubborn, steps or {}, forgets, sizes
        self.stale = stale
        self.values = {**modes, cv2.CAP_PROP_FRAME_WIDTH: 640.0, cv2.CAP_PROP_FRAME_HEIGHT: 480.0}
        self.chosen = dict(SUITS)
        self.asked: list[int] = []
        self.pictures = 0

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, prop: int, value: float) -> bool:
        self.asked.append(prop)
        if prop in self.deaf:
            return False
        if prop not in self.stubborn:
            step = self.steps.get(prop, 1)
            self.values[prop] = float(round(value / step) * step)
        sides = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        if prop == sides[1] and tuple(self.values[s] for s in sides) not in self.sizes:
            self.values |= dict(zip(sides, (640.0, 480.0), strict=True))
        return True

    def get(self, prop: int) -> float:
        if prop in self.deaf:
            return -1.0
        return self.values.get(prop, 0.0) if prop in self.stale or prop not in SUITS else self.uses(prop)

    def uses(self, prop: int) -> float:
        """What its picture is made with."""
        mode = MODES[prop]
        return self.values.get(prop, 0.0) if self.values[mode] == MANUAL[mode] else self.chosen[prop]

    def read(self) -> tuple[bool, np.ndarray]:
        self.pictures += 1
        if self.pictures == self.forgets:
            self.values |= AUTOMATIC
        return True, pictured(*(self.uses(prop) for prop in SUITS))

    def release(self) -> None:
        return


@functools.lru_cache(maxsize=32)
def pictured(exposure: float, white_balance: float, focus: float) -> np.ndarray:
    """A felt with rows of tiles, as bright, warm and sharp as a camera set like this sees it."""
    scene = np.full((270, 480, 3), (70, 110, 60), np.float32)
    for x in range(20, 460, 16):
        for y in range(20, 250, 40):
            scene[y : y + 16, x : x + 12] = (180, 190, 190)
            scene[y + 5 : y + 11, x + 4 : x + 8] = (60, 50, 50)
    warm = (white_balance / SUITS[WHITE_BALANCE]) ** 0.4
    scene *= np.array([1 / warm, 1, warm], np.float32) * (exposure / SUITS[EXPOSURE]) ** 0.45
    if focus != SUITS[FOCUS]:
        scene = cv2.GaussianBlur(scene, None, abs(focus - SUITS[FOCUS]) / 10)
    return np.clip(scene, 0, 255).astype(np.uint8)


class Ticking:
    """A clock that is `step_ms` later whenever somebody looks."""

    def __init__(self, step_ms: int = 200) -> None:
        self.ms, self.step_ms = 0, step_ms

    def now_ms(self) -> int:
        self.ms += self.step_ms
        return self.ms


def opened(monkeypatch, device: Device, *, step_ms: int = 200, **settings) -> Capture:
    """The source of a device whose pictures come `step_ms` apart."""
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: device)
    return Capture(CameraSettings(**{"id": "top", "source": "/dev/video0", **settings}), Ticking(step_ms))
