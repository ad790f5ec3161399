"""Photographs without calibration: rendered ones exactly, bad ones with a clear answer, a real one not worse than it was."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from table_engine.wire.tiles import Tile
from virtual_table.render.faces import paint_face
from virtual_table.render.style import random_style
from vision.detect import Found
from vision.labels import BLANK
from vision.photo import PhotoReader, consistent, draw
from vision.train.scenes import table


@pytest.fixture(scope="module")
def reader() -> PhotoReader:
    return PhotoReader(threads=1)


def codes(tiles) -> Counter[str]:
    return Counter(str(tile.code) for tile in tiles)


WANTED = Counter(("1m", "5p", "9s", "1z", "7z", "3f", "2s", "8m", "4p"))


def test_a_sheet_of_tiles_is_read(reader, sheet):
    assert codes(reader.tiles(sheet)) == WANTED


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_whichever_way_the_picture_is_held(reader, sheet, turns):
    turned = np.ascontiguousarray(np.rot90(sheet, turns))
    assert codes(reader.tiles(turned)) == WANTED


@pytest.mark.parametrize("size", [(560, 420), (1600, 1200), (3200, 2400)])
def test_whatever_the_scale(reader, sheet, size):
    got = codes(reader.tiles(np.asarray(cv2.resize(sheet, size, interpolation=cv2.INTER_AREA))))
    assert sum((got & WANTED).values()) >= 8
    assert sum(got.values()) <= 10


def test_quads_lie_on_their_tiles(reader, sheet):
    for tile in reader.tiles(sheet):
        across = np.linalg.norm(tile.quad[1] - tile.quad[0])
        along = np.linalg.norm(tile.quad[2] - tile.quad[1])
        assert 32 < across < 46
        assert 45 < along < 60


def test_a_turn_noted_in_exif_is_not_applied(reader, sheet, tmp_path):
    path = tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(sheet[..., ::-1]).save(path, quality=95, exif=exif)
    found = reader.read(path)
    assert (found.width, found.height) == (800, 600)
    assert codes(found.tiles) == WANTED


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((600, 800, 3), np.uint8),
        np.full((600, 800, 3), 255, np.uint8),
        np.full((900, 300, 3), 120, np.uint8),
        np.zeros((3, 5, 3), np.uint8),
    ],
    ids=["black", "blown out", "portrait", "tiny"],
)
def test_a_picture_that_shows_nothing_has_no_tiles(reader, image, tmp_path):
    path = tmp_path / "nothing.png"
    cv2.imwrite(str(path), image)
    found = reader.read(path)
    assert found.tiles == ()
    assert found.line()["note"] == found.note != ""


@pytest.mark.parametrize(("level", "says"), [(0, "black"), (255, "blown out"), (120, "shows nothing")])
def test_what_is_wrong_with_a_picture_is_said(reader, tmp_path, level, says):
    path = tmp_path / "plain.png"
    cv2.imwrite(str(path), np.full((600, 800, 3), level, np.uint8))
    assert says in reader.read(path).note


@pytest.mark.parametrize("turns", [0, 1])
@pytest.mark.parametrize("code", ["5p", "9s", "1z", "4p"])
def test_one_tile_may_fill_the_picture(reader, sheet, code, turns):
    tile = next(t for t in reader.tiles(sheet) if t.code == code)
    (x0, y0), (x1, y1) = tile.quad.min(axis=0) - 2, tile.quad.max(axis=0) + 3
    alone = cv2.resize(sheet[int(y0) : int(y1), int(x0) : int(x1)], None, fx=8, fy=8, interpolation=cv2.INTER_CUBIC)
    found = reader.tiles(np.ascontiguousarray(np.rot90(alone, turns)))
    assert [t.code for t in found] == [code]
    assert np.ptp(found[0].quad, axis=0).min() > 0.7 * min(alone.shape[:2])


def test_a_picture_cut_out_at_the_edge_of_a_tile_is_that_tile(reader, tmp_path):
    """The frame of this white dragon looks like a smaller tile, and its corners like none."""
    face = paint_face(random_style(np.random.default_rng(16)), BLANK)
    alone = cv2.GaussianBlur(cv2.resize(face, (240, 320), interpolation=cv2.INTER_CUBIC), (0, 0), 1.0)
    for turns in (0, 1):
        picture = np.ascontiguousarray(np.rot90(alone, turns))
        (tile,) = photographed(reader, picture, tmp_path)
        assert tile.code == BLANK
        assert np.ptp(tile.quad, axis=0).tolist() == [picture.shape[1], picture.shape[0]]


def test_a_lettered_tile_that_is_its_picture_lies_as_it_is_turned(reader, monkeypatch, tmp_path):
    """Its first corner is the glyph's top left, whichever way the picture is held."""
    face = cv2.resize(paint_face(random_style(np.random.default_rng(16)), Tile("7m")), (240, 320))
    monkeypatch.setattr(reader, "find", lambda *_: Found.none())
    corners = [(0, 0), (0, 240), (240, 320), (320, 0)]
    for turns, corner in enumerate(corners):
        (tile,) = photographed(reader, np.rot90(face, turns), tmp_path)
        assert tile.code == "7m"
        assert np.abs(tile.quad[0] - corner).max() < 1


