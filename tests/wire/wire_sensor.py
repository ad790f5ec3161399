"""For the wire's tests: the camera `cam1`, what it says, what of it an engine has, and a sensor as a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from wire_brokers import TOPICS, Engine, Speaker

from table_engine.wire.access import Door, node_role
from table_engine.wire.observations import Dice, Envelope
from table_engine.wire.sensor import SensorNode

ROLL = Dice(dice=(3, 4))
SensorOf = Callable[..., SensorNode]
SpeakerOf = Callable[..., Speaker]
CAM1 = node_role("t1", "cam1")
EV = TOPICS.events("cam1")


def envelope(seq: int, boot: int = 1, at_ms: int = 0) -> str:
    return Envelope.of("cam1", boot, seq, at_ms, 0, ROLL).model_dump_json()


def ats(engine: Engine) -> list[int]:
    return [e.at_ms for e in engine.journal if e.data == ROLL]


SENSOR_PROCESS = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from table_engine.wire.access import Door
    from table_engine.wire.observations import Dice
    from table_engine.wire.sensor import SensorNode
    from table_engine.wire.topics import Topics
    port, user, password, path = sys.argv[1:]
    with SensorNode(Door("127.0.0.1", int(port), user, password), Topics("hall", "t1"), "cam1", outbox=Path(path)) as node:
        print(node.boot, flush=True)
        while True:
            print(node.put(0, Dice(dice=(1, 2))).id, flush=True)
            time.sleep(0.002)
""")


def run_sensor(door: Door, path: Path) -> subprocess.Popen[str]:
    arguments = [str(door.port), door.username, door.password, str(path)]
    return subprocess.Popen([sys.executable, "-c", SENSOR_PROCESS, *arguments], stdout=subprocess.PIPE, text=True)
