"""`jantaku export`: a journal or a recorded game as a game record of another program."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

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
    RESULTS = "results"
    RULING = "ruling"


_SHEETS: dict[Form, Literal["results", "ruling"]] = {Form.RESULTS: "results", Form.RULING: "ruling"}


class Look(StrEnum):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


_BY_ENDING = {".json": Look.JSON, ".csv": Look.CSV, ".html": Look.HTML, ".htm": Look.HTML}


def export(
    source: Annotated[
        Path,
        typer.Argument(
            help="Journal of a table (var/…/journal/<table>.sqlite3), or a game record of any known format."
        ),
    ],
    to: Annotated[
        Form,
        typer.Option(
            "--to",
            help="Form of the record; jantaku keeps everything. results and ruling: the sheets of a journal.",
        ),
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; none: standard output.")] = None,
    game: Annotated[
        int | None, typer.Option(help="Only this game of a file with several, counted from 0; none: all.", min=0)
    ] = None,
    look: Annotated[
        Look | None, typer.Option("--as", help="Look of a sheet; none: by the ending of --out, else text.")
    ] = None,
) -> None:
    """Write what a journal or a record holds as a game record of another form, or a journal's result or ruling sheet."""
    from table_engine.records.export import export as write

    if to in _SHEETS:
        ending = out.suffix.lower() if out else ""
        text = _sheet(source, _SHEETS[to], look or _BY_ENDING.get(ending, Look.TEXT))
    else:
        text = "".join(write(one, to.value).rstrip("\n") + "\n" for one in _games(source, game))
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{out}: cannot be written ({error.strerror}); choose another file") from error


def _sheet(source: Path, what: Literal["results", "ruling"], look: Look) -> str:
    """Raises RecordError when the file is no journal."""
    from table_engine.replay import replay
    from table_engine.sheets import sheet

    if not _is_journal(source):
        raise RecordError(
            f"{source}: is no journal; sheets are made of a table's journal (var/…/journal/<table>.sqlite3)"
        )
    done = replay(source)
    return sheet(what, done.engine, done.rules, look.value)


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
