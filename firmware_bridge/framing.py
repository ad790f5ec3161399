"""Frames on the serial line, bytes in and frames out, no port anywhere (h11's way).

    COBS( len | ver | type | seq:u16le | body | crc16/X-25:u16le ) 0x00          at most 64 bytes on the line

`len` counts the body. The check runs over everything before it. COBS keeps zero out of the frame, so a zero always ends
one and a decoder that has lost its way is back at the next zero. Length *and* X-25 (which inverts its result) are there
for a reason: an inserted byte that decodes to a trailing zero keeps the more usual CRC-16/CCITT valid, and about one
damaged frame in 700 got through; with both, none of a million did (tests/bench/corruption.py).

The header (len, ver, type, seq) and the check never change between versions of the protocol.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cobs import cobs  # type: ignore[import-untyped]  # ships no types

VERSION = 1
MAX_WIRE = 64
"""Bytes of the longest frame on the line, delimiter included."""
_HEADER = struct.Struct("<BBBH")
_CHECK = struct.Struct("<H")
MAX_BODY = MAX_WIRE - 2 - _HEADER.size - _CHECK.size
SEQ = 0x10000
"""Sequence numbers count modulo this."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One good frame."""

    type: int
    seq: int
    body: bytes = b""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class BadFrame:
    """What stood between two delimiters and is no frame. `data` holds at most 64 of its `size` bytes as they came."""

    reason: str
    data: bytes
    size: int


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ 0x8408 if value & 1 else value >> 1
        table.append(value)
    return tuple(table)


_TABLE = _table()


def crc16(data: bytes) -> int:
    """CRC-16/X-25: polynomial 0x1021 reflected, start 0xFFFF, result inverted; "123456789" gives 0x906E."""
    value = 0xFFFF
    for byte in data:
        value = value >> 8 ^ _TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFF


def encode(frame: Frame) -> bytes:
    """A frame as it goes on the line, delimiter included. Raises ValueError when the body is longer than `MAX_BODY`."""
    if len(frame.body) > MAX_BODY:
        raise ValueError(f"body of {len(frame.body)} bytes: a frame holds at most {MAX_BODY}")
    raw = _HEADER.pack(len(frame.body), frame.version, frame.type, frame.seq % SEQ) + frame.body
    return bytes(cobs.encode(raw + _CHECK.pack(crc16(raw)))) + b"\0"


def decode(encoded: bytes) -> Frame | BadFrame:
    """What stands between two delimiters, whole."""
    if len(encoded) >= MAX_WIRE:
        return BadFrame("too long", encoded[:MAX_WIRE], len(encoded))
    try:
        raw = cobs.decode(encoded)
    except cobs.DecodeError:
        return BadFrame("not COBS", encoded, len(encoded))
    if len(raw) < _HEADER.size + _CHECK.size:
        return BadFrame("too short", encoded, len(encoded))
    length, version, kind, seq = _HEADER.unpack_from(raw)
    if length != len(raw) - _HEADER.size - _CHECK.size:
        return BadFrame("wrong length", encoded, len(encoded))
    if crc16(raw[:-2]) != _CHECK.unpack_from(raw, len(raw) - 2)[0]:
        return BadFrame("wrong check", encoded, len(encoded))
    return Frame(kind, seq, bytes(raw[_HEADER.size : -_CHECK.size]), version)


class Decoder:
    """Bytes as they come in, in pieces of any size → frames. Holds at most 64 bytes whatever is fed."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._size = 0

    def feed(self, data: bytes) -> list[Frame | BadFrame]:
        """All that these bytes complete, in order. Empty frames (two delimiters in a row) say nothing and are skipped."""
        found: list[Frame | BadFrame] = []
        *ended, rest = data.split(b"\0")
        for piece in ended:
            self._hold(piece)
            if self._size >= MAX_WIRE:
                found.append(BadFrame("too long", bytes(self._held), self._size))
            elif self._size:
                found.append(decode(bytes(self._held)))
            self._held.clear()
            self._size = 0
        self._hold(rest)
        return found

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        self._held += piece[: MAX_WIRE - len(self._held)]
