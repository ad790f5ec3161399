"""`jantaku export`: a journal as a game record of another program."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from table_engine.wire.errors import SettingsError


class Form(StrEnum):
    MJAI = "mjai"
    TENHOU6 = "tenhou6"


def export(
    journal: Annotated[Path, typer.Argument(help="Journal of a table (var/…/journal/<table>.sqlite3).")],
    to: Annotated[Form, typer.Option("--to", help="Form of the record.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; none: standard output.")] = None,
) -> None:
    """Write what a journal holds as a game record."""
    from table_engine.records.export import export as write
    from table_engine.records.export import game_of
    from table_engine.replay import replay

    done = replay(journal)
    text = write(game_of(done.actions, done.rules, journal.stem), to.value).rstrip("\n") + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{out}: cannot be written ({error.strerror}); choose another file") from error
