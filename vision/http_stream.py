"""An MJPEG stream over HTTP."""

from __future__ import annotations

import base64
import http.client
import socket
from collections import deque
from urllib.parse import unquote, urlsplit

from table_engine.wire.clock import Clock
from table_engine.wire.errors import CameraError
from vision.frame import Frame
from vision.mjpeg import Part, PartReader, boundary_of

_TIMEOUT_S = 10.0
_BUFFER = 256 * 1024
_FAR_MS = 60_000
"""A stamp further from our own clock than this is the camera's uptime or a wrong date: arrival time is used."""


class HttpStream:
    """Frames of one HTTP answer. `live` is False while the parts carry times of their own: then they are read one by one, and
    a camera that waits for its reader (a simulated one) loses nothing."""

    def __init__(self, url: str, clock: Clock, *, trusting: bool = False) -> None:
        """Opens the stream. `trusting`: believe stamps however far they are from the clock. Raises CameraError."""
        self._url, self._clock, self._trusting = url, clock, trusting
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise CameraError(f"camera {bare(url)}: is no address ({error}); check `source`") from error
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {"Accept": "multipart/x-mixed-replace, image/*"}
        if parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        self._connection = kind(parts.hostname or "", port, timeout=_TIMEOUT_S)
        try:
            self._connection.connect()
            self._connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            self._connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
            self._answer = self._connection.getresponse()
        except (OSError, ValueError, http.client.HTTPException) as error:  # a host or path of strange letters
            self._connection.close()
            raise CameraError(f"camera {bare(url)}: no answer ({error}); check address, network and power") from error
        if self._answer.status != 200:
            self._connection.close()
            raise CameraError(
                f"camera {bare(url)}: answers {self._answer.status} {self._answer.reason}; check address and login"
            )
        boundary = boundary_of(self._answer.getheader("Content-Type", ""))
        self.multipart = boundary is not None
        self._reader = PartReader(boundary or b"")
        self._waiting: deque[Part] = deque()
        self.notes: tuple[str, ...] = ()
        self._count = 0
        self.live = False
        if self.multipart:
            self._fill()
            self.live = self._waiting[0].stamp_ms is None

    def read(self) -> Frame:
        """The next part as a frame. Raises CameraError when the stream ends or falls silent."""
        if not self._waiting:
            self._fill()
        part = self._waiting.popleft()
        self._count += 1
        now = self._clock.now_ms()
        stamp = part.stamp_ms
        believed = stamp is not None and (self._trusting or abs(stamp - now) < _FAR_MS)
        return Frame(stamp if believed and stamp is not None else now, self._count, jpeg=part.body)

    def _fill(self) -> None:
        while not self._waiting:
            try:
                data = self._answer.read1(65536)
            except (OSError, http.client.HTTPException) as error:
                raise CameraError(
                    f"camera {bare(self._url)}: the stream broke off ({error}); check network and power"
                ) from error
            if not data:
                raise CameraError(f"camera {bare(self._url)}: the stream has ended; check that the camera still runs")
            self._waiting += self._reader.feed(data)

    def close(self) -> None:
        self._answer.close()  # an answer that is not read to its end keeps the connection open
        self._connection.close()


def bare(source: str) -> str:
    """A source as people may read it: an address without login and query, anything else as it is."""
    scheme, there, rest = source.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}" if there else source
