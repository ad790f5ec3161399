"""What says "hold" is kept at what the camera chose for itself, or given back to it and said why."""

from __future__ import annotations

import logging

import cv2
import numpy as np
import pytest
from vision_device import AUTOMATIC, EXPOSURE, FOCUS, MANUAL, MODES, SUITS, WHITE_BALANCE, Device, opened

from vision.camera import Capture

HELD = {"exposure": "hold", "white_balance": "hold", "focus": "hold"}
ENOUGH = 200
"""Pictures after which everything has been tried."""


def watched(source: Capture, pictures: int = ENOUGH) -> Capture:
    for _ in range(pictures):
        source.read()
    return source


def modes(device: Device) -> dict[int, float]:
    return {mode: device.values[mode] for mode in AUTOMATIC}


def test_what_a_camera_chose_is_kept(monkeypatch):
    device = Device()
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert modes(device) == MANUAL
    assert {prop: device.values[prop] for prop in SUITS} == SUITS


def test_it_warms_up_first(monkeypatch):
    device = Device()
    source = watched(opened(monkeypatch, device, **HELD), 12)
    assert modes(device) == AUTOMATIC
    device.chosen[EXPOSURE] = 180.0
    watched(source)
    assert device.values[EXPOSURE] == 180


def test_quick_pictures_give_it_no_less_time(monkeypatch):
    device = Device()
    source = watched(opened(monkeypatch, device, exposure="hold", step_ms=8), 300)
    assert modes(device) == AUTOMATIC
    watched(source, 400)
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1


def test_numbers_are_locked_at_once_and_what_is_left_out_is_not_touched(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, exposure=200, white_balance="hold")
    assert device.uses(EXPOSURE) == 200
    assert watched(source).notes == ()
    assert device.uses(EXPOSURE) == 200
    assert (device.values[cv2.CAP_PROP_AUTO_WB], device.values[WHITE_BALANCE]) == (0, 4600)
    assert not {cv2.CAP_PROP_AUTOFOCUS, FOCUS} & set(device.asked)


def test_one_that_was_left_locked_chooses_anew(monkeypatch):
    """Cameras keep what they were told when whoever told them has gone."""
    device = Device(modes=MANUAL)
    device.values |= {EXPOSURE: 30.0, WHITE_BALANCE: 2800.0, FOCUS: 200.0}
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert {prop: device.values[prop] for prop in SUITS} == SUITS


@pytest.mark.parametrize(
    ("prop", "stale", "says"),
    [
        (EXPOSURE, 40.0, "its exposure cannot be held at what it chose, the picture then differs by 43%"),
        (EXPOSURE, 300.0, "its exposure cannot be held at what it chose, the picture then differs by 24%"),
        (WHITE_BALANCE, 2800.0, "its white_balance cannot be held at what it chose, the picture then differs by 17%"),
        (WHITE_BALANCE, 6500.0, "its white_balance cannot be held at what it chose, the picture then differs by 13%"),
        (FOCUS, 0.0, "its focus cannot be held at what it chose, the picture then differs by 89%"),
    ],
)
def test_one_that_says_something_stale_is_given_back(monkeypatch, caplog, prop, stale, says):
    device = Device(stale=[prop])
    device.values[prop] = stale
    with caplog.at_level(logging.WARNING):
        source = watched(opened(monkeypatch, device, **HELD))
    assert source.notes == (f"camera /dev/video0: {says}; ask for a number, or leave it automatic",)
    assert caplog.messages == list(source.notes)
    assert modes(device) == {**MANUAL, MODES[prop]: AUTOMATIC[MODES[prop]]}
    assert {p: device.uses(p) for p in SUITS} == SUITS


def test_it_is_given_back_the_mode_it_had(monkeypatch):
    device = Device(stale=[EXPOSURE], modes={**AUTOMATIC, cv2.CAP_PROP_AUTO_EXPOSURE: 0.0})
    assert watched(opened(monkeypatch, device, exposure="hold")).notes
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 0


