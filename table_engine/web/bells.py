"""Bells: who waits for news of which tables, rung in the readers' own event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable


class Watch:
    """One reader's bell. `news` are the tables that changed since it was taken last."""

    def __init__(self, tables: Iterable[str], parts: frozenset[str]) -> None:
        self.tables = tuple(tables)
        self.parts = parts
        self.news: set[str] = set(self.tables)
        self._rung = asyncio.Event()

    def ring(self, tables: set[str]) -> None:
        self.news |= tables
        self._rung.set()

    async def wait(self, timeout_s: float) -> None:
        """Until something changed, or for `timeout_s`."""
        try:
            await asyncio.wait_for(self._rung.wait(), max(timeout_s, 0.0))
        except TimeoutError:
            return
        self._rung.clear()

    def take(self) -> set[str]:
        """The tables with news; they count as seen now."""
        news, self.news = self.news, set()
        return news


class Bells:
    """The readers of one event loop. Rung at most once per turn of the loop, however much changes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.watches: dict[str, set[Watch]] = {}
        self.changed: dict[str, set[str]] = {}
        self.due = False
