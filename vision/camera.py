"""Where pictures come from. A source opens once and gives frames until it fails; `frames` opens it again for ever.

| source | what opens it |
|---|---|
| `http://…`, `https://…` answering `multipart/…` | own MJPEG reader; `X-Timestamp` of a part is believed |
| other `http://`, `rtsp://`, `/dev/…`, a number | OpenCV, through a thread that keeps only the newest frame |
| a video file | OpenCV, every frame, times from the file |
| a folder | its pictures in order of name, `fps` apart |

A stream whose pictures carry their own times, a file and a folder are read one by one and wait for us: nothing is lost.
Anything else is live: what we are too slow for is dropped, never queued.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.clock import Clock
from table_engine.wire.errors import CameraError
from table_engine.wire.settings import CameraSettings
from vision import locks
from vision.frame import Frame
from vision.holding import Holding
from vision.http_stream import HttpStream, bare
from vision.stored import load

log = logging.getLogger(__name__)
PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp"}
_RETRY_S = (0.2, 0.5, 1.0, 2.0, 5.0)
_SILENT_S = 10.0
_LOOKED_AGAIN = (5, 50, 500)
"""Pictures after which it is looked whether exposure, white balance and focus still hold: some cameras forget them when they begin
to send, or a while after they were told."""


class BadPictureError(CameraError):
    """One picture is none; the next may be."""


class Source(Protocol):
    live: bool
    """Frames come at their own pace and are stale when late."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the camera does not do that its settings ask for, in words for people; pictures come all the same."""
        ...

    def read(self) -> Frame:
        """The next frame. Raises CameraError when there is none, EOFError when a file or folder is at its end."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Lost:
    """The source gives nothing for now; it is being tried again."""

    why: str


class Capture:
    """A device, stream or file that OpenCV opens."""

    def __init__(self, settings: CameraSettings, clock: Clock) -> None:
        """Raises CameraError when it cannot be opened."""
        source = settings.source
        self._path = Path(source)
        self._name = bare(source)
        self.live = not self._path.is_file()
        self._clock = clock
        target: int | str = int(source) if source.isdigit() else source
        options = (
            [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 5000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 5000] if "://" in source else []
        )
        self._capture = cv2.VideoCapture(target, cv2.CAP_ANY, options)
        if not self._capture.isOpened():
            wrong = (
                "check that it is plugged in, reachable and not in use"
                if self.live
                else "the file is no film, or is cut short; copy it again or save it as MP4"
            )
            raise CameraError(f"camera {self._name}: cannot be opened; {wrong}")
        self._settings = settings
        self._size_notes: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._holding = Holding(self._capture, locks.held(settings) if self.live else (), f"camera {self._name}")
        if self.live:
            self._set_up()
        self._began_ms = clock.now_ms()
        self._count = self._locked = 0

    def _set_up(self) -> None:
        """Asks a live camera for size, rate and fixed exposure, white balance and focus."""
        if "://" not in self._settings.source:  # over USB only compressed pictures are quick enough at 1080p
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._size_notes = locks.sized(self._capture, self._settings, f"camera {self._name}")
        self._lock()

    def _lock(self) -> None:
        done = locks.put(self._capture, self._locks, f"camera {self._name}")
        said = (*self._size_notes, *done, *self._holding.notes)
        for note in set(said) - set(self.notes):
            log.warning("%s", note)
        self.notes = said

    def read(self) -> Frame:
        try:
            good, image = self._capture.read()
        except cv2.error as error:
            raise CameraError(f"camera {self._name}: a picture cannot be decoded ({error.err})") from error
        if not good or image is None:
            if not self.live and self._count:
                raise EOFError(self._name)
            raise CameraError(f"camera {self._name}: gives no picture; check its cable and that it is a camera")
        self._count += 1
        at_ms = self._clock.now_ms() if self.live else self._began_ms + round(self._capture.get(cv2.CAP_PROP_POS_MSEC))
        picture = self._bgr(np.asarray(image))
        if self._holding.feed(picture, at_ms):
            self._locked = self._count
            self._lock()
        elif self._forgot():
            self._lock()
        return Frame(at_ms, self._count, image=picture)

    @property
    def _locks(self) -> tuple[locks.Lock, ...]:
        return (*locks.locks(self._settings), *self._holding.locks)

    def _forgot(self) -> bool:
        looks = self.live and self._count - self._locked in _LOOKED_AGAIN
        return looks and not all(lock.holds(self._capture) for lock in self._locks)

    def _bgr(self, image: NDArray[np.generic]) -> NDArray[np.uint8]:
        """(h, w, 3) of a picture that may be grey or have an alpha channel. Raises CameraError for one that is not of 8 bits."""
        channels = image.shape[2] if image.ndim == 3 else 1
        if image.dtype != np.uint8 or channels not in (1, 3, 4):
            form = f"{channels} channels of {8 * image.itemsize} bits"
            raise CameraError(f"camera {self._name}: its pictures have {form}; set it to MJPEG, YUYV or 8 bits")
        if channels == 3:
            return np.asarray(image, np.uint8)
        how = cv2.COLOR_GRAY2BGR if channels == 1 else cv2.COLOR_BGRA2BGR
        return np.asarray(cv2.cvtColor(np.asarray(image, np.uint8), how), np.uint8)

    def close(self) -> None:
        self._capture.release()


class Folder:
    """Pictures of a folder, by name."""

    live = False
    notes: tuple[str, ...] = ()

    def __init__(self, settings: CameraSettings, clock: Clock) -> None:
        """Raises CameraError when the folder holds no picture."""
        self._folder = Path(settings.source)
        try:
            self._paths = sorted(p for p in self._folder.iterdir() if p.suffix.lower() in PICTURES)
        except OSError as error:
            raise CameraError(f"camera {self._folder}: cannot be read ({error.strerror}); check the folder") from error
        if not self._paths:
            raise CameraError(f"camera {self._folder}: the folder holds no pictures ({', '.join(sorted(PICTURES))})")
        self._gap_ms = 1000 / settings.fps
        self._began_ms = clock.now_ms()
        self._count = 0

    def read(self) -> Frame:
        if self._count >= len(self._paths):
            raise EOFError(str(self._folder))
        path = self._paths[self._count]
        at_ms = self._began_ms + round(self._count * self._gap_ms)
        self._count += 1
        try:
            return Frame(at_ms, self._count, image=load(path))
        except CameraError as error:
            raise BadPictureError(f"camera {error}") from error

    def close(self) -> None:
        return


class Newest:
    """Reads a live source in a thread and keeps only its newest frame."""

    live = True

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ready = threading.Condition()
        self._frame: Frame | None = None
        self._error: Exception | None = None
        self._stopped = False
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    @property
    def notes(self) -> tuple[str, ...]:
        return self._source.notes

    def _run(self) -> None:
        while not self._stopped:
            try:
                frame = self._source.read()
            except (CameraError, EOFError) as error:
                with self._ready:
                    self._error = error
                    self._ready.notify()
                return
            with self._ready:
                self.dropped += self._frame is not None
                self._frame = frame
                self._ready.notify()

    def read(self) -> Frame:
        with self._ready:
            self._ready.wait_for(lambda: self._frame is not None or self._error is not None, _SILENT_S)
            frame, self._frame = self._frame, None
            if frame is not None:
                return frame
            raise self._error or CameraError(
                f"the camera has sent nothing for {_SILENT_S:.0f} s; check its power and cable"
            )

    def close(self) -> None:
        self._stopped = True
        self._source.close()
        self._thread.join(timeout=2.0)


def open_source(settings: CameraSettings, clock: Clock, *, simulated: bool = False) -> Source:
    """Opens what a camera's settings name. `simulated`: the clock is a simulation's, stamps are always believed.

    Raises CameraError saying what could not be opened.
    """
    source = settings.source
    inner: Source
    if source.startswith(("http://", "https://")):
        stream = HttpStream(source, clock, trusting=simulated)
        if stream.multipart:
            stream.notes = locks.without_controls(settings, f"camera {bare(source)}")
            inner = stream
        else:
            stream.close()
            inner = Capture(settings, clock)
    elif Path(source).is_dir():
        inner = Folder(settings, clock)
    else:
        inner = Capture(settings, clock)
    return Newest(inner) if inner.live else inner


def frames(
    settings: CameraSettings,
    clock: Clock,
    stop: threading.Event,
    *,
    simulated: bool = False,
    opened: Callable[[Source], None] = lambda _: None,
) -> Iterator[Frame | Lost]:
    """Frames of a camera until `stop` is set, or a file or folder ends. A failing camera gives `Lost` and is opened again."""
    failures = 0
    while not stop.is_set():
        source: Source | None = None
        try:
            source = open_source(settings, clock, simulated=simulated)
            opened(source)
            while not stop.is_set():
                try:
                    frame = source.read()
                except BadPictureError as error:
                    yield Lost(str(error))
                    continue
                failures = 0
                yield frame
        except EOFError:
            return
        except CameraError as error:
            yield Lost(str(error))
        finally:
            if source is not None:
                source.close()
        stop.wait(_RETRY_S[min(failures, len(_RETRY_S) - 1)])
        failures += 1


def wait_frame(source: Source, seconds: float) -> Frame:
    """The first frame of a source. Raises CameraError when none comes within `seconds`."""
    until = time.monotonic() + seconds
    while True:
        try:
            return source.read()
        except CameraError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
