from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision import quad


def tile(x: float, y: float, degrees: float, width: float = 26, length: float = 35) -> np.ndarray:
    """A face turned counter-clockwise as seen; corners from its top left clockwise."""
    turn = np.radians(-degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-width, -length], [width, -length], [width, length], [-width, length]]) / 2
    return (corners @ matrix.T + [x, y]).astype(np.float32)[None]


@given(st.floats(0, 2000), st.floats(0, 1000), st.floats(-180, 180), st.floats(10, 60), st.floats(10, 60))
def test_a_code_gives_the_quad_back_whatever_its_turn(x, y, degrees, width, length):
    corners = tile(x, y, degrees, width, length)
    back = quad.decode(*quad.encode(corners))
    gaps = [np.abs(np.roll(back[0], k, axis=0) - corners[0]).max() for k in range(4)]
    assert min(gaps) < 0.05


@given(st.floats(-180, 180))
def test_a_code_does_not_depend_on_the_first_corner_or_on_its_sense(degrees):
    corners = tile(50, 50, degrees)
    _, code = quad.encode(corners)
    for other in (np.roll(corners, 1, axis=1), corners[:, ::-1]):
        np.testing.assert_allclose(quad.encode(other)[1], code, atol=1e-4)


def test_decoded_corners_run_clockwise_as_seen():
    back = quad.decode(*quad.encode(tile(0, 0, 20)))[0]
    a, b = back[1] - back[0], back[2] - back[1]
    assert a[0] * b[1] - a[1] * b[0] > 0


@given(st.floats(-179, 179))
def test_the_angle_of_a_face_that_is_put_upright(degrees):
    corners = np.roll(tile(0, 0, degrees), 3, axis=1)
    up = np.array([[-np.sin(np.radians(degrees)), -np.cos(np.radians(degrees))]])
    turned = float(quad.angle_deg(quad.upright(corners, up))[0])
    assert abs((turned - degrees + 180) % 360 - 180) < 0.1


def test_area_and_sides():
    corners = tile(5, 5, 33)
    assert abs(float(quad.area(corners)[0]) - 26 * 35) < 0.1
    across, along = quad.sides(corners)
    assert abs(float(across[0]) - 26) < 0.01
    assert abs(float(along[0]) - 35) < 0.01
