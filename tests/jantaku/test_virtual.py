"""The virtual table as a process: it waits for who should watch, breaks what it is asked to break, and ends."""

from __future__ import annotations

import os
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from jantaku.eye import Eye
from jantaku.faults import CameraPart, Faults, SerialEvent
from jantaku.virtual import AFTER_MS, VirtualTable
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import CameraSettings
from virtual_table.controller import Controller
from virtual_table.customs import customs_of
from virtual_table.motion import BRISK
from virtual_table.simulation import Simulation


def _players(hands: int | None = None, controller: Controller | None = None) -> Simulation:
    return Simulation.of_players(customs_of("riichi"), hands=hands, pace=BRISK, seed=5, controller=controller)


class After(threading.Event):
    """A stop that sets itself after some looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0 or super().is_set()


def test_it_plays_to_the_end_and_a_little_longer() -> None:
    table = VirtualTable(_players(hands=1), speed=0)
    table.run(threading.Event())
    assert table.simulation.finished
    (hand,) = table.simulation.performed
    assert table.simulation.at_ms >= hand.moves[-1].at_ms + AFTER_MS - 66


def test_time_stands_while_nobody_has_the_cable(tmp_path: Path) -> None:
    controller = Controller(tmp_path / "serial")
    table = VirtualTable(_players(controller=controller), controller=controller, speed=0, patient=True)
    try:
        table.run(After(5))
        assert table.simulation.at_ms == 0
        port = os.open(tmp_path / "serial", os.O_RDWR | os.O_NOCTTY)
        table.run(After(1))
        assert table.simulation.at_ms > 0
        os.close(port)
    finally:
        table.close()


def test_the_first_seconds_may_go_as_fast_as_can_be() -> None:
    table = VirtualTable(_players(), speed=0.001, hurry_ms=1_000)
    stop = threading.Event()
    playing = threading.Thread(target=table.run, args=(stop,))
    playing.start()
    end = time.monotonic() + 20
    while table.simulation.at_ms < 1_000 and time.monotonic() < end:
        time.sleep(0.01)
    stop.set()
    playing.join()
    assert 1_000 <= table.simulation.at_ms < 1_200


def test_an_unplugged_cable_does_not_stop_time(tmp_path: Path) -> None:
    controller = Controller(tmp_path / "serial")
    faults = Faults(event=(SerialEvent(act="serial", fault="unplug", seconds=1, at_s=0),))
    table = VirtualTable(_players(controller=controller), controller=controller, faults=faults, speed=0, patient=True)
    try:
        table._do_what_is_due()
        assert not (tmp_path / "serial").exists()
        table.run(After(12))
        assert table.simulation.at_ms > 500
        for _ in range(20):
            table.simulation.step(66)
            table._do_what_is_due()
        assert (tmp_path / "serial").exists(), "plugged in again after a second"
    finally:
        table.close()


def test_time_stands_while_nobody_looks() -> None:
    simulation = _players()
    eye = Eye(CameraSettings(id="c", source="http://127.0.0.1:0/", width=640, height=360), simulation, CameraPart(), 1)
    table = VirtualTable(simulation, eye, speed=0, patient=True)
    try:
        table.run(After(5))
        assert simulation.at_ms == 0
        table.patient = False
        table.run(After(2))
        assert simulation.at_ms > 0
    finally:
        table.close()


def _answered(table: VirtualTable, asked: dict) -> str:
    """What an act answers, asked from another thread while the table works, as the control does."""
    said: list[str] = []

    def ask() -> None:
        try:
            said.append(table.acts()[asked["act"]](asked))
        except SettingsError as error:
            said.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        table._do_what_is_due()
        table.simulation.step(66)
    return said[0]


def test_a_player_asked_to_break_a_rule_breaks_it() -> None:
    table = VirtualTable(_players(), speed=0)
    for _ in range(400):
        table.simulation.step(66)
    assert _answered(table, {"act": "foul", "foul": "too_many", "seat": 2}) == "seat 3 will do it as soon as it can"
    for _ in range(1500):
        table.simulation.step(66)
    draws = [m for hand in table.simulation.performed for m in hand.moves if m.type in ("drew", "discarded")]
    twice = [a for a, b in pairwise(draws) if a.type == b.type == "drew" and a.seat == b.seat == 2]
    assert twice


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"act": "foul", "foul": "shout"}, "no such foul: what"),
        ({"act": "camera", "fault": "cover", "seconds": 5}, "this table has no camera"),
        ({"act": "serial", "fault": "unplug", "seconds": 5}, "this table has no serial"),
        ({"act": "serial", "fault": "cover"}, "cannot be done: serial.fault"),
        ({"act": "camera", "fault": "cover", "seconds": -1}, "cannot be done: camera.seconds"),
    ],
)
def test_an_act_that_cannot_be_done_says_why(asked: dict, says: str) -> None:
    assert _answered(VirtualTable(_players(), speed=0), asked).startswith(says)
