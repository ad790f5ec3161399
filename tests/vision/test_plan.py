"""What a camera over a table gives, held against the renderer's own camera."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from jantaku.command import app
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.seats import SEATS
from virtual_table.places import Places
from virtual_table.render.view import Camera
from vision.plan import LEANING_DEG, SENSORS, Mount, focal_mm, lamp_mm, plan

LAYOUT = Layout()


@pytest.mark.parametrize("height", [1000.0, 1500.0, 2400.0])
@pytest.mark.parametrize("pixels", [(1920, 1080), (3840, 2160)])
def test_a_face_is_as_long_as_it_is_drawn(height, pixels):
    made = plan(LAYOUT, Mount(height, pixels=pixels))
    focal = pixels[0] / 2 / np.tan(np.radians(made.needed_deg) / 2)
    camera = Camera.aimed(*pixels, focal=focal, distance=height)
    ends = camera.project(np.array([[0.0, -17.5, 0.0], [0.0, 17.5, 0.0]]))
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(made.face_px, rel=0.01)


@pytest.mark.parametrize("tilt", [0.0, 8.0, 15.0])
def test_the_square_fits_the_view_that_is_asked_for(tilt):
    made = plan(LAYOUT, Mount(1500.0, tilt))
    focal = 960 / np.tan(np.radians(made.needed_deg) / 2)
    camera = Camera.aimed(1920, 1080, focal=focal, distance=1500.0, elevation_deg=90 - tilt, azimuth_deg=-90)
    h = LAYOUT.half
    seen = camera.project(np.array([[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]]))
    assert (seen > -1).all()
    assert (seen < [1921, 1081]).all()


def test_the_size_of_tiles_changes_the_view_and_not_the_pixels():
    small, large = (plan(Layout(TileSize.of_width(w)), Mount(1500.0 * w / 26)) for w in (24.0, 40.0))
    assert small.face_px == pytest.approx(large.face_px, rel=0.01)
    assert small.needed_deg == pytest.approx(large.needed_deg, rel=0.01)


@pytest.mark.parametrize("tilt", [0.0, 6.0])
def test_each_of_two_cameras_sees_its_half_and_the_middle_twice_as_large(tilt):
    made = plan(LAYOUT, Mount(1600.0, tilt, cameras=2))
    assert made.face_px > 1.65 * plan(LAYOUT, Mount(1600.0, tilt)).face_px
    focal = 960 / np.tan(np.radians(made.needed_deg) / 2)
    h, over = LAYOUT.half, LAYOUT.tile.length
    camera = Camera.aimed(
        1920, 1080, focal=focal, distance=1600.0, elevation_deg=90 - tilt, target=(0.0, (over - h) / 2, 0.0)
    )
    seen = camera.project(np.array([[-h, -h, 0.0], [h, -h, 0.0], [h, over, 0.0], [-h, over, 0.0]]))
    assert (seen > -1).all()
    assert (seen < [1921, 1081]).all()


@pytest.mark.parametrize(("camera_mm", "height"), [(1300.0, 1000.0), (2000.0, 1500.0), (1000.0, 700.0)])
def test_a_lamp_far_enough_aside_is_mirrored_by_no_tile(camera_mm, height):
    def lean_deg(aside: float, x: float) -> float:
        """By how much a tile at x leans that shows the camera a lamp: half of what is between the angles of both."""
        return abs(np.degrees(np.arctan((aside - x) / height) - np.arctan(x / camera_mm))) / 2

    far = lamp_mm(LAYOUT, camera_mm, height)
    everywhere = np.linspace(-LAYOUT.half, LAYOUT.half, 401)
    assert min(lean_deg(far + 1, x) for x in everywhere) > LEANING_DEG
    assert min(lean_deg(far - 5, x) for x in everywhere) < LEANING_DEG


@pytest.mark.parametrize(("height", "tilt"), [(1500.0, 0.0), (1900.0, 3.0), (1900.0, 7.0)])
def test_the_wall_nearest_below_the_camera_shows_its_heights_least(height, tilt):
    camera = Camera.overhead(1920, 1080, LAYOUT.half, height_mm=height, tilt_deg=tilt)
    places, moved = Places(LAYOUT, 0.0), []
    for seat in SEATS:
        for stack in range(LAYOUT.stacks):
            place = places.wall(seat, stack, 1)
            eye = np.array(camera.position)
            ends = []
            for z in (LAYOUT.tile.depth, 2 * LAYOUT.tile.depth):
                way = np.array([place.x, place.y, z]) - eye
                ends.append((eye + way * (LAYOUT.tile.depth - eye[2]) / way[2])[:2])
            moved.append(float(np.linalg.norm(ends[1] - ends[0])))
    assert plan(LAYOUT, Mount(height, tilt)).stack_mm == pytest.approx(min(moved), abs=0.25)


def test_the_command_says_when_a_wall_does_not_show_its_heights():
    told = CliRunner().invoke(app, ["camera-plan", "--height", "1900", "--tilt", "7", "--pixels", "1920x1080"]).output
    assert "From 1900 mm a camera hangs above a wall" in " ".join(told.split())
    told = CliRunner().invoke(app, ["camera-plan", "--height", "1900", "--tilt", "3", "--pixels", "1920x1080"]).output
    assert "above a wall" not in " ".join(told.split())
    told = " ".join(CliRunner().invoke(app, ["camera-plan", "--cameras", "2"]).output.split())
    assert told.count("hangs above a wall") == 1
    assert "two cameras over all of the table" in told


def test_a_lens_that_sees_too_little_is_not_enough():
    needed = plan(LAYOUT, Mount(1300.0)).needed_deg
    assert plan(LAYOUT, Mount(1300.0, across_deg=needed + 1)).enough
    assert not plan(LAYOUT, Mount(1300.0, across_deg=needed - 2)).covered


def test_a_longer_lens_sees_less():
    assert focal_mm(SENSORS[1], 90) == pytest.approx(2.8, abs=0.05)
    assert focal_mm(SENSORS[1], 60) > focal_mm(SENSORS[1], 90)


def test_a_camera_among_the_tiles_is_refused():
    with pytest.raises(ValueError, match="above the tiles"):
        plan(LAYOUT, Mount(20.0))


def test_the_command_says_what_will_do():
    told = CliRunner().invoke(app, ["camera-plan", "--json", "--height", "1500"])
    assert told.exit_code == 0, told.output
    lines = [json.loads(line) for line in told.output.splitlines()]
    assert [line["enough"] for line in lines] == [False, True, True, True]
    assert lines[0]["lamp_aside_mm"] == {"1000": 790.0, "1500": 980.0}
    two = CliRunner().invoke(app, ["camera-plan", "--json", "--height", "1600", "--cameras", "2", "--lamp", "900"])
    assert [json.loads(line)["enough"] for line in two.output.splitlines()] == [True] * 4
    table = CliRunner().invoke(app, ["camera-plan", "--pixels", "640x480", "--height", "1500"])
    assert table.exit_code == 1
    assert "too coarse" in table.output
    wrong = CliRunner().invoke(app, ["camera-plan", "--pixels", "large"])
    assert wrong.exit_code != 0
