"""Training scenes: the same seed the same pixels, truths that fit the picture, enough variety."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from table_engine.wire.tiles import BACK, CODES
from virtual_table.render.__main__ import main
from virtual_table.render.scene import random_scene


def test_same_seed_same_pixels():
    one, again, other = random_scene(12, (320, 320)), random_scene(12, (320, 320)), random_scene(13, (320, 320))
    assert np.array_equal(one.picture, again.picture)
    assert one.truth == again.truth
    assert not np.array_equal(one.picture, other.picture)


def test_a_scene_does_not_depend_on_those_before_it():
    after = [random_scene(seed, (320, 320)) for seed in (70, 71)][1]
    for _ in range(2):
        random_scene(3000, (320, 320))
    assert np.array_equal(random_scene(71, (320, 320)).picture, after.picture)


@pytest.mark.parametrize("kind", ["table", "heap", "rows", "standing"])
def test_truths_fit_the_picture(kind):
    seen = 0
    for seed in range(6):
        scene = random_scene(seed, (480, 400), kind=kind)
        assert scene.picture.shape == (400, 480, 3)
        assert scene.picture.dtype == np.uint8
        for tile in scene.truth.tiles:
            assert tile.code in CODES
            assert 0 <= tile.visible <= 1
            if tile.visible > 0.5 and tile.quad is not None:
                seen += 1
                middle = np.mean(tile.quad, axis=0)
                assert -40 < middle[0] < 520
                assert -40 < middle[1] < 440
                assert cv2.contourArea(np.array(tile.quad, np.float32)) > 0
                turn = cv2.contourArea(np.array(tile.quad, np.float32), oriented=True)
                assert (turn > 0) == (tile.code != "?"), "a visible face runs clockwise, unmirrored"
    assert seen > 20


def test_kinds_of_tiles_and_views_vary():
    scenes = [random_scene(seed, (320, 320)) for seed in range(40)]
    codes = {tile.code for scene in scenes for tile in scene.truth.tiles if tile.visible > 0.6}
    assert len(codes) >= 40
    assert BACK in codes
    assert {scene.truth.notes["kind"] for scene in scenes} == {"table", "heap", "rows", "standing"}
    assert len({scene.truth.notes["style"] for scene in scenes}) >= 5


def test_command_writes_pictures_with_truth(tmp_path, capsys):
    assert main(["scenes", str(tmp_path), "--count", "2", "--size", "160", "--seed", "5", "--format", "png"]) == 0
    picture = cv2.imread(str(tmp_path / "scene-0000005.png"))
    assert np.array_equal(picture, random_scene(5, (160, 160)).picture)
    assert json.loads((tmp_path / "scene-0000006.json").read_text())["width"] == 160
    assert main(["styles", str(tmp_path / "styles.png"), "--random", "1"]) == 0
    assert cv2.imread(str(tmp_path / "styles.png")).shape[1] == 45 * 108
    capsys.readouterr()
