"""The doctor tells how the tables behind the bridges are."""

import threading
import time

import pytest

from jantaku.checkup_bridges import Heard, bridges, judge
from jantaku.sites import free_port
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.messages import Availability, NodeInfo, Position
from table_engine.wire.settings import load_site
from virtual_table.controller import Controller

NOW = 1_000_000


def heard(state="online", device="ok", trouble=(), seen_ms=NOW - 2_000, **health):
    figures = {"frames": 50_000.0, "bad_frames": 3.0, "recovered": 3.0, "drift_ppm": -41.0, **health}
    info = NodeInfo(
        node="serial",
        kind="bridge",
        model="Orion",
        firmware="2",
        boot=1,
        first=Position(1, 1),
        seen_ms=seen_ms,
        health=figures,
    )
    return Heard(Availability(state=state, boot=1, device=device, trouble=trouble), info)


@pytest.mark.parametrize(
    ("said", "state", "words"),
    [
        (heard(), "ok", "Orion 2, heard 2 s before, 50000 frames, 3 damaged, 3 sent again, clock -41 ppm"),
        (Heard(), "warning", "has never run"),
        (heard(state="offline"), "warning", "is not running"),
        (heard(trouble=("disk full",)), "broken", "disk full"),
        (heard(device="lost"), "broken", "hears nothing of its table"),
        (heard(seen_ms=None), "broken", "hears nothing of its table"),
        (heard(seen_ms=NOW - 60_000), "broken", "heard 60 s before"),
        (heard(device="degraded"), "warning", "is not well"),
        (heard(bad_frames=900.0), "warning", "900 damaged"),
        (heard(lost=4.0), "warning", "4 lost"),
        (heard(clock_uncertainty_ms=400.0), "warning", "± 400 ms"),
    ],
)
def test_a_bridge_in_words(said, state, words):
    finding = judge("bridge t1/serial", said, NOW)
    assert finding.state == state
    assert words in finding.says
    assert bool(finding.do) == (state != "ok")


def test_a_running_bridge_is_asked_on_the_wire(tmp_path):
    from firmware_bridge.bridge import run

    (tmp_path / "site.toml").write_text(
        f'data = "var"\n[broker]\nport = {free_port()}\nstore = "broker"\n'
        f'[[tables]]\nid = "t1"\n[[tables.bridges]]\nid = "serial"\nport = "{tmp_path / "tty"}"\n'
    )
    site = load_site(tmp_path / "site.toml")
    assert list(bridges(site)) == [], "no broker runs"
    device, stop = Controller(tmp_path / "tty", start_ms=0), threading.Event()
    with EmbeddedBroker(site):
        bridge = threading.Thread(target=run, args=(site, "t1", "serial", stop))
        bridge.start()
        began, looked = time.monotonic(), []
        try:
            while (not looked or looked[-1].state != "ok") and time.monotonic() - began < 60:
                look = threading.Thread(target=lambda: looked.extend(bridges(site)))
                look.start()
                while look.is_alive():
                    device.pump(int(1000 * (time.monotonic() - began)))
                    time.sleep(0.01)
        finally:
            stop.set()
            bridge.join()
            device.close()
    finding = looked[-1]
    assert finding.state == "ok"
    assert finding.says.startswith("jantaku virtual 1.0, heard ")
    assert " frames, 0 damaged" in finding.says
