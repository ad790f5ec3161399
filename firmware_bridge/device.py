"""What the bridge knows of a kind of table controller: bytes in, observations and troubles out.

One file per kind in `devices/`. An adapter has no port, no thread and no clock of its own: bytes come with the host's time
of reading, and whatever has to be repeated is paced by what the device says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from table_engine.wire.observations import Observation


@dataclass(frozen=True, slots=True)
class Said:
    """The device observed something, at the host's `at_ms`."""

    at_ms: int
    observation: Observation


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something about the device is not as it should be, in words for people; empty `says`: no longer. One per `what`."""

    what: str
    says: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Introduced:
    """The device said who it is."""

    model: str
    firmware: str
    protocol: str
    capabilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of the command with this ticket: `done`, `unknown` or `refused`, in the device's own judgement."""

    ticket: int
    name: str
    result: str


Report = Said | Trouble | Introduced | Done


class Device(Protocol):
    """One device as long as the process lives, over however many reconnects."""

    def resume(self, place: str) -> None:
        """Goes on from the `place` a former process stored; empty or not understood: from what the device holds. Called
        before anything else."""

    def opened(self, now_ms: int) -> list[Report]:
        """The port is open (again)."""

    def receive(self, data: bytes, now_ms: int) -> list[Report]:
        """What bytes read at `now_ms` say, in order. Never raises on what a device sent."""

    def tick(self, now_ms: int) -> list[Report]:
        """Time has passed: for devices that have to be asked, or whose silence means something. Called at least each
        `pace_s` seconds."""

    @property
    def pace_s(self) -> float:
        """How often `tick` has to be called at least."""

    def confirm(self) -> None:
        """Everything reported so far is stored; the device may forget it."""

    def to_send(self) -> bytes:
        """Takes what has to go out to the device."""

    def ask_all(self) -> None:
        """Asks the device for its whole state."""

    def command(self, name: str, data: Mapping[str, JsonValue]) -> int:
        """Queues a command and returns its ticket; `Done` tells what came of it. Raises DeviceError when the device cannot do
        it, ValueError or TypeError when `data` is wrong."""

    def give_up(self, ticket: int) -> None:
        """Nobody waits for this command any more."""

    @property
    def commands(self) -> tuple[str, ...]:
        """Names of the commands that this kind of device may know."""

    @property
    def place(self) -> str:
        """How far everything is reported; what a restarted bridge resumes from."""

    @property
    def counters(self) -> dict[str, float]:
        """What happened on the line since the process began."""
