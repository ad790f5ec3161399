"""Up to where a device's messages are in the outbox: one short line in a file beside it, for the next start.

    boot seq at_ms

It is written after the outbox and before the device is told that it may forget, so a kill loses nothing; only a kill in
the fraction of a millisecond between outbox and bookmark makes the device's last messages come again.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from firmware_bridge.link_events import Place
from table_engine.wire.errors import DeviceError

_LENGTH = 28
_log = logging.getLogger(__name__)


class Bookmark:
    """The file; opened once, rewritten in place (a single small write is not torn by a kill)."""

    def __init__(self, path: Path) -> None:
        """Raises DeviceError when the file cannot be written."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise DeviceError(f"{path}: {error.strerror}; make the folder writable") from error

    def read(self) -> Place | None:
        """The device's last stored message; None when there is none or the file is damaged."""
        line = os.pread(self._fd, 64, 0)
        words = line.split()
        if len(line) != _LENGTH or len(words) != 3 or not all(word.isdigit() for word in words):
            return None
        return Place(*map(int, words))

    def write(self, place: Place) -> None:
        """A disk that takes nothing is logged: the next start may then repeat messages, but loses none."""
        try:
            os.pwrite(self._fd, b"%05d %05d %015d\n" % (place.boot, place.seq, place.at_ms), 0)
        except OSError as error:
            _log.warning("%s: %s; after a restart messages of the table may be told twice", self.path, error.strerror)

    def close(self) -> None:
        os.close(self._fd)
