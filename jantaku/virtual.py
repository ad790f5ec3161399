"""A virtual table as a process: things move, time goes on, the cable speaks and the camera streams.

Time never runs ahead of the pictures and readings that were taken, and stands still while a program that should watch is
away (`patient`); so a game can be played as fast as the machine allows and loses nothing.
"""

from __future__ import annotations

import heapq
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from jantaku.control import Act
from jantaku.eye import Eye
from jantaku.faults import CameraAct, Faults, KillEvent, SerialAct
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import SEATS
from table_engine.wire.settings import explain
from virtual_table.controller import Controller
from virtual_table.display import laid_out
from virtual_table.script import Foul
from virtual_table.simulation import Simulation

FRAME_MS = 66
"""Time goes in steps of this where no camera gives the rhythm."""
AFTER_MS = 8_000
"""The table goes on for so long after the last hand, so that everything is seen."""
_PATIENCE_S = 10.0
_STILL_S = 0.3
"""Tiles laid out lie still: so often is enough, and whoever reads them has the processor."""
_SPOILS: TypeAdapter[CameraAct | SerialAct] = TypeAdapter(Annotated[CameraAct | SerialAct, Field(discriminator="act")])


@dataclass(slots=True)
class VirtualTable:
    """One table at work. `speed`: simulated seconds per second of life, 0: as fast as can be; the first `hurry_ms` go as
    fast as can be in any case. With `wait_first` it waits for the programs behind camera and cable before the
    game, if `patient` whenever one is away later on too. With `stay` it goes on standing there when the game is over."""

    simulation: Simulation
    eye: Eye | None = None
    controller: Controller | None = None
    faults: Faults = field(default_factory=Faults)
    frame_ms: int = FRAME_MS
    speed: float = 1.0
    hurry_ms: int = 0
    wait_first: bool = False
    patient: bool = False
    stay: bool = False
    seed: int = 1
    _asked: queue.SimpleQueue[Callable[[], None]] = field(default_factory=queue.SimpleQueue)
    _later: list[tuple[int, int, Callable[[], object]]] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        for event in self.faults.event:
            if not isinstance(event, KillEvent):  # processes are the supervisor's
                self._at(self.simulation.at_ms + round(event.at_s * 1000), partial(self._spoil, event))
        serial = self.faults.serial
        if self.controller and serial.silent_from_ms is not None:
            self._at(self.simulation.at_ms + serial.silent_from_ms, self.controller.unplug)
            if serial.silent_to_ms is not None:
                self._at(self.simulation.at_ms + serial.silent_to_ms, self.controller.replug)

    def run(self, stop: threading.Event) -> None:
        """Plays until the last hand is over and everything has been seen, or `stop` is set."""
        end_ms: int | None = None
        began_s, began_ms = time.monotonic(), self.simulation.at_ms
        normal_ms = began_ms + self.hurry_ms
        waiting = self.wait_first or self.patient
        while not stop.is_set() and (end_ms is None or self.simulation.at_ms < end_ms):
            if waiting and self._alone():
                self._wait(stop)
                continue
            waiting = self.patient
            self._do_what_is_due()
            self._go_on()
            if self.simulation.finished and end_ms is None and not self.stay:
                end_ms = self.simulation.at_ms + AFTER_MS
            if self.simulation.at_ms < normal_ms:
                began_s, began_ms = time.monotonic(), self.simulation.at_ms
            elif self.speed:
                ahead_s = (self.simulation.at_ms - began_ms) / 1000 / self.speed - (time.monotonic() - began_s)
                if ahead_s > 0:
                    stop.wait(ahead_s)
                elif ahead_s < -1:  # too slow a machine: time goes slower, it does not catch up
                    began_s, began_ms = time.monotonic(), self.simulation.at_ms

    def close(self) -> None:
        """Lets what is said arrive and takes camera and cable away."""
        if self.eye:
            self.eye.close()
        if self.controller:
            self.controller.close()

    def acts(self) -> Mapping[str, Act]:
        """What the demo's panel may ask of the table, from any thread; done between two pictures."""
        return {"foul": self._foul, "camera": self._fault, "serial": self._fault, "tiles": self._tiles}

    def _tiles(self, asked: Mapping[str, Any]) -> str:
        """Lays the whole set out face up before the camera, or takes it away again."""
        if self.eye is None:
            raise SettingsError("this table has no camera")
        lay = bool(asked.get("lay", True))
        table, turned = self.simulation, bool(asked.get("turned", False))
        tiles = laid_out(table.customs, table.layout, self.seed, turned=turned) if lay else ()
        self._asked.put(partial(self.eye.lay, tiles))
        return "the whole set lies before the camera, the game waits" if lay else "the game goes on"

    def _go_on(self) -> None:
        if self.eye and self.eye.laying:  # the game's time stands still, as when nobody watches
            self.eye.look()
            time.sleep(_STILL_S)
            return
        self.simulation.step(self.frame_ms)
        if self.eye:
            self.eye.look()
        if self.controller:
            self.controller.settle(_PATIENCE_S if self.patient else 0.2)

    def _alone(self) -> bool:
        """A program that should watch is away. An unplugged cable has nobody at its other end, and that is no reason."""
        line = self.controller.line if self.controller else None
        unheard = line is not None and line.plugged and not line.connected
        return unheard or (self.eye is not None and not self.eye.watched)

    def _wait(self, stop: threading.Event) -> None:
        if self.controller:
            self.controller.pump(self.simulation.at_ms)
        stop.wait(0.01)

    def _foul(self, asked: Mapping[str, Any]) -> str:
        seat = asked.get("seat", Random(f"{self.seed}:{self.simulation.at_ms}").choice(SEATS))  # noqa: S311 (a seeded game)
        try:
            foul = Foul.model_validate({"what": asked.get("foul"), "seat": seat})
        except ValidationError as error:
            raise SettingsError(f"no such foul: {explain(error)}") from error
        problems: queue.SimpleQueue[SettingsError | None] = queue.SimpleQueue()
        self._asked.put(lambda: problems.put(self._request(foul)))
        problem = problems.get(timeout=_PATIENCE_S)
        if problem is not None:
            raise problem
        return f"seat {int(foul.seat) + 1} will do it as soon as it can"  # people count from 1

    def _request(self, foul: Foul) -> SettingsError | None:
        try:
            self.simulation.request(foul)
        except SettingsError as error:
            return error
        return None

    def _fault(self, asked: Mapping[str, Any]) -> str:
        try:
            act = _SPOILS.validate_python(dict(asked))
        except ValidationError as error:
            raise SettingsError(f"cannot be done: {explain(error)}") from error
        if (self.eye if act.act == "camera" else self.controller) is None:
            raise SettingsError(f"this table has no {act.act}")
        self._asked.put(partial(self._spoil, act))
        what = {"cover": "covered", "dim": "in the dark", "freeze": "frozen", "unplug": "unplugged"}[act.fault]
        return f"{'the camera' if act.act == 'camera' else 'the cable'} is {what} for {act.seconds:g} s"

    def _spoil(self, act: CameraAct | SerialAct) -> None:
        until_ms = self.simulation.at_ms + round(act.seconds * 1000)
        match act:
            case CameraAct(fault=fault) if self.eye:
                self.eye.spoil(fault)
                self._at(until_ms, partial(self.eye.mend, fault))
            case SerialAct() if self.controller:
                self.controller.unplug()
                self._at(until_ms, self.controller.replug)
            case _:
                pass

    def _at(self, at_ms: int, do: Callable[[], object]) -> None:
        self._count += 1
        heapq.heappush(self._later, (at_ms, self._count, do))

    def _do_what_is_due(self) -> None:
        while self._later and self._later[0][0] <= self.simulation.at_ms:
            heapq.heappop(self._later)[2]()
        while not self._asked.empty():
            self._asked.get()()
