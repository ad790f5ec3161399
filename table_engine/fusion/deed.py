"""A deed: one thing that seems to have been done, with the signs that say so, and which of several is told first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_engine.wire.actions import Action


@dataclass(frozen=True, slots=True)
class Deed:
    """Actions that explain some of what is new in the picture, in order. It was done between `lo_ms` and `hi_ms`.

    `regular`: the rules provide for it now. `ripe`: nothing more needs to be waited for. At `due_ms` it is believed as
    it is. One without actions is a sign nobody can explain; it holds back nothing.
    """

    actions: tuple[Action, ...]
    lo_ms: int
    hi_ms: int
    regular: bool
    ripe: bool
    due_ms: int


SKEW_MS = 20
"""Two signs nearer to each other than this have no order."""


def next_deed(deeds: Sequence[Deed], now_ms: int) -> Deed | None:
    """Which deed is told now: never one that another one certainly came before; of those that may have been first, the
    one the rules provide for. None while the first one must still be held back."""
    first = [d for d in deeds if not any(e.hi_ms + SKEW_MS < d.lo_ms for e in deeds)]
    for deed in sorted(first, key=lambda d: (not d.regular, d.hi_ms)):
        if deed.ripe or deed.due_ms <= now_ms:
            return deed
        if deed.regular:
            return None
    return None


def wake(deeds: Sequence[Deed], now_ms: int) -> int | None:
    """When a held deed is due next."""
    return min((d.due_ms for d in deeds if d.due_ms > now_ms), default=None)
