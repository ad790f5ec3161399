"""Recent frames are kept, written when asked, and show nothing but the table."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from table_engine.wire.errors import CameraError
from table_engine.wire.layout import Layout
from vision.calibrate import from_corners
from vision.evidence import Evidence, cropped
from vision.frame import Frame
from vision.labels import FACE, TOP
from vision.preview import Preview, outline
from vision.sighting import Sighting

CORNERS = np.array([[200.0, 550.0], [600.0, 550.0], [560.0, 150.0], [240.0, 150.0]])


@pytest.fixture
def calibration():
    return from_corners(Layout(), (800, 600), CORNERS)


def frame(at_ms: int, level: int = 120) -> Frame:
    return Frame(at_ms, at_ms // 100, image=np.full((600, 800, 3), level, np.uint8))


def filled(folder, calibration, count: int = 60, **settings) -> Evidence:
    """Frames 100 ms apart, from 0 on."""
    evidence = Evidence(folder, "top", **settings)
    evidence.sees(calibration)
    for n in range(count):
        evidence.keep(frame(100 * n))
    return evidence


def test_what_was_asked_for_is_written(tmp_path, calibration):
    evidence = filled(tmp_path, calibration)
    answer = evidence.ask({"key": "alert:7/x", "from_ms": 1_000, "to_ms": 3_000, "at_ms": 2_000})
    assert answer.result(10) == {"frames": 11, "folder": "alert_7_x"}
    names = sorted(int(p.stem) for p in (tmp_path / "alert_7_x" / "top").glob("*.jpg"))
    assert names == list(range(1_000, 3_001, 200))
    evidence.close()


def test_what_is_still_to_come_is_waited_for(tmp_path, calibration):
    evidence = filled(tmp_path, calibration)
    answer = evidence.ask({"key": "k", "from_ms": 5_000, "to_ms": 6_200})
    assert not answer.done()
    for n in range(60, 65):
        evidence.keep(frame(100 * n))
    assert answer.result(10)["frames"] == 7
    evidence.close()


def test_at_the_end_what_there_is_is_written(tmp_path, calibration):
    evidence = filled(tmp_path, calibration)
    answer = evidence.ask({"key": "k", "from_ms": 5_000, "to_ms": 20_000})
    evidence.close()
    assert answer.result(0)["frames"] == 5


def test_old_frames_go(tmp_path, calibration):
    evidence = filled(tmp_path, calibration, seconds=2.0)
    assert evidence.ask({"key": "k", "from_ms": 2_000, "to_ms": 3_500}).result(10)["frames"] == 0
    assert evidence.ask({"key": "k", "from_ms": 4_000, "to_ms": 5_800}).result(10)["frames"] == 10
    evidence.close()


def test_memory_is_bounded(tmp_path, calibration):
    rng = np.random.default_rng(1)
    evidence = Evidence(tmp_path, "top", seconds=1_000.0, megabytes=1)
    evidence.sees(calibration)
    for n in range(20):
        evidence.keep(Frame(1_000 * n, n, image=rng.integers(0, 255, (600, 800, 3), np.uint8)))
    kept = evidence.ask({"key": "k", "from_ms": 0, "to_ms": 19_000}).result(10)["frames"]
    assert 1 <= kept < 6
    evidence.close()


def test_a_clock_set_back_starts_the_ring_anew(tmp_path, calibration):
    evidence = filled(tmp_path, calibration)
    evidence.keep(frame(500))
    evidence.keep(frame(800))
    assert evidence.ask({"key": "k", "from_ms": 0, "to_ms": 800}).result(10)["frames"] == 2
    evidence.close()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"key": "k", "from_ms": 0}, "to_ms"),
        ({"key": "", "from_ms": 0, "to_ms": 1}, "key"),
        ({"key": "k", "from_ms": 5, "to_ms": 1}, "before"),
        ({"key": "k", "from_ms": 0, "to_ms": 900_000}, "evidence_seconds"),
    ],
)
def test_what_cannot_be_had_is_refused(tmp_path, calibration, data, says):
    evidence = filled(tmp_path, calibration)
    with pytest.raises(ValueError, match=says):
        evidence.ask(data)
    evidence.close()


def test_nothing_is_written_while_nobody_knows_where_the_table_is(tmp_path):
    evidence = filled(tmp_path, None)
    with pytest.raises(CameraError, match="not calibrated"):
        evidence.ask({"key": "k", "from_ms": 0, "to_ms": 1_000}).result(10)
    assert not list(tmp_path.rglob("*.jpg"))
    evidence.close()


def test_a_full_disk_is_said(tmp_path, calibration):
    (tmp_path / "file").write_text("in the way")
    evidence = filled(tmp_path / "file", calibration)
    with pytest.raises(CameraError, match="cannot be written"):
        evidence.ask({"key": "k", "from_ms": 0, "to_ms": 1_000}).result(10)
    evidence.close()


@pytest.mark.parametrize("grow", [1, 2])
def test_people_around_the_table_are_blacked_out(calibration, grow):
    white = np.full((600 * grow, 800 * grow, 3), 255, np.uint8)
    shown = cropped(white, calibration)
    assert shown.shape[1] <= 960
    corner = shown[:8, :8]
    assert not corner.any()
    assert (shown[shown.shape[0] // 2, shown.shape[1] // 2] == 255).all()
    assert 0.5 < (shown[..., 0] == 255).mean() < 0.95


def test_the_preview_says_what_is_known(tmp_path, calibration):
    preview = Preview(tmp_path / "t1", "top")
    tile = Sighting(0.0, 0.0, 0.0, FACE, "5p", 0.97, 0.9)
    preview.show(frame(1_000), calibration, [tile], 5.0)
    preview.show(frame(1_100), None, [], 5.5)
    said = json.loads((tmp_path / "t1" / "top.json").read_text())
    assert said["at_ms"] == 1_000
    assert np.allclose(said["corners_px"], CORNERS, atol=1.0)
    assert said["tiles"][0]["code"] == "5p"
    assert cv2.imread(str(tmp_path / "t1" / "top.jpg")).shape == (600, 800, 3)
    preview.show(frame(2_000), None, [], 6.5, "the picture is black")
    said = json.loads((tmp_path / "t1" / "top.json").read_text())
    assert (said["trouble"], said["tiles"], said["fps"]) == ("the picture is black", [], 1.3)


def test_an_outline_has_the_size_of_what_is_seen(calibration):
    tile = calibration.layout.tile
    face = calibration.locate(outline(calibration, Sighting(30.0, 40.0, 90.0, FACE, "5p", 1.0, 1.0)), tile.depth)
    assert np.allclose(np.ptp(face, axis=0), [tile.length, tile.width], atol=0.5)
    assert np.allclose(face.mean(axis=0), [30.0, 40.0], atol=0.5)
    top = calibration.locate(outline(calibration, Sighting(0.0, 0.0, 0.0, TOP, "b", 1.0, 1.0)), tile.depth)
    assert np.allclose(sorted(np.ptp(top, axis=0)), [tile.depth, tile.width], atol=0.5)
