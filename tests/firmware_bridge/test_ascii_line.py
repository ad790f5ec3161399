"""The example of a foreign device: lines in, observations out, nothing that a line can say ends it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import fields
from firmware_bridge.device import Done, Introduced, Said, Trouble
from firmware_bridge.devices import DEVICES, ascii_line, modbus
from firmware_bridge.devices.ascii_line import CAPABILITIES, READINGS, AsciiLineDevice, line
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import Button, Dice, HandZone, Jam, WallCount, Watermark
from table_engine.wire.seats import Seat


def said(reports):
    return [r.observation for r in reports if isinstance(r, Said)]


def test_lines_become_observations_however_they_are_cut():
    wire = line("HELLO", "Orion T2", "3.1") + line("WALL", 1, 33) + line("DICE", 3, 5) + line("CALL", 3, 1)
    for size in (1, 7, len(wire)):
        device = AsciiLineDevice()
        reports = [r for n in range(0, len(wire), size) for r in device.receive(wire[n : n + size], 1_000)]
        assert reports[0] == Introduced("Orion T2", "3.1", "ascii-line", CAPABILITIES)
        assert said(reports) == [
            WallCount(side=Seat.S1, count=33),
            Dice(dice=(3, 5)),
            Button(seat=Seat.S3, call="pung"),
        ]
        assert device.counters == {"lines": 4, "bad_lines": 0, "unknown": 0}


def test_every_kind_of_line_is_understood():
    samples = {"DICE": (1, 2), "EAST": (0,), "DONE": (136,), "FLAP": (1,)}
    device = AsciiLineDevice()
    for kind in READINGS:
        assert len(said(device.receive(line(kind, *samples.get(kind, (1, 1))), 0))) == 1, kind


def test_a_jam_is_trouble_until_it_is_over():
    device = AsciiLineDevice()
    stuck, freed = (device.receive(line("JAM", 1, n), 5) for n in (1, 0))
    assert said(stuck) == [Jam(place="washer", present=True)]
    assert stuck[1] == Trouble("jam-washer", "tiles are stuck in the washer; open the table and free them", 5)
    assert freed[1] == Trouble("jam-washer", "", 5)


@pytest.mark.parametrize(
    "wrong",
    [
        b"$WALL,1,33*00\r\n",
        b"WALL,1,33\r\n",
        b"$" + b"x" * 5_000 + b"\r\n",
        b"\xff\xfe*\r\n",
        line("WALL", 9, 33),
        line("WALL", 1),
        line("WALL", "x", 2),
        line("CALL", 0, -1),
        line("DICE", 7, 1),
        line("HELLO"),
    ],
)
def test_a_line_that_cannot_be_is_counted(wrong):
    device = AsciiLineDevice()
    assert device.receive(wrong, 0) == []
    assert device.counters["bad_lines"] == 1
    assert said(device.receive(line("WALL", 1, 33), 0))


def test_a_flood_grows_nothing():
    device = AsciiLineDevice()
    for _ in range(1_000):
        device.receive(b"x" * 1_000, 0)
    assert len(device._held) < 100


@given(st.binary(max_size=400))
def test_no_bytes_end_it(data):
    AsciiLineDevice().receive(data, 0)


def test_moments_are_never_before_what_was_promised():
    device = AsciiLineDevice()
    device.opened(0)
    assert device.tick(100) == [], "never heard: nothing is promised"
    device.receive(line("HAND", 1, 1), 1_000)
    device.tick(1_100)
    assert device.tick(1_200)[-1] == Said(1_100, Watermark())
    assert device.receive(line("HAND", 1, 0), 1_050) == [Said(1_100, HandZone(side=Seat.S1, present=False))]


def test_silence_is_trouble_and_promises_nothing():
    device = AsciiLineDevice()
    device.receive(line("ALIVE"), 0)
    late = device.tick(10_000)
    assert late == [Trouble("silent", "says nothing; check its power and the cable", 10_000)]
    assert device.tick(11_000) == []
    device.receive(line("ALIVE"), 12_000)
    assert Trouble("silent", "", 12_000) in device.tick(12_000)


def test_the_state_is_asked_for_and_commands_are_answered_in_order():
    device = AsciiLineDevice()
    device.opened(0)
    assert device.to_send() == line("ASK")
    first = device.command("lift", {"up": True})
    second = device.command("lamp", {"seat": 2, "red": 9, "green": 0, "blue": 1})
    assert device.to_send() == line("LIFT", 1) + line("LAMP", 2, 9, 0, 1)
    reports = device.receive(line("NO") + line("OK") + line("OK"), 0)
    assert reports == [Done(first, "lift", "refused"), Done(second, "lamp", "done")]
    with pytest.raises(DeviceError, match="has lamp, lift, lock"):
        device.command("beep", {})
    with pytest.raises(ValueError, match="needs the numbers up"):
        device.command("lift", {"down": 1})


def test_an_answer_that_nobody_waits_for_any_more_is_not_the_next_ones():
    device = AsciiLineDevice()
    device.give_up(device.command("lift", {"up": True}))
    second = device.command("lock", {"locked": True})
    assert device.receive(line("NO") + line("OK"), 0) == [Done(second, "lock", "done")]
    for _ in range(16):
        device.give_up(device.command("lift", {"up": True}))
    with pytest.raises(DeviceError, match="has not answered 16 commands"):
        device.command("lift", {"up": True})
    device.opened(0)
    device.command("lift", {"up": True})


def test_damage_is_rarely_taken_for_a_line():
    """One exclusive or: about one burst in 256 gets through, which is why the reference protocol has more."""
    rng = random.Random(1)
    taken = 0
    for _ in range(2_000):
        wire = bytearray(line("WALL", 1, 33))
        for _ in range(3):
            wire[rng.randrange(len(wire) - 2)] = rng.randrange(256)
        taken += bool(said(AsciiLineDevice().receive(bytes(wire), 0)))
    assert taken < 20


@pytest.mark.parametrize("module", [ascii_line, modbus])
def test_foreign_devices_name_what_they_can_in_our_words(module):
    assert set(module.CAPABILITIES) <= set(fields.CAPABILITIES)
    assert set(module.COMMANDS) <= set(module.CAPABILITIES)


@pytest.mark.parametrize("kind", ["ascii-line", "modbus"])
def test_no_device_holds_endless_commands(kind):
    device = DEVICES[kind](request=1)
    for _ in range(16):
        device.command("lock", {"locked": True})
    with pytest.raises(DeviceError, match="16 commands"):
        device.command("lock", {"locked": True})
