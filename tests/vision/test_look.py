"""What one look makes of the nets' finds."""

from __future__ import annotations

import numpy as np
import pytest
from vision_truth import calibrated

from table_engine.wire.layout import Layout
from table_engine.wire.tiles import Tile
from virtual_table.render.view import Camera
from vision.detect import Found
from vision.labels import BACK_UP, FACE, NONE, TOP
from vision.look import Looker
from vision.read import Reading

LAYOUT = Layout()


class Finds:
    """A detector that finds one upright quad of a tile's size (or less of its length) at a place of the table, mm."""

    def __init__(self, calibration, x: float, y: float, score: float, what: int = BACK_UP, share: float = 1.0) -> None:
        self.what = what
        half = np.array([LAYOUT.tile.width, LAYOUT.tile.length * share]) / 2
        ends = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half + (x, y)
        self.quad, self.score = calibration.scale(ends).astype(np.float32), score

    def find(self, _: np.ndarray, *, floor: float) -> Found:
        assert floor < self.score
        one = np.ones(1, np.float32)
        return Found(
            self.quad[None], np.array([self.what]), one * np.float32(self.score), one, np.zeros((4, 4), np.float32)
        )


class Reads:
    def __init__(self, code: str, confidence: float) -> None:
        self.reading, self.asked = Reading(Tile(code), confidence, ((Tile(code), confidence),), 0, 1.0), 0

    def read(self, _: np.ndarray, corners: np.ndarray) -> list[Reading]:
        self.asked += len(corners)
        return [self.reading] * len(corners)


@pytest.mark.parametrize(
    ("v", "score", "code", "confidence", "asked", "what"),
    [
        (LAYOUT.pond_top - 20, 0.45, "5z", 0.95, 1, FACE),
        (LAYOUT.pond_top - 20, 0.9, "5z", 0.95, 1, FACE),
        (LAYOUT.pond_top - 20, 0.9, "b", 0.95, 1, BACK_UP),
        (LAYOUT.meld_v, 0.45, "5z", 0.95, 1, FACE),
        (LAYOUT.meld_v, 0.45, "b", 0.99, 1, BACK_UP),
        (LAYOUT.meld_v, 0.45, NONE, 0.8, 1, BACK_UP),
        (LAYOUT.meld_v, 0.45, NONE, 0.95, 1, None),
        (LAYOUT.meld_v, 0.9, NONE, 0.95, 0, BACK_UP),
        (LAYOUT.meld_v, 0.45, "5z", 0.6, 1, BACK_UP),
        (LAYOUT.meld_v, 0.9, "5z", 0.95, 0, BACK_UP),
        (LAYOUT.wall_v, 0.45, "5z", 0.95, 0, BACK_UP),
    ],
)
def test_a_white_dragon_that_looks_like_a_back_is_read(v, score, code, confidence, asked, what):
    calibration = calibrated(Camera.overhead(1920, 1080, LAYOUT.half), LAYOUT)
    reader = Reads(code, confidence)
    looker = Looker(calibration, Finds(calibration, 20.0, v, score), reader)
    side = calibration.side_px
    seen = looker.look(np.zeros((1080, 1920, 3), np.uint8), (0, 0, side, side)).sightings
    assert reader.asked == asked
    assert [(s.what, s.code) for s in seen] == ([] if what is None else [(what, code if what == FACE else "b")])


@pytest.mark.parametrize(
    ("v", "share", "code", "confidence", "what"),
    [
        (LAYOUT.rack_v, 0.85, "b", 0.9, TOP),
        (LAYOUT.rack_v, 0.85, NONE, 0.9, TOP),
        (LAYOUT.rack_v, 0.85, "?", 0.4, TOP),
        (LAYOUT.rack_v, 0.85, "5z", 0.95, FACE),
        (LAYOUT.rack_v, 1.1, NONE, 0.9, None),
        (LAYOUT.pond_top - 20, 0.85, NONE, 0.9, None),
        (LAYOUT.pond_top - 20, 0.85, "5z", 0.95, FACE),
        (LAYOUT.pond_top - 20, 0.7, "5z", 0.95, FACE),
        (LAYOUT.pond_top - 20, 0.7, "?", 0.4, None),
        (LAYOUT.pond_top - 20, 0.7, NONE, 0.9, None),
        (LAYOUT.pond_top - 20, 0.5, "5z", 0.95, TOP),
        (LAYOUT.rack_v, 0.7, "5z", 0.95, TOP),
    ],
)
def test_the_last_standing_tile_of_a_row_whose_flank_shows_is_no_lying_one(v, share, code, confidence, what):
    calibration = calibrated(Camera.overhead(1920, 1080, LAYOUT.half), LAYOUT)
    looker = Looker(calibration, Finds(calibration, 20.0, v, 0.7, TOP, share), Reads(code, confidence))
    side = calibration.side_px
    seen = looker.look(np.zeros((1080, 1920, 3), np.uint8), (0, 0, side, side)).sightings
    assert [s.what for s in seen] == ([] if what is None else [what])
