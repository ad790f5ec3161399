"""The simulated camera as the network sees it: an MJPEG stream over HTTP on loopback, or files; and what goes wrong with cameras.

Each part of the stream carries `Content-Type`, `Content-Length` and `X-Timestamp` (ms of the frame's clock), as mjpg-streamer
does. In lockstep a frame waits until the readers have taken the one before, so that a simulation never runs ahead of the eyes;
otherwise a slow reader misses frames.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import cv2
import numpy as np
import numpy.typing as npt

from table_engine.wire.errors import CameraError

Pixels = npt.NDArray[np.uint8]

_BOUNDARY = b"jantaku-frame"
_STREAM_HEAD = (
    b"HTTP/1.0 200 OK\r\nConnection: close\r\nCache-Control: no-store\r\n"
    b"Content-Type: multipart/x-mixed-replace; boundary=" + _BOUNDARY + b"\r\n\r\n"
)
_SEND_BUFFER = 64 * 1024
_REQUEST_S = 5.0
_LARGEST_REQUEST = 8192


class FrameSink(Protocol):
    """Where frames go. `publish` takes a picture (H x W x 3, BGR) and its time in ms."""

    def publish(self, frame: Pixels, at_ms: int) -> None: ...

    def close(self) -> None: ...


class _Reader:
    """One connection that is being sent frames by a thread of its own."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.waiting: bytes | None = None
        self.busy = False
        self.gone = False


