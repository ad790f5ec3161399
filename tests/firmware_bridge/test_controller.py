"""The virtual controller: the same seed meets the same faults, the ring holds what it says, lockstep settles."""

import threading
import time

import pytest
import serial

from firmware_bridge.framing import Decoder, Frame, encode
from firmware_bridge.link import Link
from firmware_bridge.link_events import Told, Whole
from firmware_bridge.messages import Ack, Birth, CommandAck, Gone, Nak, StateRequest, Tick, WallLeft, pack, unpack
from table_engine.wire.seats import SEATS, Seat
from virtual_table.controller import Controller, SensorFaults


@pytest.fixture
def wired(tmp_path):
    """Makes a controller with its port open at the other end; returns it, `hear` and `say`."""
    made = []

    def make(**options):
        device = Controller(tmp_path / "tty", **options)
        port = serial.serial_for_url(str(tmp_path / "tty"), timeout=0.03, exclusive=True)
        made.append((device, port))
        decoder = Decoder()

        def hear():
            """All that comes until it is quiet for a while: the kernel hands bytes over in its own time."""
            frames = []
            while data := port.read(4096):
                frames += decoder.feed(data)
            return [(unpack(f), f.seq) for f in frames if isinstance(f, Frame)]

        def say(message, seq=0):
            port.write(encode(pack(message, seq)))
            device.line.wait(1000)
            time.sleep(0.003)

        return device, hear, say

    yield make
    for device, port in made:
        port.close()
        device.close()


def play(device):
    """The same little game on any controller."""
    for n in range(200):
        device.tick(n * 100)
        device.wall(SEATS[n % 4], 34 - n // 6, n % 17)
        device.hand_zone(SEATS[n // 2 % 4], bool(n % 2))
        if n % 7 == 0:
            device.button(SEATS[n % 4], "pung")
        device.pump(n * 100)


def heard_from(path, **options):
    now = -3_600_000
    device = Controller(path, start_ms=now, **options)
    port = serial.serial_for_url(str(path), timeout=0)
    link, told = Link(), []
    link.opened()
    stop, whole = threading.Event(), threading.Event()

    def listen():
        while not stop.is_set():
            for event in link.receive(port.read(4096), 0):
                if isinstance(event, Told):
                    told.append(event.message)
                elif isinstance(event, Whole):
                    whole.set()
            link.confirm()
            port.write(link.to_send())

    thread = threading.Thread(target=listen)
    thread.start()
    while not whole.wait(0.001):
        now += 50
        device.pump(now)
    play(device)
    device.pump(30_000)
    assert device.settle(10)
    stop.set()
    thread.join()
    port.close()
    device.close()
    return told


FAULTS = SensorFaults(drop=0.1, duplicate=0.1, delay_ms=300, dead=frozenset({"buttons"}))


def test_the_same_seed_meets_the_same_faults(tmp_path):
    first = heard_from(tmp_path / "a", seed=3, faults=FAULTS)
    assert heard_from(tmp_path / "b", seed=3, faults=FAULTS, noise=0.002) == first
    assert heard_from(tmp_path / "c", seed=4, faults=FAULTS) != first


def test_faults_are_what_they_are_called(tmp_path):
    whole = heard_from(tmp_path / "a")
    assert len([m for m in whole if type(m).__name__ == "ButtonPressed"]) == 29
    less = heard_from(tmp_path / "b", faults=SensorFaults(drop=0.3))
    assert len(less) < len(whole)
    more = heard_from(tmp_path / "c", faults=SensorFaults(duplicate=0.3))
    assert len(more) > len(whole)
    assert not [m for m in heard_from(tmp_path / "d", faults=FAULTS) if type(m).__name__ == "ButtonPressed"]
    late = heard_from(tmp_path / "e", faults=SensorFaults(delay_ms=500))
    walls = [(m.side, m.count, m.slot) for m in late if isinstance(m, WallLeft)]
    for side in SEATS:
        assert [w for w in walls if w[0] == side] == [
            (m.side, m.count, m.slot) for m in whole if isinstance(m, WallLeft) and m.side == side
        ], "readings of one sensor keep their order"


def test_birth_is_repeated_until_somebody_speaks(wired):
    device, hear, say = wired()
    for now in range(0, 3100, 100):
        device.pump(now)
    assert len([m for m, _ in hear() if isinstance(m, Birth)]) == 3
    say(StateRequest(5))
    device.pump(3200)
    ((again, seq),) = [(m, s) for m, s in hear() if isinstance(m, Birth)]
    assert (again.request, again.first, seq) == (5, 0, 0xFFFF)
    for now in range(3200, 6000, 100):
        device.pump(now)
    assert not [m for m, _ in hear() if isinstance(m, Birth)]


def test_ring_resends_and_names_what_is_gone(wired):
    device, hear, say = wired(ring=16)
    for n in range(20):
        device.wall(Seat.S0, n)
    device.pump(10)
    assert [s for m, s in hear() if isinstance(m, WallLeft)] == list(range(4, 20))
    say(Nak(2), 9)
    device.pump(20)
    assert [s for _, s in hear()] == [9, 10]
    say(Nak(1), 3)
    device.pump(30)
    assert hear() == [(Gone(), 4)]
    say(Ack(), 18)
    device.pump(40)
    assert device.backlog == 1
    say(Ack(), 7)  # an old one, late
    device.pump(50)
    assert device.backlog == 1


def test_no_more_than_a_window_is_under_way_and_the_tick_waits(wired):
    device, hear, say = wired(ring=64)
    for n in range(40):
        device.wall(Seat.S0, n)
    device.pump(0)
    assert len(hear()) == 16
    device.pump(300)
    assert not [m for m, _ in hear() if isinstance(m, Tick)]
    say(Ack(), 15)
    device.pump(310)
    say(Ack(), 31)
    device.pump(320)
    device.pump(330)
    assert hear()[-1] == (Tick(320), 39)


def test_the_oldest_is_sent_again_by_the_devices_own_time(wired):
    device, hear, _ = wired()
    device.wall(Seat.S0, 1)
    device.pump(0)
    hear()
    for _ in range(50):
        device.pump(0)
    assert hear() == [], "no time has passed on the table"
    resent = []
    for now in range(100, 4000, 100):
        device.pump(now)
        resent += [now for m, _ in hear() if isinstance(m, WallLeft)]
    assert resent == [500, 1500, 3500], "and ever less often"


def test_an_unknown_command_is_answered_so(wired):
    device, hear, _ = wired()
    port = serial.serial_for_url(str(device.line.path), timeout=0)
    port.write(encode(Frame(0xF0, 1, b"x")) * 2)
    device.line.wait(1000)
    time.sleep(0.003)
    device.pump(0)
    assert hear() == [(CommandAck(1), 1)] * 2
    assert not device.commands
    port.close()


def test_a_state_is_told_once_until_it_changes(wired):
    device, hear, _ = wired()
    for _ in range(3):
        device.hand_zone(Seat.S1, True)
    device.pump(0)
    assert len(hear()) == 1


def test_settle_without_a_reader_returns_at_once(tmp_path):
    device = Controller(tmp_path / "tty")
    device.wall(Seat.S0, 1)
    device.pump(0)
    assert device.settle(5) is False
    device.close()
    assert not (tmp_path / "tty").is_symlink()
