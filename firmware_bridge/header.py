"""The messages as a C header, written from the codec: what the reference firmware is compiled with.

python -m firmware_bridge.header firmware/messages.h      # brings the file up to date
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.fields import CALLS, CAPABILITIES, PLACES, RESULTS, Field
from firmware_bridge.framing import MAX_FIELDS, MAX_WIRE, VERSION
from firmware_bridge.messages import MESSAGES, SHAPES, TICK_MS, WINDOW, Message

_KINDS = {
    "B": "uint8_t",
    "?": "uint8_t",
    "b": "int8_t",
    "H": "uint16_t",
    "I": "uint32_t",
    "i": "int32_t",
    "q": "int64_t",
    "Q": "uint64_t",
}


def header() -> str:
    """The whole file: numbers, types and one packed struct a message (for little-endian processors, as AVRs are)."""
    return "\n".join([*_head(), *_numbers(), *_lists(), *_structs(), "#endif", ""])


def _head() -> Iterator[str]:
    yield "/* Written by firmware_bridge/header.py from the bridge's own codec; do not edit. The words are in docs/protocol.md. */"
    yield "#ifndef MESSAGES_H\n#define MESSAGES_H\n\n#include <stdint.h>\n"


def _numbers() -> Iterator[str]:
    numbers = {
        "PROTOCOL_VERSION": VERSION,
        "MAX_WIRE": MAX_WIRE,
        "MAX_FIELDS": MAX_FIELDS,
        "WINDOW": WINDOW,
        "TICK_MS": TICK_MS,
    }
    for name, value in numbers.items():
        yield f"#define {name} {value}"
    yield ""


def _lists() -> Iterator[str]:
    for prefix, names in (("CALL", CALLS), ("PLACE", PLACES), ("RESULT", RESULTS)):
        yield f"enum {{ {', '.join(f'{prefix}_{name.upper()}' for name in names)} }};"
    yield ""
    for bit, name in enumerate(CAPABILITIES):
        yield f"#define CAN_{name.upper()} (UINT32_C(1) << {bit})"
    yield ""


def _structs() -> Iterator[str]:
    for type_, message in MESSAGES.items():
        yield f"/* {_first_sentence(message)} */"
        yield f"#define {_snake(message).upper()} 0x{type_:02X}"
        members = " ".join(f"{_member(name, field)};" for name, field in SHAPES[message].fields)
        if members:
            yield f"struct {_snake(message)} {{ {members} }} __attribute__((packed));"
        yield ""


def _member(name: str, field: Field) -> str:
    if field.code.endswith("s"):
        return f"char {name}[{field.code[:-1]}]"
    return f"{_KINDS[field.code]} {name}"


def _snake(message: type[Message]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", message.__name__).lower()


def _first_sentence(message: type[Message]) -> str:
    return " ".join((inspect.getdoc(message) or "").split()).split(". ", 1)[0].rstrip(".")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(header(), encoding="utf-8")
