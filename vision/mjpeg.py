"""Parts of a `multipart/x-mixed-replace` stream, as IP cameras send their pictures over HTTP. Bytes in, parts out; no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass

from table_engine.wire.errors import CameraError

_LARGEST = 64 * 1024 * 1024
_HEAD_END = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Part:
    """`headers` have lower-case names."""

    headers: dict[str, str]
    body: bytes

    @property
    def stamp_ms(self) -> int | None:
        """`X-Timestamp`: whole milliseconds, or seconds with a point (mjpg-streamer); None when missing or no number."""
        said = self.headers.get("x-timestamp", "").strip()
        try:
            return round(float(said) * 1000) if "." in said else int(said)
        except (ValueError, OverflowError):
            return None


def boundary_of(content_type: str) -> bytes | None:
    """The boundary a Content-Type names, without leading dashes; None when it is no multipart."""
    kind, _, rest = content_type.partition(";")
    found = re.search(r'boundary\s*=\s*"?([^";]+)"?', rest)
    if not kind.strip().lower().startswith("multipart/") or found is None:
        return None
    return found.group(1).strip().lstrip("-").encode()


class PartReader:
    """Takes bytes as they arrive, gives the parts that are whole. With Content-Length a part is whole at once; without, when
    the next boundary has come."""

    def __init__(self, boundary: bytes) -> None:
        self._mark = b"--" + boundary
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Part]:
        """Raises CameraError when a part grows beyond 64 MiB: no picture does."""
        self._held += data
        parts = []
        while (part := self._next()) is not None:
            parts.append(part)
        if len(self._held) > _LARGEST:
            raise CameraError("the stream sends no part boundary; it is not an MJPEG stream")
        return parts

    def _next(self) -> Part | None:
        start = self._held.find(self._mark)
        if start < 0:
            return None
        head = _HEAD_END.search(self._held, start)
        if head is None:
            return None
        headers = _headers(bytes(self._held[start + len(self._mark) : head.start()]))
        length = headers.get("content-length", "")
        if length.isdecimal():
            end = head.end() + int(length)
            if len(self._held) < end:
                return None
        else:
            end = self._held.find(self._mark, head.end())
            if end < 0:
                return None
        body = bytes(self._held[head.end() : end])
        del self._held[:end]
        return Part(headers, body if length.isdecimal() else body.rstrip(b"\r\n-"))


def _headers(block: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in block.decode("latin-1").splitlines())
    return {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}
