"""Tenhou's mjlog XML with all four hands visible → game records. See `tenhou_hand` for the tags."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from table_engine.records.model import GameRecord
from table_engine.records.tenhou_game import TenhouGame
from table_engine.wire.errors import RecordError


def recognises(head: str) -> bool:
    return "<mjloggm" in head


def read(text: str, source: str) -> Iterator[GameRecord]:
    """The games of a file, which is one unless several were put together. Raises RecordError naming file and hand."""
    parts = text.split("<mjloggm")
    for number, part in enumerate(parts[1:], start=1):
        name = source if len(parts) == 2 else f"{source}#{number}"
        yield _game("<mjloggm" + part if len(parts) > 2 else text, name)


def _game(text: str, source: str) -> GameRecord:
    root, cut = _parsed(text, source)
    if root.tag != "mjloggm":
        raise RecordError(f"{source}: XML with root <{root.tag}>, expected Tenhou's <mjloggm>")
    game = TenhouGame(source)
    if cut:
        game.notes.append("the file breaks off; what comes after its last whole tag is missing")
    for tag in root:
        game.feed(tag.tag, tag.attrib)
    record = game.finish()
    if record is None:
        raise RecordError(f"{source}: no hand in it (no INIT tag)")
    return record


def _parsed(text: str, source: str) -> tuple[Element, bool]:
    """The root, and whether the file breaks off (its tags are flat, so what is whole of it can be read)."""
    try:
        return fromstring(text), False
    except (ParseError, DefusedXmlException) as error:
        if isinstance(error, ParseError) and "</mjloggm" not in text:
            try:
                root = fromstring(text[: text.rfind(">") + 1] + "</mjloggm>")
            except (ParseError, DefusedXmlException):
                root = None
            if root is not None and root.find("INIT") is not None:
                return root, True
        raise RecordError(f"{source}: not valid XML: {error}") from error
