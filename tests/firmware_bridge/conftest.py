"""Lets the tests of this room import their helpers by name, and makes controllers and bridges for them."""

import sys
from pathlib import Path

import pytest

from virtual_table.controller import Controller

sys.path.insert(0, str(Path(__file__).parent))

from bench_parts import HandClock, Rig


@pytest.fixture
def table(tmp_path):
    """Makes controllers and bridges on one pty path and ends them."""
    made = []

    class Table:
        path = tmp_path / "tty-table"
        clock = HandClock()

        def controller(self, **options):
            self.device = Controller(self.path, start_ms=self.clock.value, **options)
            made.append(self.device.close)
            return self.device

        def rig(self, node=None):
            rig = Rig(self.path, self.clock, node)
            made.append(rig.stop)
            return rig

        def step(self, rig, ms=20):
            self.clock.value += ms
            self.device.pump(self.clock.value)
            rig.turn()

    yield Table()
    for end in reversed(made):
        end()
