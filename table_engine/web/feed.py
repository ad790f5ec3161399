"""The push: parts of boards as server-sent events, at once whole, then what changed.

    id: <boot>.<revision>
    data: {"table": "table-1", "seq": 17, "now_ms": 1790000000000, "whole": true, "view": {…}, "alerts": […]}

`now_ms` is the time at the table that is shown: what is counted down or grows old goes on from there. `whole` says that
everything the reader knew of the table is to be forgotten first. A reader that comes back with its last id is sent what
changed since; one that comes back to another server run is sent everything. Who is shown a table with a delay gets the board
as it was then, and nothing until the server has known the table for that long.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

from table_engine.web.grants import PARTS, Grant
from table_engine.web.hub import Hub, Part
from table_engine.web.screens import Screens

PUSH_INTERVAL_S = 0.1
KEEPALIVE_S = 10.0
CHECK_S = 5.0
"""How often a long stream asks whether its key still holds."""


@dataclass(slots=True)
class Feed:
    """One reader's stream. `known`: by table the revision it has everything up to; None: nothing."""

    hub: Hub
    grant: Grant
    tables: tuple[str, ...]
    wanted: frozenset[str] | None = None
    known: dict[str, int | None] = field(default_factory=dict)

    @classmethod
    def since(cls, hub: Hub, grant: Grant, tables: tuple[str, ...], wanted: frozenset[str] | None, last: str) -> Feed:
        """A stream that goes on after the event with id `last` ("" or unknown: from the beginning)."""
        boot, _, revision = last.partition(".")
        same = boot == hub.boot and revision.isdigit()
        return cls(hub, grant, tables, wanted, dict.fromkeys(tables, int(revision) if same else None))

    @property
    def told(self) -> frozenset[str]:
        """The parts this reader is told at all."""
        return frozenset(p for p in PARTS if self.grant.told(p) and (self.wanted is None or p in self.wanted))

    @property
    def shows_hands(self) -> bool:
        return self.grant.hands and (self.wanted is None or "hands" in self.wanted)

    def news(self, tables: Iterable[str]) -> list[str]:
        """The events that are due for these tables."""
        events = []
        for table in tables:
            parts = self.hub.parts(table, self.grant.delay_s)
            known = self.known[table]
            newest = max((part.revision for part in parts.values()), default=-1)
            if newest < 0 or (known is not None and newest <= known):
                continue
            told = told_parts(parts, self.grant, self.wanted, -1 if known is None else known)
            self.known[table] = newest
            if told or known is None:
                now_ms = self.hub.table_ms(table) - round(self.grant.delay_s * 1000)
                events.append(_event(f"{self.hub.boot}.{newest}", table, newest, now_ms, told, whole=known is None))
        return events

    def due_s(self) -> float:
        """Until when to wait at most for the next event."""
        if self.grant.delay_s <= 0:
            return KEEPALIVE_S
        due = (self.hub.due_s(table, self.grant.delay_s) for table in self.tables)
        return min((s for s in due if s is not None), default=KEEPALIVE_S)


def told_parts(
    parts: Mapping[str, Part], grant: Grant, wanted: frozenset[str] | None = None, since: int = -1
) -> dict[str, str]:
    """What a grant is told of a board, as JSON by name: the one place where parts are held back."""
    return {
        name: part.text
        for name, part in parts.items()
        if part.revision > since and grant.told(name) and (wanted is None or name in wanted)
    }


async def stream(screens: Screens, feed: Feed, address: str) -> AsyncIterator[str]:
    """The events for ever, until the reader goes or its key no longer holds."""
    look = screens.accounts.begin_look(feed.grant, address, ",".join(feed.tables)) if feed.shows_hands else None
    if look is None and feed.shows_hands:
        feed.wanted = (feed.wanted or frozenset(PARTS)) - {"hands"}
    try:
        with feed.hub.watch(feed.tables, feed.told) as watch:
            checked_s = spoke_s = time.monotonic()
            yield "retry: 1000\n\n"
            while not screens.closing:
                news = watch.take()
                events = feed.news(feed.tables if feed.grant.delay_s > 0 else news)
                now_s = time.monotonic()
                if events:
                    spoke_s = now_s
                    yield "".join(events)
                    await asyncio.sleep(PUSH_INTERVAL_S)
                elif now_s - spoke_s >= KEEPALIVE_S:
                    spoke_s = now_s
                    yield ": still here\n\n"
                if now_s - checked_s >= CHECK_S:
                    checked_s = now_s
                    if not await asyncio.to_thread(screens.accounts.still, feed.grant):
                        return
                await watch.wait(min(feed.due_s(), CHECK_S))
    finally:
        if look is not None:
            screens.accounts.end_look(look)


def _event(ident: str, table: str, revision: int, now_ms: int, parts: Mapping[str, str], *, whole: bool) -> str:
    fields = ",".join(f'"{name}":{text}' for name, text in parts.items())
    head = f'"table":"{table}","seq":{revision},"now_ms":{now_ms},"whole":{"true" if whole else "false"}'
    return f"id: {ident}\ndata: {{{head}{',' + fields if fields else ''}}}\n\n"
