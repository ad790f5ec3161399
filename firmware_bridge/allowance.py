"""How often something may be said: a few times at once, then now and then."""

from __future__ import annotations


class Allowance:
    """`burst` times at once, `per_s` times a second in the long run. Times are those of any steady clock, s."""

    def __init__(self, burst: int, per_s: float, now_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._left = float(burst)
        self._at_s = now_s

    def take(self, now_s: float) -> bool:
        """Uses one up; False when there is none."""
        self._left = min(self._left + (now_s - self._at_s) * self._per_s, self._burst)
        self._at_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True
