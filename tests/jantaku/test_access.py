"""`jantaku access`: the link that lets somebody in."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from jantaku.command import app
from table_engine.web.accounts import Accounts, access_path
from table_engine.web.grants import Role
from table_engine.wire.errors import SettingsError

SITE = """
data = "data"
[[tables]]
id = "table-1"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_text(SITE, encoding="utf-8")
    return path


def test_a_link_for_an_admin_and_an_overlay(config: Path) -> None:
    link = CliRunner().invoke(app, ["access", "--config", str(config)]).stdout.strip()
    arguments = ["access", "-c", str(config), "--role", "overlay", "--delay", "300", "--hands"]
    overlay = CliRunner().invoke(app, arguments).stdout.strip()
    assert link.startswith("http://127.0.0.1:8137/enter#")
    assert overlay.startswith("http://127.0.0.1:8137/overlay/table-1#key=")
    accounts = Accounts(access_path(config.parent / "data"))
    admin, shown = accounts.by_token(link.split("#")[1]), accounts.by_token(overlay.split("key=")[1])
    accounts.close()
    assert (admin.role, admin.hands) == (Role.ADMIN, False)
    assert (shown.role, shown.hands, shown.delay_s) == (Role.OVERLAY, True, 300)


def test_a_table_that_is_not_there_is_named(config: Path) -> None:
    failed = CliRunner().invoke(app, ["access", "--config", str(config), "--table", "kitchen"])
    assert isinstance(failed.exception, SettingsError)
    assert "kitchen" in str(failed.exception)
