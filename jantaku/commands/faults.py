"""`jantaku faults`: what can be made to go wrong at a virtual table, and how its file is written."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

_INTRODUCTION = """
Made by `jantaku faults` from the code that reads these files; do not edit. A file is given to `--faults` of `jantaku demo`,
`jantaku play` and `jantaku table`; `jantaku faults FILE` says whether it is understood. `config/faults/bad-day.toml` is an
example.
"""


def faults(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Only say whether this file is understood.")
    ] = None,
) -> None:
    """Explain the file of --faults: fouls players commit, bad sensors, killed processes; or check one."""
    if file is None:
        typer.echo(document(), nl=False)
        return
    from jantaku.faults import load_faults

    found = load_faults(file)
    typer.echo(f"{file} is understood; fouls: {len(found.foul)}, events: {len(found.event)}")


def document() -> str:
    """The page docs/faults.md."""
    import jantaku.faults
    import virtual_table.faults
    from virtual_table import moves, script

    parts = (
        ("The file", jantaku.faults),
        ("Sensors", virtual_table.faults),
        ("Fouls", script),
        ("The words of a scene", moves),
    )
    chapters = [f"## {title}\n\n{cleandoc(module.__doc__ or '')}\n" for title, module in parts]
    return "\n".join(["# What can go wrong at a virtual table", _INTRODUCTION, *chapters])
