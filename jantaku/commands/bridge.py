"""`jantaku bridge`: one automatic table's serial port as a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jantaku.stopping import on_signal, plain_log
from table_engine.wire.settings import load_site


def bridge(
    config: Annotated[Path, typer.Option("--config", "-c", help="Site file.")],
    table: Annotated[str, typer.Option(help="Id of the table in the site file.")],
    bridge: Annotated[str, typer.Option("--id", help="Id of the bridge in the site file.")],
) -> None:
    """Read one automatic table's serial port."""
    from firmware_bridge.bridge import run

    site = load_site(config)
    plain_log()
    run(site, table, bridge, on_signal())
