"""`jantaku access`: a key made on this machine, for whoever may use it anyway."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jantaku.house import web_address
from table_engine.web.grants import Role
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import load_site

HOUR_MS = 3_600_000


def access(
    config: Annotated[Path, typer.Option("--config", "-c", help="Site file.")],
    role: Annotated[Role, typer.Option(help="What its holder may do.")] = Role.ADMIN,
    label: Annotated[str, typer.Option(help="What the key is called in the list of keys.")] = "made on the machine",
    table: Annotated[list[str] | None, typer.Option(help="Table it reaches (may be given again); none: all.")] = None,
    hands: Annotated[bool, typer.Option("--hands", help="May be shown concealed hands.")] = False,
    delay: Annotated[
        float, typer.Option(help="Seconds by which its holder sees everything later.", min=0, max=3600)
    ] = 0,
    hours: Annotated[float, typer.Option(help="How long it is valid.", min=0.01, max=24 * 366)] = 24,
) -> None:
    """Print a link that lets somebody in: for the first admin, a lost password, an overlay."""
    from table_engine.web.accounts import Accounts, access_path, wall_ms

    site = load_site(config)
    tables = frozenset(table) if table else None
    if tables and (unknown := tables - {one.id for one in site.tables}):
        raise SettingsError(f"no table {', '.join(sorted(unknown))} in {config}")
    accounts = Accounts(access_path(site.data))
    try:
        until_ms = wall_ms() + round(hours * HOUR_MS)
        key = accounts.make_token(
            label, role, tables, hands=hands, delay_s=delay, until_ms=until_ms, by="jantaku access"
        )
    finally:
        accounts.close()
    first = next(iter(table or (site.tables[0].id,)))
    way = f"overlay/{first}" if role is Role.OVERLAY else "enter"
    typer.echo(f"{web_address(site)}{way}#{'key=' if role is Role.OVERLAY else ''}{key}")
