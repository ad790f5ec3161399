"""`jantaku run`: everything a site file names, in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jantaku.house import keep, require_free, require_rules, web_address
from table_engine.wire.settings import load_site


def run(
    config: Annotated[Path, typer.Option("--config", "-c", help="Site file (TOML); examples in config/.")],
) -> None:
    """Watch the tables of a site file: broker, bridges, cameras and engine, until Ctrl-C."""
    site = load_site(config)
    require_rules(site, config)
    require_free(site)
    tables = ", ".join(f"{t.id} ({t.ruleset})" for t in site.tables)
    keep(site, config, Console(), f"Watching {tables}. Open {web_address(site)}  (Ctrl-C ends)")
