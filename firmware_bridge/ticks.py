"""Device ticks → host milliseconds.

A frame read at host time h that carries ticks t says "t was no later than h": h - t bounds the offset between the clocks
from above, and the smallest such bound of a while is the one whose frame waited least (the minimum-latency filter). A time
sync sent at h0 and echoed with ticks t says "t was no earlier than h0" and bounds it from below. The estimate is the upper
bound; the distance between both is the uncertainty. Drift is the slope of the smallest bounds of ten-second windows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

WRAP = 1 << 32
_WINDOW_MS = 10_000
_FIT = 12
"""Windows the drift is fitted over."""
_BOUND = 3
"""Windows whose bounds the offset is taken from."""
_MAX_DRIFT = 0.01
_JUMP_MS = 250
"""Bounds that contradict each other by more than this mean that a clock was set, not that one runs fast."""


@dataclass(slots=True)
class _Window:
    """The tightest bounds of ten seconds of device time: offset and ticks at which each was found."""

    start: int
    upper: float | None = None
    upper_at: int = 0
    lower: float | None = None
    lower_at: int = 0


class TickClock:
    """One device's clock seen from the host. Feed it every frame that carries ticks, in the order of arrival."""

    def __init__(self) -> None:
        self.ticks = 0
        """Device time of the newest frame, unwrapped."""
        self._windows: deque[_Window] = deque(maxlen=_FIT)
        self._drift = 0.0
        self._fitted = False
        self._started = False

    def unwrap(self, ticks: int) -> int:
        """u32 ticks as a number that does not wrap: the one nearest to the newest ticks seen."""
        if not self._started:
            self._started = True
            self.ticks = ticks
            return ticks
        ahead = (ticks - self.ticks + WRAP // 2) % WRAP - WRAP // 2
        unwrapped = self.ticks + ahead
        self.ticks = max(self.ticks, unwrapped)
        return unwrapped

    def is_before(self, ticks: int) -> bool:
        """u32 ticks that lie before the newest ticks seen: the device has started anew."""
        return self._started and (ticks - self.ticks) % WRAP >= WRAP // 2

    def heard(self, ticks: int, host_ms: int) -> int | None:
        """A frame with these (unwrapped) ticks was read at `host_ms`. Returns by how much the host's clock was set back
        when it was (the mapping then begins anew), else None."""
        lower = self._lower(ticks)
        if lower is not None and host_ms - ticks < lower - _JUMP_MS:
            return self._jump(host_ms - ticks - lower, ticks, host_ms)
        window = self._window(ticks)
        if window.upper is None or host_ms - ticks < window.upper:
            window.upper, window.upper_at = host_ms - ticks, ticks
        return None

    def echoed(self, sent_ms: int, ticks: int, host_ms: int) -> int | None:
        """A time sync sent at `sent_ms` came back at `host_ms` with these (unwrapped) ticks. Returns as `heard` does, also
        when the host's clock was set forward."""
        jump = self.heard(ticks, host_ms)
        if jump is not None:
            return jump
        upper = self._upper(ticks)
        if upper is not None and sent_ms - ticks > upper + _JUMP_MS:
            return self._jump(sent_ms - ticks - upper, ticks, host_ms)
        if sent_ms <= host_ms:
            window = self._window(ticks)
            if window.lower is None or sent_ms - ticks > window.lower:
                window.lower, window.lower_at = sent_ms - ticks, ticks
        return None

    def host_ms(self, ticks: int) -> int:
        """When it was by the host's clock, ms. Raises ValueError before anything was heard."""
        upper = self._upper(ticks)
        if upper is None:
            raise ValueError("no frame of this device has been heard yet")
        return round(ticks + upper)

    @property
    def drift_ppm(self) -> float:
        """How much faster the host's clock runs than the device's, parts per million; 0 until 20 s have been heard."""
        return self._drift * 1e6

    @property
    def uncertainty_ms(self) -> float | None:
        """How far apart the bounds of the offset are; None until a time sync came back."""
        upper, lower = self._upper(self.ticks), self._lower(self.ticks)
        return None if upper is None or lower is None else max(upper - lower, 0.0)

    def _window(self, ticks: int) -> _Window:
        if not self._windows or ticks - self._windows[-1].start >= _WINDOW_MS:
            self._windows.append(_Window(ticks))
            self._fit()
        return self._windows[-1]

    def _upper(self, ticks: int) -> float | None:
        bounds = [w.upper + self._drift * (ticks - w.upper_at) for w in self._recent() if w.upper is not None]
        return min(bounds, default=None)

    def _lower(self, ticks: int) -> float | None:
        bounds = [w.lower + self._drift * (ticks - w.lower_at) for w in self._recent() if w.lower is not None]
        return max(bounds, default=None)

    def _recent(self) -> list[_Window]:
        return list(self._windows)[-(_BOUND if self._fitted else 2) :]

    def _fit(self) -> None:
        """Drift from the closed windows, the open one excluded: it may not yet have seen a quick frame."""
        points = [(w.upper_at, w.upper) for w in list(self._windows)[:-1] if w.upper is not None]
        if len(points) < 2:
            return
        self._fitted = True
        mean_x = sum(x for x, _ in points) / len(points)
        mean_y = sum(y for _, y in points) / len(points)
        spread = sum((x - mean_x) ** 2 for x, _ in points)
        slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
        self._drift = max(-_MAX_DRIFT, min(_MAX_DRIFT, slope))

    def _jump(self, by: float, ticks: int, host_ms: int) -> int:
        self._windows.clear()
        window = self._window(ticks)
        window.upper, window.upper_at = host_ms - ticks, ticks
        return round(by)
