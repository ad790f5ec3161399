"""Exposure, white balance and focus: locked, read back, looked at again, and said where the camera does not do it."""

from __future__ import annotations

import logging

import cv2
import numpy as np
import pytest
from vision_device import AUTOMATIC, Device, opened

from table_engine.wire.clock import SystemClock
from table_engine.wire.errors import CameraError
from table_engine.wire.observations import Health, Watermark
from table_engine.wire.settings import CameraSettings
from vision.camera import Newest, open_source
from vision.http_stream import HttpStream
from vision.runner import noted

ASKED = {"exposure": 156, "white_balance": 4600, "focus": 30}


def test_what_is_asked_for_is_locked_and_read_back(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, **ASKED, width=1920, height=1080)
    assert source.notes == ()
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert device.values[cv2.CAP_PROP_EXPOSURE] == 156
    assert (device.values[cv2.CAP_PROP_AUTO_WB], device.values[cv2.CAP_PROP_WB_TEMPERATURE]) == (0, 4600)
    assert (device.values[cv2.CAP_PROP_AUTOFOCUS], device.values[cv2.CAP_PROP_FOCUS]) == (0, 30)


def test_what_is_left_to_the_camera_is_not_touched(monkeypatch):
    device = Device()
    assert opened(monkeypatch, device).notes == ()
    assert not set(device.asked) & {*AUTOMATIC, cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_FOCUS}


@pytest.mark.parametrize(
    ("device", "says"),
    [
        (Device(deaf=[cv2.CAP_PROP_AUTO_EXPOSURE]), "its exposure stays automatic; lock it in the camera's own menu"),
        (
            Device(stubborn=[cv2.CAP_PROP_AUTO_EXPOSURE]),
            "its exposure stays automatic; lock it in the camera's own menu",
        ),
        (Device(deaf=[cv2.CAP_PROP_EXPOSURE]), "does not take exposure = 156; set it in the camera's own menu"),
        (Device(stubborn=[cv2.CAP_PROP_EXPOSURE]), "takes exposure = 0 instead of 156; ask for a value it has"),
        (Device(steps={cv2.CAP_PROP_EXPOSURE: 100}), "takes exposure = 200 instead of 156; ask for a value it has"),
        (
            Device(stubborn=[cv2.CAP_PROP_AUTO_WB]),
            "its white_balance stays automatic; lock it in the camera's own menu",
        ),
        (Device(deaf=[cv2.CAP_PROP_FOCUS]), "does not take focus = 30; set it in the camera's own menu"),
        (Device(sizes=[(1280, 720)]), "gives 640x480 instead of 1920x1080; ask for a size it has"),
    ],
)
def test_what_is_not_done_is_said(monkeypatch, caplog, device, says):
    with caplog.at_level(logging.WARNING):
        source = opened(monkeypatch, device, **ASKED, width=1920, height=1080)
    assert source.notes == (f"camera /dev/video0: {says}",)
    assert caplog.messages == list(source.notes)


def test_a_step_of_the_camera_is_near_enough(monkeypatch):
    assert opened(monkeypatch, Device(steps={cv2.CAP_PROP_WB_TEMPERATURE: 125}), **ASKED).notes == ()


def test_a_camera_that_forgets_is_told_again(monkeypatch):
    device = Device(forgets=3)
    source = opened(monkeypatch, device, **ASKED)
    for _ in range(4):
        source.read()
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3
    source.read()
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert source.notes == ()


def test_a_camera_that_will_not_hold_is_said_later(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, **ASKED)
    device.stubborn, device.values[cv2.CAP_PROP_AUTO_EXPOSURE] = [cv2.CAP_PROP_AUTO_EXPOSURE], 3.0
    for _ in range(5):
        source.read()
    assert source.notes == ("camera /dev/video0: its exposure stays automatic; lock it in the camera's own menu",)


def test_a_picture_that_cannot_be_decoded_is_the_cameras_trouble(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device)

    def broken() -> tuple[bool, np.ndarray]:
        raise cv2.error("bad data")

    device.read = broken
    with pytest.raises(CameraError, match="camera /dev/video0: a picture cannot be decoded"):
        source.read()


@pytest.mark.parametrize("shape", [(48, 64), (48, 64, 1), (48, 64, 3), (48, 64, 4)])
def test_grey_pictures_and_such_with_alpha_are_pictures(monkeypatch, shape):
    device = Device()
    source = opened(monkeypatch, device)
    device.read = lambda: (True, np.full(shape, 90, np.uint8))
    image = source.read().image
    assert image.shape == (48, 64, 3)
    assert (image == 90).all()


def test_pictures_of_sixteen_bits_are_refused_with_what_to_do(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device)
    device.read = lambda: (True, np.full((48, 64), 9_000, np.uint16))
    with pytest.raises(CameraError, match="1 channels of 16 bits; set it to MJPEG, YUYV or 8 bits"):
        source.read()


def test_a_stream_that_takes_no_settings_says_so(monkeypatch):
    def connected(self: HttpStream, *_: object, **__: object) -> None:
        self.multipart, self.live, self.notes = True, False, ()

    monkeypatch.setattr(HttpStream, "__init__", connected)
    asked = CameraSettings(
        id="top", source="http://user:secret@cam/stream", exposure=100, white_balance="hold", focus=3
    )
    assert open_source(asked, SystemClock()).notes == (
        "camera http://cam/stream: exposure, white_balance, focus cannot be set through its stream; lock them in the camera's own menu",
    )


def test_health_says_what_the_camera_does_not_do_and_pictures_are_read(monkeypatch):
    source = Newest(opened(monkeypatch, Device(deaf=[cv2.CAP_PROP_FOCUS]), focus=30))
    said = [
        (1, Health(state="ok", counters={"frames": 3.0})),
        (1, Watermark()),
        (2, Health(state="lost", degraded=("x",))),
    ]
    told = noted(said, source)
    source.close()
    assert told[0][1] == Health(state="degraded", degraded=source.notes, counters={"frames": 3.0})
    assert told[1:] == said[1:]
    assert "does not take focus = 30" in source.notes[0]
    assert noted(said, None) == said
