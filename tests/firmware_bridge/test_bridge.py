"""The whole way over a pty: controller, noisy cable, port thread, session, adapter, node."""

import itertools
import os
import queue
import tracemalloc

import pytest
import serial
from bench_parts import HandClock, MemoryNode, Rig, three_dice, until

from firmware_bridge.bridge import Bridge, _drain
from firmware_bridge.device import Said
from firmware_bridge.devices.reference import COMMANDS, ReferenceDevice
from firmware_bridge.framing import Frame, encode
from firmware_bridge.messages import Birth, Gone, HandInZone, Lamp, Lift, Lock, Tick, TimeEcho, pack
from firmware_bridge.port import Lost, Opened, Received
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


def live(table, rig):
    until(
        lambda: rig.node.health and rig.node.health.state == "ok" and not table.device.backlog, lambda: table.step(rig)
    )


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


def test_unplugged_and_plugged_in_again(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.wall(Seat.S0, 34)
    until(lambda: rig.node.of(WallCount), lambda: table.step(rig))
    device.unplug()
    until(lambda: rig.node.health.state == "lost", lambda: table.step(rig))
    assert "went away; plug the table's cable in again" in rig.node.health.degraded[0]
    device.dice((1, 2))
    device.wall(Seat.S0, 33, 16)
    device.replug()
    live(table, rig)
    assert rig.node.of(Dice) == [Dice(dice=(1, 2))]
    assert rig.node.of(WallCount)[-1] == WallCount(side=Seat.S0, count=33, slot=16)


def test_what_the_ring_no_longer_holds_is_a_gap_and_the_state_is_read_again(table):
    device, rig = table.controller(ring=16), table.rig()
    live(table, rig)
    device.unplug()
    until(lambda: rig.node.health.state == "lost", lambda: table.step(rig))
    for seat, count in itertools.product(SEATS, range(1, 11)):
        device.discard_zone(seat, count)
    device.replug()
    live(table, rig)
    assert device.overwritten == 24
    assert any("24 of its messages are lost" in " ".join(h.degraded) for h in rig.node.of(type(rig.node.health)))
    last = {o.seat: o.count for o in rig.node.of(DiscardZone)}
    assert last == dict.fromkeys(SEATS, 10)


def test_a_reset_in_between_is_said_and_the_state_told_anew(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.dealer(Seat.S3)
    until(lambda: rig.node.of(Dealer), lambda: table.step(rig))
    device.kill()
    device.bay(True)
    table.step(rig, 500)
    device.reset()
    until(lambda: len(rig.node.of(Dealer)) == 2, lambda: table.step(rig))
    live(table, rig)
    assert rig.node.of(Bay) == [Bay(open=True)]
    assert any("has started anew" in " ".join(h.degraded) for h in rig.node.of(type(rig.node.health)))


def test_a_killed_bridge_goes_on_where_it_was(table):
    device, first = table.controller(), table.rig()
    live(table, first)
    rolls = three_dice()
    for _ in range(30):
        device.dice(next(rolls))
        table.step(first)
    until(lambda: not device.backlog, lambda: table.step(first))
    node = first.node
    device.dice(next(rolls))
    device.pump(table.clock.value)
    first.port.stop()  # nothing is said, nothing confirmed: as a kill leaves it
    for _ in range(50):
        device.dice(next(rolls))
        table.clock.value += 100
        device.pump(table.clock.value)
    second = table.rig(node)
    until(lambda: len(node.of(Dice)) >= 81, lambda: table.step(second))
    live(table, second)
    assert [o.dice for o in node.of(Dice)] == list(itertools.islice(three_dice(), 81))
    at = [at for at, o in node.put if isinstance(o, Dice | Watermark)]
    assert at == sorted(at)


def test_nothing_is_confirmed_while_the_disk_is_full(table):
    device, rig = table.controller(), table.rig(MemoryNode())
    live(table, rig)
    rig.node.full = True
    device.dice((2, 2))
    for _ in range(30):
        table.step(rig)
    assert device.backlog == 1
    rig.node.full = False
    until(lambda: not device.backlog, lambda: table.step(rig))
    assert rig.node.of(Dice) == [Dice(dice=(2, 2))]


def test_a_missing_port_is_said_in_words(table):
    rig = table.rig()
    until(lambda: rig.node.health is not None, rig.turn)
    until(lambda: "is not there; plug in the table's cable" in rig.node.health.degraded[0], rig.turn)
    assert rig.node.health.state == "lost"
    table.controller()
    live(table, rig)


def test_a_taken_port_is_said_in_words_and_taken_when_free(table):
    table.controller()
    other = serial.serial_for_url(str(table.path), exclusive=True)
    rig = table.rig()
    until(lambda: rig.node.health and "is held by another program" in rig.node.health.degraded[0], rig.turn)
    other.close()
    live(table, rig)


def test_a_file_is_no_port(table):
    table.path.write_text("x")
    rig = table.rig()
    until(lambda: rig.node.health and "is not a serial port" in rig.node.health.degraded[0], rig.turn)


def test_garbage_is_said_in_words(table):
    master, slave = os.openpty()
    table.path.symlink_to(os.ttyname(slave))
    rig = table.rig()

    def shout():
        os.write(master, os.urandom(40).replace(b"\n", b"x"))
        rig.turn()

    until(lambda: rig.node.health and any("not our protocol" in w for w in rig.node.health.degraded), shout)
    assert rig.node.health.state == "degraded"
    os.close(master)
    os.close(slave)


GOOD = [
    encode(pack(Birth(0, 7, 0, 0, 0, 16, 0xFFFF, "m", "1"), 0xFFFF)),
    *(encode(pack(Tick(n), 0xFFFF)) for n in range(1, 4_000)),
]
FLOODS = {
    "ticks": GOOD,
    "births": [encode(pack(Birth(0, n, 0, 0, 0, 16, 0xFFFF, "m", "1"), 0xFFFF)) for n in range(1_000)],
    "holes": [GOOD[0], *(encode(pack(HandInZone(0, 0, True), 2 * n)) for n in range(3_000))],
    "gone": [GOOD[0], *(encode(pack(Gone(), 100 * n % 0x10000)) for n in range(3_000))],
    "echoes": [GOOD[0], *(encode(pack(TimeEcho(n, -n))) for n in range(3_000))],
    "garbage and good ones": [part for one in GOOD[:500] for part in (b"\1" * 300 + b"\0", one)],
    "unknown": [encode(Frame(n % 256, n % 0x10000, bytes(8))) for n in range(3_000)],
}


@pytest.mark.parametrize("kind", FLOODS)
def test_no_flood_grows_what_is_held(kind):
    """What a device gone mad could say, as fast as the computer reads it."""
    bridge, node = Bridge(ReferenceDevice(request=7), HandClock()), MemoryNode()
    tracemalloc.start()
    for one in (FLOODS[kind][n : n + 500] for n in range(0, len(FLOODS[kind]), 500)):
        bridge.handle([Received(b"".join(one), 1_000)])
        assert len(bridge._unsaid) < 600
        assert len(bridge.say(node)) < 60_000
        node.put = node.put[-1:]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_000_000


def test_what_flickers_is_not_said_each_time():
    bridge, node = Bridge(ReferenceDevice(request=7), HandClock()), MemoryNode()
    for n in range(1_000):
        bridge.handle([Lost(DeviceError("port away"), n), Opened(n)])
        bridge.say(node)
    assert len(node.of(Health)) < 100
    assert any("port away" in word for health in node.of(Health) for word in health.degraded)


def test_one_turn_takes_no_more_than_a_turns_worth():
    events = queue.Queue()
    for n in range(100):
        events.put(Received(bytes(4096), n))
    assert [len(_drain(events, 0.0)) for _ in range(25)] == [4] * 25
    assert _drain(events, 0.0) == []


def test_a_silent_device_is_lost_by_the_clock_it_lives_in(table, monkeypatch):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.kill()
    monkeypatch.setattr("firmware_bridge.bridge._SILENT_S", 0.0)
    for _ in range(100):
        rig.turn()
    assert rig.node.health.state == "ok", "simulated time stands still, so nothing is late"
    table.clock.value += 11_000
    until(lambda: rig.node.health.state == "lost", rig.turn)
    assert "says nothing" in rig.node.health.degraded[0]
    device.reset()
    live(table, rig)


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


def test_machine_troubles_are_health(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.jam("washer", True)
    device.tile_missing(136, 135)
    until(lambda: len(rig.node.health.degraded) == 2, lambda: table.step(rig))
    assert rig.node.health.degraded == (
        "table controller tiles are stuck in the washer; open the table and free them",
        "table controller the set has 135 tiles instead of 136",
    )
    device.jam("washer", False)
    device.tile_missing(136, 136)
    live(table, rig)


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