@pytest.mark.parametrize("pair", [("1z", "7z"), ("9s", "1m")])
def test_two_tiles_that_touch_are_not_one(reader, pair, tmp_path):
    """Two side by side have the shape of one tile."""
    style = random_style(np.random.default_rng(16))
    beside = np.hstack([cv2.resize(paint_face(style, Tile(code)), (104, 140)) for code in pair])
    found = photographed(reader, beside, tmp_path)
    assert not [t for t in found if t.code != "?" and np.ptp(t.quad, axis=0).min() > 120]
    assert codes(found) & Counter(pair) == codes(t for t in found if t.code != "?")


def test_a_square_or_long_picture_is_not_one_tile(reader, monkeypatch, tmp_path):
    face = paint_face(random_style(np.random.default_rng(16)), Tile("7m"))
    monkeypatch.setattr(reader, "find", lambda *_: Found.none())
    for size in ((300, 300), (150, 320)):
        assert photographed(reader, cv2.resize(face, size), tmp_path) == ()


def photographed(reader, picture, folder: Path):
    """Tiles of a picture that is read from its file."""
    path = folder / "picture.png"
    cv2.imwrite(str(path), np.ascontiguousarray(picture))
    return reader.read(path).tiles


def test_a_chess_board_is_not_taken_for_a_table_of_tiles(reader):
    board = np.kron(np.indices((8, 8)).sum(axis=0) % 2 * 200 + 30, np.ones((80, 80))).astype(np.uint8)
    tiles = reader.tiles(np.repeat(board[..., None], 3, axis=2))
    assert len([t for t in tiles if t.code not in ("?", "b") and t.confidence > 0.9]) <= 3


def test_tiles_of_an_impossible_size_are_dropped(reader, sheet):
    found = reader.find(sheet)
    grown = found.corners.copy()
    grown[0] = (grown[0] - grown[0].mean(axis=0)) * 3 + grown[0].mean(axis=0)
    from dataclasses import replace

    assert len(consistent(replace(found, corners=grown))) == len(consistent(found)) - 1


def test_a_line_is_what_the_measure_of_the_project_reads(reader, sheet, tmp_path):
    path = tmp_path / "sheet.png"
    cv2.imwrite(str(path), sheet)
    line = json.loads(json.dumps(reader.read(path).line()))
    assert line["file"] == "sheet.png"
    assert {"code", "confidence", "quad"} <= set(line["tiles"][0])
    assert len(line["tiles"][0]["quad"]) == 4


def test_what_was_read_can_be_drawn(reader, sheet):
    out = draw(sheet, reader.tiles(sheet))
    assert out.shape == sheet.shape
    assert (out != sheet).any()


def test_a_whole_rendered_table_is_mostly_read(reader):
    sample = table(900_000_100)
    faces = [t for t in sample.labels if t.what == 0 and t.visible > 0.9]
    read = 0
    tiles = reader.tiles(sample.image)
    for label in faces:
        near = [t for t in tiles if np.linalg.norm(t.quad.mean(axis=0) - label.quad.mean(axis=0)) < 12]
        read += any(t.code == label.code for t in near)
    assert read >= 0.85 * len(faces)


def test_a_real_table_is_read_no_worse_than_it_was(reader, shared):
    folder = shared / "data" / "photos" / "whole_table"
    labels = json.loads((folder / "labels.json").read_text())["images"]
    image = next(i for i in labels if "lietxia" in i["file"])
    path = next(p for p in (folder / image["file"], folder / "images" / Path(image["file"]).name) if p.exists())
    tiles = reader.read(path).tiles
    right = 0
    for label in image["tiles"]:
        if label["code"] in ("b", "?"):
            continue
        x0, y0, x1, y1 = label["box"]
        hit = [t for t in tiles if x0 < t.quad[:, 0].mean() < x1 and y0 < t.quad[:, 1].mean() < y1]
        right += any(t.code == label["code"] for t in hit)
    assert right >= 75
