"""What goes wrong at a virtual table: a TOML file (or JSON of the same shape) of fouls players commit and faults sensors have.

    [[foul]]                 # who breaks which rule when, see Fouls
    what = "too_many"
    seat = 2
    turn = 4

    [serial]                 # the keys of Sensors, for the whole game, and:
    drop = 0.01              # share of readings that never come
    duplicate = 0.01
    delay_ms = 300
    dead = ["wall"]          # sensors that say nothing
    noise = 0.0001           # chance that a byte is damaged on the line
    lose = 0.001             # chance that a frame vanishes

    [camera]                 # the keys of Sensors (misread, confusion, occlusion, silent_from_ms, …), and:
    drop = 0.05              # share of pictures that never come
    misread = 0.01           # share of tiles that show another face to the camera
    dim = 0.6                # light left, 0..1

    [[event]]                # something that happens at a moment and passes
    at_s = 90                # seconds after the table was switched on, in its own time
    act = "camera"           # "camera" or "serial"
    fault = "cover"          # camera: cover, dim, freeze; serial: unplug
    seconds = 5

    [[event]]
    at_s = 120
    act = "kill"             # a process, outright; it is started again
    process = "engine"       # broker, engine, bridge or vision

Perfect sensors (`jantaku play --fast`) have no line, light, pictures or processes: `noise`, `lose`, `dim` and `[[event]]` are
refused there. Pictures show what lies on the table: `dead`, `unknown` and `delay_ms` of a camera are for perfect sensors only.
"""

from __future__ import annotations

import json
import tomllib
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import virtual_table.faults
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import explain
from virtual_table.faults import CameraFaults, SourceFaults
from virtual_table.script import Foul

Share = Annotated[float, Field(ge=0, le=1)]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SerialPart(SourceFaults):
    noise: Share = 0.0
    lose: Share = 0.0


class CameraPart(CameraFaults):
    dim: Share = 1.0


class CameraAct(Part):
    act: Literal["camera"]
    fault: Literal["cover", "dim", "freeze"]
    seconds: float = Field(default=5.0, gt=0, le=3600)


class SerialAct(Part):
    act: Literal["serial"]
    fault: Literal["unplug"]
    seconds: float = Field(default=5.0, gt=0, le=3600)


class CameraEvent(CameraAct):
    at_s: float = Field(ge=0)


class SerialEvent(SerialAct):
    at_s: float = Field(ge=0)


class KillEvent(Part):
    act: Literal["kill"]
    process: Literal["broker", "engine", "bridge", "vision"]
    at_s: float = Field(ge=0)


Event = Annotated[CameraEvent | SerialEvent | KillEvent, Field(discriminator="act")]


class Faults(Part):
    """A whole file. The defaults are a table on which nothing goes wrong."""

    foul: tuple[Foul, ...] = ()
    serial: SerialPart = SerialPart()
    camera: CameraPart = CameraPart()
    event: tuple[Event, ...] = ()

    def perfect(self) -> virtual_table.faults.Faults:
        """The part perfect sensors can have. Raises SettingsError naming a key that needs a line, pictures or processes."""
        self._refuse("perfect sensors (--fast)", _NEEDS_MACHINES)
        return virtual_table.faults.Faults(serial=self.serial, camera=self.camera)

    def check_pictures(self) -> None:
        """Raises SettingsError naming a key that pictures cannot show."""
        self._refuse("a camera's pictures", _NEEDS_PERFECTION)

    def _refuse(self, where: str, keys: tuple[str, ...]) -> None:
        healthy = Faults()
        for key in keys:
            if attrgetter(key)(self) != attrgetter(key)(healthy):
                raise SettingsError(f"{key} cannot be done with {where}: leave it out; `jantaku faults` explains")


_NEEDS_MACHINES = ("serial.noise", "serial.lose", "camera.dim", "event")
_NEEDS_PERFECTION = ("camera.dead", "camera.unknown", "camera.delay_ms")


def load_faults(path: Path) -> Faults:
    """Reads a file of faults (TOML, or JSON of the same shape). Raises SettingsError naming file and key."""
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Faults.model_validate(raw)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise SettingsError(f"{path}: {explain(error)}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: not valid TOML or JSON: {error}") from error
