"""What is looked at before a site's first process starts."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from jantaku.house import require_free, require_rules, unbindable
from jantaku.sites import free_port
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import BrokerSettings, Site, TableSettings, WebSettings

TABLES = (TableSettings(id="one"),)


def _site(web: WebSettings, broker: BrokerSettings) -> Site:
    return Site(web=web, broker=broker, tables=TABLES)


def test_free_addresses_are_no_news() -> None:
    require_free(_site(WebSettings(port=free_port()), BrokerSettings(port=free_port())))


def test_a_taken_port_is_named_with_its_key() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert unbindable("127.0.0.1", port) == "Address already in use"
        with pytest.raises(
            SettingsError, match=rf"127\.0\.0\.1:{port} cannot be listened on \(Address .* broker\.port"
        ):
            require_free(_site(WebSettings(port=free_port()), BrokerSettings(port=port)))
        require_free(_site(WebSettings(port=free_port()), BrokerSettings(mode="external", port=port)))


def test_a_host_that_is_not_ours_is_not_called_taken() -> None:
    with pytest.raises(SettingsError, match=r"192\.0\.2\.1:\d+ cannot be listened on \(Cannot assign .* web\.host"):
        require_free(_site(WebSettings(host="192.0.2.1", port=free_port()), BrokerSettings(port=free_port())))


def test_pages_and_broker_cannot_share_a_port() -> None:
    port = free_port()
    with pytest.raises(SettingsError, match=f"web.port and broker.port are both {port}"):
        require_free(_site(WebSettings(port=port), BrokerSettings(port=port)))


def test_a_page_nobody_could_find_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"web\.port 0"):
        require_free(_site(WebSettings(port=0), BrokerSettings(port=free_port())))


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"ruleset": "bridge"}, "site.toml: table two: no rule set 'bridge'"),
        ({"overrides": {"foo": 3}}, "site.toml: table two: overrides of rule set riichi: foo"),
    ],
)
def test_unknown_rules_are_named_with_file_and_table(table: dict[str, object], says: str) -> None:
    site = Site(tables=(*TABLES, TableSettings.model_validate({"id": "two", **table})))
    with pytest.raises(SettingsError, match=says):
        require_rules(site, Path("site.toml"))
