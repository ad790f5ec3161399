"""The course of one device's readings: is another one part of it, or has the device started anew unheard?

A device that was reset numbers from 0 again. When its birth is lost on the line, its readings look like old ones, or like the
next ones. Their ticks give them away: they begin anew too.
"""

from __future__ import annotations

from firmware_bridge.framing import SEQ, Frame
from firmware_bridge.messages import MESSAGES, WINDOW

_KEPT = 4 * WINDOW
_BACK_MS = 1_000
"""Ticks that went back by less are a device's own inaccuracy."""
_TICKS = 4
_WRAP = 1 << 8 * _TICKS


class Course:
    """What was handed out last. Ticks are the device's, u32."""

    def __init__(self) -> None:
        self._recent: dict[int, Frame] = {}
        self._ticks: int | None = None

    def forget(self) -> None:
        """The device has said who it is: whatever comes now is its own."""
        self._recent.clear()
        self._ticks = None

    def add(self, frame: Frame) -> None:
        """A reading was handed out."""
        self._recent[frame.seq] = frame
        self._recent.pop((frame.seq - _KEPT) % SEQ, None)
        if (ticks := _ticks_of(frame)) is not None:
            self.upto(ticks)

    def upto(self, ticks: int) -> None:
        """Everything up to this moment was handed out."""
        self._ticks = ticks % _WRAP

    def contradicts(self, frame: Frame) -> bool:
        """This reading cannot be of the same course: it has the number of another one, or comes long before the last one
        though it is none of those handed out."""
        known = self._recent.get(frame.seq)
        if known is not None:
            return known != frame
        ticks = _ticks_of(frame)
        if self._ticks is None or ticks is None or not self._is_next(frame.seq):
            return False
        return _BACK_MS < (self._ticks - ticks) % _WRAP < _WRAP // 2

    def _is_next(self, seq: int) -> bool:
        """After the last one that was handed out, or nobody knows."""
        last = next(reversed(self._recent), None)
        return last is None or 0 < (seq - last) % SEQ < SEQ // 2


def _ticks_of(frame: Frame) -> int | None:
    if frame.type not in MESSAGES or len(frame.fields) < _TICKS:
        return None
    return int.from_bytes(frame.fields[:_TICKS], "little")
