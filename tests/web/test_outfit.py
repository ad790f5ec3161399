"""What the set-up page changes: kept beside the site file, taken by the sensors, and what is refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image
from serving import Served, site_in

from table_engine.web.evidence import filmed
from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.wire.errors import DeviceError, SettingsError
from table_engine.wire.kept import kept_path
from table_engine.wire.settings import BridgeSettings, CameraSettings, Site, load_site, with_kept

CORNERS = [[100, 900], [900, 900], [860, 60], [140, 60]]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = site_in(tmp_path)
    (table,) = site.tables
    camera = CameraSettings(id="cam", source="/dev/video0")
    table = table.model_copy(
        update={"cameras": (camera,), "bridges": (BridgeSettings(id="bridge", port="/dev/ttyUSB0"),)}
    )
    return site.model_copy(update={"tables": (table,)})


@pytest.fixture
def hub() -> Hub:
    return Hub(("table-1",))


@pytest.fixture
def served(hub: Hub, site: Site) -> Iterator[Served]:
    one = Served(hub, site)
    yield one
    one.close()


@pytest.fixture
def orders(hub: Hub) -> Iterator[list[tuple[str, str]]]:
    """The engine's side: sensors answer every command; the one called `deaf` does not know it."""
    told: list[tuple[str, str]] = []
    over = threading.Event()

    def answer() -> None:
        while not over.wait(0.005):
            for order in hub.orders():
                told.append((order.node, order.name))
                if order.name == "learn":
                    order.answer.set_exception(DeviceError("cam learn: gives no picture"))
                else:
                    order.answer.set_result({})

    thread = threading.Thread(target=answer)
    thread.start()
    yield told
    over.set()
    thread.join()


def test_corners_are_kept_and_the_camera_begins_anew(served: Served, site: Site, orders: list[tuple[str, str]]) -> None:
    key = served.key(Role.OPERATOR)
    status, told, _ = served.ask("api/tables/table-1/cameras/cam", key, {"corners_px": CORNERS}, "PUT")
    assert (status, told["taken"], told["file"]) == (200, True, str(kept_path(site.data)))
    assert orders == [("cam", "reload")]
    camera = with_kept(site).table("table-1").cameras[0]
    assert (camera.calibration, [list(p) for p in camera.corners_px or ()]) == ("corners", CORNERS)
    _, facts, _ = served.ask("api/tables/table-1/equipment", key)
    assert facts["cameras"][0]["calibration"] == "corners"


@pytest.mark.parametrize(
    "change",
    [
        {"corners_px": [[100, 900], [900, 900], [140, 60], [860, 60]]},
        {"corners_px": [[0, 0], [1, 0], [2, 0], [3, 0]]},
        {"tile_set": "never-learnt"},
        {"calibration": "corners"},
        {"fps": 3},
    ],
)
def test_what_cannot_be_is_refused_and_nothing_kept(served: Served, site: Site, change: dict[str, object]) -> None:
    status, told, _ = served.ask("api/tables/table-1/cameras/cam", served.key(Role.ADMIN), change, "PUT")
    assert status == 422
    assert told["error"]
    assert not kept_path(site.data).exists()


def test_only_who_sets_up_may(served: Served) -> None:
    key = served.key(Role.REFEREE)
    assert served.ask("api/tables/table-1/cameras/cam", key, {"calibration": "markers"}, "PUT")[0] == 403
    assert served.ask("api/tables/table-1/cameras/cam/learn", key, {"do": "look"})[0] == 403
    assert served.ask("api/sets", key)[0] == 403


@pytest.mark.usefixtures("orders")
def test_a_port_is_kept_for_its_bridge(served: Served, site: Site) -> None:
    key = served.key(Role.OPERATOR)
    assert served.ask("api/tables/table-1/bridges/bridge", key, {"port": "/dev/ttyACM3"}, "PUT")[0] == 200
    assert with_kept(site).table("table-1").bridges[0].port == "/dev/ttyACM3"
    assert served.ask("api/tables/table-1/bridges/none", key, {"port": "x"}, "PUT")[0] == 404


@pytest.mark.usefixtures("orders")
def test_what_vision_cannot_do_is_said_in_its_words(served: Served) -> None:
    status, told, _ = served.ask("api/tables/table-1/cameras/cam/learn", served.key(Role.OPERATOR), {"do": "look"})
    assert (status, told["error"]) == (409, "cam learn: gives no picture")


@pytest.mark.usefixtures("orders")
def test_sets_are_listed_chosen_and_deleted_when_nobody_uses_them(served: Served, site: Site) -> None:
    key, folder = served.key(Role.OPERATOR), site.data / "sets"
    folder.mkdir(parents=True)
    for name in ("green", "blue", "old"):
        (folder / f"{name}.npz").write_bytes(b"")
        (folder / f"{name}.json").write_text(json.dumps({"faces": 37, "tiles": 136, "back": "#20a040"}))
    assert served.ask("api/tables/table-1/cameras/cam", key, {"tile_set": "green,blue"}, "PUT")[0] == 200
    _, told, _ = served.ask("api/sets", key)
    assert [(one["name"], one["used"]) for one in told["sets"]] == [
        ("blue", ["table-1/cam"]),
        ("green", ["table-1/cam"]),
        ("old", []),
    ]
    assert served.ask("api/sets/green", key, method="DELETE")[0] == 409
    assert served.ask("api/sets/old", key, method="DELETE")[0] == 200
    assert not list(folder.glob("old*"))


def test_the_site_file_is_read_with_what_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text('data = "d"\n[[tables]]\nid = "t"\n[[tables.cameras]]\nid = "c"\nsource = "0"\n')
    kept_path(tmp_path / "d").parent.mkdir()
    kept_path(tmp_path / "d").write_text(
        '{"tables": {"t": {"cameras": {"c": {"source": "1"}, "gone": {"source": "2"}}}}}'
    )
    assert [c.source for c in load_site(file).tables[0].cameras] == ["1"]
    kept_path(tmp_path / "d").write_text("{")
    with pytest.raises(SettingsError, match="remove it and set up again"):
        load_site(file)


def test_a_clip_plays_at_the_pace_it_was_taken(tmp_path: Path) -> None:
    for at_ms, grey in ((1000, 20), (1200, 120), (1500, 220)):
        cv2.imwrite(str(tmp_path / f"{at_ms}.jpg"), np.full((360, 1280, 3), grey, np.uint8))
    with Image.open(BytesIO(filmed(tmp_path))) as clip:
        assert (clip.n_frames, clip.size) == (3, (640, 180))  # type: ignore[attr-defined]
        clip.seek(1)
        clip.load()  # the time a picture lasts is known once it is decoded
        assert clip.info["duration"] == 300
    assert filmed(tmp_path / "none") == b""
