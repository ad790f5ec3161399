"""A lens is found from pictures of the board, taken here through a lens that is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from jantaku.command import app
from table_engine.wire.errors import CameraError
from vision.lens import board_picture, find_lens

SIZE = (1280, 720)
FOCAL, BENT = 900.0, np.array([-0.18, 0.04, 0.0008, -0.0005])


def picture(tilt: tuple[float, float, float], shift: tuple[float, float, float]) -> np.ndarray:
    """The board as a lens of `FOCAL` and `BENT` sees it, turned by `tilt` (rotation vector) at `shift` (board widths)."""
    flat = board_picture(120)
    high, wide = flat.shape
    matrix = np.array([[FOCAL, 0, (SIZE[0] - 1) / 2], [0, FOCAL, (SIZE[1] - 1) / 2], [0, 0, 1]])
    xs, ys = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    pixels = np.column_stack([xs.ravel(), ys.ravel()]).astype(np.float64)
    rays = cv2.undistortPoints(pixels.reshape(-1, 1, 2), matrix, BENT).reshape(-1, 2)
    turn, _ = cv2.Rodrigues(np.array(tilt))
    plane = np.column_stack([turn[:, 0], turn[:, 1], turn @ [-0.5, -0.5 * high / wide, 0] + shift])
    on = np.column_stack([rays, np.ones(len(rays))]) @ np.linalg.inv(plane).T
    on = (on[:, :2] / on[:, 2:] * wide).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
    grey = cv2.remap(flat, on[..., 0], on[..., 1], cv2.INTER_LINEAR, borderValue=120)
    return cv2.cvtColor(cv2.GaussianBlur(grey, (3, 3), 0), cv2.COLOR_GRAY2BGR)


VIEWS = [
    ((0.3, 0.1, 0.0), (-0.15, 0.0, 1.1)),
    ((-0.35, 0.2, 0.2), (0.2, 0.1, 1.2)),
    ((0.1, -0.4, -0.1), (0.1, -0.1, 1.0)),
    ((-0.1, 0.45, 0.0), (-0.25, 0.12, 1.1)),
    ((0.4, 0.3, 0.1), (0.22, -0.1, 1.2)),
    ((0.0, 0.0, 0.3), (0.0, 0.0, 0.9)),
]


@pytest.fixture(scope="module")
def pictures() -> list[tuple[str, np.ndarray]]:
    return [(f"view {n}", picture(*view)) for n, view in enumerate(VIEWS)]


def test_the_lens_is_the_one_the_pictures_were_taken_with(pictures):
    found = find_lens(pictures)
    assert found.size == SIZE
    assert found.focal_px == pytest.approx(FOCAL, rel=0.01)
    assert found.lens[:2] == pytest.approx(BENT[:2], abs=0.03)
    assert found.error_px < 0.5
    assert found.views == len(VIEWS)
    assert found.covered > 0.6


def test_too_few_views_are_not_enough(pictures):
    empty = [("empty", np.full((720, 1280, 3), 120, np.uint8))] * 3
    with pytest.raises(CameraError, match="seen in 3 pictures"):
        find_lens([*pictures[:3], *empty])


def test_pictures_of_two_cameras_are_told(pictures):
    with pytest.raises(CameraError, match=r"small: is 640x360"):
        find_lens([pictures[0], ("small", pictures[1][1][::2, ::2].copy())])


def test_the_command_prints_what_the_site_file_wants(pictures, tmp_path):
    for name, image in pictures:
        cv2.imwrite(str(tmp_path / f"{name}.png"), image)
    told = CliRunner().invoke(app, ["lens", *map(str, sorted(tmp_path.glob("*.png")))])
    assert told.exit_code == 0, told.output
    assert "focal_px = 9" in told.output or "focal_px = 8" in told.output
    assert "lens = [-0." in told.output


def test_the_board_can_be_printed(tmp_path):
    path = tmp_path / "board.png"
    assert CliRunner().invoke(app, ["lens", "--board", str(path)]).exit_code == 0
    assert cv2.imread(str(path)).shape[1] > 1_500
    assert CliRunner().invoke(app, ["lens"]).exit_code != 0
    assert CliRunner().invoke(app, ["lens", "--board", str(tmp_path / "board.txt")]).exit_code != 0
