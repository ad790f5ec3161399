"""The whole way of one camera: HTTP stream in, observations out, with the shipped nets."""

from __future__ import annotations

import errno
import threading
import time

import cv2
import numpy as np
import pytest
from vision_truth import jpeg

from table_engine.wire.clock import SystemClock
from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Layout
from table_engine.wire.observations import Health, Observation, Watermark, ZoneSeen
from table_engine.wire.settings import CameraSettings, Site, TableSettings
from virtual_table.camera import CameraServer
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision import runner
from vision.camera import Lost, frames
from vision.frame import Frame
from vision.runner import Loop, run

EMPTY = TableSnapshot(0, ())


class Heard:
    """Stands in for the wire."""

    def __init__(self) -> None:
        self.said: list[tuple[int, Observation]] = []

    def put_all(self, observations) -> None:
        self.said += observations

    def health(self) -> list[Health]:
        return [one for _, one in self.said if isinstance(one, Health)]


@pytest.fixture(scope="module")
def bare() -> np.ndarray:
    camera = Camera.overhead(1920, 1080, Layout().half)
    return Renderer(camera, Layout()).frame(EMPTY)


def loop(heard: Heard, **camera) -> Loop:
    settings = CameraSettings(id="top", source="none", **camera)
    return Loop(TableSettings(id="t1", cameras=(settings,)), settings, heard)


def shown(loop: Loop, images: list[np.ndarray], start_ms: int = 0, gap_ms: int = 200) -> None:
    for n, image in enumerate(images):
        loop.take(Frame(start_ms + n * gap_ms, n, jpeg=jpeg(image)), 0)


def test_a_stream_is_followed_from_the_network_to_the_wire(bare):
    heard = Heard()
    watching = loop(heard)
    stop = threading.Event()
    with CameraServer(1920, 1080, lockstep=True) as server:
        settings = watching.camera.model_copy(update={"source": server.url})

        def publish() -> None:
            server.wait_reader(20)
            for n in range(60):
                if stop.is_set():
                    break
                server.publish(bare, 5_000 + 100 * n)

        thread = threading.Thread(target=publish)
        seen = frames(settings, SystemClock(), stop, simulated=True)
        thread.start()
        for count, item in enumerate(seen):
            assert not isinstance(item, Lost)
            watching.take(item, 0)
            if count == 5:
                stop.set()
        thread.join(10)
    zones = [one for _, one in heard.said if isinstance(one, ZoneSeen)]
    assert len(zones) == 13
    assert all(not one.tiles for one in zones)
    assert {at_ms for at_ms, one in heard.said if isinstance(one, ZoneSeen)} <= set(range(5_000, 11_000, 100))
    assert any(isinstance(one, Watermark) for _, one in heard.said)
    assert heard.health()[-1].state == "ok"


def test_a_4k_picture_is_looked_at_in_half_its_size():
    heard = Heard()
    watching = loop(heard)
    camera = Camera.overhead(3840, 2160, Layout().half, tilt_deg=3)
    shown(watching, [Renderer(camera, Layout()).frame(EMPTY)] * 4)
    assert watching.watcher is not None
    made = watching.watcher.calibration
    assert made.size == (1920, 1080)
    points = np.array([[250.0, -252.0, 0.0], [-300.0, 306.0, 0.0]])
    np.testing.assert_allclose(made.project(points), (camera.project(points) - 0.5) / 2, atol=1.0)
    assert len([one for _, one in heard.said if isinstance(one, ZoneSeen)]) == 13


def test_a_table_without_markers_says_so_once_and_goes_on(bare):
    heard = Heard()
    watching = loop(heard)
    cloth = bare.copy()
    cloth[:, :700] = cloth[:, -700:] = (90, 100, 90)
    shown(watching, [cloth] * 3)
    assert len(heard.health()) == 1
    assert heard.health()[0].state == "degraded"
    assert "markers" in heard.health()[0].degraded[0]
    shown(watching, [bare] * 3, 1_000)
    assert heard.health()[-1].state == "ok"


def test_a_bumped_camera_says_so_then_calibrates_anew(bare):
    heard = Heard()
    watching = loop(heard)
    shown(watching, [bare] * 4)
    pushed = cv2.warpAffine(bare, np.float32([[1, 0, 14], [0, 1, 9]]), (1920, 1080), borderMode=cv2.BORDER_REPLICATE)
    shown(watching, [pushed] * 12, 4_000, 1_000)
    states = [one.state for one in heard.health()]
    assert "lost" in states
    assert states[-1] == "ok"
    assert any("moved" in word for one in heard.health() for word in one.degraded)


def test_a_camera_that_comes_back_with_another_size_is_calibrated_anew(bare):
    heard = Heard()
    watching = loop(heard)
    shown(watching, [bare] * 3)
    shown(watching, [cv2.resize(bare, (1280, 720), interpolation=cv2.INTER_AREA)] * 3, 1_000)
    assert watching.watcher is not None
    assert watching.watcher.calibration.size == (1280, 720)


def test_a_preview_that_cannot_be_written_is_no_trouble_of_the_camera(bare, caplog):
    class Full:
        shown = 0

        def show(self, *_) -> None:
            self.shown += 1
            raise OSError(errno.ENOSPC, "No space left on device")

    heard = Heard()
    watching = loop(heard)
    watching.preview = Full()
    shown(watching, [bare] * 4)
    assert watching.preview.shown == 4
    assert {one.state for one in heard.health()} == {"ok"}
    assert [one.message for one in caplog.records if "preview" in one.message] == [
        "top: the preview cannot be written (No space left on device); free space on the disk"
    ]


def test_a_lost_camera_is_told_once():
    heard = Heard()
    watching = loop(heard)
    for n in range(4):
        watching.take(Lost("camera http://x: no answer"), 1_000 * n)
    assert [one.state for one in heard.health()] == ["lost"]


def test_a_broken_picture_is_told_and_survived(bare):
    heard = Heard()
    watching = loop(heard)
    shown(watching, [bare] * 3)
    watching.take(Frame(2_000, 9, jpeg=b"nope"), 0)
    shown(watching, [bare] * 3, 2_500)
    assert any("no picture" in word for one in heard.health() for word in one.degraded)


def test_an_unknown_camera_is_named():
    site = Site(tables=(TableSettings(id="t1"),))
    with pytest.raises(SettingsError, match="no camera 'top'"):
        run(site, "t1", "top", threading.Event())


def test_a_folder_at_its_end_is_said_and_not_begun_again(tmp_path, monkeypatch):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "1.png").write_bytes(b"a text")
    settings = CameraSettings(id="top", source=str(tmp_path / "pictures"))
    site = Site(data=tmp_path, tables=(TableSettings(id="t1", cameras=(settings,)),))
    heard, stop = Node(), threading.Event()
    monkeypatch.setattr(runner, "SensorNode", lambda *_, **__: heard)
    monkeypatch.setattr(runner, "door", lambda *_: None)
    thread = threading.Thread(target=run, args=(site, "t1", "top", stop))
    thread.start()
    until = time.monotonic() + 20
    while len(heard.health()) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert thread.is_alive()
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
    assert [one.state for one in heard.health()] == ["lost", "lost"]
    assert "is no picture" in heard.health()[0].degraded[0]
    assert "is at its end" in heard.health()[1].degraded[0]


class Node(Heard):
    """A node that is never connected."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None
