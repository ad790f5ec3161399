"""A host that can misbehave: sends what it likes, remembers what it heard, acknowledges only when told to."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import serial

from firmware_bridge.framing import SEQ, BadFrame, Decoder, Frame, encode
from firmware_bridge.messages import (
    Ack,
    Birth,
    Message,
    Reading,
    StateEnd,
    StateRequest,
    Tick,
    TimeEcho,
    TimeSync,
    is_reading,
    pack,
    unpack,
)
from firmware_bridge.port import opening
from firmware_bridge.senses import claims
from table_engine.wire.errors import DeviceError, WireError

_SYNC_S = 0.04
_OWN = -0x5EED
"""Number of the probe's own time syncs, whose answers nobody gets to see."""
_WAKE_S = 0.5
_MOMENTS, _LONG = 3, 12
"""So many ticks with everything acknowledged are enough when the table does not fall silent; or when the end of the state
told last was never heard, because new readings pushed it out or the device sends none."""
_DEAD_S = 5.0
"""A device that says nothing for so long says nothing any more."""


class WrongError(DeviceError):
    """The device does not do what the document says; the words say what it does."""


class UntestedError(Exception):
    """This device gives no occasion to look at this."""


class Wire(Protocol):
    """What of a port is needed."""

    @property
    def in_waiting(self) -> int: ...
    @property
    def baudrate(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def close(self) -> None: ...


def open_port(url: str, baud: int) -> serial.Serial:
    """Opens a port for a probe. Raises DeviceError saying why it cannot be."""
    try:
        return serial.serial_for_url(url, baud, timeout=0.01, write_timeout=5, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise opening(url, error) from error


@dataclass(frozen=True, slots=True)
class Heard:
    """A good frame: what it says (None when that cannot be read), and the device's time when it came, as far as known."""

    frame: Frame
    message: Message | None
    ticks: int

    @property
    def seq(self) -> int:
        return self.frame.seq


class Probe:
    """One session with a device under test."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.baud = wire.baudrate
        self._decoder = Decoder()
        self.ticks = 0
        """The device's newest time."""
        self.request = 0x5000
        self.bad_frames = 0
        self.readings: dict[int, Heard] = {}
        """Heard since the last new state request, by seq, each as it came first."""
        self.issued: int | None = None
        """seq of the last reading heard of."""
        self.ended = 0
        """Number of the last state request that was closed."""
        self.kinds: dict[tuple[object, ...], Reading] = {}
        """One reading of each kind heard since the beginning: what it tells, by the capabilities that takes."""
        self._heard_s = time.monotonic()
        self._noise = False
        """Bytes came since the last good frame."""
        self._waiting: deque[Heard] = deque()
        """Heard but not handed out yet."""

    def send(self, message: Message, seq: int = 0) -> None:
        self.send_bytes(encode(pack(message, seq % SEQ)))

    def send_bytes(self, data: bytes) -> None:
        self._wire.write(data)

    def close(self) -> None:
        self._wire.close()

    def listen(self, device_ms: int, *, sync: bool = True) -> Iterator[Heard]:
        """All frames of the next `device_ms` of the device's time, as they come. `sync` asks for the time again and again,
        so that every frame's `ticks` are right to some 50 ms; the answers are not handed out. Raises WrongError when nothing
        is heard any more."""
        while self._wire.in_waiting:
            self._waiting += self._read()
        end, asked_s = self.ticks + device_ms, 0.0
        self._heard_s = began_s = time.monotonic()
        while self.ticks < end:
            if time.monotonic() - began_s > 10 + 0.02 * device_ms:
                raise WrongError(f"its time stands still or jumps: {device_ms} ms did not pass by its ticks")
            if sync and time.monotonic() - asked_s >= _SYNC_S:
                asked_s = time.monotonic()
                self.send(TimeSync(_OWN))
            if not self._waiting:
                self._waiting += self._read()
            while self._waiting:
                yield self._waiting.popleft()
            if time.monotonic() - self._heard_s > _DEAD_S:
                raise self._dead()

    def wait(self, wanted: Callable[[Heard], bool], device_ms: int) -> Heard | None:
        """The first frame that is `wanted`, within so much of the device's time."""
        return next((heard for heard in self.listen(device_ms) if wanted(heard)), None)

    def need(self, kind: type[Message], device_ms: int, why: str) -> Heard:
        """The first message of a kind. Raises WrongError, `why` being the question it should answer."""
        heard = self.wait(lambda h: isinstance(h.message, kind), device_ms)
        if heard is None:
            raise WrongError(f"no {kind.__name__} within {device_ms} ms after {why}")
        return heard

    def wake(self) -> None:
        """Asks until the device says something: opening the port resets many boards, and while such a one starts it is
        deaf. Raises WrongError when it stays silent."""
        while time.monotonic() - self._heard_s <= _DEAD_S:
            self.ask()
            asked_s = time.monotonic()
            while time.monotonic() - asked_s < _WAKE_S:
                if self._read():
                    return
        raise self._dead()

    def ask(self) -> None:
        """A new state request."""
        self.request = self.request % (SEQ - 1) + 1
        self.readings.clear()
        self.send(StateRequest(self.request))

    def birth(self) -> tuple[Birth, int]:
        """Asks for the state and returns the birth that answers, with its seq."""
        self.ask()
        heard = self.wait(lambda h: isinstance(h.message, Birth) and h.message.request == self.request, 1_000)
        if heard is None or not isinstance(heard.message, Birth):
            raise WrongError(f"no Birth with request {self.request} within 1000 ms after StateRequest")
        return heard.message, heard.seq

    def state(self) -> list[Heard]:
        """Asks for the state, acknowledges as it comes, and returns its readings, each once, StateEnd the last of them."""
        _, last = self.birth()
        found: dict[int, Heard] = {}
        for heard in self.listen(5_000):
            if not is_reading(heard.frame.type):
                continue
            found.setdefault(heard.seq, heard)
            while (last + 1) % SEQ in found:
                last = (last + 1) % SEQ
                ended = found[last].message
                self.send(Ack(), last)
                if isinstance(ended, StateEnd) and ended.request == self.request:
                    return list(found.values())
            if (heard.seq - last) % SEQ >= SEQ // 2:
                self.send(Ack(), heard.seq)
        raise WrongError(f"no StateEnd with number {self.request} within 5000 ms after StateRequest")

    def rest(self) -> int:
        """Acknowledges all there is and waits for the tick that says so; returns the seq of the last reading. At a table
        where somebody plays, that is when the state asked for last has been told: new readings may come at any time."""
        if self.issued is not None:
            self.send(Ack(), self.issued)
        moments = 0
        for heard in self.listen(8_000):
            if is_reading(heard.frame.type):
                self.send(Ack(), heard.seq)
            elif isinstance(heard.message, Tick):
                self.send(Ack(), heard.seq)
                moments += 1
                quiet = not any(is_reading(h.frame.type) for h in self.listen(150))
                told = self.ended == self.request
                if (told and (quiet or moments >= _MOMENTS)) or moments >= _LONG:
                    return heard.seq
        raise WrongError("no Tick within 8000 ms though every reading was acknowledged")

    def _dead(self) -> WrongError:
        if self._noise:
            return WrongError(
                f"sends bytes, but no frame for {_DEAD_S:g} s; is the baud rate right, and is it this protocol?"
            )
        return WrongError(f"has said nothing for {_DEAD_S:g} s")

    def _note(self, message: Message | None) -> None:
        match message:
            case StateEnd(request=request):
                self.ended = request
            case Reading():
                self.kinds.setdefault((type(message), *claims(message)), message)
            case _:
                pass

    def _read(self) -> list[Heard]:
        found = []
        data = self._wire.read(self._wire.in_waiting or 1)
        self._noise = self._noise or bool(data)
        for item in self._decoder.feed(data):
            if isinstance(item, BadFrame):
                self.bad_frames += 1
                continue
            self._heard_s, self._noise = time.monotonic(), False
            try:
                message: Message | None = unpack(item)
            except WireError:
                message = None
            ticks = getattr(message, "ticks_ms", None)
            if isinstance(message, Birth):
                self.ticks = message.ticks_ms
            elif ticks is not None and not (isinstance(message, Reading) and ticks < self.ticks):
                self.ticks = max(self.ticks, ticks)
            heard = Heard(item, message, self.ticks)
            if is_reading(item.type):
                self.issued = item.seq
                self.readings.setdefault(item.seq, heard)
                self._note(message)
            if not (isinstance(message, TimeEcho) and message.host_ms == _OWN):
                found.append(heard)
        return found
