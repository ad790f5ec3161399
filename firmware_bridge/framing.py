"""Frames on the serial line, bytes in and frames out, no port anywhere (h11's way).

    COBS( len | ver | type | seq:u16le | body | crc16/X-25:u16le ) 0x00          at most 64 bytes on the line
    body = fields | guard:u16le

`len` counts the body. The check runs over everything before it, the guard (CRC-16/MODBUS) over everything before it.
COBS keeps zero out of the frame, so a zero always ends one and a decoder that has lost its way is back at the next zero.

Length, X-25 and guard are there for a reason. An inserted byte that decodes to a trailing zero keeps the more usual
CRC-16/CCITT valid (1 damaged frame in 700); length and an inverting CRC end that. But any 16 bits let one in 65,536 bursts
longer than they are through: 2 or 3 of a million damaged frames were accepted wrong. With the guard, whose polynomial is
another, none of ten million was (tests/bench/bridge.py). `util/crc16.h` of avr-libc has both.

The header (len, ver, type, seq), guard and check never change between versions of the protocol.
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
MAX_FIELDS = MAX_WIRE - 2 - _HEADER.size - 2 * _CHECK.size
CHECKED = ("wrong check", "wrong guard")
"""Reasons of bad frames that only the checks can tell."""
SEQ = 0x10000
"""Sequence numbers count modulo this."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One good frame; `fields` is the body without its guard."""

    type: int
    seq: int
    fields: bytes = b""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class BadFrame:
    """What stood between two delimiters and is no frame. `data` holds at most 64 of its `size` bytes as they came."""

    reason: str
    data: bytes
    size: int


def _table(polynomial: int) -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ polynomial if value & 1 else value >> 1
        table.append(value)
    return tuple(table)


_X25, _MODBUS = _table(0x8408), _table(0xA001)


def _crc(data: bytes, table: tuple[int, ...]) -> int:
    value = 0xFFFF
    for byte in data:
        value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    return value


def crc_x25(data: bytes) -> int:
    """CRC-16/X-25: polynomial 0x1021 reflected, start 0xFFFF, result inverted; "123456789" gives 0x906E."""
    return _crc(data, _X25) ^ 0xFFFF


def crc_modbus(data: bytes) -> int:
    """CRC-16/MODBUS: polynomial 0x8005 reflected, start 0xFFFF; "123456789" gives 0x4B37."""
    return _crc(data, _MODBUS)


def encode(frame: Frame) -> bytes:
    """A frame as it goes on the line, delimiter included. Raises ValueError when the fields are longer than `MAX_FIELDS`."""
    if len(frame.fields) > MAX_FIELDS:
        raise ValueError(f"fields of {len(frame.fields)} bytes: a frame holds at most {MAX_FIELDS}")
    raw = _HEADER.pack(len(frame.fields) + _CHECK.size, frame.version, frame.type, frame.seq % SEQ) + frame.fields
    raw += _CHECK.pack(crc_modbus(raw))
    return bytes(cobs.encode(raw + _CHECK.pack(crc_x25(raw)))) + b"\0"


def decode(encoded: bytes) -> Frame | BadFrame:
    """What stands between two delimiters, whole."""

    def bad(reason: str) -> BadFrame:
        return BadFrame(reason, encoded[:MAX_WIRE], len(encoded))

    if len(encoded) >= MAX_WIRE:
        return bad("too long")
    try:
        raw = bytes(cobs.decode(encoded))
    except cobs.DecodeError:
        return bad("not COBS")
    end = len(raw) - 2 * _CHECK.size
    if end < _HEADER.size:
        return bad("too short")
    length, version, kind, seq = _HEADER.unpack_from(raw)
    if length != end - _HEADER.size + _CHECK.size:
        return bad("wrong length")
    if crc_x25(raw[:-2]) != _CHECK.unpack_from(raw, end + 2)[0]:
        return bad(CHECKED[0])
    if crc_modbus(raw[:end]) != _CHECK.unpack_from(raw, end)[0]:
        return bad(CHECKED[1])
    return Frame(kind, seq, raw[_HEADER.size : end], version)


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
