"""A pushed camera without markers is noticed by the table's corners."""

from __future__ import annotations

import numpy as np
import pytest

from table_engine.wire.layout import Layout
from table_engine.wire.observations import Health
from table_engine.wire.settings import CameraSettings, TableSettings
from vision.anchors import Anchors
from vision.calibrate import from_corners
from vision.frame import Frame
from vision.runner import Loop

CORNERS = np.array([[200.0, 550.0], [600.0, 550.0], [560.0, 150.0], [240.0, 150.0]])


@pytest.fixture(scope="module")
def room() -> np.ndarray:
    """Blotches of all sizes, 600x800, as seen by the camera before the push; larger than the picture by 60 px around."""
    import cv2

    rng = np.random.default_rng(3)
    coarse = cv2.resize(rng.integers(30, 220, (36, 46, 3), np.uint8), (920, 720), interpolation=cv2.INTER_CUBIC)
    return np.clip(coarse + rng.normal(0, 3, coarse.shape), 0, 255).astype(np.uint8)


def seen(room: np.ndarray, dx: int = 0, dy: int = 0) -> np.ndarray:
    return room[60 + dy : 660 + dy, 60 + dx : 860 + dx].copy()


@pytest.fixture
def anchors(room) -> Anchors:
    return Anchors.of(from_corners(Layout(), (800, 600), CORNERS), seen(room))


def test_a_camera_at_rest_has_not_moved(anchors, room):
    darker = (seen(room) * 0.7 + 10).astype(np.uint8)
    assert anchors.moved_mm(darker) == pytest.approx(0.0, abs=0.2)


def test_a_pushed_camera_has(anchors, room):
    pushed = seen(room, dx=12, dy=-7)
    assert anchors.moved_mm(pushed) > 10
    assert np.allclose(anchors.corners_now(pushed), CORNERS + np.array([-12, 7]), atol=1.0)


def test_an_arm_over_a_corner_hides_only_that_one(anchors, room):
    pushed = seen(room, dx=10)
    pushed[500:, 150:260] = 90
    assert set(anchors.found(pushed)) == {1, 2, 3}
    assert np.allclose(anchors.corners_now(pushed), CORNERS + np.array([-10, 0]), atol=1.5)


def test_with_two_corners_hidden_nothing_is_said(anchors, room):
    hidden = seen(room, dx=10)
    hidden[450:] = 90
    assert anchors.moved_mm(hidden) is None
    assert anchors.corners_now(hidden) is None


def test_a_plain_room_gives_no_anchors():
    plain = Anchors.of(from_corners(Layout(), (800, 600), CORNERS), np.full((600, 800, 3), 90, np.uint8))
    assert plain.patches == {}
    assert plain.moved_mm(np.full((600, 800, 3), 90, np.uint8)) is None


class Heard:
    def __init__(self) -> None:
        self.said: list = []

    def put_all(self, observations) -> None:
        self.said += observations


def test_the_loop_says_it_and_follows(room):
    heard = Heard()
    corners = tuple((float(x), float(y)) for x, y in CORNERS)
    camera = CameraSettings(id="top", source="none", calibration="corners", corners_px=corners)
    watching = Loop(TableSettings(id="t1", cameras=(camera,)), camera, heard)
    watching.take(Frame(0, 0, image=seen(room)), 0)
    for n in range(1, 5):
        watching.take(Frame(3_100 * n, n, image=seen(room, dx=14)), 0)
    health = [word for _, word in heard.said if isinstance(word, Health)]
    assert any("has moved" in " ".join(h.degraded) for h in health)
    assert health[-1].state == "ok"
    half = watching.watcher.calibration.layout.half
    at = watching.watcher.calibration.project(np.array([[-half, -half, 0.0]]))[0]
    assert np.allclose(at, CORNERS[0] + np.array([-14, 0]), atol=1.0)
