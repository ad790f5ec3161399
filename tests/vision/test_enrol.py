"""A tile set is learnt from one picture of it, and read better afterwards."""

from __future__ import annotations

from collections import Counter
from random import Random

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from jantaku.command import app
from table_engine.wire.errors import CameraError, SettingsError
from table_engine.wire.layout import TileSize
from table_engine.wire.tiles import BACK, Tile
from virtual_table.render.canvas import Canvas
from virtual_table.render.light import Light
from virtual_table.render.style import random_style
from virtual_table.render.truth import tile_truths
from virtual_table.render.view import Camera
from virtual_table.table import Place, TileThing
from vision.detect import Detector
from vision.enrol import assigned, enrol, full_set, look, shown
from vision.labels import CLASSES, INDEX, NONE
from vision.profile import Profile, back_colour, by_back, load_profile, profile_path
from vision.read import Reader
from vision.train.scenes import block

HOLDS = full_set(flowers=8)
UNSEEN = 900_000_505
"""A random design that no training saw; its 5m are taken for red fives by the net alone."""


def layout(seed: int, tiles: list[Tile], px: int = 1400) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    """Tiles in rows of 18, seen from nearly above: the picture, and where each lies."""
    rng = np.random.default_rng(seed)
    rows = -(-len(tiles) // 18)
    camera = Camera.aimed(px, px * 3 // 4, focal=px * 1.05, distance=820, elevation_deg=75, azimuth_deg=-80)
    canvas = Canvas(np.full((px * 3 // 4, px, 3), (70, 100, 40), np.uint8), camera, Light())
    blocks = []
    design = random_style(np.random.default_rng(UNSEEN))
    for n, face in enumerate(tiles):
        x, y = (n % 18 - 8.5) * 28 + rng.normal(0, 0.6), ((rows - 1) / 2 - n // 18) * 38 + rng.normal(0, 0.6)
        tilt = 180.0 if face == BACK else 0.0
        turned = Place(x, y, 0.0, float(rng.normal(0, 2)) + 180.0 * (rng.random() < 0.3), tilt)
        blocks.append(block(TileThing(n, Tile("1z") if face == BACK else face, 0, turned), design, TileSize()))
    canvas.show(blocks)
    truths = tile_truths(canvas.shapes, (camera.width, camera.height))
    return canvas.picture.copy(), [(t.code, np.array(t.quad, np.float32)) for t in truths if t.quad is not None]


def shuffled(seed: int, backs: int = 6) -> list[Tile]:
    tiles = [code for code, many in HOLDS.items() for _ in range(many)]
    Random(seed).shuffle(tiles)
    return tiles + [BACK] * backs


@pytest.fixture(scope="module")
def nets() -> tuple[Detector, Reader]:
    return Detector(), Reader()


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return layout(1, shuffled(1))[0]


@pytest.fixture(scope="module")
def seen(nets, picture):
    return look(*nets, [picture])


@pytest.fixture(scope="module")
def made(seen):
    return enrol("unseen", *seen, HOLDS, lambda _, taken, __: taken)


def test_every_face_of_the_set_is_learnt(made, seen):
    assert made.missing == ()
    assert made.profile.complete
    assert made.found >= 143
    assert sum(made.profile.examples) == made.found
    assert made.asked <= 12
    assert shown(seen[0], made).shape == (5 * 114, 9 * 96, 3)


def test_the_set_is_read_better_than_before(nets, made):
    other, truth = layout(8, shuffled(8, backs=0), px=1000)
    quads = np.stack([quad for _, quad in truth])
    wanted = [code for code, _ in truth]
    before = sum(r.code == w for r, w in zip(nets[1].read(other, quads, sure=0), wanted, strict=True))
    reader = Reader(sets=[made.profile])
    after = sum(r.code == w for r, w in zip(reader.read(other, quads, sure=0), wanted, strict=True))
    assert after >= before
    assert after >= 0.985 * len(wanted)


def test_what_is_doubtful_is_asked_and_the_answer_counts(seen):
    asked = []

    def never(_, taken, likely):
        asked.append(taken)
        assert taken == likely[0] or taken in HOLDS

    enrolled = enrol("unseen", seen[0], seen[1], HOLDS, never)
    assert enrolled.asked == len(asked)
    assert sum(enrolled.profile.examples) == enrolled.found - enrolled.asked


def test_too_few_tiles_are_refused(seen):
    with pytest.raises(CameraError, match="faces found of a set of 144"):
        enrol("unseen", seen[0][:9], seen[1], HOLDS, lambda _, taken, __: taken)


def test_a_profile_comes_back_as_it_was(made, tmp_path):
    made.profile.save(tmp_path)
    again = load_profile(tmp_path, "unseen")
    assert (again.codes, again.examples, again.complete) == (made.profile.codes, made.profile.examples, True)
    assert np.allclose(again.units, made.profile.units, atol=2e-3)
    assert again.back == pytest.approx(made.profile.back)
    assert profile_path(tmp_path, "unseen").stat().st_size < 60_000


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("gone", None, "no such tile set"),
        ("Bad Name", None, "tile set 'Bad Name'"),
        ("text", b"no numbers", "enrol it again"),
    ],
)
def test_a_set_that_is_not_there_is_named(tmp_path, name, data, says):
    if data is not None:
        (tmp_path / f"{name}.npz").write_bytes(data)
    with pytest.raises(SettingsError, match=says):
        load_profile(tmp_path, name)


def test_no_code_is_given_out_more_often_than_the_set_holds():
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.5, 0.5]], np.float32)
    one, two = Tile("1m"), Tile("2m")
    assert assigned(shares, (one, two), {one: 2, two: 1}) == [one, one, None, two]


def coloured(name: str, back: tuple[float, float, float] | None) -> Profile:
    return Profile(name, (Tile("1m"),), np.zeros((1, 4, 128), np.float32), (1,), False, back)


def test_two_sets_are_told_apart_by_their_backs():
    green = np.full((3, 64, 64, 3), (60, 130, 50), np.uint8)
    blue = np.full((3, 64, 64, 3), (150, 90, 40), np.uint8)
    sets = [coloured("green", back_colour(green)), coloured("blue", back_colour(blue))]
    dim = (blue * 0.7).astype(np.uint8)
    assert by_back(sets, back_colour(dim)).name == "blue"
    assert by_back(sets, back_colour((green * 0.8).astype(np.uint8))).name == "green"
    assert by_back([*sets, coloured("unknown", None)], back_colour(dim)) is None
    assert back_colour(np.zeros((0, 64, 64, 3), np.uint8)) is None


def test_faces_not_enrolled_are_still_read(made):
    few = [k for k, code in enumerate(made.profile.codes) if code[1] == "z"]
    part = Profile("part", tuple(made.profile.codes[k] for k in few), made.profile.units[few], (4,) * 7, False)
    other, truth = layout(9, shuffled(9, backs=0), px=1000)
    chosen = [(code, quad) for code, quad in truth if code[1] in "ps"][:40]
    readings = Reader(sets=[part]).read(other, np.stack([quad for _, quad in chosen]), sure=0)
    assert sum(r.code == code for r, (code, _) in zip(readings, chosen, strict=True)) >= 38


@pytest.mark.parametrize(("one", "other", "least", "most"), [(0.95, 0.83, 0.97, 1.0), (0.95, 0.94, 0.5, 0.7)])
def test_a_face_is_as_sure_as_it_is_nearer_to_its_example(one, other, least, most):
    units = np.eye(128, dtype=np.float32)[:2, None].repeat(4, axis=1)
    pair = Profile("pair", (Tile("1m"), Tile("2m")), units, (1, 1), True)
    seen = np.zeros((1, 128), np.float32)
    seen[0, :2] = one, other
    kinds = np.full((1, len(CLASSES)), 1e-6, np.float32)
    shares, _ = pair.fused(kinds, seen)
    assert least <= shares[0, INDEX[Tile("1m")]] <= most


def test_full_sets():
    assert sum(full_set(flowers=0).values()) == 136
    assert sum(HOLDS.values()) == 144
    red = full_set(flowers=0, reds=3)
    assert (sum(red.values()), red[Tile("0p")], red[Tile("5p")]) == (136, 1, 3)
    assert full_set(flowers=0, reds=4)[Tile("5p")] == 2


def test_the_command_learns_and_read_uses_it(picture, tmp_path):
    photo = tmp_path / "set.png"
    cv2.imwrite(str(photo), picture)
    sets = ["--sets", str(tmp_path / "sets")]
    told = ["enrol", "mine", str(photo), "--rules", "taiwan16", "--yes", "--sheet", str(tmp_path / "sheet.png"), *sets]
    done = CliRunner().invoke(app, told)
    assert done.exit_code == 0, done.output
    assert "42 faces" in done.output
    assert cv2.imread(str(tmp_path / "sheet.png")) is not None
    read = CliRunner().invoke(app, ["read", str(photo), "--set", "mine", *sets])
    assert read.exit_code == 0, read.output
    count = Counter(part.split("×")[0] for part in read.output.split())
    assert sum(code in count for code in HOLDS) >= 41


def test_what_is_plainly_like_an_enrolled_face_is_a_tile_and_what_is_not_may_be_none():
    units = np.eye(128, dtype=np.float32)[:4].reshape(1, 4, 128)
    profile = Profile("one", (Tile("1m"),), units, (4,), True)
    kinds = np.zeros((2, len(CLASSES)), np.float32)
    kinds[:, INDEX[NONE]], kinds[:, INDEX[Tile("1m")]] = 0.6, 0.4
    away = np.sqrt(1 - 0.9**2), np.sqrt(1 - 0.7**2)
    seen = np.zeros((2, 128), np.float32)
    seen[:, 0], seen[:, 9] = (0.9, 0.7), away
    shares, _ = profile.fused(kinds, seen)
    assert shares[0, INDEX[NONE]] == 0
    assert shares[1, INDEX[NONE]] == pytest.approx(0.6)
    assert kinds[0, INDEX[NONE]] == pytest.approx(0.6), "what the net said is left as it was"
