"""A set is learnt before a table's own camera step by step, and everything known of it is told in files."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_engine.wire.errors import CameraError, SettingsError
from table_engine.wire.layout import Layout
from virtual_table.customs import customs_of
from virtual_table.display import laid_out
from virtual_table.render.look import look as looks
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision import lesson
from vision.calibrate import from_corners
from vision.detect import Detector
from vision.enrol import full_set, look
from vision.frame import Frame
from vision.lesson import Lesson
from vision.profile import load_profile
from vision.read import Reader

pytestmark = pytest.mark.usefixtures("looked")
SIZE = (1600, 1200)
SET = {"flowers": 0, "reds": 4}
WHOLE = full_set(flowers=0, reds=4)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A riichi set laid out with some tiles face down, as the virtual table shows it."""
    layout, customs = Layout(), customs_of("riichi")
    camera = Camera.overhead(*SIZE, layout.half)
    shown = TableSnapshot(0, laid_out(customs, layout, 1, turned=True))
    return Renderer(camera, layout, looks("chinese", "blue")).frame(shown)


@pytest.fixture(scope="module")
def seen(picture):
    return look(Detector(), Reader(), (picture,))


@pytest.fixture
def looked(monkeypatch, seen) -> list[tuple[int, ...]]:
    """What was looked at before is not looked at again; the sizes every look was asked for."""
    asked: list[tuple[int, ...]] = []

    def again(_detector, _reader, _pictures, sizes=()):
        asked.append(tuple(sizes))
        return seen

    monkeypatch.setattr(lesson, "look", again)
    return asked


@pytest.fixture
def learning(tmp_path: Path, picture) -> Iterator[Lesson]:
    """A lesson whose camera streams the picture."""
    one = Lesson(tmp_path / "preview", tmp_path / "sets", "cam")
    over = threading.Event()

    def stream() -> None:
        number = 0
        while not over.wait(0.005):
            one.keep(Frame(1000 + number, number, image=picture))
            number += 1

    thread = threading.Thread(target=stream)
    thread.start()
    yield one
    one.close()
    over.set()
    thread.join()


def told(learning: Lesson, tmp_path: Path, **task: object) -> dict:
    learning.ask({**SET, **task}).result(60)
    return json.loads((tmp_path / "preview" / "cam.lesson.json").read_text())


def test_a_look_tells_every_tile_with_where_it_lies(learning, tmp_path, seen):
    said = told(learning, tmp_path, do="look")
    assert learning.running.is_set()
    assert (said["kept"], said["trouble"], len(said["tiles"])) == (0, "", len(seen[0]))
    assert [p["number"] for p in said["pictures"]] == [0]
    assert {k["code"]: k["holds"] for k in said["kinds"]} == {c: n for c, n in WHOLE.items() if n}
    assert sum(k["seen"] for k in said["kinds"]) == len(said["tiles"]) > 110
    assert said["backs"] >= 11
    for one in said["tiles"]:
        points = np.array(one["quad_px"])
        assert ((points >= 0) & (points < SIZE)).all()
    image = cv2.imread(str(tmp_path / "preview" / "cam.lesson-0.jpg"))
    assert (image.shape[1], image.shape[0]) == SIZE


def test_the_set_is_learnt_from_what_was_kept_and_what_people_said(learning, tmp_path):
    told(learning, tmp_path, do="look")
    said = told(learning, tmp_path, do="add")
    assert (said["kept"], [p["number"] for p in said["pictures"]]) == (1, [1])
    first = said["tiles"][0]
    other = "1m" if first["code"] != "1m" else "2m"
    named = told(learning, tmp_path, do="name", picture=1, tile=0, code=other)["tiles"][0]
    assert (named["code"], named["said"], named["doubtful"]) == (other, True, False)
    assert told(learning, tmp_path, do="name", picture=1, tile=0, code="")["tiles"][0]["code"] == ""
    told(learning, tmp_path, do="name", picture=1, tile=0, code=first["code"])

    made = learning.ask({**SET, "do": "save", "name": "green"}).result(60)
    profile = load_profile(tmp_path / "sets", "green")
    assert (made["name"], made["tiles"], made["back"]) == ("green", sum(profile.examples), profile.back is not None)
    assert made["missing"] == [code for code, many in WHOLE.items() if many and code not in profile.codes]
    assert len(profile.codes) >= 34
    assert made["back"]
    assert not list((tmp_path / "preview").glob("cam.lesson*"))
    assert not learning.running.is_set()