@pytest.mark.parametrize(
    ("device", "says"),
    [
        (
            Device(deaf=[cv2.CAP_PROP_AUTO_EXPOSURE]),
            "its exposure stays automatic; lock it in the camera's own menu",
        ),
        (
            Device(stubborn=[cv2.CAP_PROP_AUTO_WB]),
            "its white_balance stays automatic; lock it in the camera's own menu",
        ),
        (Device(deaf=[FOCUS]), "does not take focus = -1; set it in the camera's own menu"),
        (Device(stubborn=[EXPOSURE]), "takes exposure = 0 instead of 157; ask for a value it has"),
        (Device(steps={EXPOSURE: 100}), "takes exposure = 200 instead of 157; ask for a value it has"),
    ],
)
def test_one_that_does_not_take_it_is_given_back(monkeypatch, device, says):
    assert watched(opened(monkeypatch, device, **HELD)).notes == (f"camera /dev/video0: {says}",)
    assert {prop: device.uses(prop) for prop in SUITS} == SUITS


def test_a_step_of_the_camera_is_near_enough(monkeypatch):
    device = Device(steps={EXPOSURE: 10, WHITE_BALANCE: 125})
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert (device.values[EXPOSURE], device.values[WHITE_BALANCE]) == (160, 4625)


def test_one_that_is_never_automatic_keeps_what_it_has(monkeypatch):
    device = Device(modes=MANUAL, stubborn=list(AUTOMATIC))
    device.values |= SUITS
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert {prop: device.values[prop] for prop in SUITS} == SUITS


def test_one_that_forgets_at_its_first_picture_warms_up_all_the_same(monkeypatch):
    device = Device(modes=MANUAL, forgets=1)
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert modes(device) == MANUAL
    assert {prop: device.values[prop] for prop in SUITS} == SUITS


def test_one_that_forgets_is_held_where_it_was(monkeypatch):
    device = Device(forgets=300)
    source = watched(opened(monkeypatch, device, **HELD))
    device.chosen = {EXPOSURE: 400.0, WHITE_BALANCE: 6000.0, FOCUS: 80.0}
    watched(source, 100)
    assert modes(device) == AUTOMATIC
    assert watched(source, 300).notes == ()
    assert modes(device) == MANUAL
    assert {prop: device.values[prop] for prop in SUITS} == SUITS


NOISE = np.random.default_rng(1).integers(0, 12, (270, 480, 3), np.uint8)


class Busy(Device):
    """Arms reach over half of the table, and the camera makes up for their sleeves, in every fourth picture from `first` on."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.first = first

    def read(self) -> tuple[bool, np.ndarray]:
        chance = np.random.default_rng(self.pictures)
        reached = self.pictures % 4 == self.first
        self.chosen[EXPOSURE] = SUITS[EXPOSURE] * (0.5 if reached else 1)
        good, image = super().read()
        out = cv2.add(image, np.roll(NOISE, self.pictures * 7, axis=0))
        for top in (0, 60, 120) if reached else ():
            left = int(chance.integers(0, 240))
            out[top : top + 140, left : left + 240] = chance.integers(10, 250, 3)
        return good, out


@pytest.mark.parametrize("first", range(4))
def test_arms_over_the_table_are_no_jump(monkeypatch, first):
    device = Busy(first)
    assert watched(opened(monkeypatch, device, **HELD)).notes == ()
    assert modes(device) == MANUAL
    assert device.values[EXPOSURE] == SUITS[EXPOSURE]


def test_an_arm_that_stays_is_no_jump(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, **HELD)
    bare = device.read

    def leant_over() -> tuple[bool, np.ndarray]:
        good, image = bare()
        image = image.copy()
        image[:, : 200 * (device.pictures // 13 % 2)] = 20
        return good, image

    device.read = leant_over
    assert watched(source).notes == ()


def test_nothing_is_kept_that_was_chosen_in_the_dark(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, exposure="hold")
    bright = device.read
    device.read = lambda: (True, np.full((270, 480, 3), 5, np.uint8))
    watched(source)
    assert modes(device) == AUTOMATIC
    device.read = bright
    watched(source)
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1


def test_a_lamp_that_goes_on_just_then_is_no_jump(monkeypatch):
    device = Device()
    source = opened(monkeypatch, device, exposure="hold")
    while device.values[cv2.CAP_PROP_AUTO_EXPOSURE] != 1:
        source.read()
    dim = device.read
    device.read = lambda: (True, cv2.convertScaleAbs(dim()[1], alpha=1.3))
    assert watched(source).notes == ()
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1


def test_a_film_has_nothing_to_hold(monkeypatch, tmp_path):
    (tmp_path / "film.mp4").touch()
    device = Device()
    assert watched(opened(monkeypatch, device, source=str(tmp_path / "film.mp4"), **HELD)).notes == ()
    assert device.asked == []
