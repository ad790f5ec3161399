"""Captures: what went over a serial line, byte for byte, with its times. One JSON object a line.

{"capture": 1, "port": "/dev/ttyUSB0", "baud": 115200, "device": "reference", "began": "2026-11-29T10:00:00+00:00"}
{"ms": 12, "in": "05 06 01 02 …"}       read from the device, 12 ms after the beginning
{"ms": 13, "out": "04 04 01 83 …"}      sent to it
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import explain


class Head(BaseModel):
    """What was recorded, where and when."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    capture: int = Field(ge=1, le=1)
    port: str
    baud: int
    device: str
    began: datetime


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    ms: int = Field(ge=0)
    read: str | None = Field(default=None, alias="in")
    sent: str | None = Field(default=None, alias="out")


_LINE = TypeAdapter(_Line)


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that were read (or `sent`) `ms` after the beginning."""

    ms: int
    data: bytes
    sent: bool = False


class Capture:
    """Writes a capture; every line is on disk before the next is begun."""

    def __init__(self, path: Path, *, port: str, baud: int, device: str, began: datetime | None = None) -> None:
        """Raises SettingsError when the file cannot be written."""
        self._path = path
        try:
            self._file: TextIO = path.open("w", encoding="utf-8", buffering=1)
        except OSError as error:
            raise SettingsError(f"{path}: cannot be written ({error.strerror})") from error
        head = Head(capture=1, port=port, baud=baud, device=device, began=began or datetime.now(UTC))
        self._file.write(head.model_dump_json() + "\n")

    def write(self, ms: int, data: bytes, *, sent: bool = False) -> None:
        """Adds bytes, unless there are none."""
        if data:
            self._file.write(json.dumps({"ms": ms, "out" if sent else "in": data.hex(" ")}) + "\n")

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_capture(path: Path) -> tuple[Head, list[Piece]]:
    """A whole capture. Raises SettingsError naming the line that is wrong; a last line cut off by a crash is left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as a capture ({error})") from error
    try:
        head = Head.model_validate_json(lines[0] if lines else "")
    except ValidationError as error:
        raise SettingsError(f"{path}: not a capture of ours: {explain(error)}") from error
    return head, list(_pieces(path, lines))


def _pieces(path: Path, lines: list[str]) -> Iterator[Piece]:
    for number, text in enumerate(lines[1:], 2):
        if not text.endswith("\n"):
            return
        try:
            one = _LINE.validate_json(text)
            yield Piece(one.ms, bytes.fromhex(one.sent or one.read or ""), one.sent is not None)
        except ValueError as error:
            raise SettingsError(f"{path}: line {number} is not part of a capture: {text.strip()[:60]}") from error
