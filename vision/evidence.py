"""The last seconds of a camera, kept in memory and written out when somebody asks: stills, and the clip they make.

What lies outside the table plane is blacked out, so that nobody's face is kept; arms over the table stay.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from table_engine.wire.answers import Answer
from table_engine.wire.errors import CameraError
from table_engine.wire.settings import explain
from vision.calibrate import Calibration
from vision.frame import Frame

_WIDTH = 960
_QUALITY = 85
_KEPT_QUALITY = 90
_BEYOND_MM = 70.0
"""So much around the layout's square still belongs to the table: its rim, where standing tiles are seen to lean out."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]")


class Wanted(BaseModel):
    """Data of `cmd/evidence`: frames from `from_ms` to `to_ms` are written below `key`. Times are those of the frames."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    key: str = Field(min_length=1, max_length=128)
    from_ms: int
    to_ms: int
    at_ms: int | None = None
    """The moment it is about; it changes nothing here."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One frame as it came: JPEG bytes."""

    at_ms: int
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class _Request:
    wanted: Wanted
    answer: Future[Answer]


class Evidence:
    """A ring of recent frames of one camera. `keep` is called with every frame, `ask` from any thread."""

    def __init__(
        self, folder: Path, camera: str, *, seconds: float = 20.0, fps: float = 5.0, megabytes: int = 96
    ) -> None:
        """`folder` gets one folder a key, in it one a camera. Frames closer than 1 / `fps` to the last kept one are left out;
        the oldest go when they are older than `seconds` or all together larger than `megabytes`."""
        self._folder, self._camera = folder, camera
        self._reach_ms, self._gap_ms, self._most = round(1000 * seconds), 1000.0 / fps, megabytes * 1_000_000
        self._ring: deque[Kept] = deque()
        self._bytes = 0
        self._waiting: list[_Request] = []
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="evidence")
        self._mask: Calibration | None = None

    def sees(self, calibration: Calibration | None) -> None:
        """Where the table lies in the pictures from now on. Until it is known nothing is written."""
        with self._lock:
            self._mask = calibration

    def keep(self, frame: Frame) -> None:
        """Keeps a frame if it is time for one, and writes what was waiting for it."""
        with self._lock:
            if self._ring and frame.at_ms < self._ring[-1].at_ms:  # the clock was set back
                self._ring.clear()
                self._bytes = 0
            if self._reach_ms and (not self._ring or frame.at_ms - self._ring[-1].at_ms >= self._gap_ms):
                kept = Kept(frame.at_ms, frame.jpeg(_KEPT_QUALITY))
                self._ring.append(kept)
                self._bytes += len(kept.jpeg)
                self._shorten(frame.at_ms)
            ready = [r for r in self._waiting if r.wanted.to_ms <= frame.at_ms]
            self._waiting = [r for r in self._waiting if r.wanted.to_ms > frame.at_ms]
            for request in ready:
                self._start(request)

    def ask(self, data: Mapping[str, JsonValue]) -> Future[Answer]:
        """Data of a command (`Wanted`) → `{"frames": n, "folder": name}` once the last frame asked for is written. Raises
        ValueError when the data is wrong or asks for what cannot be kept."""
        try:
            wanted = Wanted.model_validate(data)
        except ValidationError as error:
            raise ValueError(explain(error)) from error
        if wanted.to_ms < wanted.from_ms:
            raise ValueError("to_ms lies before from_ms; ask for a time that runs forwards")
        if wanted.to_ms - wanted.from_ms > max(self._reach_ms, 1):
            raise ValueError(f"asks for more than the {self._reach_ms / 1000:.0f} s kept; raise evidence_seconds")
        request = _Request(wanted, Future())
        with self._lock:
            if self._ring and wanted.to_ms <= self._ring[-1].at_ms:
                self._start(request)
            else:
                self._waiting.append(request)
        return request.answer

    def close(self) -> None:
        """Writes what is under way; what waits for frames that will not come is written with those there are."""
        with self._lock:
            for request in self._waiting:
                self._start(request)
            self._waiting = []
        self._writer.shutdown(wait=True)

    def _shorten(self, now_ms: int) -> None:
        while len(self._ring) > 1 and (self._bytes > self._most or now_ms - self._ring[0].at_ms > self._reach_ms):
            self._bytes -= len(self._ring.popleft().jpeg)

    def _start(self, request: _Request) -> None:
        wanted = request.wanted
        chosen = [k for k in self._ring if wanted.from_ms <= k.at_ms <= wanted.to_ms]
        calibration = self._mask
        self._writer.submit(self._write, request, chosen, calibration)

    def _write(self, request: _Request, chosen: list[Kept], calibration: Calibration | None) -> None:
        try:
            if calibration is None:
                raise CameraError(f"camera {self._camera}: not calibrated yet, no evidence is kept; show it the table")
            folder = self._folder / _NO_NAME.sub("_", request.wanted.key) / self._camera
            folder.mkdir(parents=True, exist_ok=True)
            for kept in chosen:
                image = Frame(kept.at_ms, 0, jpeg=kept.jpeg).image
                _put(folder / f"{kept.at_ms}.jpg", cropped(image, calibration))
            request.answer.set_result({"frames": len(chosen), "folder": folder.parent.name})
        except OSError as error:
            request.answer.set_exception(
                CameraError(f"evidence {self._folder}: cannot be written ({error.strerror}); free space on the disk")
            )
        except CameraError as error:
            request.answer.set_exception(error)


def cropped(image: NDArray[np.uint8], calibration: Calibration) -> NDArray[np.uint8]:
    """The table's part of a camera's picture (h, w, 3), at most 960 px wide, black where it shows something else.

    `image` may be larger than the picture the calibration was made for (a halved one), by the same factor both ways.
    """
    grow = image.shape[1] / calibration.size[0]
    reach = calibration.layout.half + _BEYOND_MM
    square = np.array([[-reach, -reach, 0], [reach, -reach, 0], [reach, reach, 0], [-reach, reach, 0]], np.float64)
    outline = ((calibration.project(_between(square)) + 0.5) * grow - 0.5).astype(np.float32)
    inside = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(inside, [np.round(outline).astype(np.int32)], 255)
    low = np.clip(np.floor(outline.min(axis=0)), 0, [image.shape[1] - 1, image.shape[0] - 1]).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0)) + 1, low + 1, [image.shape[1], image.shape[0]]).astype(int)
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    shown = cv2.bitwise_and(image[part], image[part], mask=inside[part])
    if shown.shape[1] > _WIDTH:
        size = (_WIDTH, max(1, round(shown.shape[0] * _WIDTH / shown.shape[1])))
        shown = cv2.resize(shown, size, interpolation=cv2.INTER_AREA)
    return np.asarray(shown, np.uint8)


def _between(corners: NDArray[np.float64], steps: int = 12) -> NDArray[np.float64]:
    """Points along the edges of a square (4, 3): a bent lens bends its edges. (4 * steps, 3)"""
    share = np.linspace(0, 1, steps, endpoint=False)[:, None]
    after = np.roll(corners, -1, axis=0)
    return np.concatenate([a + (b - a) * share for a, b in zip(corners, after, strict=True)])


def _put(path: Path, image: NDArray[np.uint8]) -> None:
    """Writes a JPEG that is never seen half written. Raises OSError."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    part = path.with_suffix(".part")
    part.write_bytes(data.tobytes())
    part.replace(path)
