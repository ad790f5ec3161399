"""The shipped artwork: every tile has a face in every style, and no two look alike."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_engine.wire.tiles import FACES, FLOWERS, KINDS, REDS, Tile
from virtual_table import art
from virtual_table.render.faces import paint_face
from virtual_table.render.style import BACKS, STYLES, random_style, style

FOLDER = Path(art.__file__).parent


def test_artwork_is_small_and_every_picture_is_accounted_for():
    pictures = sorted(FOLDER.glob("*.png"))
    assert sum(p.stat().st_size for p in pictures) < 3_000_000
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    assert [p.name for p in pictures if p.name not in notice] == []


def test_sets_hold_all_tiles():
    for name in art.SETS:
        assert set(art.faces(name)) == {*KINDS, *REDS}
    assert set(art.flowers()) == set(FLOWERS)
    assert set(art.symbols()) == {*KINDS, *FLOWERS}


@pytest.mark.parametrize("name", art.FONTS)
def test_fonts_hold_what_tiles_need(name):
    assert set("一二三四五六七八九萬東南西北中發白") <= set(art.font(name))


def _alike(a: np.ndarray, b: np.ndarray) -> float:
    """Mean difference of two faces seen at the size a table camera sees them, grey levels."""
    small = [cv2.resize(face, (26, 35), interpolation=cv2.INTER_AREA).astype(float) for face in (a, b)]
    return float(np.abs(small[0] - small[1]).mean())


@pytest.mark.parametrize("design", STYLES.values(), ids=lambda d: d.name)
def test_all_faces_of_a_style_differ(design):
    painted = {tile: paint_face(design, tile) for tile in FACES}
    for tile, face in painted.items():
        assert face.shape == (140, 104, 3)
        if tile != "5z":
            assert face.std() > 8, f"{tile} is blank"
    closest = min(combinations(FACES, 2), key=lambda pair: _alike(painted[pair[0]], painted[pair[1]]))
    assert _alike(painted[closest[0]], painted[closest[1]]) > 2.0, closest


def test_random_styles_differ_and_repeat():
    one, again, other = (random_style(np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one == again
    assert one != other
    assert np.array_equal(paint_face(one, FACES[0]), paint_face(again, FACES[0]))


def test_unknown_names_say_what_there_is():
    with pytest.raises(ValueError, match="japanese"):
        style("jpanese")
    with pytest.raises(ValueError, match="green"):
        style("japanese", "plaid")
    assert style("japanese", "green").body.back == BACKS["green"]


def test_a_font_that_is_not_shipped_paints_too():
    cells = dict(art.font("boku"))
    cells["九"] = cells["一"]
    cells["東"] = np.zeros_like(cells["東"])
    art.add_font("of a test", cells)
    assert "東" not in art.font("of a test"), "what a font lacks is left out"
    drawn = replace(STYLES["hongkong"], font="of a test")
    assert not np.array_equal(paint_face(drawn, Tile("9m")), paint_face(replace(drawn, font="boku"), Tile("9m")))
    assert paint_face(drawn, Tile("1z")).std() > 5, "another font writes what this one lacks"