def test_a_picture_that_was_dropped_is_not_learnt_from(learning, tmp_path, seen):
    for _ in range(2):
        told(learning, tmp_path, do="look")
        told(learning, tmp_path, do="add")
    said = told(learning, tmp_path, do="drop", picture=1)
    assert (said["kept"], {one["picture"] for one in said["tiles"]}) == (1, {2})
    assert Counter(one["picture"] for one in said["tiles"]) == {2: len(seen[0])}


def test_nothing_that_is_about_to_be_laid_there_is_a_game(learning, tmp_path):
    assert learning.ask({"do": "begin"}).result(60) == {"tiles": 0}
    assert learning.running.is_set()
    assert not (tmp_path / "preview").exists()


def test_to_end_forgets_everything(learning, tmp_path):
    told(learning, tmp_path, do="look")
    assert learning.ask({"do": "end"}).result(60) == {"tiles": 0}
    assert not learning.running.is_set()
    assert not list((tmp_path / "preview").iterdir())


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ({"do": "name", "picture": 9, "tile": 0, "code": "1m"}, "no tile 0 of picture 9"),
        ({"do": "name", "picture": 1, "tile": 9999, "code": "1m"}, "no tile 9999 of picture 1"),
        ({"do": "name", "picture": 1, "tile": 0, "code": "1f"}, "1f: the set has no such tile"),
    ],
)
def test_what_cannot_be_named_is_refused_in_words(learning, tmp_path, task, says):
    told(learning, tmp_path, do="add")
    with pytest.raises(CameraError, match=says):
        learning.ask({**SET, **task}).result(60)


def test_wrong_data_and_names_that_are_none_are_refused(learning, tmp_path):
    with pytest.raises(ValueError, match="do"):
        learning.ask({"do": "dance"})
    assert not learning.running.is_set()
    told(learning, tmp_path, do="add")
    with pytest.raises(SettingsError):
        learning.ask({**SET, "do": "save", "name": "../evil"}).result(60)


def test_nobody_keeps_more_pictures_than_are_of_use(learning, tmp_path, monkeypatch):
    monkeypatch.setattr(lesson, "_PICTURES", 2)
    for _ in range(2):
        told(learning, tmp_path, do="add")
    with pytest.raises(CameraError, match="at most 2 pictures; drop one"):
        learning.ask({**SET, "do": "add"}).result(60)


def test_a_table_without_tiles_is_told_as_trouble(learning, tmp_path, monkeypatch, seen):
    monkeypatch.setattr(lesson, "look", lambda *_: (seen[0][:5], seen[1]))
    said = told(learning, tmp_path, do="look")
    assert "5 faces found of a set of 136" in said["trouble"]
    assert said["tiles"] == []


def test_a_camera_without_a_picture_and_a_folder_that_cannot_be_written_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(lesson, "_PATIENCE_S", 0.01)
    one = Lesson(tmp_path, tmp_path / "sets", "cam")
    with pytest.raises(CameraError, match="camera cam: gives no picture"):
        one.ask({**SET, "do": "look"}).result(60)
    one.close()


def test_a_folder_that_is_a_file_is_said(tmp_path, picture):
    (tmp_path / "preview").write_text("")
    one = Lesson(tmp_path / "preview", tmp_path / "sets", "cam")
    asked = one.ask({**SET, "do": "look"})
    while not asked.done():
        one.keep(Frame(0, 0, image=picture))
    with pytest.raises(CameraError, match="cannot be written"):
        asked.result(60)
    one.close()


def test_a_calibrated_camera_tells_how_large_tiles_look(learning, tmp_path, looked):
    told(learning, tmp_path, do="look")
    corners = np.array([[300.0, 1150.0], [1300.0, 1150.0], [1300.0, 150.0], [300.0, 150.0]])
    learning.sees(from_corners(Layout(), SIZE, corners))
    told(learning, tmp_path, do="look")
    assert looked[0] == ()
    usual, finer = looked[1]
    assert finer == pytest.approx(1.5 * usual, rel=0.01)
    tile_px = 35 * 1000 / 860
    assert usual * tile_px / max(SIZE) == pytest.approx(lesson.USUAL_PX, rel=0.02)
