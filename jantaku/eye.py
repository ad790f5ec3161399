"""The virtual table's camera: what it sees drawn, what is wrong with it, and the stream it serves."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Literal
from urllib.parse import urlsplit

from jantaku.faults import CameraPart
from jantaku.scenery import camera_above
from table_engine.wire.settings import CameraSettings
from virtual_table.camera import CameraFaults, CameraServer
from virtual_table.disguise import Disguise
from virtual_table.render.look import Look, look
from virtual_table.render.renderer import Renderer
from virtual_table.simulation import Simulation
from virtual_table.table import TileThing

_JPEG_QUALITY = 92
_DIM = 0.12


class Eye:
    """Shows one simulation to whoever reads the stream. Nothing is drawn while nobody does."""

    def __init__(
        self, settings: CameraSettings, table: Simulation, faults: CameraPart, seed: int, looks: Look | None = None
    ) -> None:
        """Raises CameraError when the stream's port is taken."""
        width, height = settings.width or 1920, settings.height or 1080
        self._table = table
        self._usual = faults
        self._faults = CameraFaults(dim=faults.dim, drop=faults.drop, seed=seed)
        self._laid: tuple[TileThing, ...] = ()
        self._disguise = Disguise(table.layout, faults, seed, table.at_ms)
        self._twice = Random(f"{seed}:twice")  # noqa: S311 (a seeded game)
        self._renderer = Renderer(camera_above(table.layout, width, height), table.layout, looks or look(), seed)
        port = urlsplit(settings.source).port or 0
        self._server = CameraServer(width, height, port=port, quality=_JPEG_QUALITY, lockstep=True)

    @property
    def watched(self) -> bool:
        """Somebody reads the stream."""
        return self._server.readers > 0

    def look(self) -> None:
        """Takes one picture; waits until the one before has been taken."""
        if not self.watched or self._usual.silent(self._table.at_ms - self._disguise.start_ms):
            return
        shown = self._table.snapshot()
        shown = replace(shown, tiles=self._laid, arms=(), sticks=()) if self._laid else shown
        picture = self._faults.through(self._renderer.frame(self._disguise.seen(shown)))
        if picture is not None:
            for _ in range(1 + (self._twice.random() < self._usual.duplicate)):
                self._server.publish(picture, self._table.at_ms)

    @property
    def laying(self) -> bool:
        """A whole set lies before the camera instead of the game."""
        return bool(self._laid)

    def lay(self, tiles: tuple[TileThing, ...]) -> None:
        """Shows these tiles instead of the game's; none: the game again."""
        self._laid = tiles

    def spoil(self, fault: Literal["cover", "dim", "freeze"]) -> None:
        match fault:
            case "cover":
                self._faults.covered = True
            case "dim":
                self._faults.dim = _DIM
            case "freeze":
                self._faults.frozen = True

    def mend(self, fault: Literal["cover", "dim", "freeze"]) -> None:
        match fault:
            case "cover":
                self._faults.covered = False
            case "dim":
                self._faults.dim = self._usual.dim
            case "freeze":
                self._faults.frozen = False

    def close(self) -> None:
        """Lets the reader take the last picture and ends the stream."""
        self._server.flush(5.0)
        self._server.close()
