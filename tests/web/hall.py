"""A hall in one process: the real service over real desks and journals, with a scripted wire and the real web server.

with Hall(folder) as hall:
    hall.say("table-1", envelopes)      # what sensors observed
    hall.served.address                 # the pages
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from serving import Served

from table_engine.desk import Desk
from table_engine.service import Service, journal_path
from table_engine.web.hub import Hub
from table_engine.wire.acts import DID, Answer, Wish
from table_engine.wire.messages import Position
from table_engine.wire.observations import Envelope
from table_engine.wire.received import Connection, Observed, Received
from table_engine.wire.settings import CameraSettings, Site, TableSettings, WebSettings

PLAYERS = ("Aki", "Ben", "Chie", "Dan")


class ScriptedNode:
    """The engine's end of a wire that is not there. `asked` are the commands sent to sensors, `said` what was published."""

    def __init__(self) -> None:
        self.inbox: queue.SimpleQueue[Received] = queue.SimpleQueue()
        self.asked: list[tuple[str, str, str, dict[str, Any]]] = []
        self.said: list[tuple[str, Any]] = []

    def poll(self, timeout_s: float) -> list[Received]:
        batch: list[Received] = []
        try:
            batch.append(self.inbox.get(timeout=timeout_s))
            while True:
                batch.append(self.inbox.get_nowait())
        except queue.Empty:
            return batch

    def command(self, table: str, node: str, name: str, data: dict[str, Any], **_: float) -> str:
        self.asked.append((table, node, name, data))
        return "transaction"

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("publish_"):
            return lambda *values: self.said.append((name, values))
        return lambda *_: None


class TableClock:
    """Goes on by itself from the last moment that was told."""

    def __init__(self) -> None:
        self._from = (0, time.monotonic())

    def now_ms(self) -> int:
        at_ms, told_s = self._from
        return at_ms + round(1000 * (time.monotonic() - told_s))

    def told(self, at_ms: int) -> None:
        if at_ms > self.now_ms():
            self._from = (at_ms, time.monotonic())


class Hall:
    """Tables `names`, all under one rule set. May be closed and opened again on the same folder and port."""

    def __init__(self, folder: Path, *names: str, ruleset: str = "riichi", port: int = 0, **web: Any) -> None:
        tables = tuple(
            TableSettings(id=name, ruleset=ruleset, players=PLAYERS, cameras=(CameraSettings(id="cam", source="0"),))
            for name in names or ("table-1",)
        )
        settings = WebSettings.model_construct(**{**WebSettings().model_dump(), "port": port, **web})
        self.site = Site(venue="hall", data=folder, web=settings, tables=tables)
        self.node = ScriptedNode()
        self.desks: dict[str, Desk] = {}
        self.clock = TableClock()
        self.hub = Hub([table.id for table in tables], table_ms=lambda _: self.clock.now_ms())
        self.served = Served(self.hub, self.site)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.node.inbox.put(Connection(tables[0].id, "engine", up=True, says=""))

    @property
    def address(self) -> str:
        return self.served.address

    def say(self, table: str, envelopes: Iterable[Envelope], *, secret: bool = False) -> None:
        """Observations, in the order in which they come."""
        for envelope in envelopes:
            self.clock.told(envelope.at_ms)
            position = Position(envelope.boot, envelope.seq)
            self.node.inbox.put(Observed(table, envelope.src, position, envelope, secret))

    def do(self, table: str, by: str = "Kai", **did: Any) -> Answer:
        """An act as if somebody had asked for it on another page."""
        wish = Wish(by=by, did=DID.validate_python(did))
        return self.hub.act(table, wish).result(timeout=20)

    def until(self, true: Callable[[], Any], seconds: float = 30) -> Any:
        end = time.monotonic() + seconds
        while not (found := true()):
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.02)
        return found

    def alerts(self, table: str = "table-1") -> list[Any]:
        return self.hub.known_alerts(table)

    def _run(self) -> None:
        self.desks = {t.id: Desk(t, journal_path(self.site, t.id)) for t in self.site.tables}
        self.clock.told(max(desk.engine.now_ms for desk in self.desks.values()))
        service = Service(self.desks, self.node, self.hub, self.clock, silent_s=3600.0)  # type: ignore[arg-type]
        while not self._stop.is_set():
            service.round(0.01)
        for desk in self.desks.values():
            desk.close()

    def close(self) -> None:
        self.served.close()
        self._stop.set()
        self._thread.join()

    def __enter__(self) -> Hall:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
