"""Virtual tables that are put up beside the demo's own and belong to no site yet: people find their camera and cable on the
set-up page and add them there, as they would a real one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jantaku.house import answers, process
from jantaku.scenery import Scenery, site_of
from jantaku.sites import free_port, write_site
from jantaku.supervisor import Child, Supervisor
from table_engine.wire.clock import SharedClock, SystemClock
from table_engine.wire.errors import DeviceError, SettingsError
from table_engine.wire.settings import Site

MOST = 2
"""Each takes a processor to be drawn and another to be watched."""
_LOOKS = (("chinese", "blue"), ("western", "grey"))
"""Tile style and cloth, so that nobody takes one table for another."""
_READY_S = 90.0


@dataclass(slots=True)
class Spares:
    """Puts tables up below `folder`. `ask` makes an act that the control at an address carries out."""

    folder: Path
    scenery: Scenery
    arguments: tuple[str, ...]
    supervisor: Callable[[], Supervisor | None]
    ask: Callable[[str], Callable[[Mapping[str, Any]], str | Mapping[str, Any]]]
    _up: dict[str, tuple[Site, str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put_up(self, _: Mapping[str, Any]) -> Mapping[str, Any]:
        """The act `table`: one more table stands in the room, switched on. → `says` and what `found` tells of it."""
        supervisor = self.supervisor()
        if supervisor is None:
            raise DeviceError("the demo is not up yet; try again in a moment")
        with self._lock:
            if len(self._up) >= MOST:
                raise SettingsError(f"{MOST} tables were put up already; add those first")
            name = f"table-{len(self._up) + 2}"
            site, port = self._made(name), free_port()
            style, felt = _LOOKS[len(self._up)]
            config = write_site(site, self.folder / name / "site.toml")
            SharedClock(self.folder / name / "clock", create=True).set_ms(SystemClock().now_ms())
            where = ("--config", str(config), "--table", name, "--control", str(port), "--style", style, "--felt", felt)
            seed = ("--seed", str(len(self._up) + 2))
            up = answers("127.0.0.1", port)
            supervisor.add(Child(f"{name}/table", process("table", *where, *seed, *self.arguments), up))
            self._up[name] = (site, f"http://127.0.0.1:{port}/")
        until_s = time.monotonic() + _READY_S
        while not up():
            if time.monotonic() > until_s:
                raise DeviceError(f"{name} was put up but does not answer yet; look again in a moment")
            time.sleep(0.1)
        return {"says": "another table stands there, switched on; add it", "table": self._facts(name)}

    def found(self, _: Mapping[str, Any]) -> Mapping[str, Any]:
        """The act `found`: camera, cable and clock of every table that was put up."""
        return {"says": f"{len(self._up)} more", "tables": [self._facts(name) for name in self._up]}

    def act(self, asked: Mapping[str, Any]) -> str | Mapping[str, Any]:
        """An act of the panel at one of these tables. Raises SettingsError for one that is not up."""
        name = str(asked.get("table"))
        if name not in self._up:
            raise SettingsError(f"no virtual table {name!r} is up")
        return self.ask(self._up[name][1])(asked)

    def _made(self, name: str) -> Site:
        made = site_of(replace(self.scenery, folder=self.folder / name, tags=False, control=None))
        (table,) = made.tables
        (camera,) = table.cameras
        bare = camera.model_copy(update={"calibration": "markers", "corners_px": None, "focal_px": None})
        return made.model_copy(update={"tables": (table.model_copy(update={"id": name, "cameras": (bare,)}),)})

    def _facts(self, name: str) -> Mapping[str, Any]:
        site = self._up[name][0]
        (table,) = site.tables
        return {
            "table": name,
            "ruleset": table.ruleset,
            "camera": table.cameras[0].source,
            "port": table.bridges[0].port,
            "clock": str(site.clock),
        }
