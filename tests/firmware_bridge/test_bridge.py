"""The whole way over a pty, with controller, noisy cable, port thread, session, adapter and node: readings arrive, commands are done."""

import itertools

import pytest
from bench_parts import HandClock, MemoryNode, Rig, live, three_dice, until

from firmware_bridge.bridge import Bridge
from firmware_bridge.device import Said
from firmware_bridge.devices.reference import COMMANDS, ReferenceDevice
from firmware_bridge.messages import Lamp, Lift, Lock
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Health,
    Honba,
    Jam,
    ReadyStick,
    ScoreTray,
    SetComplete,
    TagSeen,
    TileMissing,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import SEATS, Seat
from virtual_table.controller import Controller


def test_every_reading_becomes_its_observation(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    rig.node.put.clear()
    device.dice((3, 4))
    device.dealer(Seat.S2)
    device.wall(Seat.S1, 33, 5)
    device.hand_zone(Seat.S3, True)
    device.discard_zone(Seat.S0, 7, touched=True)
    device.set_complete(144)
    device.bay(True)
    device.button(Seat.S1, "pung")
    device.ready_stick(Seat.S2, True)
    device.honba(3)
    device.score_tray(Seat.S3, 24_100)
    device.tag(1, 4, 0xE004_0150_1234_5678)
    device.tag(1, 4, 0)
    device.jam("lift", True)
    device.tile_missing(136, 135)
    until(lambda: rig.node.of(TileMissing), lambda: table.step(rig))
    seen = [o for _, o in rig.node.put if not isinstance(o, Watermark | Health)]
    assert seen == [
        Dice(dice=(3, 4)),
        Dealer(seat=Seat.S2),
        WallCount(side=Seat.S1, count=33, slot=5),
        HandZone(side=Seat.S3, present=True),
        DiscardZone(seat=Seat.S0, count=7, touched=True),
        SetComplete(tiles=144),
        Bay(open=True),
        Button(seat=Seat.S1, call="pung"),
        ReadyStick(seat=Seat.S2, present=True),
        Honba(count=3),
        ScoreTray(seat=Seat.S3, points=24_100),
        TagSeen(reader=1, slot=4, tag="e004015012345678"),
        TagSeen(reader=1, slot=4, tag=None),
        Jam(place="lift", present=True),
        TileMissing(expected=136, counted=135),
    ]


@pytest.mark.parametrize(("noise", "count"), [(0.0, 2_000), (0.001, 10_000), (0.01, 1_000)])
def test_a_bad_cable_delivers_everything_once_in_order(table, noise, count):
    device, rig = table.controller(noise=noise, seed=5), table.rig()
    live(table, rig)
    rolls = three_dice()
    sent = 0

    def play():
        nonlocal sent
        while sent < count and device.backlog < 16:
            device.dice(next(rolls))
            sent += 1
        table.step(rig, 5)

    until(lambda: len(rig.node.of(Dice)) >= count and not device.backlog, play, 60)
    assert [o.dice for o in rig.node.of(Dice)] == list(itertools.islice(three_dice(), count))
    counters = rig.bridge._device.counters
    assert counters["lost"] == counters["gaps"] == 0
    assert (counters["bad_frames"] > 0) == (noise > 0)


def test_times_are_the_readings_own_and_never_before_a_watermark(table):
    device, rig = table.controller(drift_ppm=300, start_ticks=2**32 - 3_000), table.rig()
    live(table, rig)
    rig.node.put.clear()
    when = []
    for roll in itertools.islice(three_dice(), 200):
        table.step(rig, 100)
        when.append(table.clock.value)
        device.dice(roll)
    until(lambda: len(rig.node.of(Dice)) == 200, lambda: table.step(rig))
    at = [at for at, o in rig.node.put if isinstance(o, Dice)]
    assert max(abs(a - b) for a, b in zip(at, when, strict=True)) <= 120
    told = [(at, o) for at, o in rig.node.put if isinstance(o, Dice | Watermark)]
    assert [a for a, _ in told] == sorted(a for a, _ in told)
    assert len(rig.node.of(Watermark)) >= 20 * 3


def test_a_computer_whose_clock_jumps_loses_nothing(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    rig.node.put.clear()
    own_ms, rolls, sent = table.clock.value, three_dice(), 0
    for by_ms in (0, -3_600_000, 7_200_000, -86_400_000, 400):
        table.clock.value += by_ms
        for _ in range(300):
            own_ms, table.clock.value = own_ms + 20, table.clock.value + 20
            device.tick(own_ms)
            if sent < 1_500 and device.backlog < 16:
                device.dice(next(rolls))
                sent += 1
            device.pump(own_ms)
            rig.turn()
        said = [word for health in rig.node.of(Health) for word in health.degraded]
        assert any("clock was set" in word for word in said) == (by_ms != 0)
        rig.node.put[:] = [(at, o) for at, o in rig.node.put if not isinstance(o, Health)]
        assert abs(rig.node.put[-1][0] - table.clock.value) < 1_000
    until(lambda: len(rig.node.of(Dice)) == sent, lambda: (device.pump(own_ms), rig.turn()))
    assert [o.dice for o in rig.node.of(Dice)] == list(itertools.islice(three_dice(), sent))


def test_several_tables_on_one_machine(tmp_path):
    clock, tables = HandClock(), []
    for n in range(4):
        device = Controller(tmp_path / f"tty{n}", seed=n, noise=0.002, start_ms=clock.value)
        tables.append((device, Rig(tmp_path / f"tty{n}", clock), itertools.islice(three_dice(), n, n + 200)))

    def step():
        clock.value += 10
        for device, rig, rolls in tables:
            for roll in itertools.islice(rolls, 1):
                device.dice(roll)
            device.pump(clock.value)
            rig.turn()

    until(lambda: all(len(rig.node.of(Dice)) == 200 for _, rig, _ in tables), step, 60)
    for n, (device, rig, _) in enumerate(tables):
        assert [o.dice for o in rig.node.of(Dice)] == list(itertools.islice(three_dice(), n, n + 200))
        rig.stop()
        device.close()


def test_commands_reach_the_device_once_and_only_if_it_can(table):
    device, rig = table.controller(noise=0.01, capabilities=("dice", "lamp")), table.rig()
    with pytest.raises(DeviceError, match="has not been heard yet"):
        rig.bridge.command("lamp", {"seat": 0, "red": 1, "green": 0, "blue": 0})
    live(table, rig)
    answers = [rig.bridge.command("lamp", {"seat": 2, "red": red, "green": 0, "blue": 9}) for red in range(10)]
    until(lambda: all(answer.done() for answer in answers), lambda: table.step(rig))
    assert [answer.result() for answer in answers] == [{"result": "done"}] * 10
    for _ in range(100):
        table.step(rig)
    assert list(device.commands) == [Lamp(2, red, 0, 9) for red in range(10)]
    with pytest.raises(DeviceError, match="jantaku virtual has no beep"):
        rig.bridge.command("beep", {"hertz": 440, "length_ms": 100})
    with pytest.raises(DeviceError, match=f"has {', '.join(COMMANDS)}"):
        rig.bridge.command("dance", {})
    with pytest.raises(ValueError, match=r"seat: 9 is not in 0\.\.4"):
        rig.bridge.command("lamp", {"seat": 9, "red": 0, "green": 0, "blue": 0})


def test_what_the_device_says_of_a_command_is_the_answer(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.results = {Lift: "refused", Lock: "unknown"}
    lift, lock = rig.bridge.command("lift", {"up": True}), rig.bridge.command("lock", {"locked": True})
    until(lock.done, lambda: table.step(rig))
    with pytest.raises(DeviceError, match="refuses to do this now"):
        lift.result()
    with pytest.raises(DeviceError, match="does not know how to do this"):
        lock.result()


def test_a_device_that_does_not_answer_is_said_and_its_old_commands_are_forgotten(table, monkeypatch):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    monkeypatch.setattr("firmware_bridge.bridge._ANSWER_S", 0.05)
    device.kill()
    old = [rig.bridge.command("beep", {"hertz": 440, "length_ms": n}) for n in range(1, 4)]
    until(lambda: all(answer.done() for answer in old), lambda: table.step(rig))
    with pytest.raises(DeviceError, match="has not answered within"):
        old[0].result()
    device.reset()
    live(table, rig)
    monkeypatch.setattr("firmware_bridge.bridge._ANSWER_S", 4.0)
    new = rig.bridge.command("beep", {"hertz": 440, "length_ms": 9})
    until(new.done, lambda: table.step(rig))
    assert [command.length_ms for command in device.commands] == [9]


def test_rebirth_tells_the_whole_state_again(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    for side in SEATS:
        device.wall(side, 34)
    until(lambda: len(rig.node.of(WallCount)) == 4, lambda: table.step(rig))
    rig.bridge.tell_all({})
    until(lambda: len(rig.node.of(WallCount)) == 8, lambda: table.step(rig))


def test_counters_are_on_the_wire(table):
    table.controller(), (rig := table.rig())
    live(table, rig)
    healths = len(rig.node.of(type(rig.node.health)))
    table.step(rig, 10_001)
    until(lambda: len(rig.node.of(type(rig.node.health))) > healths, lambda: table.step(rig))
    named = {
        "frames",
        "bad_frames",
        "crc_errors",
        "asked_again",
        "gaps",
        "resyncs",
        "drift_ppm",
        "clock_uncertainty_ms",
    }
    assert named | {"round_trip_ms", "opened", "commands_resent"} <= set(rig.node.health.counters)
    assert rig.bridge.standing.state == "ok"
    assert rig.bridge.standing.seen_ms is not None
    assert rig.bridge.standing.counters == rig.node.health.counters


def test_latency_is_from_the_readings_own_moment(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.dice((1, 1))
    table.clock.value += 40
    until(lambda: rig.node.of(Dice), lambda: table.step(rig, 0))
    table.step(rig, 10_001)
    until(lambda: "latency_ms" in rig.node.health.counters, lambda: table.step(rig))
    assert 0 < rig.node.health.counters["latency_ms"] <= 60


def test_a_tag_is_passed_on_only_where_the_engine_alone_hears_it():
    bridge, node = Bridge(ReferenceDevice(request=7), HandClock()), MemoryNode()
    bridge._report([Said(1_000, TagSeen(reader=1, slot=4, tag="e004015012345678"))])
    bridge.say(node)
    assert not node.of(TagSeen)
    (health,) = node.of(Health)
    assert any("set secret = true for this bridge" in words for words in health.degraded)
