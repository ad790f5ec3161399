"""The camera model: projection and its inverse, the overhead view holds the table, agreement with OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_engine.wire.layout import Layout, TileSize
from virtual_table.render.view import Camera, Lens

LENSES = (Lens(), Lens(-0.12, 0.03, 0.001, -0.002), Lens(0.05))


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("tilt", [0.0, 12.0, 25.0])
@pytest.mark.parametrize("width", [26.0, 38.0])
def test_overhead_view_holds_the_layout(lens, tilt, width):
    layout = Layout(TileSize.of_width(width))
    camera = Camera.overhead(1920, 1080, layout.half, tilt_deg=tilt, azimuth_deg=-60, lens=lens)
    h = layout.half
    corners = camera.project(np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0.0], [0, -h, 40]]))
    assert (corners >= 0).all()
    assert (corners <= (1919, 1079)).all()
    assert corners[:, 1].max() - corners[:, 1].min() > 800  # and fills it


def test_seat_0_is_at_the_bottom_and_not_mirrored():
    camera = Camera.overhead(800, 600, 430)
    near, right = camera.project(np.array([[0, -300, 0], [300, 0, 0.0]]))
    assert near[1] > 400
    assert right[0] > 500


@settings(max_examples=60, deadline=None)
@given(
    elevation=st.floats(30, 90),
    azimuth=st.floats(-180, 180),
    x=st.floats(-300, 300),
    y=st.floats(-300, 300),
    z=st.floats(0, 40),
    lens=st.sampled_from(LENSES),
)
def test_ground_inverts_project(elevation, azimuth, x, y, z, lens):
    camera = Camera.aimed(
        1280, 960, focal=1500, distance=1500, elevation_deg=elevation, azimuth_deg=azimuth, roll_deg=7, lens=lens
    )
    pixel = camera.project(np.array([[x, y, z]]))
    assert np.allclose(camera.ground(pixel, z), [[x, y]], atol=0.5)


def test_agrees_with_opencv():
    lens = Lens(-0.1, 0.02, 0.001, 0.002)
    camera = Camera.aimed(1280, 720, focal=1100, distance=1300, elevation_deg=62, azimuth_deg=-75, lens=lens)
    rotation = np.array(camera.rotation).reshape(3, 3)
    inner = np.array([[1100, 0, camera.centre[0]], [0, 1100, camera.centre[1]], [0, 0, 1.0]])
    points = np.random.default_rng(1).uniform(-300, 300, (20, 3)) * (1, 1, 0.1)
    expected, _ = cv2.projectPoints(
        points,
        cv2.Rodrigues(rotation)[0],
        -rotation @ np.array(camera.position),
        inner,
        np.array([lens.k1, lens.k2, lens.p1, lens.p2]),
    )
    assert np.allclose(camera.project(points), expected[:, 0], atol=1e-6)


def test_what_lies_far_outside_does_not_fold_back_into_the_picture():
    camera = Camera.overhead(1280, 720, 430, lens=Lens(-0.2, 0.0))
    angles = np.linspace(0, 2 * np.pi, 12)
    for reach in (1500, 3000, 6000):
        pixels = camera.project(np.stack([reach * np.cos(angles), reach * np.sin(angles), np.zeros(12)], axis=1))
        inside = (pixels > 0).all(axis=1) & (pixels < (1280, 720)).all(axis=1)
        assert not inside.any()


def test_a_texture_lies_where_points_project():
    lens = Lens(-0.15, 0.03)
    camera = Camera.overhead(960, 720, 430, tilt_deg=15, lens=lens)
    texture = np.zeros((1000, 1000), np.uint8)
    cv2.circle(texture, (700, 250), 12, 255, -1)
    seen = camera.warp_plane(texture, 1.0, (-500.0, 500.0), (0, 0, 0))
    moments = cv2.moments(seen)
    middle = (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"])
    assert np.allclose(middle, camera.project(np.array([[200.5, 249.5, 0.0]]))[0], atol=0.4)
