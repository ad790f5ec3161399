"""Pictures of alerts: which there are, where they may be, and how long they stay."""

from __future__ import annotations

import os
from pathlib import Path

import boards
import pytest
from serving import serving, site_in

from table_engine.web.evidence import folder_of, prune
from table_engine.web.grants import Role
from table_engine.web.hub import Hub


def write(folder: Path, *times: int) -> None:
    folder.mkdir(parents=True)
    for at_ms in times:
        (folder / f"{at_ms}.jpg").write_bytes(b"\xff\xd8 picture \xff\xd9")


@pytest.mark.parametrize("ident", ["..", ".", "", "a/../../b", "....//", "\x00"])
def test_no_name_of_an_alert_leaves_the_folder(tmp_path: Path, ident: str) -> None:
    folder = folder_of(tmp_path, "table-1", ident)
    assert folder.resolve().parent == (tmp_path / "table-1").resolve()


def test_a_picture_is_for_who_sees_alerts(tmp_path: Path) -> None:
    hub = Hub(("table-1",))
    hub.publish_alert("table-1", boards.raised(id="a1", at_ms=1000))
    write(tmp_path / "evidence" / "table-1" / "a1" / "cam", 800, 1000, 1200)
    with serving(hub, site_in(tmp_path)) as served:
        told = served.ask("api/tables/table-1/alerts/a1/evidence", served.key(Role.OPERATOR))[1]
        assert told["clips"] == [{"camera": "cam", "at_ms": [800, 1000, 1200], "before": 1000, "after": 1200}]
        path = "api/tables/table-1/alerts/a1/evidence/cam/1000.jpg"
        assert served.ask(path, served.key(Role.REFEREE))[2]["content-type"] == "image/jpeg"
        assert served.ask(path, served.key(Role.OVERLAY))[0] == 403
        assert served.ask(path.replace("1000", "999"), served.key(Role.REFEREE))[0] == 404


def test_old_pictures_go(tmp_path: Path) -> None:
    old, new = tmp_path / "table-1" / "old", tmp_path / "table-1" / "new"
    write(old / "cam", 1)
    write(new / "cam", 2)
    for path in (old / "cam", old):
        os.utime(path, (1000, 1000))
    assert prune(tmp_path, 2000) == 1
    assert not old.exists()
    assert (new / "cam" / "2.jpg").exists()
