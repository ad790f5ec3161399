"""Logs of Tenhou's client (`Get:` and `Send:` lines, or the bare tags a client received) → game records of what one seat
saw: the tiles nobody saw are `?`. See `tenhou_hand` for the tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from table_engine.records.model import GameRecord
from table_engine.records.tenhou_game import TenhouGame
from table_engine.wire.errors import RecordError

_TAG = re.compile(r"<([A-Za-z]\w*)((?:\s+\w+=\"[^\"]*\")*)\s*/?>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_MINE = re.compile(r"<INIT\b[^>]*\bhai=")


def recognises(head: str) -> bool:
    return "<mjloggm" not in head and bool(_MINE.search(head) or ("Get: <" in head and "<GO " in head))


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a log of which a hand is there. Raises RecordError naming file and hand."""
    number, game = 1, TenhouGame(source)
    found = False
    for line in text.splitlines():
        if line.startswith("Send:"):
            continue
        for name, attributes in _TAG.findall(line):
            if name in ("GO", "TAIKYOKU") and game.begun:
                if (record := game.finish()) is not None:
                    found = True
                    yield record
                number += 1
                game = TenhouGame(f"{source}#{number}")
            game.feed(name, dict(_ATTRIBUTE.findall(attributes)))
    if (record := game.finish()) is not None:
        found = True
        yield record
    if not found:
        raise RecordError(f"{source}: a log of Tenhou's client without a whole hand (no INIT tag)")
