"""Each test of the contract runs against both brokers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_engine.wire.access import node_role
from table_engine.wire.received import Connection
from table_engine.wire.sensor import SensorNode

sys.path.insert(0, str(Path(__file__).parent))

from wire_brokers import TOPICS, Broker, Engine, Speaker, start_broker


@pytest.fixture(params=["embedded", "mosquitto"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    running = start_broker(request.param, tmp_path)
    yield running
    running.stop()


@pytest.fixture
def engine(broker: Broker) -> Iterator[Engine]:
    """One that hears already."""
    running = Engine(broker)
    running.until(lambda: bool(running.of(Connection)))
    yield running
    running.node.stop()


@pytest.fixture
def sensor(broker: Broker, tmp_path: Path) -> Iterator[Callable[..., SensorNode]]:
    """Makes started sensors; a second call with the same node is its next start."""
    made: list[SensorNode] = []

    def make(node: str = "cam1", **options: object) -> SensorNode:
        made.append(
            SensorNode(
                broker.door(node_role("t1", node)),
                TOPICS,
                node,
                outbox=tmp_path / "outbox" / f"{node}.sqlite3",
                backoff_s=(1, 1),
                **options,
            )
        )
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def speaker(broker: Broker) -> Iterator[Callable[..., Speaker]]:
    """Makes clients that say and hear whatever their role lets them: `speaker("viewer", filter, …)`."""
    made: list[Speaker] = []

    def make(role: str, *filters: str, will: tuple[str, str] | None = None) -> Speaker:
        made.append(Speaker(broker.door(role), f"speaker{len(made)}", *filters, will=will))
        return made[-1]

    yield make
    for one in made:
        one.link.stop()
