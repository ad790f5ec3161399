"""A table that speaks Modbus RTU: a real server of another library on a pty, polled by the whole bridge."""

import asyncio
import os
import threading
import tty

import pytest
from bench_parts import MemoryNode, Rig, until
from pymodbus import FramerType
from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice

from firmware_bridge.devices.modbus import COMMANDS, ModbusDevice
from table_engine.wire.clock import SystemClock
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
    SetComplete,
    TileMissing,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import Seat

START = [0, 0, 0xFFFF, 0, 34, 34, 34, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 136, 136]


class Machine:
    """The server in a thread of its own, at one end of two ptys that are joined."""

    def __init__(self):
        masters, self._slaves = zip(*(os.openpty() for _ in range(2)), strict=True)
        for end in self._slaves:
            tty.setraw(end)
        self.port = os.ttyname(self._slaves[1])
        self._masters = masters
        self._loop = asyncio.new_event_loop()
        for one, other in (masters, masters[::-1]):
            self._loop.add_reader(one, lambda one=one, other=other: os.write(other, os.read(one, 4096)))
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._up.wait(20)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.run_forever()

    async def _serve(self):
        registers = [
            SimData(0, values=START, datatype=DataType.REGISTERS),
            SimData(100, values=[0, 0], datatype=DataType.REGISTERS),  # lift and lock; it cannot identify itself
        ]
        self.server = ModbusSerialServer(
            SimDevice(1, registers), framer=FramerType.RTU, port=os.ttyname(self._slaves[0]), baudrate=115_200
        )
        await self.server.serve_forever(background=True)
        self._up.set()

    def _do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    def set(self, address, *values):
        self._do(self.server.async_setValues(1, 6 if len(values) == 1 else 16, address, list(values)))

    def get(self, address):
        return self._do(self.server.async_getValues(1, 3, address, 1))[0]

    def stop(self):
        self._do(self.server.shutdown())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        for end in (*self._masters, *self._slaves):
            os.close(end)


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.stop()


@pytest.fixture
def rig(machine):
    rig = Rig(machine.port, SystemClock(), MemoryNode(), device="modbus")
    yield rig
    rig.stop()


def seen(rig):
    return [o for _, o in rig.node.put if not isinstance(o, Watermark | Health)]


def test_registers_become_observations_and_moments_are_counted(machine, rig):
    until(lambda: rig.node.health and rig.node.health.state == "ok" and rig.node.of(Watermark), rig.turn)
    assert {o.side: o.count for o in rig.node.of(WallCount)} == dict.fromkeys(Seat, 34)
    assert not rig.node.of(Dice), "what happened before we listened is no news"
    rig.node.put.clear()
    steps = [
        ((0, 1, 0x53), Dice(dice=(3, 5))),
        ((2, 2), Dealer(seat=Seat.S2)),
        ((3, 4), Honba(count=4)),
        ((5, 33), WallCount(side=Seat.S1, count=33)),
        ((8, 0b1000), HandZone(side=Seat.S3, present=True)),
        ((9, 5), DiscardZone(seat=Seat.S0, count=5)),
        ((13, 0b0010), DiscardZone(seat=Seat.S1, count=0, touched=True)),
        ((14, 1), Bay(open=True)),
        ((15, 1, 144), SetComplete(tiles=144)),
        ((17, 0b0100), ReadyStick(seat=Seat.S2, present=True)),
        ((18, 1, 0x31), Button(seat=Seat.S1, call="win")),
        ((20, 0b10), Jam(place="washer", present=True)),
        ((22, 135), TileMissing(expected=136, counted=135)),
        ((0, 2, 0x53), Dice(dice=(3, 5))),
    ]
    for n, (values, _) in enumerate(steps, 1):
        machine.set(*values)
        until(lambda n=n: len(seen(rig)) >= n, rig.turn)
    assert seen(rig) == [observation for _, observation in steps]
    at = [at for at, o in rig.node.put if not isinstance(o, Health)]
    assert at == sorted(at)
    assert "stuck in the washer" in str(rig.node.health.degraded)


def test_what_happens_twice_between_two_questions_is_counted_as_missed(machine, rig):
    until(lambda: rig.node.of(Watermark), rig.turn)
    machine.set(18, 3, 0x01)
    until(lambda: rig.node.of(Button), rig.turn)
    assert rig.bridge._device.counters["missed"] == 2


def test_commands_write_registers_and_are_refused_by_the_machine(machine, rig):
    until(lambda: rig.node.of(Watermark), rig.turn)
    lock = rig.bridge.command("lock", {"locked": 1})
    until(lock.done, rig.turn)
    assert lock.result() == {"result": "done"}
    assert machine.get(COMMANDS["lock"][0]) == 1
    identify = rig.bridge.command("identify", {"seconds": 3})
    until(identify.done, rig.turn)
    with pytest.raises(DeviceError, match="refuses"):
        identify.result()
    with pytest.raises(DeviceError, match="this machine has lift, lock, identify"):
        rig.bridge.command("beep", {})


def test_rebirth_tells_everything_again(rig):
    until(lambda: rig.node.of(Watermark), rig.turn)
    before = len(rig.node.of(WallCount))
    rig.bridge.tell_all({})
    until(lambda: len(rig.node.of(WallCount)) == before + 4, rig.turn)


def test_a_machine_that_does_not_answer_is_said():
    master, slave = os.openpty()
    tty.setraw(slave)
    rig = Rig(os.ttyname(slave), SystemClock(), MemoryNode(), device="modbus")
    try:
        until(lambda: rig.node.health and "does not answer" in str(rig.node.health.degraded), rig.turn)
    finally:
        rig.stop()
        os.close(master)
        os.close(slave)


def test_noise_is_survived():
    device = ModbusDevice()
    device.opened(0)
    for now in range(0, 5_000, 50):
        device.tick(now)
        device.receive(os.urandom(40), now)
    assert len(device._held) <= 260
