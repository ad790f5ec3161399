"""However much and whatever comes at once, what is held and what is said stay small."""

import queue
import tracemalloc

import pytest
from bench_parts import HandClock, MemoryNode

from firmware_bridge.bridge import Bridge, _drain
from firmware_bridge.devices.reference import ReferenceDevice
from firmware_bridge.framing import Frame, encode
from firmware_bridge.messages import Birth, Gone, HandInZone, Tick, TimeEcho, pack
from firmware_bridge.port import Lost, Opened, Received
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import Health

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
