"""Whom not to wait for: sources that have fallen silent, or whose clock is behind for good. Fed with the engine's own
seconds, since a source that says nothing says no times either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from table_engine.fusion.order import NEVER, Source

SILENT_S = 3.0
SILENT_SIMULATED_S = 30.0
"""A simulation waits for its sensors, however slow the machine is; only a hung one is not waited for."""
BEHIND_MS = 3_000
BEHIND_S = 10.0
_CATCHING_UP = 0.9
"""Who has less than this share of the lag left after `BEHIND_S` is catching up."""


class Vigil:
    """Watches the sources of one table."""

    def __init__(self, silent_s: float = SILENT_S) -> None:
        self._silent_s = silent_s
        self._heard: dict[str, float] = {}
        self._behind: dict[str, tuple[float, int]] = {}

    def hear(self, src: str, now_s: float) -> None:
        """A source has spoken, or has just come."""
        self._heard[src] = now_s

    def forgive(self, now_s: float) -> None:
        """Nobody could be heard until now."""
        self._heard = dict.fromkeys(self._heard, now_s)
        self._behind.clear()

    def gone(self, sources: Mapping[str, Source], now_s: float) -> Iterator[tuple[str, str]]:
        """Sources not to be waited for any longer, with why in words."""
        furthest = max((s.promised_ms for s in sources.values() if s.online), default=NEVER)
        for name, source in sources.items():
            if not source.online:
                self._behind.pop(name, None)
                continue
            if now_s - self._heard.setdefault(name, now_s) > self._silent_s:
                yield name, "says nothing"
            elif source.spoken and self._lags(name, furthest - source.promised_ms, now_s):
                lag_s = (furthest - source.promised_ms) / 1000
                yield name, f"is {lag_s:.0f} s behind the others and does not catch up; check its clock"

    def _lags(self, name: str, lag_ms: int, now_s: float) -> bool:
        if lag_ms <= BEHIND_MS:
            self._behind.pop(name, None)
            return False
        since_s, was_ms = self._behind.setdefault(name, (now_s, lag_ms))
        if now_s - since_s <= BEHIND_S:
            return False
        del self._behind[name]
        return lag_ms > was_ms * _CATCHING_UP
