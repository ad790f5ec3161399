"""What is said in frames: one table of messages, both directions, from which codec and `docs/protocol.md` come.

Numbers are little-endian. Every message that tells of the table begins with `ticks_ms`, the device's own milliseconds
since it started (it wraps after 49.7 days). A later version may add fields at the end; what follows the known
fields is skipped. Types 0x10 to 0x7F (device) and 0x90 to 0xFF (host) are *sequenced*: numbered, kept until
acknowledged, delivered once and in order, whether or not the receiver knows the type.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import Annotated, NamedTuple, get_type_hints

from firmware_bridge.fields import CALLS, CAPABILITIES, FLAG, LAMP, PLACE, RESULTS, SEAT, SIDE, TICKS, Field, u8, u16
from firmware_bridge.framing import Frame
from table_engine.wire.errors import WireError


@dataclass(frozen=True, slots=True)
class Message:
    """Base of everything that is said."""


# --- link, device to host


@dataclass(frozen=True, slots=True)
class Birth(Message):
    """Who the device is and where its numbering stands. Sent at reset (and each second until the host speaks) and in answer
    to each state request. The frame's seq is that of the last sequenced message issued."""

    ticks_ms: Annotated[int, TICKS]
    boot: Annotated[int, u16("differs at each reset")]
    request: Annotated[int, u16("number of the last state request since reset, 0 none")]
    first: Annotated[int, u16("seq of the oldest message still held; one after the frame's seq when none is")]
    command: Annotated[int, u16("seq of the last command carried out, 0 none")]
    ring: Annotated[int, u16("how many messages the device can hold until acknowledged, at least 16")]
    capabilities: Annotated[int, Field("I", "bits, see below", 0, 0xFFFFFFFF)]
    model: Annotated[str, Field("16s", "maker and model, ASCII, filled with 0")]
    firmware: Annotated[str, Field("12s", "firmware version, ASCII, filled with 0")]

    def can(self, capability: str) -> bool:
        return bool(self.capabilities >> CAPABILITIES.index(capability) & 1)


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """Device time, each 250 ms, sent only when every message issued has been sent. The frame's seq is that of the last
    one: whoever has received it knows that there is nothing more to say about earlier moments."""

    ticks_ms: Annotated[int, TICKS]


@dataclass(frozen=True, slots=True)
class TimeEcho(Message):
    """Answer to a time sync, at once."""

    ticks_ms: Annotated[int, TICKS]
    host_ms: Annotated[int, Field("q", "what the host sent", -(2**63), 2**63 - 1)]


@dataclass(frozen=True, slots=True)
class Gone(Message):
    """Answer to a NAK for what the ring no longer holds. The frame's seq is that of the oldest message still held."""


@dataclass(frozen=True, slots=True)
class CommandAck(Message):
    """The command with the frame's seq was received; says what came of it."""

    result: Annotated[int, u8("result: " + ", ".join(f"{n} {r}" for n, r in enumerate(RESULTS)), 0, len(RESULTS) - 1)]


# --- what the table tells, sequenced


@dataclass(frozen=True, slots=True)
class Reading(Message):
    """Base of what the device tells of the table."""

    ticks_ms: Annotated[int, TICKS]


@dataclass(frozen=True, slots=True)
class DiceRolled(Reading):
    """The dice came to rest."""

    first: Annotated[int, u8("pips, 1 to 6", 1, 6)]
    second: Annotated[int, u8("pips, 1 to 6", 1, 6)]
    third: Annotated[int, u8("pips, 0 for a table with two dice", 0, 6)] = 0


@dataclass(frozen=True, slots=True)
class DealerSet(Reading):
    """The dealer lamp stands at a seat. State."""

    seat: Annotated[int, SEAT]


@dataclass(frozen=True, slots=True)
class HonbaSet(Reading):
    """The counter of repeats was set. State."""

    count: Annotated[int, u8("repeats")]


@dataclass(frozen=True, slots=True)
class WallLeft(Reading):
    """Tiles left in one side of the wall. State."""

    side: Annotated[int, SIDE]
    count: Annotated[int, u8("tiles left")]
    slot: Annotated[
        int, Field("b", "stack at which a tile left last, from its player's right, -1 unknown", -1, 127)
    ] = -1


@dataclass(frozen=True, slots=True)
class HandInZone(Reading):
    """Something is in the wall zone in front of a side, or no longer. State."""

    side: Annotated[int, SIDE]
    present: Annotated[bool, FLAG]


