"""What the wire promises, shown through the embedded broker and through Mosquitto alike."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue
from wire_brokers import TOPICS, Broker, Engine, Speaker

from table_engine.wire.access import ENGINE_ROLE, OPERATOR_ROLE, REFEREE_ROLE, VIEWER_ROLE, Door, node_role
from table_engine.wire.actions import Discarded
from table_engine.wire.alerts import Alert, AlertRaised
from table_engine.wire.bundle import opened
from table_engine.wire.consumer import EngineNode
from table_engine.wire.errors import DeviceError
from table_engine.wire.greeting import greet
from table_engine.wire.messages import Position
from table_engine.wire.observations import Dice, Envelope, RackSeen, Watermark
from table_engine.wire.received import Answered, Birth, Connection, Gap, Observed, Presence, Received, Unreadable
from table_engine.wire.seats import Seat
from table_engine.wire.sensor import SensorNode
from table_engine.wire.tiles import Tile
from table_engine.wire.topics import Topics

ROLL = Dice(dice=(3, 4))
SensorOf = Callable[..., SensorNode]
SpeakerOf = Callable[..., Speaker]
CAM1 = node_role("t1", "cam1")
EV = TOPICS.events("cam1")


def envelope(seq: int, boot: int = 1, at_ms: int = 0) -> str:
    return Envelope.of("cam1", boot, seq, at_ms, 0, ROLL).model_dump_json()


def ats(engine: Engine) -> list[int]:
    return [e.at_ms for e in engine.journal if e.data == ROLL]


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


def test_engine_and_sensors_that_start_together_find_each_other(broker: Broker, sensor: SensorOf) -> None:
    engine = Engine(broker)
    nodes = [sensor(name) for name in ("cam1", "rack1", "ctl")]
    try:
        engine.until(lambda: len({p.src for p in engine.of(Presence)}) == len({b.src for b in engine.of(Birth)}) == 3)
    finally:
        engine.node.stop()
    assert {(p.src, p.boot, p.online) for p in engine.of(Presence)} == {(n.node, n.boot, True) for n in nodes}


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


def test_an_offline_of_an_older_boot_means_nothing(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    for state, boot in (("online", 4), ("offline", 3), ("online", 2), ("offline", 4)):
        raw.say(TOPICS.availability("cam1"), json.dumps({"state": state, "boot": boot}), retain=True)
    engine.until(lambda: engine.of(Presence)[-1:] == [Presence("t1", "cam1", 4, False)])
    assert [(p.boot, p.online) for p in engine.of(Presence)] == [(4, True), (4, False)]


def test_messages_of_an_older_boot_are_old_news(engine: Engine, speaker: SpeakerOf) -> None:
    raw = speaker(CAM1)
    for boot, seq in ((3, 1), (4, 1), (3, 2), (4, 2)):
        raw.say(EV, envelope(seq, boot))
    engine.until(lambda: len(engine.journal) == 3)
    assert [(e.boot, e.seq) for e in engine.journal] == [(3, 1), (4, 1), (4, 2)]


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


def test_commands_are_answered_and_done_once(engine: Engine, sensor: SensorOf, speaker: SpeakerOf) -> None:
    calls: list[Mapping[str, JsonValue]] = []

    def lamp(data: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        calls.append(data)
        if data.get("seat") == 9:
            raise DeviceError("ctl: there is no seat 9; seats are 0 to 3")
        return {"lit": data["seat"]}

    sensor("ctl", commands={"lamp": lamp})
    engine.until(lambda: bool(engine.of(Birth)))
    transactions = [engine.node.command("t1", "ctl", "lamp", {"seat": seat}) for seat in (2, 9)]
    transactions += [engine.node.command("t1", "ctl", "lamp"), engine.node.command("t1", "ctl", "fly")]
    engine.until(lambda: len(engine.of(Answered)) == 4)
    answers = {a.response.transaction: a.response for a in engine.of(Answered)}
    ok, no_seat, no_data, no_command = (answers[t] for t in transactions)
    assert (ok.status, ok.data) == ("ok", {"lit": 2})
    assert (no_seat.status, no_seat.error) == ("error", "ctl lamp: ctl: there is no seat 9; seats are 0 to 3")
    assert no_data.status == "error"
    assert no_command.error == "ctl has no command 'fly'; it has lamp, resend"
    raw = speaker(ENGINE_ROLE, TOPICS.response("ctl", "+"))
    for _ in range(2):
        raw.say(TOPICS.command("ctl", "lamp"), '{"transaction":"again","data":{"seat":1}}')
    assert [json.loads(raw.hear().payload)["data"] for _ in range(2)] == [{"lit": 1}] * 2
    assert calls.count({"seat": 1}) == 1


def test_only_the_engines_user_moves_a_table(engine: Engine, sensor: SensorOf, speaker: SpeakerOf) -> None:
    calls: list[Mapping[str, JsonValue]] = []
    sensor("ctl", commands={"lift": calls.append})
    engine.until(lambda: bool(engine.of(Birth)))
    for role in (VIEWER_ROLE, REFEREE_ROLE, OPERATOR_ROLE, CAM1, node_role("t1", "ctl"), node_role("t2", "cam1")):
        other = speaker(role)
        for retain in (False, True):
            other.say(
                TOPICS.command("ctl", "lift"), json.dumps({"transaction": role, "data": {"by": role}}), retain=retain
            )
        other.link.stop()
    engine.node.command("t1", "ctl", "lift", {"by": "engine"})
    engine.until(lambda: bool(engine.of(Answered)))
    assert calls == [{"by": "engine"}]


def test_alerts_are_for_referees(speaker: SpeakerOf) -> None:
    filters = (TOPICS.alert, TOPICS.alerts, TOPICS.state)
    referee, viewer = speaker(REFEREE_ROLE, *filters), speaker(VIEWER_ROLE, *filters)
    says = speaker(ENGINE_ROLE)
    for topic in filters:
        says.say(topic, topic, retain=topic != TOPICS.alert)
    assert {referee.hear().topic for _ in filters} == set(filters)
    assert viewer.hear().topic == TOPICS.state
    assert viewer.hears_nothing()


def test_a_command_nobody_answers_is_an_error_in_time(engine: Engine) -> None:
    engine.until(lambda: bool(engine.of(Connection)))
    engine.node.command("t1", "cam9", "rebirth", timeout_s=0.3)
    engine.until(lambda: bool(engine.of(Answered)))
    assert engine.of(Answered)[0].response.error == "t1/cam9 did not answer 'rebirth' within 0.3 s"


def test_a_command_that_is_no_command_harms_nothing(engine: Engine, sensor: SensorOf, speaker: SpeakerOf) -> None:
    node = sensor()
    engine.until(lambda: bool(engine.of(Birth)))
    raw = speaker(ENGINE_ROLE)
    for payload in ("", "x", "{}", '{"transaction":""}'):
        raw.say(TOPICS.command("cam1", "rebirth"), payload)
    raw.say(TOPICS.ack, "rubbish", retain=True)
    node.put(1, ROLL)
    engine.until(lambda: ats(engine) == [1] and not len(node.outbox))


def test_concealed_hands_travel_where_only_the_engine_reads(
    engine: Engine, sensor: SensorOf, speaker: SpeakerOf
) -> None:
    viewer = speaker("viewer", TOPICS.any_node("ev"))
    sensor("rack1", secret=True).put(1, RackSeen(seat=Seat.S0, standing=13))
    sensor("cam1").put(2, ROLL)
    engine.until(lambda: len(engine.journal) == 2)
    assert {r.src: r.secret for r in engine.of(Observed)} == {"rack1": True, "cam1": False}
    assert viewer.hear().topic == EV
    assert viewer.hears_nothing()


def test_the_engine_says_states_actions_and_alerts(engine: Engine, speaker: SpeakerOf) -> None:
    alert = Alert(
        id="a1", table="t1", code="tile_count", rule="TW-F3", ruleset="taiwan16", seat=Seat.S2, severity="foul",
        confidence=0.9, at_ms=5, hand=1, turn=3, says="Seat 2 holds 17 tiles", citation="…", penalty="…",
    )  # fmt: skip
    live = speaker(OPERATOR_ROLE, TOPICS.action, TOPICS.alert)
    engine.until(lambda: bool(engine.of(Connection)))
    engine.node.publish_state("t1", 7, 1234, {"turn": 2})
    engine.node.publish_action("t1", 7, Discarded(seat=Seat.S1, tile=Tile("5m"), at_ms=1200))
    engine.node.publish_alert("t1", AlertRaised(after=alert))
    engine.node.publish_alerts("t1", [alert])
    said = {h.topic: json.loads(h.payload) for h in (live.hear(), live.hear())}
    assert said[TOPICS.action]["action"]["tile"] == "5m"
    assert said[TOPICS.alert]["after"]["rule"] == "TW-F3"
    late = speaker(OPERATOR_ROLE, TOPICS.state, TOPICS.alerts, TOPICS.action, TOPICS.availability("engine"))
    kept = {h.topic: json.loads(h.payload) for h in (late.hear(), late.hear(), late.hear())}
    assert kept[TOPICS.state] == {"v": 1, "state_seq": 7, "at_ms": 1234, "data": {"turn": 2}}
    assert [a["id"] for a in kept[TOPICS.alerts]["alerts"]] == ["a1"]
    assert kept[TOPICS.availability("engine")] == {"state": "online", "boot": 1, "trouble": [], "device": ""}
    assert late.hears_nothing()


def test_one_engine_follows_several_tables_and_no_others(broker: Broker) -> None:
    tables = ("t1", "t2", "t3")
    ear = Speaker(broker.door(ENGINE_ROLE), "ear", *(Topics("hall", t).availability("engine") for t in tables))
    node = EngineNode(broker.door(ENGINE_ROLE), "hall", tables[:2], boot=5, backoff_s=(1, 1))
    heard: list[Received] = []
    node.start()
    assert {ear.hear().topic.split("/")[3] for _ in range(2)} == {"t1", "t2"}
    while not any(isinstance(r, Connection) for r in heard):
        heard += node.poll(0.1)
    cams = [Speaker(broker.door(node_role(t, "cam1")), f"cam-{t}", TOPICS.ack) for t in tables]
    for at_ms, (table, cam) in enumerate(zip(tables, cams, strict=True)):
        for seq in (1, 2):
            cam.say(Topics("hall", table).events("cam1"), envelope(seq, at_ms=at_ms))
    until = time.monotonic() + 10
    while len([r for r in heard if isinstance(r, Observed)]) < 4 and time.monotonic() < until:
        batch = node.poll(0.1)
        node.acknowledge(batch)
        heard += batch
    observed = sorted((r.table, r.envelope.at_ms, r.position.seq) for r in heard if isinstance(r, Observed))
    assert observed == [("t1", 0, 1), ("t1", 0, 2), ("t2", 1, 1), ("t2", 1, 2)]
    assert {r.table for r in heard} == {"t1", "t2"}
    node.stop()
    said: set[tuple[str, str]] = set()
    while len(said) < 2:  # a last will that comes as well says the same again
        last = ear.hear()
        said.add((last.topic.split("/")[3], json.loads(last.payload)["state"]))
    assert said == {("t1", "offline"), ("t2", "offline")}
    for one in (ear, *cams):
        one.link.stop()


def test_the_last_state_is_said_again_after_a_connection_was_lost(broker: Broker, engine: Engine) -> None:
    engine.until(lambda: bool(engine.of(Connection)))
    broker.kill()
    engine.until(lambda: engine.of(Connection)[-1].up is False)
    for n in range(3):
        engine.node.publish_state("t1", n, n, {})
    broker.start()
    engine.until(lambda: engine.of(Connection)[-1].up)
    time.sleep(0.5)  # NATS shows a message that is being retained to nobody who subscribes in that moment
    late = Speaker(broker.door("viewer"), "late", TOPICS.state)
    while json.loads(late.hear().payload)["state_seq"] != 2:
        pass
    late.link.stop()


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
