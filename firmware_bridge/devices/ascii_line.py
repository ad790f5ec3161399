"""A controller that speaks in lines of text: the example of a foreign device, to copy for another one.

    $KIND,number,number*HH CR LF        HH: exclusive or of the characters between $ and *, hexadecimal

It tells changes as they happen and everything when asked (`$ASK*59`), and says `$ALIVE` each second. Lines have neither number
nor time, so a lost one goes unnoticed until the next full state and moments are those of reading: a device like this is worse
than the reference controller, and no adapter can change that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import xor

from pydantic import JsonValue

from firmware_bridge.arrival import Arrival
from firmware_bridge.device import Done, Introduced, Report, Trouble
from firmware_bridge.fields import CALLS, PLACES
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Jam,
    Observation,
    ReadyStick,
    SetComplete,
    WallCount,
)
from table_engine.wire.seats import Seat

_LONGEST = 80
"""Characters of the longest line; more is dropped, so that no flood grows the memory."""
_SILENT_MS = 3_000
_UNANSWERED = 16
READINGS: dict[str, Callable[..., Observation]] = {
    "DICE": lambda *dice: Dice(dice=dice),
    "EAST": lambda seat: Dealer(seat=Seat(seat)),
    "WALL": lambda side, count: WallCount(side=Seat(side), count=count),
    "HAND": lambda side, present: HandZone(side=Seat(side), present=bool(present)),
    "POND": lambda seat, count: DiscardZone(seat=Seat(seat), count=count),
    "DONE": lambda tiles: SetComplete(tiles=tiles),
    "FLAP": lambda is_open: Bay(open=bool(is_open)),
    "STICK": lambda seat, present: ReadyStick(seat=Seat(seat), present=bool(present)),
    "CALL": lambda seat, call: Button(seat=Seat(seat), call=CALLS[call]),
    "JAM": lambda place, present: Jam(place=PLACES[place], present=bool(present)),
}
"""What each kind of line says, from its numbers."""
COMMANDS = {
    "lamp": ("LAMP", ("seat", "red", "green", "blue")),
    "lift": ("LIFT", ("up",)),
    "lock": ("LOCK", ("locked",)),
}


CAPABILITIES = (
    "dice",
    "dealer",
    "wall",
    "hand_zone",
    "discard_count",
    "set_complete",
    "bay",
    "jam",
    "ready_stick",
    "buttons",
    *COMMANDS,
)
"""What READINGS and COMMANDS are, in the words of our own protocol."""


def line(*words: object) -> bytes:
    """A line as it goes over the wire."""
    text = ",".join(str(int(word)) if isinstance(word, bool) else str(word) for word in words)
    return f"${text}*{_check(text.encode()):02X}\r\n".encode("ascii")


def _check(text: bytes) -> int:
    return reduce(xor, text, 0)


class AsciiLineDevice:
    """One device of this kind."""

    def __init__(self, *, request: int = 1) -> None:  # noqa: ARG002  # every adapter is made alike
        self._held = bytearray()
        self._out = bytearray()
        self._arrival = Arrival()
        self._heard_ms: int | None = None
        self._late_ms = 0
        self._tickets = 0
        self._waiting: list[tuple[int, str]] = []
        self._silent = False
        self._counts = {"lines": 0.0, "bad_lines": 0.0, "unknown": 0.0}

    def resume(self, place: str) -> None:
        """Nothing is held in the device, so nothing is resumed."""

    def opened(self, now_ms: int) -> list[Report]:  # noqa: ARG002
        self._held.clear()
        self._waiting.clear()
        self.ask_all()
        return []

    def receive(self, data: bytes, now_ms: int) -> list[Report]:
        self._heard_ms = now_ms
        *ended, rest = (bytes(self._held) + data).split(b"\n")
        self._held[:] = rest[: _LONGEST + 1]
        return [report for text in ended for report in self._line(text.strip(), now_ms)]

    def tick(self, now_ms: int) -> list[Report]:
        """What was read before the last call is told by now: promises that, as long as the device is alive."""
        until_ms, self._late_ms = self._late_ms, now_ms
        if self._heard_ms is None:
            return []
        silent = now_ms - self._heard_ms > _SILENT_MS
        reports: list[Report] = [] if silent else [*self._arrival.quiet(until_ms)]
        if silent != self._silent:
            self._silent = silent
            reports.append(Trouble("silent", "says nothing; check its power and the cable" if silent else "", now_ms))
        return reports

    @property
    def pace_s(self) -> float:
        return 0.1

    def confirm(self) -> None:
        """The device does not ask for it."""

    def to_send(self) -> bytes:
        data = bytes(self._out)
        self._out.clear()
        return data

    def ask_all(self) -> None:
        self._out += line("ASK")

    def command(self, name: str, data: Mapping[str, JsonValue]) -> int:
        if name not in COMMANDS:
            raise DeviceError(f"command {name!r}: this controller has {', '.join(COMMANDS)}")
        word, keys = COMMANDS[name]
        if set(data) != set(keys) or not all(isinstance(value, int) for value in data.values()):
            raise ValueError(f"{name}: needs the numbers {', '.join(keys)}")
        if len(self._waiting) >= _UNANSWERED:
            raise DeviceError(
                f"{name}: the controller has not answered {_UNANSWERED} commands; plug it out and in again"
            )
        self._tickets += 1
        self._waiting.append((self._tickets, name))
        self._out += line(word, *(data[key] for key in keys))
        return self._tickets

    def give_up(self, ticket: int) -> None:
        """Its answer is still taken for its own: answers have no number here, only their order."""
        self._waiting = [(0 if one == ticket else one, name) for one, name in self._waiting]

    @property
    def commands(self) -> tuple[str, ...]:
        return tuple(COMMANDS)

    @property
    def place(self) -> str:
        return ""

    @property
    def counters(self) -> dict[str, float]:
        return dict(self._counts)

    def _line(self, text: bytes, now_ms: int) -> Iterator[Report]:
        body, star, check = text[1:].rpartition(b"*")
        if len(text) > _LONGEST or text[:1] != b"$" or not star or check != b"%02X" % _check(body):
            self._counts["bad_lines"] += bool(text)
            return
        self._counts["lines"] += 1
        kind, *words = body.decode("ascii", "replace").split(",")
        try:
            yield from self._say(kind, words, now_ms)
        except (ValueError, LookupError, TypeError):  # numbers that cannot be
            self._counts["bad_lines"] += 1

    def _say(self, kind: str, words: list[str], now_ms: int) -> Iterator[Report]:
        match kind:
            case "HELLO":
                model, firmware = words
                yield Introduced(model, firmware, "ascii-line", CAPABILITIES)
            case "ALIVE":
                pass
            case "OK" | "NO" if self._waiting:
                ticket, name = self._waiting.pop(0)
                if ticket:
                    yield Done(ticket, name, "done" if kind == "OK" else "refused")
            case _ if kind in READINGS:
                if not all(word.isdecimal() for word in words):
                    raise ValueError(f"{kind}: {words} are not numbers")
                observation = READINGS[kind](*map(int, words))
                yield self._arrival.say(now_ms, observation)
                if isinstance(observation, Jam):
                    stuck = f"tiles are stuck in the {observation.place}; open the table and free them"
                    yield Trouble(f"jam-{observation.place}", stuck if observation.present else "", now_ms)
            case _:
                self._counts["unknown"] += 1
