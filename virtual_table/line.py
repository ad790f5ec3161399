"""The cable between the virtual table's controller and the computer: a pty under a stable path, with noise if wanted.

Unplugging closes the pty and takes the path away, as a USB adapter does; plugging in again makes another pty under the
same path. While nobody has the port open, what is sent goes nowhere, as on a real line.
"""

from __future__ import annotations

import errno
import os
import random
import select
import tty
from pathlib import Path

_MAX_WAITING = 4096


class PtyLine:
    """The device's end of a pty. `noise` is the chance that a byte is damaged on its way, in either direction (a flipped
    bit, a byte lost, a byte too many); `lose` the chance that a whole frame sent vanishes."""

    def __init__(self, path: Path, *, noise: float = 0.0, lose: float = 0.0, seed: int = 0) -> None:
        self.path = path
        self.noise = noise
        self.lose = lose
        self._random = random.Random(f"line {seed}")
        self._master: int | None = None
        self._waiting = bytearray()
        self.plug()

    @property
    def plugged(self) -> bool:
        return self._master is not None

    @property
    def connected(self) -> bool:
        """Plugged in, and a program has the port open."""
        return self._master is not None and not self._poll(0) & select.POLLHUP

    def plug(self) -> None:
        """Plugs the cable in (nothing happens when it is)."""
        if self._master is not None:
            return
        self._master, slave = os.openpty()
        os.set_blocking(self._master, False)
        tty.setraw(slave)
        fresh = self.path.with_name(f".{self.path.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(self.path)
        os.close(slave)

    def unplug(self) -> None:
        """Pulls the cable: the path goes, whoever has the port open gets an error."""
        if self._master is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._master)
            self._master = None
            self._waiting.clear()

    def write(self, frame: bytes) -> None:
        """Sends one frame, or as much of it as the other side takes; the rest follows with the next call."""
        if not self.connected:
            self._waiting.clear()
        elif len(self._waiting) < _MAX_WAITING and not (self.lose and self._random.random() < self.lose):
            self._waiting += self._damage(frame)
        self.flush()

    def flush(self) -> None:
        """Sends what did not fit before."""
        while self._waiting and self._master is not None:
            try:
                del self._waiting[: os.write(self._master, self._waiting)]
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                self._waiting.clear()

    def read(self) -> bytes:
        """What has come in, empty when nothing has."""
        if self._master is None:
            return b""
        try:
            return self._damage(os.read(self._master, 4096))
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:  # EIO: nobody has the port open
                raise
            return b""

    def wait(self, timeout_ms: int) -> None:
        """Sleeps until something has come in, at most so long."""
        self._poll(timeout_ms)

    def close(self) -> None:
        self.unplug()

    def _poll(self, timeout_ms: int) -> int:
        if self._master is None:
            return 0
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        return next((events for _, events in poll.poll(timeout_ms)), 0)

    def _damage(self, data: bytes) -> bytes:
        if not self.noise:
            return data
        out = bytearray()
        for byte in data:
            if self._random.random() >= self.noise:
                out.append(byte)
                continue
            match self._random.randrange(4):
                case 0:
                    pass
                case 1:
                    out += bytes((byte, self._random.randrange(256)))
                case _:
                    out.append(byte ^ 1 << self._random.randrange(8))
        return bytes(out)
