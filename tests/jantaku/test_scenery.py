"""The site of a virtual table is an ordinary site file whose geometry fits the renderer's camera."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jantaku.scenery import Scenery, camera_above, corners_px, site_of
from jantaku.sites import write_site
from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.settings import load_site
from vision.calibrate import from_corners


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (3840, 2160)])
@pytest.mark.parametrize("tile", [26.0, 38.0])
def test_a_camera_calibrated_by_the_written_corners_sees_what_the_renderer_draws(width, height, tile) -> None:
    layout = Layout(TileSize.of_width(tile))
    eye = camera_above(layout, width, height)
    corners = np.array(corners_px(eye, layout))
    assert (corners > 0).all()
    assert (corners < [width, height]).all()
    found = from_corners(layout, (width, height), corners, focal=eye.focal, distortion=None)
    points = np.array([[0, 0, 0], [100, -200, 0], [-300, 120, 40], [layout.half, -layout.half, 0]], float)
    off_px = np.abs(found.project(points) - eye.project(points)).max()
    assert off_px / eye.scale_at(0, 0) < 1.0, "a millimetre"


@pytest.mark.parametrize("sensors", [("serial",), ("camera",), ("serial", "camera")])
def test_the_site_loads_and_has_only_the_sensors_asked_for(tmp_path: Path, sensors) -> None:
    site = site_of(Scenery(tmp_path, "taiwan16", sensors=sensors))
    table = load_site(write_site(site, tmp_path / "site.toml")).table("table-1")
    assert (len(table.bridges), len(table.cameras)) == ("serial" in sensors, "camera" in sensors)
    assert table.ruleset == "taiwan16"


def test_an_unknown_rule_set_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there are taiwan16, riichi, chinese_official, world_series"):
        site_of(Scenery(tmp_path, "bridge"))
