"""What a sensor observes arrives once and in order, whoever is killed and whatever is lost on the way, and a hole is told."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue
from wire_brokers import TOPICS, Broker, Engine
from wire_sensor import CAM1, EV, ROLL, SensorOf, SpeakerOf, ats, envelope, run_sensor

from table_engine.wire.access import ENGINE_ROLE
from table_engine.wire.bundle import opened
from table_engine.wire.messages import Position
from table_engine.wire.observations import Watermark
from table_engine.wire.received import Birth, Connection, Gap, Observed, Presence, Unreadable


def test_observations_arrive_once_in_order_and_are_forgotten_after_the_ack(engine: Engine, sensor: SensorOf) -> None:
    node = sensor(kind="camera", model="overhead")
    for n in range(300):
        node.put(n, ROLL)
    engine.until(lambda: len(ats(engine)) == 300)
    assert ats(engine) == list(range(300))
    assert [e.seq for e in engine.journal] == list(range(1, 301))
    engine.until(lambda: len(node.outbox) == 0)
    engine.until(lambda: bool(engine.of(Birth)) and bool(engine.of(Presence)))
    birth = engine.of(Birth)[-1]
    assert (birth.src, birth.info.kind, birth.info.model, birth.info.boot) == ("cam1", "camera", "overhead", node.boot)
    assert engine.of(Presence)[-1] == Presence("t1", "cam1", node.boot, True)
    assert not engine.of(Gap)


def test_what_was_put_before_the_engine_ever_ran_arrives(broker: Broker, sensor: SensorOf) -> None:
    node = sensor()
    node.put(1, ROLL)
    time.sleep(0.3)
    engine = Engine(broker)
    try:
        engine.until(lambda: ats(engine) == [1])
    finally:
        engine.node.stop()


def test_what_had_to_wait_travels_in_few_messages(engine: Engine, sensor: SensorOf, speaker: SpeakerOf) -> None:
    tap = speaker(ENGINE_ROLE, EV)
    node = sensor()
    node.put_all((n, ROLL) for n in range(3000))
    engine.until(lambda: len(ats(engine)) == 3000)
    assert ats(engine) == list(range(3000))
    sizes = []
    while sum(sizes) < 3000:
        sizes.append(len(opened(tap.hear().payload)))
    assert len(sizes) < 300
    node.put(3000, ROLL)
    assert json.loads(tap.hear().payload)["at_ms"] == 3000, "what does not wait goes as it is"
    engine.until(lambda: not len(node.outbox))
    assert not engine.of(Gap)


def test_an_engine_that_dies_gets_again_what_it_had_not_acknowledged(engine: Engine, sensor: SensorOf) -> None:
    node = sensor()
    for n in range(50):
        node.put(n, ROLL)
    engine.until(lambda: len(ats(engine)) >= 10)
    heard = 0
    while heard < 10:
        node.put(100, ROLL)
        heard += sum(isinstance(r, Observed) for r in engine.node.poll(1.0, limit=5))
    engine.crash()
    engine.until(lambda: not len(node.outbox))
    assert [e.seq for e in engine.journal] == list(range(1, node.outbox.last.seq + 1))


def test_who_has_had_nothing_to_say_for_long_does_not_miss_an_answer(
    engine: Engine, sensor: SensorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_engine.wire.sensor._STALL_S", (3.0, 300.0))
    node = sensor()
    node.put(0, ROLL)
    engine.until(lambda: not len(node.outbox))
    time.sleep(3.5)
    node.put(1, ROLL)
    troubles: list[str] = []
    for _ in range(50):
        troubles += node.troubles
        time.sleep(0.01)
    assert troubles == []
    engine.until(lambda: not len(node.outbox))


def test_a_broker_killed_and_started_again_loses_nothing(broker: Broker, engine: Engine, sensor: SensorOf) -> None:
    node = sensor()
    done = threading.Event()

    def talk() -> None:
        n = 0
        while not done.is_set():
            node.put(n, ROLL)
            n += 1
            time.sleep(0.003)

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        for _ in range(2):
            enough = len(engine.journal) + 60
            engine.until(lambda enough=enough: len(engine.journal) >= enough)  # type: ignore[misc]
            broker.kill()
            engine.until(lambda: engine.of(Connection)[-1].up is False)
            broker.start()
            engine.until(lambda: engine.of(Connection)[-1].up)
    finally:
        done.set()
        talker.join()
    engine.until(lambda: not len(node.outbox))
    assert ats(engine) == list(range(node.outbox.last.seq))
    assert not [g for g in engine.of(Gap) if g.state == "lost"]


def test_a_sensor_killed_at_any_moment_loses_nothing_and_is_called_offline(
    broker: Broker, engine: Engine, sensor: SensorOf, tmp_path: Path
) -> None:
    said: list[str] = []
    for _ in range(2):
        child = run_sensor(broker.door(CAM1), tmp_path / "outbox" / "cam1.sqlite3")
        assert child.stdout is not None
        boot = int(child.stdout.readline())
        engine.until(lambda boot=boot: engine.of(Presence)[-1:] == [Presence("t1", "cam1", boot, True)])  # type: ignore[misc]
        heard = len(engine.journal)
        engine.until(lambda heard=heard: len(engine.journal) > heard + 40)  # type: ignore[misc]
        child.kill()
        said += [line.strip() for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        child.wait()
        engine.until(lambda boot=boot: engine.of(Presence)[-1] == Presence("t1", "cam1", boot, False))  # type: ignore[misc]
    last = sensor()
    engine.until(lambda: engine.of(Presence)[-1] == Presence("t1", "cam1", last.boot, True) and not len(last.outbox))
    heard_ids = [e.id for e in engine.journal]
    assert set(said) <= set(heard_ids)
    assert len(set(heard_ids)) == len(heard_ids)
    assert not engine.of(Gap)


def test_messages_dropped_repeated_and_shuffled_on_the_way_count_once(
    engine: Engine, sensor: SensorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = sensor()
    dice = random.Random(7)
    publish = node._link.publish
    late: list[str] = []

    def careless(topic: str, payload: str, *, retain: bool = False) -> int:
        if topic != EV:
            return publish(topic, payload, retain=retain)
        match dice.randrange(25):
            case 0:
                return 0
            case 1:
                late.append(payload)
                return 0
            case 2:
                publish(topic, payload)
            case 3 if late:
                publish(topic, late.pop())
        return publish(topic, payload)

    monkeypatch.setattr(node._link, "publish", careless)
    monkeypatch.setattr("table_engine.wire.sensor._IN_FLIGHT", 10**6)
    for n in range(250):
        node.put(n, ROLL)
    engine.until(lambda: len(ats(engine)) == 250, 60)
    assert ats(engine) == list(range(250))
    assert not [g for g in engine.of(Gap) if g.state == "lost"]


def test_a_hole_that_stays_is_told_asked_for_and_then_given_up(
    engine: Engine, speaker: SpeakerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_engine.wire.order.GIVE_UP_S", 2.0)
    raw = speaker(CAM1, TOPICS.command("cam1", "+"))
    raw.say(TOPICS.availability("cam1"), '{"state":"online","boot":1}', retain=True)
    for seq in (1, 2, 5, 6):
        raw.say(EV, envelope(seq))
    engine.until(lambda: len(engine.journal) == 2)
    start = time.monotonic()
    engine.until(lambda: bool(engine.of(Gap)))
    assert time.monotonic() - start < 5
    assert engine.of(Gap) == [Gap("t1", "cam1", Position(1, 3), Position(1, 5), "open")]
    assert len(engine.journal) == 2, "nothing is taken out of order"
    commands = [raw.hear().topic.rpartition("/")[2]]
    while commands[-1] != "rebirth":
        commands.append(raw.hear().topic.rpartition("/")[2])
    assert commands[0] == "resend"
    engine.until(lambda: len(engine.of(Gap)) == 2)
    assert engine.of(Gap)[1] == Gap("t1", "cam1", Position(1, 3), Position(1, 5), "lost")
    raw.say(EV, envelope(7))
    engine.until(lambda: len(engine.journal) == 5)
    assert [e.seq for e in engine.journal] == [1, 2, 5, 6, 7]


def test_a_hole_that_is_filled_is_healed(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    raw.say(TOPICS.availability("cam1"), '{"state":"online","boot":1}', retain=True)
    for seq in (1, 3):
        raw.say(EV, envelope(seq))
    engine.until(lambda: bool(engine.of(Gap)))
    for seq in (2, 3):
        raw.say(EV, envelope(seq))
    engine.until(lambda: len(engine.journal) == 3)
    assert [g.state for g in engine.of(Gap)] == ["open", "healed"]


def test_a_sensor_that_says_it_has_nothing_earlier_ends_the_waiting(engine: Engine, sensor: SensorOf) -> None:
    """The engine's journal is older than what it once acknowledged, as after a restored backup."""
    asked = threading.Event()

    def rebirth(_: Mapping[str, JsonValue]) -> None:
        asked.set()

    node = sensor(commands={"rebirth": rebirth})
    for n in range(20):
        node.put(n, ROLL)
    engine.until(lambda: len(engine.journal) == 20 and not len(node.outbox))
    engine.positions = {("t1", "cam1"): Position(node.boot, 5)}
    engine.crash()
    node.put(99, ROLL)
    engine.until(lambda: ats(engine)[-1] == 99)
    lost = Gap("t1", "cam1", Position(node.boot, 6), Position(node.boot, 21), "lost")
    assert [g for g in engine.of(Gap) if g.state != "open"] == [lost]
    assert asked.wait(5)


