"""Moments of a device without a clock: when its bytes were read."""

from __future__ import annotations

from firmware_bridge.device import Said
from table_engine.wire.observations import Observation, Watermark

_QUIET_MS = 250


class Arrival:
    """Stamps what one device says, never before a moment that was promised to be over."""

    def __init__(self) -> None:
        self._over_ms: int | None = None

    def say(self, now_ms: int, observation: Observation) -> Said:
        """An observation read at `now_ms`."""
        return Said(now_ms if self._over_ms is None else max(now_ms, self._over_ms), observation)

    def quiet(self, until_ms: int) -> list[Said]:
        """Everything read before `until_ms` has been said: promises it, each quarter of a second."""
        if self._over_ms is not None and until_ms - self._over_ms < _QUIET_MS:
            return []
        self._over_ms = until_ms
        return [Said(until_ms, Watermark())]
