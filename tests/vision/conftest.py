from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_engine.wire.layout import TileSize
from table_engine.wire.tiles import Tile
from virtual_table.render.canvas import Canvas
from virtual_table.render.light import Light
from virtual_table.render.style import STYLES
from virtual_table.render.view import Camera
from virtual_table.table import Place, TileThing
from vision.train.scenes import block

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    cv2.setNumThreads(1)


@pytest.fixture(scope="session")
def sheet() -> np.ndarray:
    """Nine lying tiles on green, seen from straight above, a face 52 px long."""
    base = np.full((600, 800, 3), (70, 100, 40), np.uint8)
    camera = Camera.aimed(800, 600, focal=1500.0, distance=1000.0)
    canvas = Canvas(base, camera, Light())
    faces = ("1m", "5p", "9s", "1z", "7z", "3f", "2s", "8m", "4p")
    blocks = [
        block(
            TileThing(n, Tile(face), 0, Place(-160.0 + 80 * (n % 5), 60.0 - 110 * (n // 5), 0, 0, 0)),
            STYLES["japanese"],
            TileSize(),
        )
        for n, face in enumerate(faces)
    ]
    canvas.show(blocks)
    return canvas.picture
