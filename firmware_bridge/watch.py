"""A port and its device without a wire: what the monitor shows and the recorder writes down.

Whoever watches is the device's host: what is read is acknowledged, so a bridge that comes later does not get it again.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from types import TracebackType
from typing import Self

from firmware_bridge.device import Device, Report
from firmware_bridge.port import Lost, Opened, Port, PortEvent, Received
from table_engine.wire.clock import Clock

Tap = Callable[[int, bytes, bool], None]
"""Gets bytes as they go over the line: the host's time, the bytes, whether they were sent."""


class Watch:
    """One port. Use as a context manager, from one thread."""

    def __init__(
        self, url: str, baud: int, device: Device, clock: Clock, *, listen: bool = False, tap: Tap | None = None
    ) -> None:
        """`listen`: says nothing to the device, not even that it was heard."""
        self.device = device
        self._clock = clock
        self._listen = listen
        self._tap = tap
        self._events: queue.Queue[PortEvent] = queue.Queue(1000)
        self._port = Port(url, baud, clock, self._events)

    def turn(self, wait_s: float = 0.1) -> list[Opened | Lost | Report]:
        """What has happened, waiting a little for the first."""
        happened: list[Opened | Lost | Report] = []
        for event in self._drain(min(wait_s, self.device.pace_s)):
            match event:
                case Opened(at_ms):
                    happened += [event, *self.device.opened(at_ms)]
                case Received(data, at_ms):
                    if self._tap:
                        self._tap(at_ms, data, False)
                    happened += self.device.receive(data, at_ms)
                case Lost():
                    happened.append(event)
        happened += self.device.tick(self._clock.now_ms())
        self.device.confirm()
        data = self.device.to_send()
        if data and not self._listen:
            self._port.write(data)
            if self._tap:
                self._tap(self._clock.now_ms(), data, True)
        return happened

    def _drain(self, wait_s: float) -> list[PortEvent]:
        found: list[PortEvent] = []
        try:
            found.append(self._events.get(timeout=wait_s))
            while True:
                found.append(self._events.get_nowait())
        except queue.Empty:
            return found

    def __enter__(self) -> Self:
        self._port.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._port.stop()
