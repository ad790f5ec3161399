"""Reads a game record file of any known format, recognised by what is in it and not by its name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from table_engine.records import botzone, taiwan, tenhou_xml
from table_engine.records.model import GameRecord
from table_engine.wire.errors import RecordError


class Format(NamedTuple):
    """`recognises` sees the first 64 KiB of text; `read` the whole text and the name to complain with."""

    title: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Iterator[GameRecord]]


FORMATS = {
    "tenhou-xml": Format("Tenhou XML (mjlog)", tenhou_xml.recognises, tenhou_xml.read),
    "botzone": Format("Botzone text", botzone.recognises, botzone.read),
    "taiwan-jsonl": Format("Taiwanese JSON lines", taiwan.recognises, taiwan.read),
}


def load(path: Path) -> Iterator[GameRecord]:
    """The games of a record file (gzip allowed), one at a time.

    Raises RecordError naming the file, and the line or hand, when it cannot be read or is of no known format.
    """
    text = _text(path)
    for form in FORMATS.values():
        if form.recognises(text[:65536]):
            yield from form.read(text, path.name)
            return
    known = ", ".join(form.title for form in FORMATS.values())
    raise RecordError(f"{path}: not a game record I know; known are {known}")


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        if raw.startswith(b"\x1f\x8b"):
            raw = gzip.decompress(raw)
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (EOFError, zlib.error) as error:
        raise RecordError(f"{path}: the gzip data in it is damaged ({error})") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not text in UTF-8 (byte {error.start})") from error
