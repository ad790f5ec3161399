"""Who is there is known to everybody, who has gone is known at once, and who cannot come is told why."""

from __future__ import annotations

import json
import time
from pathlib import Path

from wire_brokers import TOPICS, Broker, Engine, Speaker
from wire_sensor import CAM1, EV, ROLL, SensorOf, SpeakerOf, run_sensor

from table_engine.wire.access import ENGINE_ROLE, Door
from table_engine.wire.greeting import greet
from table_engine.wire.received import Birth, Presence
from table_engine.wire.sensor import SensorNode


def test_engine_and_sensors_that_start_together_find_each_other(broker: Broker, sensor: SensorOf) -> None:
    engine = Engine(broker)
    nodes = [sensor(name) for name in ("cam1", "rack1", "ctl")]
    try:
        engine.until(lambda: len({p.src for p in engine.of(Presence)}) == len({b.src for b in engine.of(Birth)}) == 3)
    finally:
        engine.node.stop()
    assert {(p.src, p.boot, p.online) for p in engine.of(Presence)} == {(n.node, n.boot, True) for n in nodes}


def test_an_offline_of_an_older_boot_means_nothing(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    for state, boot in (("online", 4), ("offline", 3), ("online", 2), ("offline", 4)):
        raw.say(TOPICS.availability("cam1"), json.dumps({"state": state, "boot": boot}), retain=True)
    engine.until(lambda: engine.of(Presence)[-1:] == [Presence("t1", "cam1", 4, False)])
    assert [(p.boot, p.online) for p in engine.of(Presence)] == [(4, True), (4, False)]


def test_a_last_will_and_what_is_retained_reach_who_comes_late(
    broker: Broker, sensor: SensorOf, tmp_path: Path
) -> None:
    node = sensor("ctl", kind="bridge", firmware="1.2")
    early = Speaker(broker.door(ENGINE_ROLE), "early", TOPICS.availability("cam1"))
    child = run_sensor(broker.door(CAM1), tmp_path / "cam1.sqlite3")
    assert child.stdout is not None
    boot = int(child.stdout.readline())
    assert json.loads(early.hear().payload)["state"] == "online"
    child.kill()
    child.wait()
    assert json.loads(early.hear().payload) == {"state": "offline", "boot": boot, "trouble": [], "device": ""}
    early.link.stop()
    late = Speaker(broker.door(ENGINE_ROLE), "late", TOPICS.any_node("availability"), TOPICS.any_node("info"), EV)
    said = {}
    for _ in range(4):
        heard = late.hear()
        assert heard.retain
        said[heard.topic] = json.loads(heard.payload)
    assert said[TOPICS.availability("cam1")]["state"] == "offline"
    assert said[TOPICS.availability("ctl")] == {"state": "online", "boot": node.boot, "trouble": [], "device": ""}
    assert said[TOPICS.info("ctl")]["firmware"] == "1.2"
    assert late.hears_nothing(), "events are never retained"
    late.link.stop()


def test_a_goodbye_is_offline_at_once(engine: Engine, sensor: SensorOf) -> None:
    node = sensor()
    engine.until(lambda: bool(engine.of(Presence)))
    node.stop()
    engine.until(lambda: engine.of(Presence)[-1] == Presence("t1", "cam1", node.boot, False))


def test_a_wrong_password_is_said_and_tried_again(broker: Broker, tmp_path: Path) -> None:
    door = broker.door(CAM1)
    wrong = Door(door.host, door.port, door.username, "wrong")
    assert str(greet(wrong)) == f"broker 127.0.0.1:{door.port} refuses {_refusal(broker)} ('{CAM1}')"
    with SensorNode(wrong, TOPICS, "cam1", outbox=tmp_path / "o", backoff_s=(1, 1)) as node:
        node.put(1, ROLL)
        until = time.monotonic() + 5
        while not any("refuses user 't1.cam1'" in t for t in node.troubles):
            assert time.monotonic() < until, node.troubles
            time.sleep(0.02)
        assert len(node.outbox) == 1


def _refusal(broker: Broker) -> str:
    return "this user" if greet(Door(broker.door(CAM1).host, broker.door(CAM1).port, "x", "y")) else ""


def test_a_broker_that_is_not_there_is_said(broker: Broker, tmp_path: Path) -> None:
    door = broker.door(CAM1)
    broker.stop()
    assert greet(door) == f"broker 127.0.0.1:{door.port} is not reachable (Connection refused); check that it runs"
    with SensorNode(door, TOPICS, "cam1", outbox=tmp_path / "o") as node:
        until = time.monotonic() + 5
        while not any("is not reachable; trying again" in t for t in node.troubles):
            assert time.monotonic() < until, node.troubles
            time.sleep(0.02)
