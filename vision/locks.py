"""What a camera is asked to hold: picture size, exposure, white balance and focus. Asked for, read back, and said in words where the
camera does not do it.

Numbers are those of Video4Linux as OpenCV passes them on: exposure in 0.1 ms, white balance in kelvin, focus in the lens's own steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

import cv2

from table_engine.wire.settings import HOLD, CameraSettings

_OFF = 0.05
"""A camera has steps of its own: what it took instead may differ by this share."""


class Controls(Protocol):
    """As much of `cv2.VideoCapture` as is needed here."""

    def set(self, propId: int, value: float) -> bool: ...  # noqa: N803 - OpenCV's name

    def get(self, propId: int) -> float: ...  # noqa: N803


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that changes by itself unless a camera is told otherwise. `mode`: the property that says whether it does, with its
    values `manual` and `automatic`, the likeliest first."""

    name: str
    prop: int
    mode: int
    manual: float
    automatic: tuple[float, ...]

    def free(self, camera: Controls) -> float:
        """Leaves it to the camera, where somebody locked it before; gives the mode it has then."""
        for mode in (camera.get(self.mode), *self.automatic):
            if mode != self.manual and camera.set(self.mode, mode) and camera.get(self.mode) == mode:
                return mode
        return camera.get(self.mode)


CONTROLS = (
    # Video4Linux's modes of exposure: 0 automatic, 1 manual, 2 and 3 automatic with the shutter's or the aperture's priority.
    Control("exposure", cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_AUTO_EXPOSURE, 1.0, (3.0, 0.0)),
    Control("white_balance", cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_AUTO_WB, 0.0, (1.0,)),
    Control("focus", cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS, 0.0, (1.0,)),
)


@dataclass(frozen=True, slots=True)
class Lock:
    """A control and the value it is to have."""

    control: Control
    value: float

    def holds(self, camera: Controls) -> bool:
        return camera.get(self.control.mode) == self.control.manual and self._near(camera.get(self.control.prop))

    def put(self, camera: Controls, where: str) -> str:
        """Locks it; says what the camera did not do, or nothing."""
        name, mode, manual = self.control.name, self.control.mode, self.control.manual
        if not camera.set(mode, manual) or camera.get(mode) != manual:
            return f"{where}: its {name} stays automatic; lock it in the camera's own menu"
        if not camera.set(self.control.prop, self.value):
            return f"{where}: does not take {name} = {self.value:g}; set it in the camera's own menu"
        took = camera.get(self.control.prop)
        if not self._near(took):
            return f"{where}: takes {name} = {took:g} instead of {self.value:g}; ask for a value it has"
        return ""

    def _near(self, value: float) -> bool:
        return abs(value - self.value) <= _OFF * max(abs(self.value), 1.0)


def locks(settings: CameraSettings) -> tuple[Lock, ...]:
    """What the settings give a number for."""
    return tuple(Lock(control, value) for control, value in _asked(settings) if value != HOLD)


def held(settings: CameraSettings) -> tuple[Control, ...]:
    """What a camera is to keep as it has chosen it for itself: `vision.holding`."""
    return tuple(control for control, value in _asked(settings) if value == HOLD)


def _asked(settings: CameraSettings) -> list[tuple[Control, float | Literal["hold"]]]:
    wanted = [(control, getattr(settings, control.name)) for control in CONTROLS]
    return [(control, value) for control, value in wanted if value is not None]


def put(camera: Controls, wanted: Iterable[Lock], where: str) -> tuple[str, ...]:
    """Locks everything that is asked for; says what was not done, a sentence each."""
    return tuple(said for lock in wanted if (said := lock.put(camera, where)))


def sized(camera: Controls, settings: CameraSettings, where: str) -> tuple[str, ...]:
    """Asks for size and rate of the picture; says which other size the camera gives. Its rate may be what the light allows."""
    camera.set(cv2.CAP_PROP_FPS, settings.fps)
    sides = ((cv2.CAP_PROP_FRAME_WIDTH, settings.width), (cv2.CAP_PROP_FRAME_HEIGHT, settings.height))
    for prop, wanted in sides:
        if wanted is not None:
            camera.set(prop, wanted)
    gives = [round(camera.get(prop)) for prop, _ in sides]
    asked = [wanted or given for (_, wanted), given in zip(sides, gives, strict=True)]
    if gives == asked:
        return ()
    return (f"{where}: gives {gives[0]}x{gives[1]} instead of {asked[0]}x{asked[1]}; ask for a size it has",)


def without_controls(settings: CameraSettings, where: str) -> tuple[str, ...]:
    """What is to be said of a source that takes no settings at all."""
    names = [control.name for control, _ in _asked(settings)]
    if not names:
        return ()
    return (f"{where}: {', '.join(names)} cannot be set through its stream; lock them in the camera's own menu",)