@dataclass(frozen=True, slots=True)
class DiscardsLie(Reading):
    """Tiles in a seat's discard zone. State. Told when either of its two capabilities is named."""

    seat: Annotated[int, SEAT]
    count: Annotated[int, u8("tiles lying there")]
    touched: Annotated[bool, Field("?", "1 while something touches it", 0, 1)] = False


@dataclass(frozen=True, slots=True)
class SetBuilt(Reading):
    """The walls stand: a new hand may begin."""

    tiles: Annotated[int, u8("tiles in all four walls: 136 or 144")]


@dataclass(frozen=True, slots=True)
class BayMoved(Reading):
    """The bay for used tiles opened or closed. State."""

    open: Annotated[bool, Field("?", "1 open, 0 closed", 0, 1)]


@dataclass(frozen=True, slots=True)
class Jammed(Reading):
    """Tiles are stuck, or no longer. State."""

    place: Annotated[int, PLACE]
    present: Annotated[bool, FLAG]


@dataclass(frozen=True, slots=True)
class TilesMissing(Reading):
    """The machine counted a set that is not whole; both numbers equal: it is whole again. State."""

    expected: Annotated[int, u8("tiles the set should have")]
    counted: Annotated[int, u8("tiles counted")]


@dataclass(frozen=True, slots=True)
class ReadySlot(Reading):
    """A seat's riichi slot holds a stick, or not. State."""

    seat: Annotated[int, SEAT]
    present: Annotated[bool, FLAG]


@dataclass(frozen=True, slots=True)
class ScoreTray(Reading):
    """Points in a seat's tray of score sticks. State."""

    seat: Annotated[int, SEAT]
    points: Annotated[int, Field("i", "points", -(2**31), 2**31 - 1)]


@dataclass(frozen=True, slots=True)
class ButtonPressed(Reading):
    """A call button went down."""

    seat: Annotated[int, SEAT]
    call: Annotated[int, u8("call: " + ", ".join(f"{n} {c}" for n, c in enumerate(CALLS)), 0, len(CALLS) - 1)]


@dataclass(frozen=True, slots=True)
class TagRead(Reading):
    """A tag reader sees a tile's tag (0: none). State, one per place that can be read."""

    reader: Annotated[int, u8("reader")]
    slot: Annotated[int, u8("place at the reader")]
    tag: Annotated[int, Field("Q", "tag's number", 0, 2**64 - 1)]


@dataclass(frozen=True, slots=True)
class StateEnd(Reading):
    """The state asked for has been told in full."""

    request: Annotated[int, u16("number of the state request it answers")]


# --- link, host to device


@dataclass(frozen=True, slots=True)
class Ack(Message):
    """Everything up to and including the frame's seq has been received and stored; the device may forget it."""


@dataclass(frozen=True, slots=True)
class Nak(Message):
    """Messages from the frame's seq on are missing: send them again."""

    count: Annotated[int, u8("how many, 1 to 64", 1, 64)]


@dataclass(frozen=True, slots=True)
class StateRequest(Message):
    """Answer with a birth, send again all that is held, then tell every state and close with `StateEnd`. Asked again with
    the same number while it is being answered, the device only answers with a birth."""

    request: Annotated[int, u16("number; a new one asks anew", 1)]


@dataclass(frozen=True, slots=True)
class TimeSync(Message):
    """Asks for a time echo."""

    host_ms: Annotated[int, Field("q", "the host's clock, ms; echoed as it is", -(2**63), 2**63 - 1)]


# --- commands, host to device, sequenced


@dataclass(frozen=True, slots=True)
class Command(Message):
    """Base of commands: acknowledged one by one, carried out once."""


@dataclass(frozen=True, slots=True)
class Lamp(Command):
    """Lights a lamp; all colours 0 puts it out."""

    seat: Annotated[int, LAMP]
    red: Annotated[int, u8("0 to 255")]
    green: Annotated[int, u8("0 to 255")]
    blue: Annotated[int, u8("0 to 255")]
    blink_ms: Annotated[int, u16("period of blinking, ms; 0 steady")] = 0


@dataclass(frozen=True, slots=True)
class Display(Command):
    """Shows a text at a seat; empty clears it. A byte beyond 0x7F before the first zero is out of range; an ASCII character that
    the display does not have is left blank."""

    seat: Annotated[int, LAMP]
    text: Annotated[str, Field("16s", "ASCII, filled with 0")]


@dataclass(frozen=True, slots=True)
class Beep(Command):
    """Sounds a tone. Takes the place of one that sounds; with a pitch or length of 0 it only ends that."""

    hertz: Annotated[int, u16("pitch, Hz")]
    length_ms: Annotated[int, u16("length, ms")]


