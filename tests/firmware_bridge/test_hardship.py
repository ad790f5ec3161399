"""Session and device together over a line that damages much, with power cuts and pulled cables: it always finds back."""

import random

import pytest
from bench_parts import START_MS, three_dice

from firmware_bridge.link import Link
from firmware_bridge.link_events import Born, Gap, Told, Whole
from firmware_bridge.messages import DiceRolled
from table_engine.wire.seats import SEATS
from virtual_table import controller
from virtual_table.controller import Controller


class MemoryLine:
    """A line of this process: what one end writes the other reads, damaged."""

    connected = True

    def __init__(self, _path, *, noise=0.0, lose=0.0, seed=0):  # noqa: ARG002  # made as a pty is
        self._noise, self._random = noise, random.Random(f"memory {seed}")
        self.to_host, self.to_device = bytearray(), bytearray()

    def write(self, data):
        self.to_host += self._damaged(data)

    def read(self):
        data, self.to_device = bytes(self.to_device), bytearray()
        return data

    def flush(self):
        pass

    def tell(self, data):
        """What the host writes."""
        self.to_device += self._damaged(data)

    def heard(self):
        """What the host reads."""
        data, self.to_host = bytes(self.to_host), bytearray()
        return data

    def cut(self):
        self.to_host.clear()
        self.to_device.clear()

    def _damaged(self, data):
        out = bytearray()
        for byte in data:
            fate = self._random.random() / self._noise if self._noise else 2.0
            if fate > 1:
                out.append(byte)
            elif fate < 0.5:
                out.append(byte ^ 1 << self._random.randrange(8))
            elif fate < 0.75:
                out += bytes((byte, self._random.randrange(256)))
        return bytes(out)


@pytest.mark.parametrize("ring", [16, 64])
@pytest.mark.parametrize("seed", range(10))
def test_it_always_finds_back(monkeypatch, tmp_path, seed, ring):
    monkeypatch.setattr(controller, "PtyLine", MemoryLine)
    rng = random.Random(seed)
    device = Controller(tmp_path, seed=seed, ring=ring, noise=rng.choice((0.0, 0.002, 0.01)), start_ms=START_MS)
    link, rolls, said, events, now_ms = Link(request=seed + 1), three_dice(), [], [], START_MS
    link.opened()

    def live(steps, chance):
        nonlocal now_ms
        for _ in range(steps):
            now_ms += 20
            device.tick(now_ms)
            if rng.random() < chance:
                roll = next(rolls)
                said.append(roll)
                device.dice(roll)
                device.wall(SEATS[len(said) % 4], len(said) % 35)
                device.hand_zone(SEATS[len(said) % 4], len(said) % 8 < 4)
                device.ready_stick(SEATS[len(said) % 4], len(said) % 16 < 8)
                device.discard_zone(SEATS[len(said) % 4], len(said) % 20)
            device.pump(now_ms)
            events.extend(link.receive(device.line.heard(), now_ms))
            link.confirm()
            device.line.tell(link.to_send())

    for _ in range(12):
        live(rng.randrange(150), rng.choice((0.02, 0.2, 0.9)))
        match rng.randrange(4):
            case 0:
                device.reset()
            case 1:
                device.line.cut()
                link.opened()
            case 2:
                device.kill()
                live(rng.randrange(80), 0.1)
                device.reset()
            case _:
                device.line.cut()
    live(2_000, 0.0)  # forty seconds of rest
    assert not device.backlog
    assert any(isinstance(event, Whole) for event in events)
    assert link.birth.boot == device._boot
    told = [event for event in events if isinstance(event, Told) and isinstance(event.message, DiceRolled)]
    places = [(event.boot, event.seq) for event in told]
    assert len(set(places)) == len(places), "each once"
    rest = iter(said)
    rolled = [(event.message.first, event.message.second, event.message.third) for event in told]
    assert all(roll in rest for roll in rolled), "in order"
    if not any(isinstance(event, Gap) or (isinstance(event, Born) and event.reset) for event in events):
        assert rolled == said
    events.clear()
    live(200, 0.5)
    live(2_000, 0.0)
    told = [e.message for e in events if isinstance(e, Told) and isinstance(e.message, DiceRolled)]
    if not link.counters.gaps:
        assert [(m.first, m.second, m.third) for m in told] == said[-len(told) :]
    assert not device.backlog
