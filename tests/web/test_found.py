"""A table is added on the page with what was found, is part of the site from then on, and is taken away again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Served, site_in

from jantaku.control import Control
from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.wire.errors import SettingsError
from table_engine.wire.kept import kept_path, load_kept
from table_engine.wire.settings import Site, load_site, with_kept

NEW = {"id": "table-2", "ruleset": "taiwan16", "tile_width_mm": 36, "camera": "/dev/video7", "port": "/dev/ttyACM0"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_in(tmp_path)


@pytest.fixture
def served(site: Site) -> Iterator[Served]:
    one = Served(Hub(("table-1",)), site)
    yield one
    one.close()


def added(served: Served, **more: Any) -> tuple[int, Any]:
    return served.ask("api/tables", served.key(Role.OPERATOR), {**NEW, **more})[:2]


def test_an_added_table_is_part_of_the_site(served: Served, site: Site) -> None:
    status, told = added(served)
    assert (status, told["file"]) == (200, str(kept_path(site.data)))
    table = with_kept(site).table("table-2")
    assert (table.ruleset, table.tile_width_mm) == ("taiwan16", 36)
    assert [(c.id, c.source, c.calibration) for c in table.cameras] == [("overhead", "/dev/video7", "markers")]
    assert [(b.id, b.port, b.device) for b in table.bridges] == [("controller", "/dev/ttyACM0", "reference")]
    assert with_kept(with_kept(site)) == with_kept(site)


def test_what_is_used_is_said_and_the_next_name_offered(served: Served) -> None:
    key = served.key(Role.OPERATOR)
    assert served.ask("api/found", key)[1]["name"] == "table-2"
    added(served)
    _, told, _ = served.ask("api/found", key)
    assert (told["name"], told["ruleset"], told["demo"]) == ("table-3", "riichi", False)


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"id": "table-1"}, 409, "there is a table 'table-1' already"),
        ({"id": "Table 2"}, 422, "id"),
        ({"camera": "", "port": ""}, 409, "needs a camera or a port"),
        ({"ruleset": "bridge"}, 409, "no rule set 'bridge'"),
        ({"tile_width_mm": 5}, 422, "tile_width_mm"),
        ({"clock": "/etc/passwd"}, 422, "clock"),
    ],
)
def test_a_table_that_cannot_be_is_refused_and_nothing_kept(
    served: Served, site: Site, change: dict[str, Any], status: int, says: str
) -> None:
    got, told = added(served, **change)
    assert (got, says in told["error"]) == (status, True), told
    assert not kept_path(site.data).exists()


def test_two_tables_cannot_have_one_camera(served: Served) -> None:
    added(served)
    status, told = added(served, id="table-3", port="/dev/ttyACM1")
    assert (status, told["error"]) == (409, "/dev/video7 is used by table-2 already; choose another")


def test_it_is_taken_away_with_what_was_set_of_it(served: Served, site: Site) -> None:
    added(served)
    kept = load_kept(site.data).with_zones("table-2", {"pond_mm": 3.0})
    kept.save(site.data)
    assert with_kept(site).table("table-2").zones.pond_mm == 3
    key = served.key(Role.OPERATOR)
    assert served.ask("api/tables/table-2", key, method="DELETE")[0] == 200
    assert [t.id for t in with_kept(site).tables] == ["table-1"]
    assert load_kept(site.data).tables == {}
    assert served.ask("api/tables/table-1", key, method="DELETE")[0] == 404


def test_only_who_sets_up_all_tables_may(served: Served) -> None:
    assert served.ask("api/tables", served.key(Role.REFEREE), NEW)[0] == 403
    assert served.ask("api/found", served.key(Role.REFEREE))[0] == 403
    assert served.ask("api/tables", served.key(Role.OPERATOR, tables=("table-1",)), NEW)[0] == 403


def test_a_site_file_that_names_the_table_too_goes_before(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text('data = "d"\n[[tables]]\nid = "t"\nclock = "time"\n')
    (tmp_path / "d").mkdir()
    kept_path(tmp_path / "d").write_text('{"added": {"t": {"ruleset": "taiwan16"}, "u": {"ruleset": "taiwan16"}}}')
    site = load_site(file)
    assert [(t.id, t.ruleset) for t in site.tables] == [("t", "riichi"), ("u", "taiwan16")]
    assert (site.clock_of("t"), site.clock_of("u")) == (tmp_path / "time", None)
    kept_path(tmp_path / "d").write_text('{"added": {"u": {"tile_width_mm": 3}}}')
    with pytest.raises(SettingsError, match="a table added there: tile_width_mm"):
        load_site(file)


def test_a_virtual_table_put_up_in_a_demo_is_found_with_its_clock(tmp_path: Path) -> None:
    spare = {
        "table": "table-2",
        "ruleset": "riichi",
        "camera": "http://127.0.0.1:9/a",
        "port": "p",
        "clock": "/c/clock",
    }
    control = Control({"found": lambda _: {"says": "1 more", "tables": [spare]}})
    site = site_in(tmp_path, demo=control.address)
    one = Served(Hub(("table-1",)), site)
    try:
        key = one.key(Role.OPERATOR)
        _, told, _ = one.ask("api/found", key)
        assert told["demo"] is True
        assert {"address": spare["camera"], "used": ""} in told["cameras"]
        assert one.ask("api/tables", key, {"id": "x", "camera": spare["camera"], "port": "p"})[0] == 200
        assert with_kept(site).clock_of("x") == Path("/c/clock")
        _, told, _ = one.ask("api/found", key)
        assert {"address": spare["camera"], "used": "x"} in told["cameras"]
    finally:
        one.close()
        control.close()


def test_zones_are_kept_for_every_camera_of_the_table(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    hub = Hub(("table-1",))
    one = Served(hub, site)
    try:
        key = one.key(Role.OPERATOR)
        assert one.ask("api/tables/table-1/zones", key, {"wall_mm": 99}, "PUT")[0] == 422
        status, told, _ = one.ask("api/tables/table-1/zones", key, {"wall_mm": 12}, "PUT")
        assert (status, told["taken"]) == (200, True)
        before = {
            (z["zone"], z["seat"]): z["corners"] for z in one.ask("api/tables/table-1/equipment", key)[1]["zones"]
        }
        assert with_kept(site).table("table-1").layout(136).moves.wall == 12
        (u0, v0) = before["wall", 0][0]
        assert (u0, v0) == pytest.approx((-229, -288))
        assert json.loads(kept_path(site.data).read_text())["tables"]["table-1"]["zones"]["wall_mm"] == 12
    finally:
        one.close()
