"""The tables of `docs/protocol.md`, written from the codec itself.

python -m firmware_bridge.document docs/protocol.md      # brings the file up to date
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.fields import CAPABILITIES, Field
from firmware_bridge.framing import encode
from firmware_bridge.messages import (
    MESSAGES,
    NEEDS,
    SHAPES,
    Ack,
    BayMoved,
    Beep,
    Birth,
    ButtonPressed,
    CommandAck,
    DealerSet,
    DiceRolled,
    DiscardsLie,
    Display,
    Gone,
    HandInZone,
    HonbaSet,
    Identify,
    Jammed,
    Lamp,
    Lift,
    Lock,
    Message,
    Nak,
    ReadySlot,
    ScoreTray,
    SetBuilt,
    StateEnd,
    StateRequest,
    TagRead,
    Tick,
    TilesMissing,
    TimeEcho,
    TimeSync,
    WallLeft,
    is_command,
    is_reading,
    pack,
)
from firmware_bridge.senses import SENSES

BEGIN = "<!-- from here on written by firmware_bridge/document.py -->"
END = "<!-- end of what is written by firmware_bridge/document.py -->"
_KINDS = {"B": "u8", "b": "i8", "?": "u8", "H": "u16", "I": "u32", "i": "i32", "q": "i64", "Q": "u64"}
_SIZES = {"u8": 1, "i8": 1, "u16": 2, "u32": 4, "i32": 4, "i64": 8, "u64": 8}
EXAMPLES: tuple[tuple[Message, int], ...] = (
    (Birth(1200, 41, 0, 0, 0, 16, 0x00FF, "ACME Table 3", "2.1.0"), 0xFFFF),
    (Tick(61_250), 7),
    (TimeEcho(61_300, 1_700_000_000_000), 7),
    (Gone(), 4),
    (CommandAck(0), 1),
    (DiceRolled(60_000, 3, 5), 0),
    (DealerSet(60_000, 2), 1),
    (HonbaSet(60_000, 1), 2),
    (WallLeft(60_500, 1, 33, 6), 3),
    (HandInZone(60_400, 1, True), 4),
    (DiscardsLie(61_000, 2, 7), 5),
    (SetBuilt(52_000, 136), 6),
    (BayMoved(50_000, False), 7),
    (Jammed(50_000, 1, True), 8),
    (TilesMissing(50_000, 136, 135), 9),
    (ReadySlot(61_000, 3, True), 10),
    (ScoreTray(61_000, 0, 25_000), 11),
    (ButtonPressed(61_100, 3, 1), 12),
    (TagRead(61_100, 0, 5, 0xE004_0150_1234_5678), 13),
    (StateEnd(61_200, 1), 14),
    (Ack(), 12),
    (Nak(2), 9),
    (StateRequest(1), 0),
    (TimeSync(1_700_000_000_000), 0),
    (Lamp(2, 255, 0, 0, 500), 1),
    (Display(4, "READY"), 2),
    (Beep(880, 200), 3),
    (Lift(True), 4),
    (Lock(True), 5),
    (Identify(10), 6),
)
"""One of each, with the frame's seq."""


def document() -> str:
    """Overview, byte layouts with examples, capability bits, as Markdown."""
    return "\n".join([*_overview(), *_layouts(), *_capabilities()])


def renewed(text: str) -> str:
    """A document with its written part brought up to date. Raises ValueError when the marks are not in it."""
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"the document lacks {BEGIN!r} or {END!r}")
    return f"{before}{BEGIN}\n\n{document()}\n{END}{after}"


def _direction(type_: int) -> str:
    return "host to device" if type_ & 0x80 else "device to host"


def _overview() -> Iterator[str]:
    yield "### All messages\n"
    yield "| type | message | direction | bytes of fields | sequenced |\n|---|---|---|---|---|"
    for type_, message in MESSAGES.items():
        sequenced = "yes" if is_reading(type_) or is_command(type_) else "no"
        size = SHAPES[message].layout.size
        yield f"| 0x{type_:02X} | [{message.__name__}](#{message.__name__.lower()}) | {_direction(type_)} | {size} | {sequenced} |"
    yield ""


def _layouts() -> Iterator[str]:
    examples = {type(message): (message, seq) for message, seq in EXAMPLES}
    for type_, message in MESSAGES.items():
        shape = SHAPES[message]
        example, seq = examples[message]
        yield f"### {message.__name__}\n"
        yield f"Type 0x{type_:02X}, {_direction(type_)}. {_words(message)}\n"
        if shape.fields:
            yield "| offset | field | form | values | meaning |\n|---|---|---|---|---|"
        offset = 0
        for name, field in shape.fields:
            form, size = _form(field)
            yield f"| {offset} | `{name}` | {form} | {_values(field)} | {field.meaning} |"
            offset += size
        if shape.fields:
            yield ""
        said = ", ".join(f"{name} {getattr(example, name)!r}" for name, _ in shape.fields)
        yield f"Example, seq {seq}{f', {said}' if said else ''}:\n\n    {encode(pack(example, seq)).hex(' ')}\n"


def _capabilities() -> Iterator[str]:
    yield "### Capability bits\n"
    yield "| bit | name | what goes with it |\n|---|---|---|"
    allows: dict[str, list[str]] = {name: [message.__name__] for message, name in NEEDS.items()}
    for reading, names in SENSES.items():
        for name in names:
            allows.setdefault(name, []).append(reading.__name__)
    allows["wall_slot"] = ["`slot` of WallLeft is told, else it is -1"]
    allows["discard_touch"].append("`touched` is told, else it is 0")
    allows["discard_count"].append("`count` is told, else it is 0")
    for bit, name in enumerate(CAPABILITIES):
        yield f"| {bit} | {name} | {', '.join(allows.get(name, ()))} |"
    yield ""


def _words(message: type[Message]) -> str:
    return " ".join((inspect.getdoc(message) or "").split())


def _form(field: Field) -> tuple[str, int]:
    if field.code.endswith("s"):
        return f"{field.code[:-1]} bytes", int(field.code[:-1])
    kind = _KINDS[field.code]
    return kind, _SIZES[kind]


def _values(field: Field) -> str:
    kind, _ = _form(field)
    if field.code.endswith("s"):
        return "ASCII"
    bits = 8 * _SIZES[kind]
    whole = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    return "all" if (field.low, field.high) == whole else f"{field.low} to {field.high}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
