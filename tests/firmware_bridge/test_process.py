"""The bridge as a process of its own on the embedded broker: killed again and again, the engine hears everything once."""

import contextlib
import itertools
import random
import socket
import subprocess
import sys
import time
from typing import get_args

import pytest
from bench_parts import three_dice

from firmware_bridge.devices import DEVICES
from firmware_bridge.messages import Lamp, Lift
from table_engine.wire.access import ENGINE_ROLE, door
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.clock import SharedClock
from table_engine.wire.consumer import EngineNode
from table_engine.wire.observations import Dice, Health, Watermark
from table_engine.wire.received import Answered, Birth, Observed
from table_engine.wire.settings import BridgeSettings, Site, load_site
from virtual_table.controller import Controller

RUN = """
import sys, threading
from pathlib import Path
from firmware_bridge.bridge import run
from table_engine.wire.settings import load_site
run(load_site(Path(sys.argv[1])), "t1", "serial", threading.Event())
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.fixture
def site(tmp_path) -> Site:
    path = tmp_path / "site.toml"
    path.write_text(
        f'venue = "hall"\ndata = "var"\nclock = "clock"\n[broker]\nport = {free_port()}\nstore = "broker"\n'
        f'[[tables]]\nid = "t1"\n[[tables.bridges]]\nid = "serial"\nport = "{tmp_path / "tty"}"\n'
    )
    return load_site(path)


@pytest.fixture
def bridge(tmp_path):
    """Starts the bridge's process; `kill` kills it."""

    class Process:
        child = None

        def start(self):
            self.child = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path / "site.toml")])

        def kill(self):
            self.child.kill()
            self.child.wait()

    process = Process()
    yield process
    if process.child is not None and process.child.poll() is None:
        process.kill()


def test_killed_again_and_again_the_engine_hears_everything_once(site, tmp_path, bridge):
    rng = random.Random(4)
    clock = SharedClock(tmp_path / "clock", create=True)
    device = Controller(tmp_path / "tty", noise=0.0005, ring=512)
    heard = []
    with EmbeddedBroker(site), EngineNode(door(site, ENGINE_ROLE), "hall", ["t1"], boot=1, backoff_s=(1, 1)) as engine:
        bridge.start()
        rolls, sent, now = three_dice(), 0, 0
        kills = sorted(rng.sample(range(50, 950), 5))
        deadline = time.monotonic() + 120
        while sent < 1000 or device.backlog or sum(isinstance(o, Dice) for _, o in heard) < sent:
            assert time.monotonic() < deadline, f"{sent} sent, {len(heard)} heard, {device.backlog} held"
            now += 50
            clock.set_ms(now)
            if sent < 1000 and device.backlog < 100:
                device.dice(next(rolls))
                sent += 1
            device.pump(now)
            batch = engine.poll(0.002)
            heard += [(r.envelope.at_ms, r.envelope.data) for r in batch if isinstance(r, Observed)]
            engine.acknowledge(batch)
            if kills and sent >= kills[0]:
                time.sleep(rng.uniform(0, 0.05))  # somewhere in its work
                del kills[0]
                bridge.kill()
                bridge.start()
    device.close()
    dice = [o.dice for _, o in heard if isinstance(o, Dice)]
    assert dice == list(itertools.islice(three_dice(), 1000))
    assert not [o for _, o in heard if isinstance(o, Health) and any("lost" in w for w in o.degraded)]
    at = [at for at, o in heard if isinstance(o, Dice | Watermark)]
    assert at == sorted(at)


def test_who_the_device_is_stands_on_its_info(site, tmp_path, bridge):
    clock = SharedClock(tmp_path / "clock", create=True)
    device = Controller(tmp_path / "tty", capabilities=("dice", "wall"))
    with EmbeddedBroker(site), EngineNode(door(site, ENGINE_ROLE), "hall", ["t1"], boot=1, backoff_s=(1, 1)) as engine:
        bridge.start()
        births = []
        deadline = time.monotonic() + 30
        for now in itertools.count(0, 20):
            clock.set_ms(now)
            device.pump(now)
            births += [r.info for r in engine.poll(0.02) if isinstance(r, Birth)]
            if births and births[-1].model == "jantaku virtual":
                break
            assert time.monotonic() < deadline
        answers = []
        with contextlib.closing(device):
            engine.command("t1", "serial", "lamp", {"seat": 1, "red": 9, "green": 0, "blue": 0})
            while not answers:
                device.pump(now)
                answers += [r for r in engine.poll(0.02) if type(r).__name__ == "Answered"]
                assert time.monotonic() < deadline
    assert births[-1].capabilities == ("dice", "wall")
    assert births[-1].firmware == "1.0"
    assert "jantaku virtual has no lamp" in answers[0].response.error


def test_a_site_may_name_every_kind_of_device_there_is():
    assert set(get_args(BridgeSettings.model_fields["device"].annotation)) == set(DEVICES)


def test_the_engine_hears_what_the_device_says_of_a_command(site, tmp_path, bridge):
    clock = SharedClock(tmp_path / "clock", create=True)
    device = Controller(tmp_path / "tty", capabilities=("dice", "lamp", "lift"))
    device.results = {Lift: "refused"}
    asked, answers, infos = {}, {}, []
    with EmbeddedBroker(site), EngineNode(door(site, ENGINE_ROLE), "hall", ["t1"], boot=1, backoff_s=(1, 1)) as engine:
        bridge.start()
        now, deadline = 0, time.monotonic() + 60
        while len(answers) < 3 or not any(info.health.get("frames") for info in infos):
            assert time.monotonic() < deadline, (answers, infos)
            now += 50
            clock.set_ms(now)
            device.pump(now)
            batch = engine.poll(0.005)
            engine.acknowledge(batch)
            infos += [r.info for r in batch if isinstance(r, Birth)]
            answers |= {r.name: r.response for r in batch if isinstance(r, Answered)}
            if infos and infos[-1].model == "jantaku virtual" and not asked:
                asked["lamp"] = engine.command("t1", "serial", "lamp", {"seat": 1, "red": 9, "green": 0, "blue": 0})
                asked["lift"] = engine.command("t1", "serial", "lift", {"up": True})
                asked["beep"] = engine.command("t1", "serial", "beep", {"hertz": 440, "length_ms": 9})
    device.close()
    assert (answers["lamp"].status, answers["lamp"].data) == ("ok", {"result": "done"})
    assert "refuses to do this now" in answers["lift"].error
    assert answers["beep"].error == "serial beep: Beep: jantaku virtual has no beep"
    assert [type(command) for command in device.commands] == [Lamp]
    assert infos[-1].seen_ms is not None
