"""Site files: the examples load, what we write ourselves loads back as it was, and complaints name file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from jantaku.sites import default_site, to_toml, write_site
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import (
    BridgeSettings,
    BrokerSettings,
    CameraSettings,
    Site,
    TableSettings,
    WebSettings,
    load_site,
)

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "config").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_an_example_loads(path: Path) -> None:
    assert load_site(path).tables


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_a_written_site_loads_back_as_it_was(tmp_path: Path) -> None:
    camera = CameraSettings(
        id="cam",
        source="http://127.0.0.1:1/stream",
        calibration="corners",
        corners_px=((1, 2.5), (3, 4), (5, 6), (7, 8)),
        lens=(0.1, -0.2, 0.0, 0.001),
        exposure="hold",
        white_balance=4600,
    )
    site = Site(
        venue="demo",
        data=tmp_path / "data",
        clock=tmp_path / "clock",
        broker=BrokerSettings(port=1234, store=tmp_path / "broker", password='quote " and back\\slash'),
        web=WebSettings(port=0, demo="http://127.0.0.1:9/"),
        tables=(
            TableSettings(
                id="one",
                overrides={"hand_size": 13, "names": ["東", "南"]},
                players=("東", "", 'a "b"', "\t"),
                cameras=(camera, CameraSettings(id="rack", source="2", role="rack", seat=1)),
                bridges=(BridgeSettings(id="port", port="/dev/null"),),
            ),
            TableSettings(id="two", ruleset="taiwan16"),
        ),
    )
    assert load_site(write_site(site, tmp_path / "sub" / "site.toml")) == site


def test_only_what_differs_is_written() -> None:
    assert to_toml(default_site()).split() == ["[[tables]]", "id", "=", '"table-1"']


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("venue = ", "not valid TOML"),
        ("venue = 'home'", "tables"),
        ("[[tables]]\nid = 'T 1'", "tables.0.id"),
        ("[[tables]]\nid = 't1'\nruleSet = 'riichi'", "tables.0.ruleSet"),
        ("[[tables]]\nid = 't1'\n[[tables]]\nid = 't1'", "two tables share an id"),
        ("[web]\nport = 99999\n[[tables]]\nid = 't1'", "web.port"),
    ],
)
def test_a_broken_site_file_is_named_with_its_key(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "site.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_site(path)
    assert str(path) in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "tables: is missing"),
        ('[[tables]]\nid = "t 1"', "tables.0.id: id 't 1': use 1 to 32 of a-z, 0-9 and '-' (got 't 1')"),
        *(
            (
                f'[[tables]]\nid = "t1"\n[[tables.cameras]]\nid = "c1"\nsource = "0"\n{key} = {said}',
                f'tables.0.cameras.0.{key}: is a number, or "hold": what the camera chooses for itself while it warms up (got {got})',
            )
            for key, said, got in (
                ("exposure", '"auto"', "'auto'"),
                ("white_balance", '"keep"', "'keep'"),
                ("focus", "true", "True"),
                ("focus", "nan", "nan"),
            )
        ),
        ("tables = []", "tables: Tuple should have at least 1 item after validation, not 0 (got [])"),
    ],
)
def test_a_complaint_names_what_is_wrong_and_nothing_else(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "site.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_site(path)
    assert str(caught.value) == f"{path}: {says}"


def test_a_site_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"file/site\.toml: cannot be written"):
        write_site(default_site(), tmp_path / "file" / "site.toml")
