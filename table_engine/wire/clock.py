"""The host's clock in milliseconds since the epoch, real or simulated.

Every process stamps with `now_ms()`. A simulated table may be played slower or faster than life, so the processes of a
simulation share one clock through an eight-byte file that the simulation advances (the way robotics does "use sim time").
Only time travels in it, nothing about the game.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from pathlib import Path
from typing import Protocol

from table_engine.wire.errors import SettingsError

_FORMAT = struct.Struct("=q")
_STEP_MS = 1_000
"""Less is a clock that is being trimmed, more one that was set."""


class Clock(Protocol):
    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's clock as far as it goes forward. Set back while a process runs (by a time service, or by hand) it would
    put what happens now before what has happened; so time goes on as it did, until the process starts anew."""

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - _steady_ns()

    def now_ms(self) -> int:
        return self._now_ns() // 1_000_000

    @property
    def set_back_ms(self) -> int:
        """How far the machine's clock has been set back since the process began; 0 as a rule."""
        back = (self._now_ns() - time.time_ns()) // 1_000_000
        return back if back > _STEP_MS else 0

    def _now_ns(self) -> int:
        steady, wall = _steady_ns(), time.time_ns()
        if wall - steady - self._ahead_ns > _STEP_MS * 1_000_000:
            self._ahead_ns = wall - steady
        return steady + self._ahead_ns


def _steady_ns() -> int:
    """Nanoseconds that nobody sets, a computer's sleep included where the system counts it."""
    if sys.platform == "linux":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    return time.monotonic_ns()


class SharedClock:
    """A clock that one simulation writes and any number of processes read. The file holds one int64 in the machine's own
    order, ms. It is read and written as one machine word (`struct` would go byte by byte, and a reader would now and then
    see half a new time)."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Raises SettingsError when the file is missing and `create` is false. With `create` it may be set, and one that is
        there goes on from where it stood: others have it mapped."""
        access = mmap.ACCESS_WRITE if create else mmap.ACCESS_READ
        do = "choose a place that can be written" if create else "start the virtual table first"
        try:
            if create and not (path.is_file() and path.stat().st_size == _FORMAT.size):
                path.write_bytes(_FORMAT.pack(0))
            self._fd = os.open(path, os.O_RDWR if create else os.O_RDONLY)
            if os.fstat(self._fd).st_size != _FORMAT.size:
                raise SettingsError(f"clock file {path}: is no clock of a simulation; correct `clock` in the site file")
            self._cell = memoryview(mmap.mmap(self._fd, _FORMAT.size, access=access)).cast("q")
        except OSError as error:
            raise SettingsError(f"clock file {path}: {error.strerror}; {do}") from error

    def now_ms(self) -> int:
        return self._cell[0]

    def set_ms(self, value: int) -> None:
        self._cell[0] = value


def clock_of(path: Path | None) -> Clock:
    """The clock a site file names: a shared file, or the machine's own when none is named."""
    return SharedClock(path) if path else SystemClock()
