"""`jantaku rules`: the rule catalogue with what is implemented and what is not."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def rules(
    ruleset: Annotated[str | None, typer.Option("--rules", help="Only this rule set.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list as the last line.")] = False,
) -> None:
    """List every rule of the rule sets, who notices it, and what implements and tests it."""
    from jantaku.catalogue import catalogue
    from table_engine.rules import RULESETS

    lines = list(catalogue([ruleset] if ruleset else RULESETS))
    if as_json:
        typer.echo(json.dumps([line.plain() for line in lines], ensure_ascii=False))
        return
    table = Table("rule", "how", "what it says", "implemented by", "tests", box=None, pad_edge=False)
    for line in lines:
        by = "\n".join(one.removeprefix("table_engine/") for one in line.implemented_by) or "[dim]not yet[/]"
        table.add_row(line.id, "/".join(line.how), line.text, by, str(len(line.tests) or ""))
    console = Console()
    console.print(table)
    done = Counter(line.ruleset for line in lines if line.implemented_by)
    every = Counter(line.ruleset for line in lines)
    for name, count in every.items():
        console.print(f"{name}: {done[name]} of {count} rules implemented", highlight=False)
