"""Lets the tests of this room import their helpers by name, and gives those of the process a site and who is on its wire."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.settings import Site

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "fusion"))

from engine_process import Sensors, Viewer, make_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = make_site(tmp_path)
    with EmbeddedBroker(made):
        yield made


@pytest.fixture
def sensors(site: Site, tmp_path: Path) -> Iterator[Sensors]:
    made = Sensors(site, tmp_path / "outbox")
    yield made
    made.stop()


@pytest.fixture
def viewer(site: Site) -> Iterator[Viewer]:
    made = Viewer(site)
    yield made
    made.stop()
