"""A web server over a hub, and somebody who asks it things."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from table_engine.web.accounts import Accounts, access_path
from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.web.server import WebServer
from table_engine.wire.settings import Site, TableSettings, WebSettings

PASSWORD = "correct horse battery"


def site_in(folder: Path, *tables: str, **web: Any) -> Site:
    names = tables or ("table-1",)
    return Site(
        venue="hall",
        data=folder,
        web=WebSettings.model_construct(**{**WebSettings().model_dump(), "port": 0, **web}),
        tables=tuple(TableSettings(id=t, players=("Aki", "Ben", "Chie", "Dan")) for t in names),
    )


class Served:
    """A running server. `key(role, …)` makes keys, `ask` asks with one."""

    def __init__(self, hub: Hub, site: Site) -> None:
        self.hub = hub
        self.site = site
        self.accounts = Accounts(access_path(site.data))
        self.server = WebServer(hub, site, self.accounts)
        self.address = self.server.address

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1].strip("/"))

    def key(self, role: Role, **rights: Any) -> str:
        key = self.accounts.make_token(role.value, role, **rights)
        for table in self.hub.tables:
            self.hub.keep_past(table, self.accounts.longest_delay_s(table))
        return key

    def open(self, path: str, key: str | None = None, data: Any = None, method: str | None = None, **headers: str):
        body = json.dumps(data).encode() if data is not None and not isinstance(data, bytes) else data
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.address + path, data=body, method=method, headers=headers)
        return urllib.request.urlopen(request, timeout=30)

    def ask(self, path: str, key: str | None = None, data: Any = None, method: str | None = None, **headers: str):
        """→ (status, JSON or text, headers)."""
        try:
            with self.open(path, key, data, method, **headers) as answer:
                return answer.status, _read(answer.read()), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, _read(error.read()), error.headers

    def close(self) -> None:
        self.server.close()
        self.accounts.close()


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


@contextmanager
def serving(hub: Hub, site: Site) -> Iterator[Served]:
    served = Served(hub, site)
    try:
        yield served
    finally:
        served.close()


def events(answer: Any) -> Iterator[dict[str, Any]]:
    """The events of a push, each with its id."""
    ident = ""
    for raw in answer:
        line = raw.decode()
        if line.startswith("id: "):
            ident = line[4:].strip()
        if line.startswith("data: "):
            yield {**json.loads(line[6:]), "id": ident}
