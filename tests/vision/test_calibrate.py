"""Calibration against simulated cameras whose geometry is known to the hair."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from vision_truth import calibrated

from table_engine.wire.errors import CameraError
from table_engine.wire.layout import MARKER_DICTIONARY, Layout, TileSize, to_table
from table_engine.wire.seats import Seat
from virtual_table.render.look import look
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera, Lens
from virtual_table.table import TableSnapshot
from vision import markers
from vision.calibrate import Calibration, from_corners, solve
from vision.rectify import Rectifier

EMPTY = TableSnapshot(0, ())
HEIGHTS = np.array(
    [[250, -252, 40], [-250, 252, 40], [100, -358, 35], [0, 0, 0], [-380, 380, 20], [306, 10, 20]], float
)


def off_mm(made: Calibration, camera: Camera, points: np.ndarray) -> float:
    """How far (mm) a calibration puts points of the table from where the camera sees them."""
    return float(np.abs(made.project(points) - camera.project(points)).max()) / camera.scale_at(0, 0)


@pytest.mark.parametrize(
    ("size", "tilt", "lens", "width"),
    [
        ((1920, 1080), 0, Lens(), 26.0),
        ((1920, 1080), 9, Lens(), 26.0),
        ((1920, 1080), 4, Lens(-0.1, 0.02), 26.0),
        ((3840, 2160), 6, Lens(), 32.0),
        ((1920, 1080), 0, Lens(), 38.0),
    ],
)
def test_markers_calibrate_to_less_than_a_millimetre(size, tilt, lens, width):
    layout = Layout(TileSize.of_width(width))
    camera = Camera.overhead(*size, layout.half, tilt_deg=tilt, lens=lens)
    picture = Renderer(camera, layout, look("japanese")).frame(EMPTY)
    told = (lens.k1, lens.k2, lens.p1, lens.p2)
    made = markers.calibrate(layout, picture, focal=camera.focal, distortion=told)
    assert made.error_mm < 1.0
    assert off_mm(made, camera, HEIGHTS * layout.scale) < 1.0


def test_without_a_focal_length_the_felt_is_exact_and_heights_are_near():
    layout = Layout()
    camera = Camera.overhead(1920, 1080, layout.half, tilt_deg=12)
    picture = Renderer(camera, layout).frame(EMPTY)
    made = markers.calibrate(layout, picture)
    felt = HEIGHTS * [1, 1, 0]
    assert off_mm(made, camera, felt) < 1.0
    assert off_mm(made, camera, HEIGHTS) < 2.0


def test_corners_calibrate_as_well_as_they_are_given():
    layout = Layout()
    camera = Camera.overhead(1920, 1080, layout.half, tilt_deg=5)
    half = layout.half
    corners = camera.project(np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]]))
    made = from_corners(layout, (1920, 1080), corners, focal=camera.focal)
    assert off_mm(made, camera, HEIGHTS) < 0.5


def test_a_point_goes_to_the_picture_and_back_at_every_height():
    camera = Camera.overhead(1920, 1080, 430, tilt_deg=7, lens=Lens(-0.08))
    made = calibrated(camera, Layout())
    for z in (0.0, 20.0, 40.0):
        points = np.array([[120.0, -200.0, z], [-300.0, 40.0, z]])
        np.testing.assert_allclose(made.locate(made.project(points), z), points[:, :2], atol=0.01)
        np.testing.assert_allclose(made.to_metric(made.to_rectified(points), z), points[:, :2], atol=0.01)


def test_the_rectified_picture_is_metric():
    layout = Layout()
    camera = Camera.overhead(1920, 1080, layout.half, tilt_deg=8)
    made = calibrated(camera, layout)
    image = np.zeros((1080, 1920, 3), np.uint8)
    points = np.array([[100.0, -200.0, 20.0], [-310.0, 305.0, 20.0]])
    for x, y in camera.project(points):
        cv2.circle(image, (round(float(x)), round(float(y))), 3, (255, 255, 255), -1)
    flat = Rectifier(made).whole(image)
    assert flat.shape == (made.side_px, made.side_px, 3)
    for x, y in made.scale(points[:, :2]):
        assert flat[round(y), round(x)].min() > 100


def test_a_window_is_cut_from_the_whole():
    made = calibrated(Camera.overhead(1920, 1080, 430, tilt_deg=3, lens=Lens(-0.05)), Layout())
    image = np.random.default_rng(1).integers(0, 255, (1080, 1920, 3), np.uint8)
    rectifier = Rectifier(made)
    window = (300, 200, 420, 290)
    whole = rectifier.whole(image)[200:290, 300:420].astype(int)
    assert np.abs(rectifier.window(image, window).astype(int) - whole).mean() < 1.0


def test_a_bumped_camera_is_noticed_and_a_still_one_is_not():
    layout = Layout()
    camera = Camera.overhead(1920, 1080, layout.half)
    picture = Renderer(camera, layout).frame(EMPTY)
    made = markers.calibrate(layout, picture, focal=camera.focal)
    still = markers.moved_mm(made, picture)
    assert still is not None
    assert still < 0.5
    shift = np.float32([[1, 0, 12], [0, 1, -5]])
    pushed = cv2.warpAffine(picture, shift, (1920, 1080))
    moved = markers.moved_mm(made, pushed)
    assert moved is not None
    assert 7 < moved < 15
    assert markers.moved_mm(made, np.zeros_like(picture)) is None


def test_missing_markers_are_named():
    with pytest.raises(CameraError, match="markers 0, 1, 2, 3 are not seen"):
        markers.calibrate(Layout(), np.full((480, 640, 3), 90, np.uint8))


def test_points_in_a_wrong_order_are_refused():
    table = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * 400
    with pytest.raises(CameraError, match="one plane"):
        solve(Layout(), (1920, 1080), table, np.full((4, 2), 300.0))


@pytest.mark.parametrize("turned", [1, 2, 3])
def test_seat_0_sits_where_the_table_has_it_however_markers_and_corners_were_set(turned):
    """Quarter turns counter-clockwise: what lay before seat `turned` lies before seat 0."""
    layout = Layout()
    camera = Camera.overhead(1920, 1080, layout.half, tilt_deg=7)
    picture = Renderer(camera, layout, look()).frame(EMPTY)
    h = layout.half
    corners = camera.project(np.array([[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]]))
    wall, rack = (0.0, layout.wall_v, 40.0), (60.0, layout.rack_v, 35.0)
    marked = markers.calibrate(layout, picture, turned=turned, focal=camera.focal)
    for made in (marked, from_corners(layout, (1920, 1080), corners, turned=turned, focal=camera.focal)):
        seen = made.project(np.array([wall, rack]))
        lies = [(*to_table(Seat(turned), u, v), z) for u, v, z in (wall, rack)]
        assert np.abs(seen - camera.project(np.array(lies))).max() < 1.0
    assert (markers.moved_mm(marked, picture) or 0.0) < 1.0


def test_the_set_up_page_prints_the_markers_that_are_looked_for(repo):
    script = (repo / "table_engine" / "web" / "static" / "markers.js").read_text(encoding="utf-8")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
    for number in range(4):
        inner = cv2.aruco.generateImageMarker(dictionary, number, 6)[1:5, 1:5]
        assert f'"{"".join("1" if cell else "0" for cell in inner.ravel())}"' in script
