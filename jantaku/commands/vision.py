"""`jantaku vision`: one camera as a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jantaku.stopping import again, on_signal, plain_log
from table_engine.wire.settings import load_site


def vision(
    config: Annotated[Path, typer.Option("--config", "-c", help="Site file.")],
    table: Annotated[str, typer.Option(help="Id of the table in the site file.")],
    camera: Annotated[str, typer.Option("--id", help="Id of the camera in the site file.")],
) -> None:
    """Watch a table through one camera."""
    from vision.runner import run

    site = load_site(config)
    plain_log()
    stop = on_signal()
    if run(site, table, camera, stop):
        again()