def test_a_sensor_whose_outbox_was_lost_is_heard(engine: Engine, sensor: SensorOf, tmp_path: Path) -> None:
    first = sensor()
    first.put(1, ROLL)
    engine.until(lambda: not len(first.outbox) and len(engine.journal) == 1)
    first.stop()
    engine.positions = {("t1", "cam1"): Position(first.boot + 1000, 77)}  # as if its clock were wrong now
    engine.crash()
    engine.turn(0.5)
    for path in (tmp_path / "outbox").iterdir():
        path.unlink()
    second = sensor()
    for n in (2, 3):
        second.put(n, ROLL)
    engine.until(lambda: ats(engine) == [1, 2, 3])
    assert second.boot == first.boot + 1001
    engine.until(lambda: engine.of(Presence)[-1] == Presence("t1", "cam1", second.boot, True))


UNREADABLE = [
    ("not json", None, "8 bytes that are not JSON"),
    ("[1,2]", None, "no message"),
    ("[]", None, "no message"),
    (f"[{envelope(1)},3]", None, "no message"),
    (f"[{','.join([envelope(1)] * 1001)}]", None, "no message"),
    ("{}", None, "not understood"),
    ("[" * 100_000, None, "not JSON"),
    (envelope(1).replace("cam1", "cam2"), None, "says it is from 'cam2'"),
    (envelope(1).replace('"v":1', '"v":7'), 1, "speaks version 7, this engine understands 1; update the engine"),
    (envelope(2).replace('"dice"', '"vibes"', 1), 2, "not understood"),
    (envelope(3).replace("3,4", "3,9"), 3, "less than or equal to 6"),
    (envelope(4).replace('"at_ms":0', '"at_ms":1e400'), 4, "not understood"),
    (envelope(5).replace("cam1:1:5", "cam1:1:9"), 5, "is not its src:boot:seq"),
    (envelope(6).replace('"boot":1', f'"boot":{10**30}'), None, "not understood"),
    (envelope(6).replace("[3,4]", "[NaN,4]"), 6, "not understood"),
]


