"""What is in a file: its text, or the texts of the files packed in it (gzip, tar, zip, each possibly compressed)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from table_engine.wire.errors import RecordError

_TAR_MAGIC = 257
_LARGEST = 1 << 30
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError)


class Text(NamedTuple):
    """A text and the name to complain with. `packed`: it was one of several files in an archive."""

    name: str
    text: str
    packed: bool = False


def texts(path: Path) -> Iterator[Text]:
    """The texts of a file. In an archive, files that are no text are passed over.

    Raises RecordError naming the file when it cannot be read, is damaged or, alone, no text."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error})") from error
    raw = _unpacked(raw, str(path))
    if raw.startswith(b"PK\x03\x04"):
        yield from _members(_zip(raw, path), path)
    elif raw[_TAR_MAGIC : _TAR_MAGIC + 5] == b"ustar":
        yield from _members(_tar(raw, path), path)
    else:
        yield Text(path.name, _decoded(raw, str(path)))


def _members(members: Iterator[tuple[str, bytes]], path: Path) -> Iterator[Text]:
    for name, raw in members:
        where = f"{path.name}/{name.removeprefix('./')}"
        try:
            yield Text(where, _decoded(_unpacked(raw, where), where), packed=True)
        except UnicodeRecordError:
            continue


class UnicodeRecordError(RecordError):
    """A file that is no text."""


def _tar(raw: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            for member in sorted((m for m in tar if m.isfile()), key=lambda m: m.name):
                file = tar.extractfile(member)
                if file is not None and not Path(member.name).name.startswith("."):
                    yield member.name, file.read()
    except (tarfile.TarError, *_DAMAGED) as error:
        raise RecordError(f"{path}: the tar archive is damaged ({error})") from error


def _zip(raw: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            for member in sorted(packed.infolist(), key=lambda m: m.filename):
                if not member.is_dir() and member.file_size < _LARGEST:
                    yield member.filename, packed.read(member)
    except (zipfile.BadZipFile, *_DAMAGED) as error:
        raise RecordError(f"{path}: the zip archive is damaged ({error})") from error


def _unpacked(raw: bytes, where: str) -> bytes:
    try:
        if raw.startswith(b"\x1f\x8b"):
            return gzip.decompress(raw)
        if raw.startswith(b"BZh"):
            return bz2.decompress(raw)
        if raw.startswith(b"\xfd7zXZ\x00"):
            return lzma.decompress(raw)
    except (ValueError, *_DAMAGED) as error:
        kind = {b"\x1f": "gzip", b"B": "bzip2", b"\xfd": "xz"}[raw[:1]]
        raise RecordError(f"{where}: the {kind} data in it is damaged ({error}); fetch the file again") from error
    return raw


def _decoded(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") and b"\x00" in raw[:64] else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnicodeRecordError(f"{where}: not text in UTF-8 (byte {error.start})") from error
