"""A serial port that never gives up: opened exclusively, read by a thread, opened again for ever when it goes.

Paths (better one of `/dev/serial/by-id`), ptys and pyserial URLs. pyserial's own traps are dealt with here: after the other
end vanished `in_waiting` raises OSError, `write` SerialException and flushing termios.error; DTR and RTS do not exist on a
pty; a second program that opens without asking for exclusiveness steals bytes.
"""

from __future__ import annotations

import errno
import queue
import termios
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import serial

from table_engine.wire.clock import Clock
from table_engine.wire.errors import DeviceError

_FAILURES = (serial.SerialException, OSError, termios.error, ValueError)
"""ValueError: a baud rate or URL nobody knows; it too may be right after the site file's next edit or a replug."""
_HELD = (errno.EAGAIN, errno.EBUSY)
_READ_S = 0.2
_WRITE_S = 1.0
_BACKOFF_S = (0.1, 1.0)
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Opened:
    """The port is open (again). Half-received things are void."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Received:
    """Bytes as read, at the host's time of reading."""

    data: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The port cannot be opened or has gone; said once for each reason. It will be tried again."""

    error: DeviceError
    at_ms: int


PortEvent = Opened | Received | Lost


class Port:
    """One port; events come out of `events`, a bounded queue (a full one leaves the bytes in the device)."""

    def __init__(self, url: str, baud: int, clock: Clock, events: queue.Queue[PortEvent]) -> None:
        self.url = url
        self._baud = baud
        self._clock = clock
        self._events = events
        self._serial: serial.SerialBase | None = None
        self._lock = threading.Lock()
        """Held while writing and closing: pyserial does not bear both at once."""
        self._said = ""
        self._broken = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"port-{url}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Closes the port and ends the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def write(self, data: bytes) -> None:
        """Sends bytes, or nothing while the port is away: whoever speaks a protocol asks again."""
        with self._lock:
            if not data or self._serial is None:
                return
            try:
                self._serial.write(data)
            except serial.SerialTimeoutException:
                return  # nobody reads at the other end; that it is silent shows elsewhere
            except _FAILURES:
                self._broken = True

    def _run(self) -> None:
        wait_s = _BACKOFF_S[0]
        while not self._stop.is_set():
            try:
                port = serial.serial_for_url(
                    self.url, self._baud, timeout=_READ_S, write_timeout=_WRITE_S, exclusive=True
                )
            except _FAILURES as error:
                self._lost(opening(self.url, error))
                self._stop.wait(wait_s)
                wait_s = min(2 * wait_s, _BACKOFF_S[1])
                continue
            self._broken, self._said, wait_s = False, "", _BACKOFF_S[0]
            self._say(Opened(self._clock.now_ms()))
            self._serial = port
            try:
                while not self._stop.is_set() and not self._broken:
                    data = port.read(min(port.in_waiting or 1, _CHUNK))
                    if data:
                        self._say(Received(data, self._clock.now_ms()))
            except _FAILURES:
                self._broken = True
            finally:
                with self._lock:
                    self._serial = None
                    _close(port)
            if self._broken:
                self._lost(DeviceError(f"port {self.url}: went away; plug the table's cable in again"))
                self._stop.wait(_BACKOFF_S[0])

    def _lost(self, error: DeviceError) -> None:
        if str(error) != self._said:
            self._said = str(error)
            self._say(Lost(error, self._clock.now_ms()))

    def _say(self, event: PortEvent) -> None:
        while not self._stop.is_set():
            try:
                self._events.put(event, timeout=_READ_S)
            except queue.Full:
                continue
            return


def is_held(error: BaseException) -> bool:
    """The port is open elsewhere."""
    return _number(error) in _HELD


def opening(url: str, error: BaseException) -> DeviceError:
    """Why a port did not open, in words for people."""
    match _number(error):
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            advice = "is not there; plug in the table's cable or correct `port` in the site file"
        case errno.EACCES | errno.EPERM:
            advice = "may not be opened; add this user to the group 'dialout' and log in again"
        case held if held in _HELD:
            advice = "is held by another program; end it (another bridge, a serial monitor, ModemManager)"
        case errno.ENOTTY | errno.EISDIR | errno.EINVAL:
            advice = "is not a serial port; correct `port` in the site file"
        case _:
            advice = f"cannot be opened ({error}); check cable, `port` and `baud` in the site file"
    return DeviceError(f"port {url}: {advice}")


def _number(error: BaseException | None) -> int | None:
    """The system's error number, which pyserial sometimes keeps only in the error it replaced."""
    while error is not None:
        number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
        if isinstance(number, int):
            return number
        error = error.__context__
    return None


def _close(port: serial.SerialBase) -> None:
    try:
        port.close()
    except _FAILURES:
        return  # it is gone already, which is why it is closed