@dataclass(frozen=True, slots=True)
class Lift(Command):
    """Raises the built walls, or lowers the lift. Result 0 means begun; one while the lift still moves is taken anew, or refused
    with 2."""

    up: Annotated[bool, Field("?", "1 up, 0 down", 0, 1)]


@dataclass(frozen=True, slots=True)
class Lock(Command):
    """Locks the table's own buttons while a referee rules. Those of the machine are meant, not call buttons: ButtonPressed is
    told all the same."""

    locked: Annotated[bool, FLAG]


@dataclass(frozen=True, slots=True)
class Identify(Command):
    """Lets the table show itself by blinking. One while it blinks begins the time anew; 0 ends it."""

    seconds: Annotated[int, u8("how long, s")]


MESSAGES: dict[int, type[Message]] = {
    0x01: Birth,
    0x02: Tick,
    0x03: TimeEcho,
    0x04: Gone,
    0x05: CommandAck,
    0x10: DiceRolled,
    0x11: DealerSet,
    0x12: HonbaSet,
    0x13: WallLeft,
    0x14: HandInZone,
    0x15: DiscardsLie,
    0x16: SetBuilt,
    0x17: BayMoved,
    0x18: Jammed,
    0x19: TilesMissing,
    0x1A: ReadySlot,
    0x1B: ScoreTray,
    0x1C: ButtonPressed,
    0x1D: TagRead,
    0x1F: StateEnd,
    0x81: Ack,
    0x82: Nak,
    0x83: StateRequest,
    0x84: TimeSync,
    0x90: Lamp,
    0x91: Display,
    0x92: Beep,
    0x93: Lift,
    0x94: Lock,
    0x95: Identify,
}
NEEDS: dict[type[Command], str] = {m: m.__name__.lower() for m in MESSAGES.values() if issubclass(m, Command)}
"""The capability a device must have named to be sent a command."""
WINDOW = 16
"""How many sequenced messages may be under way unacknowledged: the resend ring every device has."""
TICK_MS = 250
"""How often a device tells its time, by its own clock."""


def is_reading(type_: int) -> bool:
    """A sequenced message of a device, known or not."""
    return 0x10 <= type_ <= 0x7F


def is_command(type_: int) -> bool:
    """A sequenced message of a host, known or not."""
    return type_ >= 0x90


class Shape(NamedTuple):
    """How a message lies in a frame: type on the line, layout and fields in order."""

    type: int
    layout: struct.Struct
    fields: tuple[tuple[str, Field], ...]


def _shape(type_: int, message: type[Message]) -> Shape:
    hints = get_type_hints(message, include_extras=True)
    laid = tuple((f.name, hints[f.name].__metadata__[0]) for f in fields(message))
    codes = "".join("B" if field.code == "?" else field.code for _, field in laid)  # so that a flag of 2 is noticed
    return Shape(type_, struct.Struct("<" + codes), laid)


SHAPES: dict[type[Message], Shape] = {message: _shape(type_, message) for type_, message in MESSAGES.items()}


def pack(message: Message, seq: int = 0) -> Frame:
    """A message as a frame. Raises ValueError when a field is out of its range."""
    shape = SHAPES[type(message)]
    values = []
    for name, field in shape.fields:
        value = getattr(message, name)
        if isinstance(value, str):
            value = value.encode("ascii")
            if len(value) > int(field.code[:-1]):
                raise ValueError(f"{name}: {value!r} is longer than {field.code[:-1]} bytes")
        elif not field.low <= value <= field.high:
            raise ValueError(f"{name}: {value} is not in {field.low}..{field.high}")
        values.append(value)
    return Frame(shape.type, seq, shape.layout.pack(*values))


def unpack(frame: Frame) -> Message:
    """The message in a frame. Raises WireError when the type is unknown, too short or a value out of range."""
    message = MESSAGES.get(frame.type)
    if message is None:
        raise WireError(f"message type 0x{frame.type:02x} is unknown to this version of the bridge")
    shape = SHAPES[message]
    if len(frame.fields) < shape.layout.size:
        raise WireError(f"{message.__name__}: {len(frame.fields)} bytes, expected {shape.layout.size}")
    values = list(shape.layout.unpack_from(frame.fields))
    for n, (name, field) in enumerate(shape.fields):
        if field.code.endswith("s"):
            text = values[n].split(b"\0", 1)[0]
            if not text.isascii():
                raise WireError(f"{message.__name__}.{name}: {text!r} is not ASCII")
            values[n] = text.decode("ascii")
        elif not field.low <= values[n] <= field.high:
            raise WireError(f"{message.__name__}.{name}: {values[n]} is not in {field.low}..{field.high}")
        elif field.code == "?":
            values[n] = bool(values[n])
    return message(*values)