def test_messages_that_cannot_be_read_are_faults_and_not_the_end(engine: Engine, speaker: SpeakerOf) -> None:
    """Where identity can be read they take their place in the order, so that nobody waits for a better one."""
    raw = speaker(CAM1)
    for payload, _, _ in UNREADABLE:
        raw.say(EV, payload)
    raw.say(EV, envelope(7))
    engine.until(lambda: len(engine.journal) == 1)
    assert engine.journal[0].seq == 7
    heard = engine.of(Unreadable)
    assert len(heard) == len(UNREADABLE)
    for bad, (_, seq, says) in zip(heard, UNREADABLE, strict=True):
        assert (bad.table, bad.src, bad.fault.source) == ("t1", "cam1", "t1/cam1")
        assert bad.position == (Position(1, seq) if seq else None)
        assert says in bad.fault.says
        assert EV in bad.fault.says
    assert not engine.of(Gap)


def test_other_messages_that_cannot_be_read_are_faults_too(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    topics = [TOPICS.node("cam1", leaf) for leaf in ("availability", "info", "rsp/rebirth")]
    for topic in topics:
        raw.say(topic, '{"state":"asleep"}')
    engine.until(lambda: len(engine.of(Unreadable)) == 3)
    for topic in topics:
        assert any(topic in bad.fault.says for bad in engine.of(Unreadable))


def test_messages_of_an_older_boot_are_old_news(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    for boot, seq in ((3, 1), (4, 1), (3, 2), (4, 2)):
        raw.say(EV, envelope(seq, boot))
    engine.until(lambda: len(engine.journal) == 3)
    assert [(e.boot, e.seq) for e in engine.journal] == [(3, 1), (4, 1), (4, 2)]


def test_a_full_disk_is_said_and_nothing_is_lost(engine: Engine, sensor: SensorOf) -> None:
    node = sensor()
    node.put(0, ROLL)
    engine.until(lambda: not len(node.outbox))
    with node.outbox._lock:
        pages = node.outbox._db.execute("pragma page_count").fetchone()[0]
        node.outbox._db.execute(f"pragma max_page_count = {pages}")
        count, held = 1, 0
        while held < 20:
            held += node.put(count, ROLL) is None
            node.put(count, Watermark())
            count += 1
    engine.until(lambda: any("takes nothing more" in t for p in engine.of(Presence) for t in p.trouble))
    node.outbox._db.execute("pragma max_page_count = 100000")
    engine.until(lambda: len(ats(engine)) == count)
    assert ats(engine) == list(range(count))
    engine.until(lambda: engine.of(Presence)[-1].trouble == ())
