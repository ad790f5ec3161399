"""Frames: what the truth says is what the pixels show; the same seed gives the same pixels; little drawn anew equals all drawn."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from table_things import LAYOUT, full_table, snapshot, thing

from table_engine.wire.layout import MARKER_DICTIONARY, Layout, TileSize
from table_engine.wire.seats import Seat
from virtual_table.render.design import Body
from virtual_table.render.look import Look, look
from virtual_table.render.optics import Glare, Optics
from virtual_table.render.renderer import Renderer
from virtual_table.render.style import STYLES
from virtual_table.render.truth import GroundTruth
from virtual_table.render.view import Camera, Lens
from virtual_table.table import ArmThing, DieThing, Place, StickThing, TableSnapshot

CAMERAS = {
    "above": Camera.overhead(1280, 720, LAYOUT.half, height_mm=1500),
    "leaning": Camera.overhead(
        1280, 720, LAYOUT.half, height_mm=1300, tilt_deg=22, azimuth_deg=-60, lens=Lens(-0.08, 0.01)
    ),
}


@pytest.fixture(params=CAMERAS, scope="module")
def camera(request) -> Camera:
    return CAMERAS[request.param]


def test_markers_are_found_where_they_project(camera):
    frame = Renderer(camera, LAYOUT).frame(snapshot(full_table()))
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(frame)
    assert sorted(ids.ravel().tolist()) == [0, 1, 2, 3]
    half = LAYOUT.marker_side / 2
    for number, found in zip(ids.ravel(), corners, strict=True):
        x, y = LAYOUT.marker_centres[number]
        square = [[x - half, y + half, 0], [x + half, y + half, 0], [x + half, y - half, 0], [x - half, y - half, 0]]
        assert np.abs(found[0] - camera.project(np.array(square))).max() < 2.0


def test_quads_lie_on_the_faces_they_name(camera):
    """White faces on a black table without shadow: inside each visible quad it is bright, just outside of a lone tile dark."""
    plain = replace(
        look("japanese"),
        optics=Optics(noise=0.0),
        stage=replace(Look().stage, felt=(10, 10, 10), grain=0.5, seams=False),
    )
    tiles = [thing(n, Seat(n % 4), -60 + 40 * n, -170, face="5z") for n in range(4)]
    renderer = Renderer(camera, LAYOUT, plain)
    frame = renderer.frame(snapshot(tiles)).min(axis=2)
    for tile in renderer.truth(snapshot(tiles)).tiles:
        quad = np.array(tile.quad)
        middle = quad.mean(axis=0)
        assert tile.code == "5z"
        assert tile.visible > 0.95
        inner = np.round(middle + (quad - middle) * 0.85).astype(int)
        assert all(frame[y, x] > 140 for x, y in inner)
        bright = (frame > 90).astype(np.uint8)
        _, labels = cv2.connectedComponents(bright)
        blob = labels == labels[round(middle[1]), round(middle[0])]
        ys, xs = np.nonzero(blob)
        assert abs(xs.min() - quad[:, 0].min()) < 12
        assert abs(xs.max() - quad[:, 0].max()) < 12
        assert abs(ys.min() - quad[:, 1].min()) < 12
        assert abs(ys.max() - quad[:, 1].max()) < 12


def test_the_first_corner_is_the_glyphs_top_left(camera):
    """A face rectified by its quad looks like the face as painted, not turned or mirrored."""
    renderer = Renderer(camera, LAYOUT, replace(look("japanese"), optics=Optics(noise=0.0)))
    tiles = [thing(n, Seat(n), 0, -150, face="7m") for n in range(4)]
    frame = renderer.frame(snapshot(tiles))
    painted = cv2.resize(
        renderer._canvas.textures.of(renderer.look.sets[0], "7m")[0][..., :3], (26, 35), interpolation=cv2.INTER_AREA
    )
    for tile in renderer.truth(snapshot(tiles)).tiles:
        target = np.array([[0, 0], [26, 0], [26, 35], [0, 35]], np.float32)
        flat = cv2.warpPerspective(
            frame, cv2.getPerspectiveTransform(np.array(tile.quad, np.float32), target), (26, 35)
        )
        scores = [
            np.corrcoef(turned.ravel(), painted.ravel())[0, 1]
            for turned in (flat, flat[::-1, ::-1], flat[:, ::-1], flat[::-1])
        ]
        assert int(np.argmax(scores)) == 0
        assert scores[0] > 0.6
        grey, known = flat.astype(np.float32).mean(axis=2), painted.astype(np.float32).mean(axis=2)
        match = cv2.matchTemplate(np.pad(grey, 3, mode="edge"), known, cv2.TM_CCOEFF_NORMED)
        assert np.abs(np.array(np.unravel_index(match.argmax(), match.shape)) - 3).max() <= 1, (
            "off by more than 3 % of a tile"
        )


def test_visibility_counts_what_covers():
    camera = CAMERAS["above"]
    under, over = thing(0, Seat.S0, 0, -150), thing(1, Seat.S0, 13, -150, z=20.0)
    arm = ArmThing(Seat.S1, 100, 150, 40, 700, 150)
    covered = thing(2, Seat.S1, 150, -100)
    truth = Renderer(camera, LAYOUT).truth(snapshot([under, over, covered], arms=(arm,)))
    by_key = {tile.key: tile for tile in truth.tiles}
    assert 0.35 < by_key[0].visible < 0.6
    assert by_key[1].visible > 0.97
    assert by_key[2].visible < 0.3


def test_poses_zones_and_backs():
    renderer = Renderer(CAMERAS["above"], LAYOUT)
    truth = {tile.key: tile for tile in renderer.truth(snapshot(full_table())).tiles}
    poses = {(tile.zone, tile.pose) for tile in truth.values()}
    assert poses == {("wall", "down"), ("pond", "up"), ("rack", "standing"), ("meld", "up")}
    wall = [tile for tile in truth.values() if tile.zone == "wall"]
    assert {tile.code for tile in wall} == {"b"}
    assert sum(tile.visible > 0.9 for tile in wall) == 51
    assert all(tile.edge is not None and tile.edge_visible > 0.6 for tile in truth.values() if tile.pose == "standing")
    assert {tile.seat for tile in truth.values()} == {0, 1, 2, 3}


def test_same_seed_same_pixels_other_seed_other_noise():
    camera, table = CAMERAS["leaning"], snapshot(full_table(), 400)
    one, again = (Renderer(camera, LAYOUT, seed=3).frame(table) for _ in range(2))
    other = Renderer(camera, LAYOUT, seed=4).frame(table)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert np.abs(one.astype(int) - other).max() < 40


def test_drawing_what_changed_equals_drawing_everything(camera):
    quiet = replace(
        look("hongkong", "blue"), optics=Optics(noise=0.0, blur=0.6, vignette=0.2, glares=(Glare(0.4, 0.5, 0.1, 0.4),))
    )
    renderer = Renderer(camera, LAYOUT, quiet)
    tiles = full_table()
    arm = (ArmThing(Seat.S2, 60, 100, 60, 100, 800, (5,)),)
    rng = np.random.default_rng(2)
    for step in range(12):
        for n in rng.integers(0, len(tiles), 3):
            old = tiles[n]
            place = Place(
                old.place.x + rng.normal(0, 30),
                old.place.y + rng.normal(0, 30),
                old.place.z,
                old.place.angle_deg + 9,
                old.place.tilt_deg,
            )
            tiles[n] = replace(old, place=place, held=Seat.S2 if step == 6 else None)
        if step == 8:
            del tiles[3:9]
        sticks = (StickThing(Seat.S0, 10, -80, 4.0),) if step > 4 else ()
        dice = (DieThing(-9, 3, 12.0 * step, step % 6 + 1),) if step % 3 else ()
        now = TableSnapshot(
            step * 66, tuple(tiles), arm if 4 < step < 9 else (), dice, sticks, Seat(step % 4), bay_open=step == 10
        )
        anew = Renderer(camera, LAYOUT, quiet).frame(now).astype(int)
        difference = np.abs(renderer.frame(now).astype(int) - anew)
        assert (difference > 6).mean() < 2e-5, step
        assert difference.mean() < 0.01


@pytest.mark.parametrize("width", [26.0, 31.0, 38.0])
def test_other_tile_sizes_keep_their_marks(width):
    layout = Layout(TileSize.of_width(width), 18)
    camera = Camera.overhead(1280, 720, layout.half, height_mm=2000)
    frame = Renderer(camera, layout).frame(TableSnapshot(0, ()))
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
    _, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(frame)
    assert sorted(ids.ravel().tolist()) == [0, 1, 2, 3]


def test_exposure_darkens():
    renderer = Renderer(CAMERAS["above"], LAYOUT)
    bright = renderer.frame(snapshot(full_table())).mean()
    renderer.set_exposure(0.3)
    assert renderer.frame(snapshot(full_table())).mean() < 0.4 * bright


def test_two_sets_have_two_backs():
    tiles = [replace(thing(n, Seat.S0, -40 + 80 * n, -150, tilt=180.0), back=n) for n in range(2)]
    plain = Look(replace(STYLES["japanese"], body=Body()), ((20, 20, 220), (220, 20, 20)), optics=Optics(noise=0.0))
    renderer = Renderer(CAMERAS["above"], LAYOUT, plain)
    frame = renderer.frame(snapshot(tiles))
    for tile, channel in zip(renderer.truth(snapshot(tiles)).tiles, (2, 0), strict=True):
        x, y = np.mean(tile.quad, axis=0).round().astype(int)
        assert int(np.argmax(frame[y, x])) == channel


def test_truth_survives_the_file(tmp_path):
    truth = Renderer(CAMERAS["above"], LAYOUT).truth(snapshot(full_table(), 77))
    truth.save(tmp_path / "truth.json")
    assert GroundTruth.load(tmp_path / "truth.json") == truth
