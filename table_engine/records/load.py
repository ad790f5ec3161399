"""Reads a game record file of any known format, recognised by what is in it and not by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from table_engine.records import (
    botzone,
    botzone_judge,
    jantaku_record,
    majiang,
    majsoul,
    mjai_read,
    open_mahjong,
    pmn,
    taiwan,
    tenhou6_read,
    tenhou_client,
    tenhou_xml,
)
from table_engine.records.files import Text, texts
from table_engine.records.model import GameRecord
from table_engine.wire.errors import RecordError

_HEAD = 65536


class UnknownFormatError(RecordError):
    """A file that is no game record of a known format, which a folder may well hold."""


class Format(NamedTuple):
    """`recognises` sees the first 64 KiB of text; `read` the whole text and the name to complain with."""

    title: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Iterator[GameRecord]]


FORMATS = {
    "jantaku": Format("Jantaku record (JSON lines)", jantaku_record.recognises, jantaku_record.read),
    "tenhou-xml": Format("Tenhou XML (mjlog)", tenhou_xml.recognises, tenhou_xml.read),
    "tenhou-client": Format("Tenhou client log", tenhou_client.recognises, tenhou_client.read),
    "tenhou6": Format("tenhou.net/6 JSON", tenhou6_read.recognises, tenhou6_read.read),
    "mjai": Format("mjai events", mjai_read.recognises, mjai_read.read),
    "majsoul": Format("Majsoul JSON", majsoul.recognises, majsoul.read),
    "majiang": Format("majiang-log (kobalab)", majiang.recognises, majiang.read),
    "botzone": Format("Botzone text", botzone.recognises, botzone.read),
    "botzone-judge": Format("Botzone judge logs (JSON lines)", botzone_judge.recognises, botzone_judge.read),
    "pmn": Format("PMN", pmn.recognises, pmn.read),
    "open-mahjong": Format("open_mahjong JSON", open_mahjong.recognises, open_mahjong.read),
    "taiwan-jsonl": Format("Taiwanese JSON lines", taiwan.recognises, taiwan.read),
}


def load(path: Path, broken: Callable[[RecordError], None] | None = None) -> Iterator[GameRecord]:
    """The games of a record file, one at a time. It may be packed (gzip, bzip2, xz) and may be an archive (tar, zip), of
    which the files of no known format are passed over unless there is no other.

    Raises RecordError naming the file, and the line or hand, when it cannot be read or is of no known format. With
    `broken`, a broken file of an archive is told there and the others are read on.
    """
    known = packed = False
    for text in texts(path):
        packed = packed or text.packed
        form = format_of(text.text)
        if form is not None:
            known = True
            try:
                yield from _read(form, text)
            except RecordError as error:
                if broken is None or not text.packed:
                    raise
                broken(error)
        elif not text.packed:
            raise _unknown(text, path)
    if not known:
        raise _unknown(None, path)


def _read(form: Format, text: Text) -> Iterator[GameRecord]:
    """The games of one text. Readers name the place of what is wrong; what is of a wrong shape altogether is named here."""
    try:
        yield from form.read(text.text, text.name)
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        what = f"{type(error).__name__}: {str(error)[:120]}"
        raise RecordError(
            f"{text.name}: looks like {form.title}, but something in it has no right shape ({what})"
        ) from error


def format_of(text: str) -> Format | None:
    """The format a text is in, None for one nobody knows."""
    head = text[:_HEAD]
    return next((form for form in FORMATS.values() if form.recognises(head)), None)


def _unknown(text: Text | None, path: Path) -> UnknownFormatError:
    what = "not a game record I know" if text else "holds no game record I know"
    return UnknownFormatError(f"{path}: {what}; known are {', '.join(form.title for form in FORMATS.values())}")
