"""`jantaku engine`: the table engine of a site with its pages, as a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jantaku.stopping import on_signal, plain_log
from table_engine.wire.settings import load_site


def engine(config: Annotated[Path, typer.Option("--config", "-c", help="Site file.")]) -> None:
    """Follow the games of all tables of a site and serve the pages."""
    from table_engine.service import run

    site = load_site(config)
    plain_log()
    run(site, on_signal())
