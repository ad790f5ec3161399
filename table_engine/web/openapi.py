"""The document of the HTTP interface: `python -m table_engine.web.openapi docs/openapi.json` writes it anew."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from table_engine.web.accounts import Accounts
from table_engine.web.app import application
from table_engine.web.hub import Hub
from table_engine.web.screens import Screens
from table_engine.wire.settings import Site, TableSettings


def document() -> str:
    """As JSON text; the same for every site."""
    with tempfile.TemporaryDirectory() as folder:
        accounts = Accounts(Path(folder) / "access.sqlite3")
        site = Site(tables=(TableSettings(id="table-1"),))
        app = application(Screens(Hub(("table-1",)), accounts, site))
        accounts.close()
    return json.dumps(app.openapi(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
