"""What is said reaches whom it is for and nobody else, and what is commanded is done once and answered."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from pydantic import JsonValue
from wire_brokers import TOPICS, Broker, Engine, Speaker
from wire_sensor import CAM1, EV, ROLL, SensorOf, SpeakerOf, ats, envelope

from table_engine.wire.access import ENGINE_ROLE, OPERATOR_ROLE, REFEREE_ROLE, VIEWER_ROLE, node_role
from table_engine.wire.actions import Discarded
from table_engine.wire.alerts import Alert, AlertRaised
from table_engine.wire.consumer import EngineNode
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import RackSeen
from table_engine.wire.received import Answered, Birth, Connection, Observed, Received
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from table_engine.wire.topics import Topics


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
