"""`jantaku export`: a journal or a recorded game as a game record of another program."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from table_engine.wire.errors import RecordError, SettingsError

if TYPE_CHECKING:
    from table_engine.records.model import GameRecord

_SQLITE = b"SQLite format 3\x00"


class Form(StrEnum):
    MJAI = "mjai"
    TENHOU6 = "tenhou6"
    BOTZONE = "botzone"
    PMN = "pmn"
    JANTAKU = "jantaku"


def export(
    source: Annotated[
        Path,
        typer.Argument(
            help="Journal of a table (var/…/journal/<table>.sqlite3), or a game record of any known format."
        ),
    ],
    to: Annotated[Form, typer.Option("--to", help="Form of the record; jantaku keeps everything.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; none: standard output.")] = None,
    game: Annotated[
        int | None, typer.Option(help="Only this game of a file with several, counted from 0; none: all.", min=0)
    ] = None,
) -> None:
    """Write what a journal or a record holds as a game record of another form."""
    from table_engine.records.export import export as write

    chosen = _games(source, game)
    text = "".join(write(one, to.value).rstrip("\n") + "\n" for one in chosen)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{out}: cannot be written ({error.strerror}); choose another file") from error


def _games(source: Path, game: int | None) -> list[GameRecord]:
    """Raises RecordError when the file cannot be read or has no such game."""
    from table_engine.records.load import load
    from table_engine.replay import recorded, replay

    if _is_journal(source):
        games = [recorded(replay(source), source.stem)]
    elif source.is_dir():
        raise RecordError(f"{source}: is a folder; export one file at a time")
    else:
        games = list(load(source))
    if game is None:
        return games
    if game >= len(games):
        raise RecordError(f"{source}: has no game {game}; it has {len(games)}, counted from 0")
    return [games[game]]


def _is_journal(source: Path) -> bool:
    try:
        with source.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except IsADirectoryError:
        return False
    except OSError as error:
        raise RecordError(f"{source}: cannot be read ({error.strerror})") from error
