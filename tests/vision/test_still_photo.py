"""A real table photograph as a film: tremble, exposure, noise and arms over it. No tile may come, none may go."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from table_engine.wire.layout import Layout
from table_engine.wire.observations import RackSeen, WallSeen, ZoneSeen
from vision.calibrate import Calibration, solve
from vision.detect import Detector
from vision.frame import Frame
from vision.look import Looker
from vision.read import Reader
from vision.watcher import Watcher

WIDE = 1920
"""The photograph is made as wide as a camera's picture."""


FELT = np.array([[-0.0457, 0.9164], [0.9764, 0.9164], [0.7283, 0.1996], [0.1906, 0.1996]])
"""Corners of the photographed felt as shares of width and height: near left (outside the picture), near right, far right, far
left. By eye."""
FELT_WIDE = 30.8
"""Width of that felt in tile widths."""


@pytest.fixture(scope="module")
def photo(shared) -> np.ndarray:
    """The picture (h, w, 3)."""
    folder = shared / "data" / "photos" / "whole_table"
    path = next(folder.rglob("lietxia*.jpg"))
    whole = cv2.imread(str(path), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    return cv2.resize(whole, None, fx=WIDE / whole.shape[1], fy=WIDE / whole.shape[1], interpolation=cv2.INTER_AREA)


@pytest.fixture(scope="module")
def calibration(photo) -> Calibration:
    layout = Layout()
    reach = FELT_WIDE / 2 * layout.tile.width
    table = np.array([[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]])
    size = (photo.shape[1], photo.shape[0])
    return solve(layout, size, table, FELT * size)


def zone_words(watcher: Watcher, pictures: list[np.ndarray], start: int) -> list[object]:
    said = []
    for n, picture in enumerate(pictures, start):
        data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        said += watcher.feed(Frame(100 * n, n, jpeg=data))
    return [one for _, one in said if isinstance(one, ZoneSeen | RackSeen | WallSeen)]


def tiles_of(words: list[object]) -> dict[tuple[str, int, str], list[tuple[str, int]]]:
    """Of each zone that was spoken of the tiles, with their identities, in no order. The last word counts."""
    out = {}
    for one in words:
        lying = one.tiles if isinstance(one, ZoneSeen) else one.open
        name = one.zone.value if isinstance(one, ZoneSeen) else ""
        out[one.type, int(one.seat), name] = sorted((str(t.code), t.track) for t in lying)
    return out


def noisy(image: np.ndarray, seed: int, strength: float = 3.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(image + rng.normal(0, strength, image.shape), 0, 255).astype(np.uint8)


def drifting(image: np.ndarray, seed: int) -> np.ndarray:
    gain = 1 + 0.06 * np.sin(seed / 5)
    return noisy(np.clip(image * gain, 0, 255), seed)


def trembling(image: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shift = np.array([[1, 0, rng.uniform(-0.4, 0.4)], [0, 1, rng.uniform(-0.4, 0.4)]])
    return noisy(cv2.warpAffine(image, shift, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), seed)


def reaching(image: np.ndarray, seed: int) -> np.ndarray:
    """An arm that comes in from below, stays and goes."""
    out = noisy(image, seed)
    deep = int(image.shape[0] * 0.4 * max(0.0, np.sin(np.pi * (seed % 30) / 22)))
    if deep:
        cv2.ellipse(out, (WIDE // 2, image.shape[0]), (90, deep), 0, 0, 360, (96, 128, 186), -1)
    return out


@pytest.mark.parametrize(("how", "most"), [(drifting, 0), (trembling, 1), (reaching, 0)])
def test_nothing_comes_and_nothing_goes(photo, calibration, how, most):
    """`most`: tiles of some 90 that are gained or lost in 30 frames; the goal is none."""
    detector, reader = Detector(), Reader()
    watcher = Watcher(calibration, lambda made: Looker(made, detector, reader))
    first = tiles_of(zone_words(watcher, [noisy(photo, n) for n in range(16)], 0))
    known = {tile for tiles in first.values() for tile in tiles}
    assert len(known) > 60
    changed = set()
    last = dict(first)
    for n in range(16, 46):
        last |= tiles_of(zone_words(watcher, [how(photo, n)], n))
        changed |= known ^ {tile for tiles in last.values() for tile in tiles}
    assert len(changed) <= most, changed
