"""Checks of the line: what is damaged, foreign or too much does nothing."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Iterable

from cobs import cobs  # type: ignore[import-untyped]  # ships no types

from firmware_bridge.conformance.commands import next_number
from firmware_bridge.conformance.probe import Probe, WrongError
from firmware_bridge.framing import Frame, crc_modbus, crc_x25, encode
from firmware_bridge.messages import Birth, StateRequest, Tick, TimeEcho, TimeSync, is_reading, pack

_DAMAGED = 300
_MARK = 1 << 40
"""Damaged time syncs carry numbers from here on; an echo of one gives the device away."""


def damaged(probe: Probe) -> str:
    """Does nothing on damaged frames: flipped bits, bytes lost or too many, frames cut off or joined."""
    rng = random.Random(1)  # noqa: S311  # damage, no secret
    frames = [encode(pack(TimeSync(_MARK + n))) for n in range(_DAMAGED)]
    _answers_none(probe, (_damage(frame, rng) for frame in frames), "a damaged frame")
    return f"{_DAMAGED} frames"


def checked(probe: Probe) -> str:
    """Looks at length, guard and check, each for itself."""
    good = pack(TimeSync(_MARK))
    raw = struct.pack("<BBBH", len(good.fields) + 2, good.version, good.type, 0) + good.fields
    guard, off = crc_modbus(raw), 0x0101
    short = bytes([raw[0] - 1]) + raw[1:]
    wrong = {
        "the guard is wrong": _closed(raw, guard ^ off),
        "the check is wrong": _closed(raw, guard, off),
        "the length is wrong": _closed(short, crc_modbus(short)),
        "it is longer than 64 bytes": encode(Frame(good.type, 0, bytes(53)))[:-1] + b"\x05" * 9 + b"\0",
    }
    for words, wire in wrong.items():
        _answers_none(probe, [wire], f"a frame although {words}")
    return ", ".join(words.removeprefix("the ").removesuffix(" is wrong") for words in list(wrong)[:3])


def foreign(probe: Probe) -> str:
    """Ignores frames of another version and unsequenced types it does not know."""
    good = pack(TimeSync(_MARK))
    _answers_none(probe, [encode(Frame(good.type, 0, good.fields, version=2))], "a frame of version 2")
    seq = next_number(probe)
    probe.rest()
    for kind in (*range(0x85, 0x90), 0x00, 0x13, 0x7F):
        probe.send_bytes(encode(Frame(kind, seq, b"\1\2\3\4")))
        heard = probe.wait(lambda h: not (isinstance(h.message, Tick) or is_reading(h.frame.type)), 60)
        if heard is not None:
            raise WrongError(f"answers a message of the unknown type 0x{kind:02x}: {heard.message}")
    return "ignored"


def longer(probe: Probe) -> str:
    """Reads messages of a later version that have more fields at the end."""
    good = pack(TimeSync(4_711))
    probe.send_bytes(encode(Frame(good.type, 0, good.fields + b"\1\2\3")))
    heard = probe.need(TimeEcho, 1_000, "a TimeSync with three bytes more")
    if heard.message != TimeEcho(getattr(heard.message, "ticks_ms", 0), 4_711):
        raise WrongError(f"a TimeSync 4711 with three bytes more was answered with {heard.message}")
    return "read"


def short(probe: Probe) -> str:
    """Drops messages whose fields are too few or out of range."""
    good = pack(TimeSync(_MARK))
    _answers_none(probe, [encode(Frame(good.type, 0, good.fields[:-1]))], "a TimeSync of seven bytes")
    request = pack(StateRequest(1)).type
    for fields, words in ((b"\1", "with one byte"), (b"\0\0", "with number 0")):
        probe.rest()
        probe.send_bytes(encode(Frame(request, 0, fields)))
        if probe.wait(lambda h: isinstance(h.message, Birth), 300) is not None:
            raise WrongError(f"answers a StateRequest {words} with a Birth")
    return "dropped"


def flood(probe: Probe) -> str:
    """Lives through a flood of garbage and is back after the next zero."""
    rng = random.Random(2)  # noqa: S311  # garbage, no secret
    for _ in range(40):
        probe.send_bytes(rng.randbytes(400).replace(b"\0", b"\1"))
        time.sleep(400 * 10 / probe.baud)  # as long as the line takes for it
    probe.send_bytes(b"\0" * 2_000)
    probe.send(TimeSync(12))
    probe.need(TimeEcho, 8_000, "16000 bytes of garbage, zeros and a TimeSync")
    return "18000 bytes"


def _damage(wire: bytes, rng: random.Random) -> bytes:
    data = bytearray(wire[:-1])
    at = rng.randrange(1, len(data) - 1)
    match rng.randrange(5):
        case 0:
            data[at] = data[at] ^ 1 << rng.randrange(8) or 0x55
        case 1:
            del data[at]
        case 2:
            data.insert(at, rng.randrange(1, 256))
        case 3:
            del data[at:]
        case _:
            data += encode(pack(StateRequest(1)))[:-1]
    return bytes(data).replace(b"\0", b"\1") + b"\0"


def _closed(raw: bytes, guard: int, off: int = 0) -> bytes:
    """A frame on the wire with this guard, and a check that is `off`."""
    body = raw + struct.pack("<H", guard)
    return bytes(cobs.encode(body + struct.pack("<H", crc_x25(body) ^ off))) + b"\0"


def _answers_none(probe: Probe, wires: Iterable[bytes], words: str) -> None:
    for n, wire in enumerate(wires, 1):
        probe.send_bytes(wire)
        if n % 20 == 0:
            _listen_for_echo(probe, words, 40)
    _listen_for_echo(probe, words, 250)
    probe.send(TimeSync(3))
    probe.need(TimeEcho, 1_000, f"{words} and a good TimeSync")


def _listen_for_echo(probe: Probe, words: str, device_ms: int) -> None:
    for heard in probe.listen(device_ms):
        if isinstance(heard.message, TimeEcho):
            raise WrongError(f"answers {words}: TimeEcho {heard.message.host_ms}")