class CameraServer:
    """Serves `GET /stream.mjpg` (endless) and `GET /still.jpg` (the newest frame) at `url` until closed.

    `publish` costs nothing without a reader. In lockstep it returns once every reader has been sent the frame before this one;
    a reader that takes nothing for `patience_s` is dropped, one that dies is forgotten at once.
    """

    def __init__(
        self,
        width: int,
        height: int,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        quality: int = 92,
        lockstep: bool = False,
        patience_s: float = 60.0,
    ) -> None:
        """Binds and listens. Raises CameraError when the port is taken."""
        self._size = (width, height)
        self._quality, self._lockstep, self._patience_s = quality, lockstep, patience_s
        self._state = threading.Condition()
        self._readers: list[_Reader] = []
        self._frame: tuple[Pixels, int] | None = None
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise CameraError(f"camera address {host}:{port}: {error.strerror}; choose a free port") from error
        self._socket.listen()
        bound = self._socket.getsockname()
        self.url = f"http://{bound[0]}:{bound[1]}/stream.mjpg"
        self._spawn(self._accept, "camera-door")

    @property
    def readers(self) -> int:
        """How many connections are being sent the stream."""
        with self._state:
            return len(self._readers)

    def wait_reader(self, seconds: float) -> bool:
        """Waits until somebody reads the stream; False when nobody came in time."""
        with self._state:
            return self._state.wait_for(lambda: bool(self._readers) or self._closed, seconds) and not self._closed

    def publish(self, frame: Pixels, at_ms: int) -> None:
        """Sends a frame to all readers; see the class for who waits for whom. Raises ValueError for a frame of another size."""
        if (frame.shape[1], frame.shape[0]) != self._size:
            raise ValueError(
                f"frame of {frame.shape[1]}x{frame.shape[0]} on a camera of {self._size[0]}x{self._size[1]}"
            )
        with self._state:
            self._frame = (frame, at_ms)
            if not self._readers or self._closed:
                return
        part = self._part(frame, at_ms)
        with self._state:
            if self._lockstep and not self._state.wait_for(self._taken, self._patience_s):
                for reader in [r for r in self._readers if r.waiting is not None or r.busy]:
                    self._forget(reader)
            for reader in self._readers:
                reader.waiting = part
            self._state.notify_all()

    def flush(self, seconds: float) -> bool:
        """Waits until every reader has been sent all there is; False when that took too long."""
        with self._state:
            return self._state.wait_for(self._taken, seconds)

    def close(self) -> None:
        """Ends the stream and frees the port. May be called twice."""
        with self._state:
            self._closed = True
            for reader in list(self._readers):
                self._forget(reader)
            self._state.notify_all()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:  # already closed
            return
        finally:
            self._socket.close()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=2.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _spawn(self, work: Callable[..., None], name: str, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def _taken(self) -> bool:
        return self._closed or all(reader.waiting is None and not reader.busy for reader in self._readers)

    def _part(self, frame: Pixels, at_ms: int) -> bytes:
        body = _encoded(frame, self._quality)
        return b"--" + _BOUNDARY + b"\r\n" + _part_head(len(body), at_ms).encode() + body + b"\r\n"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # closed: the server ends
                return
            self._spawn(self._serve, "camera-reader", connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.settimeout(_REQUEST_S)
                path = _requested(connection)
                connection.settimeout(None)
                if path == "/stream.mjpg":
                    connection.sendall(_STREAM_HEAD)
                    self._stream(_Reader(connection))
                elif path == "/still.jpg" and self._frame is not None:
                    body = _encoded(self._frame[0], self._quality)
                    head = "HTTP/1.0 200 OK\r\n" + _part_head(len(body), self._frame[1])
                    connection.sendall(head.encode() + body)
                else:
                    connection.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            except OSError:  # the reader went away; nothing is owed to it
                return

    def _stream(self, reader: _Reader) -> None:
        with self._state:
            self._readers.append(reader)
            self._state.notify_all()
        try:
            while True:
                with self._state:
                    self._state.wait_for(lambda: reader.waiting is not None or reader.gone)
                    if reader.gone or reader.waiting is None:
                        return
                    part, reader.waiting, reader.busy = reader.waiting, None, True
                reader.connection.sendall(part)
                with self._state:
                    reader.busy = False
                    self._state.notify_all()
        finally:
            with self._state:
                self._forget(reader)
                self._state.notify_all()

    def _forget(self, reader: _Reader) -> None:
        """Drops a reader (the lock is held); a send that blocks in its thread ends with an error."""
        reader.gone, reader.busy, reader.waiting = True, False, None
        if reader in self._readers:
            self._readers.remove(reader)
        try:
            reader.connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it was gone already
            return


def _requested(connection: socket.socket) -> str:
    """The path a GET asks for, "" when it is no GET. Raises OSError when the reader is silent or gone."""
    data = b""
    while b"\r\n\r\n" not in data and len(data) < _LARGEST_REQUEST:
        more = connection.recv(2048)
        if not more:
            raise ConnectionResetError("the reader hung up before it asked")
        data += more
    words = data.split(b"\r\n", 1)[0].split()
    return words[1].decode("latin-1").split("?")[0] if len(words) >= 2 and words[0] == b"GET" else ""


def _part_head(length: int, at_ms: int) -> str:
    return f"Content-Type: image/jpeg\r\nContent-Length: {length}\r\nX-Timestamp: {at_ms}\r\n\r\n"


def _encoded(frame: Pixels, quality: int) -> bytes:
    done, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a frame of shape {frame.shape} cannot be written as JPEG")
    return data.tobytes()


class FrameFolder:
    """Writes frames as `frame-<ms>.jpg` into a folder, which it makes."""

    def __init__(self, folder: Path, *, quality: int = 95) -> None:
        """Raises CameraError when the folder cannot be made."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CameraError(f"picture folder {folder}: {error.strerror}; choose another") from error
        self._folder, self._quality = folder, quality

    def publish(self, frame: Pixels, at_ms: int) -> None:
        """Raises CameraError when the disk does not take it."""
        path = self._folder / f"frame-{at_ms:012d}.jpg"
        try:
            path.write_bytes(_encoded(frame, self._quality))
        except OSError as error:
            raise CameraError(f"picture {path}: {error.strerror}; make room or choose another folder") from error

    def close(self) -> None:
        return


class VideoFile:
    """Writes frames into a Motion-JPEG `.avi`; the file keeps an even pace of `fps`, not the frames' own times."""

    def __init__(self, path: Path, width: int, height: int, fps: float) -> None:
        """Raises CameraError when the file cannot be made."""
        self._writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (width, height))
        if not self._writer.isOpened():
            raise CameraError(f"video {path}: cannot be written; check the folder and that the name ends in .avi")

    def publish(self, frame: Pixels, at_ms: int) -> None:  # noqa: ARG002  (a video file has no place for times)
        self._writer.write(frame)

    def close(self) -> None:
        self._writer.release()


@dataclass(slots=True)
class CameraFaults:
    """What is wrong with a camera right now; change it at any time. The defaults are a healthy one."""

    covered: bool = False
    """Something lies on the lens."""
    dim: float = 1.0
    """Light left, 0..1."""
    drop: float = 0.0
    """Share of frames that never arrive, 0..1."""
    frozen: bool = False
    """The camera sends its last picture again and again, with new times."""
    seed: int = 0
    _rng: np.random.Generator = field(init=False, repr=False)
    _last: Pixels | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng([self.seed, 99])

    def through(self, frame: Pixels) -> Pixels | None:
        """What comes out of the camera for this frame, None when nothing does."""
        if self.drop > 0 and self._rng.random() < self.drop:
            return None
        if self.frozen and self._last is not None:
            return self._last
        if self.covered:
            frame = self._cover(frame)
        elif self.dim < 1:
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=max(0.0, self.dim)), np.uint8)
        self._last = frame
        return frame

    def _cover(self, frame: Pixels) -> Pixels:
        """A dark, reddish, shapeless picture: a hand or cloth on the lens."""
        height, width = frame.shape[:2]
        grain = self._rng.integers(0, 6, (height // 8 + 1, width // 8 + 1, 3))
        base = np.array([9, 10, 16]) + grain
        return np.asarray(cv2.resize(base.astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
