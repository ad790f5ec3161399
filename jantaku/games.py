"""Recorded games to be played: a file, or a folder with files of any known format, packed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from table_engine.records.complete import completed
from table_engine.records.load import UnknownFormatError, load
from table_engine.records.model import GameRecord
from table_engine.wire.errors import RecordError

Broken = Callable[[RecordError], None]


@dataclass(frozen=True, slots=True)
class Game:
    """Game number `index` (from 0) of a file. `record` holds the hands that are to be played, with every tile known.
    `own`: there is no file, the virtual table's own players play it."""

    path: Path
    index: int
    record: GameRecord
    own: bool = False


def games(path: Path, hands: int | None = None, broken: Broken | None = None) -> Iterator[Game]:
    """The games of a file or folder, `hands` hands in all at most.

    In a folder, files of no known format are passed over, unless there is no other. Raises RecordError for a file of no
    known format and for a broken one; with `broken` such a file is told there and the others are read on.
    """
    left = hands
    for game in _all(path, broken):
        if left is not None:
            game = replace(game, record=replace(game.record, hands=game.record.hands[:left]))  # noqa: PLW2901 (cut short)
            left -= len(game.record.hands)
        if game.record.hands:
            yield game
        if left == 0:
            return


def game(path: Path, index: int, hands: int | None = None) -> Game:
    """One game of a file or folder. Raises RecordError when it has no such game."""
    found = next(islice(_all(path, None), index, None), None)
    if found is None:
        raise RecordError(f"{path}: has no game {index}; games are counted from 0")
    return replace(found, record=replace(found.record, hands=found.record.hands[:hands]))


def _all(path: Path, broken: Broken | None) -> Iterator[Game]:
    if not path.is_dir():
        yield from _of_file(path, broken)
        return
    known = 0
    for file in sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith(".")):
        try:
            for one in _of_file(file, broken):
                known += 1
                yield one
        except UnknownFormatError:
            continue
    if not known:
        raise RecordError(f"{path}: none of its files is a game record I know")


def _of_file(path: Path, broken: Broken | None) -> Iterator[Game]:
    try:
        for index, record in enumerate(load(path, broken)):
            yield Game(path, index, completed(record))
    except UnknownFormatError:
        raise
    except RecordError as error:
        if broken is None:
            raise
        broken(error)
