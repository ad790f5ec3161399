"""Checks of commands: each once, answered again when it comes again, refused when it cannot be."""

from __future__ import annotations

from dataclasses import replace

from firmware_bridge.conformance.probe import Probe, UntestedError, WrongError
from firmware_bridge.fields import RESULTS
from firmware_bridge.framing import SEQ, Frame, encode
from firmware_bridge.messages import NEEDS, SHAPES, Beep, Command, CommandAck, Display, Identify, Lamp, Lift, Lock, pack

GENTLE: tuple[Command, ...] = (
    Lamp(0, 0, 40, 0),
    Lamp(0, 0, 0, 0),
    Display(4, "TEST"),
    Display(4, ""),
    Beep(880, 50),
    Lock(True),
    Lock(False),
    Identify(1),
)
"""Commands that move nothing."""
_HARMLESS: tuple[Command, ...] = (Lamp(0, 0, 0, 0), Display(4, ""), Lock(False), Identify(0), Beep(880, 50))
"""The same, those with values that cannot be first."""
_FAR = 9
"""No seat and no flag."""
_UNKNOWN = 0xF0


def able(probe: Probe) -> str:
    """Carries out commands whose capability it names, and answers the same one again without doing it again."""
    told, _ = probe.birth()
    given = [command for command in GENTLE if told.can(NEEDS[type(command)])]
    if not given:
        raise UntestedError("names no command that moves nothing")
    results = []
    for command in given:
        name = type(command).__name__
        seq = next_number(probe)
        for _ in range(2):
            result = _give(probe, encode(pack(command, seq)), seq, name)
            if result == "unknown":
                raise WrongError(f"names {NEEDS[type(command)]} and answers {name} with 'unknown'")
            results.append(f"{NEEDS[type(command)]} {result}")
    return ", ".join(dict.fromkeys(results))


def lift(probe: Probe) -> str:
    """Raises and lowers its lift. Moves the table: keep fingers away."""
    told, _ = probe.birth()
    if not told.can("lift"):
        raise UntestedError("has no lift")
    results = []
    for up in (True, False):
        seq = next_number(probe)
        results.append(_give(probe, encode(pack(Lift(up), seq)), seq, "Lift"))
    if "unknown" in results:
        raise WrongError("names lift and answers Lift with 'unknown'")
    return ", ".join(results)


def unable(probe: Probe) -> str:
    """Answers a command whose capability it does not name with 'unknown'."""
    told, _ = probe.birth()
    lacking = [c for c in (*GENTLE, Lift(False)) if not told.can(NEEDS[type(c)])]
    if not lacking:
        raise UntestedError("can do everything")
    for command in lacking:
        name = type(command).__name__
        seq = next_number(probe)
        result = _give(probe, encode(pack(command, seq)), seq, name)
        if result != "unknown":
            raise WrongError(f"does not name {NEEDS[type(command)]} but answers {name} with {result!r}")
    return ", ".join(dict.fromkeys(NEEDS[type(command)] for command in lacking))


def unknown(probe: Probe) -> str:
    """Answers a command of an unknown type with 'unknown', each time it comes; its number counts."""
    seq = next_number(probe)
    for _ in range(2):
        result = _give(probe, encode(Frame(_UNKNOWN, seq, b"\1\2\3")), seq, f"type 0x{_UNKNOWN:02X}")
        if result != "unknown":
            raise WrongError(f"answers type 0x{_UNKNOWN:02X} with {result!r}")
    if (now := next_number(probe)) != (seq + 1) % SEQ:
        raise WrongError(f"birth's command is {(now - 1) % SEQ} after command {seq} was answered")
    return "answered"


def numbered(probe: Probe) -> str:
    """Ignores a command whose number is neither the next nor the last."""
    seq = next_number(probe)
    for other in (seq + 1, seq + 40_000, seq - 2):
        probe.send_bytes(encode(Frame(_UNKNOWN, other % SEQ)))
        heard = probe.wait(lambda h: isinstance(h.message, CommandAck), 300)
        if heard is not None:
            raise WrongError(f"answered command {heard.seq} when {seq} was the next")
    return "ignored"


def malformed(probe: Probe) -> str:
    """Answers a command with fields that are too short or out of range with 'unknown', one with more fields as usual."""
    told, _ = probe.birth()
    command = next((command for command in _HARMLESS if told.can(NEEDS[type(command)])), None)
    if command is None:
        raise UntestedError("names no command that moves nothing")
    good, name = pack(command), type(command).__name__
    expected = {
        "fields too short": (good.fields[:-1], ("unknown",)),
        "fields added at the end": (good.fields + b"\x01\x02", ("done", "refused")),
    }
    first, field = SHAPES[type(command)].fields[0]
    if field.code in "B?" and field.high < _FAR:
        expected[f"{first} {_FAR}"] = (bytes((_FAR,)) + good.fields[1:], ("unknown",))
    for words, (fields, results) in expected.items():
        seq = next_number(probe)
        result = _give(probe, encode(replace(good, seq=seq, fields=fields)), seq, f"{name} with {words}")
        if result not in results:
            raise WrongError(f"answers {name} with {words} with {result!r}; expected {' or '.join(results)}")
    if told.can("display"):
        seq, fields = next_number(probe), b"\4\xc3\xa9".ljust(17, b"\0")
        result = _give(
            probe, encode(replace(pack(Display(4, "")), seq=seq, fields=fields)), seq, "Display with Latin-1"
        )
        if result != "unknown":
            raise WrongError(f"answers a Display of what is not ASCII with {result!r}; expected unknown")
    return f"{name} with {', '.join(expected)}"


def next_number(probe: Probe) -> int:
    """The number of the next command."""
    told, _ = probe.birth()
    return (told.command + 1) % SEQ


def _give(probe: Probe, wire: bytes, seq: int, name: str) -> str:
    probe.send_bytes(wire)
    heard = probe.wait(lambda h: isinstance(h.message, CommandAck), 500)
    if heard is None or not isinstance(heard.message, CommandAck):
        raise WrongError(f"no CommandAck within 500 ms after {name}")
    if heard.seq != seq:
        raise WrongError(f"answers {name}, number {seq}, with number {heard.seq}")
    return RESULTS[heard.message.result]
