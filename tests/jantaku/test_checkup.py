"""The doctor's single looks, each at a thing that is well and at the same thing broken."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from jantaku import checkup, checkup_wire
from jantaku.sites import free_port
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.settings import (
    BridgeSettings,
    BrokerSettings,
    CameraSettings,
    Site,
    TableSettings,
    WebSettings,
)


def _site(data: Path, **more: object) -> Site:
    return Site(data=data, tables=(TableSettings(id="one"),), **more)


def test_a_folder_that_cannot_be_written_is_broken(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    (finding,) = checkup.disk(_site(in_the_way))
    assert finding.state == "broken"
    assert str(in_the_way) in finding.says


def test_little_disk_is_said_before_it_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 10**9})
    monkeypatch.setattr(checkup.shutil, "disk_usage", lambda _: usage)
    (finding,) = checkup.disk(_site(tmp_path))
    assert (finding.state, bool(finding.do)) == ("warning", True)
    usage.free = 1_000_000
    (finding,) = checkup.disk(_site(tmp_path))
    assert finding.state == "broken"


def test_a_journal_from_the_future_means_a_clock_that_went_back(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite3"
    journal.touch()
    (finding,) = checkup.clock(_site(tmp_path))
    assert finding.state == "ok"
    later = time.time() + 3600
    os.utime(journal, (later, later))
    (finding,) = checkup.clock(_site(tmp_path))
    assert finding.state == "broken"
    assert "behind" in finding.says


def test_a_taken_web_address_says_which_key_to_change(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (finding,) = checkup.web(_site(tmp_path, web=WebSettings(port=port)))
    assert finding.state == "warning"
    assert f"127.0.0.1:{port}" in finding.says
    assert "web.port" in finding.do


def test_a_port_that_opens_and_one_that_is_held(tmp_path: Path) -> None:
    import serial

    master, slave = os.openpty()
    name = os.ttyname(slave)
    bridge = BridgeSettings(id="controller", port=name)
    site = Site(data=tmp_path, tables=(TableSettings(id="one", bridges=(bridge,)),))
    (finding,) = checkup.serial_ports(site)
    assert finding.state == "ok", finding
    with serial.Serial(name, exclusive=True):
        (finding,) = checkup.serial_ports(site)
    assert finding.state == "warning"
    assert "held by another program" in finding.says
    assert "fine if Jantaku runs already" in finding.do
    os.close(master)
    os.close(slave)


def test_a_port_that_is_not_there_is_told_with_those_that_are() -> None:
    bridge = BridgeSettings(id="controller", port="/dev/no-such-port")
    (finding,) = checkup.serial_ports(Site(tables=(TableSettings(id="one", bridges=(bridge,)),)))
    assert finding.state == "broken"
    assert "/dev/no-such-port: is not there" in finding.says
    assert "ports there now" in finding.do


@pytest.mark.parametrize(
    ("size", "grey", "state", "words"),
    [
        ((1920, 1080), 120, "ok", "1920x1080"),
        ((640, 480), 120, "warning", "1920x1080 or more"),
        ((1920, 1080), 2, "warning", "cover"),
    ],
)
def test_a_camera_is_judged_by_one_of_its_pictures(tmp_path: Path, size, grey: int, state: str, words: str) -> None:
    width, height = size
    cv2.imwrite(str(tmp_path / "0.png"), np.full((height, width, 3), grey, np.uint8))
    camera = CameraSettings(id="cam", source=str(tmp_path))
    (finding,) = checkup.cameras(Site(tables=(TableSettings(id="one", cameras=(camera,)),)))
    assert finding.state == state
    assert words in finding.says + finding.do


def test_what_a_camera_does_not_do_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf:
        """A device that refuses every setting."""

        def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
            return True

        def set(self, *_: object) -> bool:
            return False

        def get(self, _: int) -> float:
            return -1.0

        def read(self) -> tuple[bool, np.ndarray]:
            return True, np.full((1080, 1920, 3), 90, np.uint8)

        def release(self) -> None:
            return

    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: Deaf())
    camera = CameraSettings(id="cam", source="/dev/video0", exposure=156)
    gives, exposure = checkup.cameras(Site(tables=(TableSettings(id="one", cameras=(camera,)),)))
    assert gives.state == "ok"
    assert exposure.state == "warning"
    assert exposure.says == "camera /dev/video0: its exposure stays automatic"


def test_a_camera_that_is_not_there_is_broken() -> None:
    camera = CameraSettings(id="cam", source="/dev/no-such-camera")
    (finding,) = checkup.cameras(Site(tables=(TableSettings(id="one", cameras=(camera,)),)))
    assert finding.state == "broken"
    assert "/dev/no-such-camera" in finding.says


def test_a_broker_that_does_not_answer_is_told_with_its_address(tmp_path: Path) -> None:
    external = BrokerSettings(mode="external", port=free_port())
    (finding,) = checkup_wire.broker(_site(tmp_path, broker=external))
    assert finding.state == "broken"
    assert f"127.0.0.1:{external.port}" in finding.says


def test_a_running_broker_is_probed_with_every_sensors_own_user(tmp_path: Path) -> None:
    bridge = BridgeSettings(id="controller", port="/dev/null")
    embedded = BrokerSettings(port=free_port(), store=tmp_path / "broker")
    site = Site(data=tmp_path, broker=embedded, tables=(TableSettings(id="one", bridges=(bridge,)),))
    with EmbeddedBroker(site):
        findings = {f.what: f for f in checkup_wire.broker(site)}
    assert findings["broker"].says.startswith("our own broker runs")
    assert findings["broker rights"].state == "ok"


def test_a_publish_the_broker_drops_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway confirms what it denies; only the missing message tells."""
    bridge = BridgeSettings(id="controller", port="/dev/null")
    embedded = BrokerSettings(port=free_port(), store=tmp_path / "broker")
    site = Site(data=tmp_path, broker=embedded, tables=(TableSettings(id="one", bridges=(bridge,)),))
    monkeypatch.setattr(checkup_wire, "PATIENCE_S", 1.5)
    monkeypatch.setattr(EmbeddedBroker, "_users", _users_who_may_not_answer(EmbeddedBroker._users))
    with EmbeddedBroker(site) as server:
        findings = [f for f in checkup_wire.broker(site) if f.what == "broker rights"]
        assert server.denied()
    assert any(f.state == "broken" and "one/controller" in f.says for f in findings), findings


def _users_who_may_not_answer(users):
    def changed(self):
        made = users(self)
        for user in made:
            if user["user"] == "one.controller":
                user["permissions"]["publish"] = {"allow": ["mj.v1.home.one.controller.ev"]}
        return made

    return changed


def test_rules_that_are_not_known_are_broken(tmp_path: Path) -> None:
    tables = (TableSettings(id="one"), TableSettings(id="two", ruleset="bridge"))
    one, two = checkup.rules(Site(data=tmp_path, tables=tables))
    assert (one.state, two.state, two.what) == ("ok", "broken", "rules two")
    assert "no rule set 'bridge'" in two.says
