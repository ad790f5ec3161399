"""`jantaku doctor`: what would keep this venue from playing, in words, with what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from jantaku import checkup, checkup_bridges, checkup_wire
from jantaku.checkup import Finding
from jantaku.sites import default_site
from table_engine.wire.settings import Site, load_site

CHECKS: tuple[tuple[str, Callable[[Site], Iterator[Finding]]], ...] = (
    ("Python and libraries", lambda _: checkup.interpreter()),
    ("rule sets", checkup.rules),
    ("disk", checkup.disk),
    ("clock", checkup.clock),
    ("web address", checkup.web),
    ("broker", checkup_wire.broker),
    ("serial ports", checkup.serial_ports),
    ("bridges", checkup_bridges.bridges),
    ("cameras", checkup.cameras),
)
COLOURS = {"ok": "green", "warning": "yellow", "broken": "red"}


def doctor(
    config: Annotated[Path | None, typer.Option("--config", "-c", help="Site file; none: this machine only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """Look for what would keep this venue from playing: libraries, broker, ports, cameras, disk, clock."""
    site = load_site(config) if config else default_site()
    findings = list(_look(site))
    if not as_json:
        _show(findings)
    broken = sum(f.state == "broken" for f in findings)
    if as_json:
        typer.echo(json.dumps({"broken": broken, "findings": [f.plain() for f in findings]}, ensure_ascii=False))
    raise typer.Exit(1 if broken else 0)


def _look(site: Site) -> Iterator[Finding]:
    with Progress(
        SpinnerColumn(), TextColumn("looking at {task.description}"), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("", total=len(CHECKS))
        for name, check in CHECKS:
            bar.update(task, description=name, advance=1)
            yield from check(site)


def _show(findings: list[Finding]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for finding in findings:
        words = f"{finding.says}\n→ {finding.do}" if finding.do else finding.says
        table.add_row(f"[{COLOURS[finding.state]}]{finding.state}[/]", finding.what, words)
    Console().print(table)
