"""Recorded games to be played: a file, or a folder with files of any known format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from table_engine.records.load import load
from table_engine.records.model import GameRecord
from table_engine.wire.errors import RecordError


@dataclass(frozen=True, slots=True)
class Game:
    """Game number `index` (from 0) of a file. `record` holds the hands that are to be played."""

    path: Path
    index: int
    record: GameRecord


def games(path: Path, hands: int | None = None) -> Iterator[Game]:
    """The games of a file or folder, `hands` hands in all at most.

    Raises RecordError for a file of no known format. In a folder such files are passed over, unless there is no other.
    """
    left = hands
    for game in _all(path):
        if left is not None:
            game = replace(game, record=replace(game.record, hands=game.record.hands[:left]))  # noqa: PLW2901 (cut short)
            left -= len(game.record.hands)
        if game.record.hands:
            yield game
        if left == 0:
            return


def game(path: Path, index: int, hands: int | None = None) -> Game:
    """One game of a file. Raises RecordError when it has no such game."""
    found = next(islice(_of_file(path), index, None), None)
    if found is None:
        raise RecordError(f"{path}: has no game {index}; games are counted from 0")
    return replace(found, record=replace(found.record, hands=found.record.hands[:hands]))


def _all(path: Path) -> Iterator[Game]:
    if not path.is_dir():
        yield from _of_file(path)
        return
    known = 0
    for file in sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith(".")):
        try:
            first = next(load(file), None)
        except RecordError:
            continue
        if first is not None:
            known += 1
            yield from _of_file(file)
    if not known:
        raise RecordError(f"{path}: none of its files is a game record I know")


def _of_file(path: Path) -> Iterator[Game]:
    for index, record in enumerate(load(path)):
        yield Game(path, index, record)
