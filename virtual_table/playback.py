"""A recorded session of a table controller, played again on a pty.

Bytes come as they were recorded, at their times; what the host says is not answered. Only numbers of state requests are the new
host's own: births and ends of state that name the recorded host's are written anew, or no host would ever believe them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from firmware_bridge.framing import BadFrame, Decoder, Frame, encode
from firmware_bridge.messages import Birth, Message, StateEnd, StateRequest, pack, unpack
from table_engine.wire.errors import WireError
from virtual_table.line import PtyLine


class Playback:
    """A pty at `path` that says what was recorded; its time begins when somebody opens it."""

    def __init__(self, path: Path, pieces: Sequence[tuple[int, bytes]], *, speaks_ours: bool) -> None:
        """`pieces` are (ms since the beginning, bytes read then). `speaks_ours`: they are of our own protocol."""
        self.line = PtyLine(path)
        self._pieces = pieces
        self._ours = speaks_ours
        self._next = 0
        self._request = 0
        self._host = Decoder()
        self._device = Decoder()

    @property
    def finished(self) -> bool:
        return self._next == len(self._pieces)

    def pump(self, at_ms: int) -> None:
        """Says everything recorded up to `at_ms`."""
        for item in self._host.feed(self.line.read()):
            if isinstance(item, Frame) and isinstance(message := _message(item), StateRequest):
                self._request = message.request
        while not self.finished and self._pieces[self._next][0] <= at_ms:
            self._say(self._pieces[self._next][1])
            self._next += 1
        self.line.flush()

    def close(self) -> None:
        self.line.close()

    def _say(self, data: bytes) -> None:
        if not self._ours:
            self.line.write(data)
            return
        for item in self._device.feed(data):
            self.line.write(item.data + b"\0" if isinstance(item, BadFrame) else encode(self._own(item)))

    def _own(self, frame: Frame) -> Frame:
        message = _message(frame)
        if isinstance(message, Birth | StateEnd) and self._request:
            return pack(replace(message, request=self._request), frame.seq)
        return frame


def _message(frame: Frame) -> Message | None:
    try:
        return unpack(frame)
    except WireError:
        return None
