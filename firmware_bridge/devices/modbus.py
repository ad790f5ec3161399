"""A table that speaks Modbus RTU: asked again and again for its registers, as many bought machines want it.

`REGISTERS` is the map; for another machine copy this file and change the table. Moments (dice, buttons, a finished set) are
only seen because each has a counter beside it: a machine without such counters loses what happens between two questions.
Bytes of requests and answers are pymodbus' matter (extra `modbus`); the port is the bridge's own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

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
    Honba,
    Jam,
    Observation,
    ReadyStick,
    SetComplete,
    TileMissing,
    WallCount,
)
from table_engine.wire.seats import SEATS, Seat

UNIT = 1
_POLL_MS = 50
_ANSWER_MS = 300
_TRIES = 3
_LONGEST = 260


class Register(NamedTuple):
    """Holding registers from `first` on. `say` makes observations of their values; when `counter` it is called only when
    the first of them, which counts how often it happened, has changed."""

    first: int
    size: int
    say: Callable[[Sequence[int]], Iterator[Observation]]
    counter: bool = False


def _dice(values: Sequence[int]) -> Iterator[Observation]:
    yield Dice(dice=tuple(values[1] >> 4 * n & 0xF for n in range(3) if values[1] >> 4 * n & 0xF))


def _dealer(values: Sequence[int]) -> Iterator[Observation]:
    if values[0] < len(SEATS):
        yield Dealer(seat=Seat(values[0]))


def _walls(values: Sequence[int]) -> Iterator[Observation]:
    yield from (WallCount(side=side, count=values[side]) for side in SEATS)


def _hands(values: Sequence[int]) -> Iterator[Observation]:
    yield from (HandZone(side=side, present=bool(values[0] >> side & 1)) for side in SEATS)


def _discards(values: Sequence[int]) -> Iterator[Observation]:
    yield from (DiscardZone(seat=seat, count=values[seat], touched=bool(values[4] >> seat & 1)) for seat in SEATS)


def _sticks(values: Sequence[int]) -> Iterator[Observation]:
    yield from (ReadyStick(seat=seat, present=bool(values[0] >> seat & 1)) for seat in SEATS)


def _button(values: Sequence[int]) -> Iterator[Observation]:
    yield Button(seat=Seat(values[1] & 0xF), call=CALLS[values[1] >> 4])


def _jams(values: Sequence[int]) -> Iterator[Observation]:
    yield from (Jam(place=place, present=bool(values[0] >> n & 1)) for n, place in enumerate(PLACES))


REGISTERS = (
    Register(0, 2, _dice, counter=True),  # rolls so far; pips, four bits a die
    Register(2, 1, _dealer),  # seat, anything else: unknown
    Register(3, 1, lambda v: iter((Honba(count=v[0]),))),
    Register(4, 4, _walls),  # tiles left by side
    Register(8, 1, _hands),  # bit a side
    Register(9, 5, _discards),  # tiles by seat; touched, bit a seat
    Register(14, 1, lambda v: iter((Bay(open=bool(v[0])),))),
    Register(15, 2, lambda v: iter((SetComplete(tiles=v[1]),)), counter=True),  # sets built so far; tiles
    Register(17, 1, _sticks),  # bit a seat
    Register(18, 2, _button, counter=True),  # presses so far; seat, four bits, then the call
    Register(20, 1, _jams),  # bit a place
    Register(21, 2, lambda v: iter((TileMissing(expected=v[0], counted=v[1]),))),
)
COMMANDS = {"lift": (100, "up"), "lock": (101, "locked"), "identify": (102, "seconds")}
"""Register that is written, and the key of the value."""
CAPABILITIES = (
    "dice",
    "dealer",
    "honba",
    "wall",
    "hand_zone",
    "discard_touch",
    "discard_count",
    "set_complete",
    "bay",
    "jam",
    "tile_missing",
    "ready_stick",
    "buttons",
    *COMMANDS,
)
"""What REGISTERS and COMMANDS are, in the words of our own protocol."""
_WAITING = 16
_FIRST = min(one.first for one in REGISTERS)
_COUNT = max(one.first + one.size for one in REGISTERS) - _FIRST


class ModbusDevice:
    """One machine."""

    def __init__(self, *, request: int = 1) -> None:  # noqa: ARG002  # every adapter is made alike
        try:
            from pymodbus.framer import FramerRTU
            from pymodbus.pdu import DecodePDU
        except ImportError as error:
            raise DeviceError("device 'modbus' needs pymodbus: pip install 'jantaku[modbus]'") from error
        self._framer = FramerRTU(DecodePDU(is_server=False))
        self._held = b""
        self._out = b""
        self._open = False
        self._asked_ms: int | None = None
        self._next_ms = 0
        self._unanswered = 0
        self._known: dict[int, tuple[int, ...]] = {}
        self._told: dict[tuple[str, ...], Observation] = {}
        self._orders: deque[tuple[int, str, int, int]] = deque()
        self._writing: tuple[int, str] | None = None
        self._tickets = 0
        self._arrival = Arrival()
        self._introduced = False
        self._troubles: dict[str, str] = {}
        self._counts = {"polls": 0.0, "unanswered": 0.0, "refused": 0.0, "missed": 0.0}

    def resume(self, place: str) -> None:
        """Everything is asked for anyway."""

    def opened(self, now_ms: int) -> list[Report]:
        self._open, self._held, self._out = True, b"", b""
        self._asked_ms, self._next_ms = None, now_ms
        self._writing = None
        return []

    def receive(self, data: bytes, now_ms: int) -> list[Report]:
        from pymodbus.exceptions import ModbusException

        self._held = (self._held + data)[-_LONGEST:]
        try:
            used, answer = self._framer.handleFrame(self._held, UNIT, 0)
        except ModbusException:
            self._held = b""
            return []
        self._held = self._held[used:]
        if answer is None or self._asked_ms is None:
            return []
        asked_ms, self._asked_ms = self._asked_ms, None
        self._held, self._unanswered = b"", 0
        reports = list(self._trouble("answer", "", now_ms))
        if self._writing is not None:
            (ticket, name), self._writing = self._writing, None
            self._counts["refused"] += answer.isError()
            return [*reports, Done(ticket, name, "refused" if answer.isError() else "done")]
        if answer.isError() or len(answer.registers) != _COUNT:
            says = f"refuses registers {_FIRST} to {_FIRST + _COUNT - 1}; is `device` in the site file right?"
            return [*reports, *self._trouble("map", says, now_ms)]
        return [*reports, *self._trouble("map", "", now_ms), *self._polled(tuple(answer.registers), asked_ms)]

    def tick(self, now_ms: int) -> list[Report]:
        """Asks when it is time to, and notices that nothing is answered."""
        if not self._open:
            return []
        if self._asked_ms is not None and now_ms - self._asked_ms < _ANSWER_MS:
            return []
        reports: list[Report] = []
        if self._asked_ms is not None:
            reports += self._unheard(now_ms)
        if self._orders:
            self._write(now_ms)
        elif now_ms >= self._next_ms:
            self._poll(now_ms)
        return reports

    @property
    def pace_s(self) -> float:
        return _POLL_MS / 2_000

    def confirm(self) -> None:
        """The machine does not ask for it."""

    def to_send(self) -> bytes:
        data, self._out = self._out, b""
        return data

    def ask_all(self) -> None:
        self._told.clear()

    def command(self, name: str, data: Mapping[str, JsonValue]) -> int:
        if name not in COMMANDS:
            raise DeviceError(f"command {name!r}: this machine has {', '.join(COMMANDS)}")
        register, key = COMMANDS[name]
        value = data.get(key)
        if set(data) != {key} or not isinstance(value, int) or not 0 <= value <= 0xFFFF:
            raise ValueError(f"{name}: needs the number {key}")
        if len(self._orders) >= _WAITING:
            raise DeviceError(f"{name}: {_WAITING} commands are waiting for the machine")
        self._tickets += 1
        self._orders.append((self._tickets, name, register, int(value)))
        return self._tickets

    def give_up(self, ticket: int) -> None:
        self._orders = deque(order for order in self._orders if order[0] != ticket)

    @property
    def commands(self) -> tuple[str, ...]:
        return tuple(COMMANDS)

    @property
    def place(self) -> str:
        return ""

    @property
    def counters(self) -> dict[str, float]:
        return dict(self._counts)

    def _poll(self, now_ms: int) -> None:
        from pymodbus.pdu.register_message import ReadHoldingRegistersRequest

        self._out = self._framer.buildFrame(ReadHoldingRegistersRequest(dev_id=UNIT, address=_FIRST, count=_COUNT))
        self._asked_ms, self._next_ms = now_ms, now_ms + _POLL_MS
        self._counts["polls"] += 1

    def _write(self, now_ms: int) -> None:
        from pymodbus.pdu.register_message import WriteSingleRegisterRequest

        ticket, name, register, value = self._orders.popleft()
        request = WriteSingleRegisterRequest(dev_id=UNIT, address=register, registers=[value])
        self._out = self._framer.buildFrame(request)
        self._asked_ms, self._writing = now_ms, (ticket, name)

    def _unheard(self, now_ms: int) -> Iterator[Trouble]:
        """The last request was not answered; what was written stays unsure, and whoever asked for it learns so."""
        self._asked_ms, self._writing, self._held = None, None, b""
        self._unanswered += 1
        self._counts["unanswered"] += 1
        if self._unanswered >= _TRIES:
            yield from self._trouble(
                "answer", "does not answer; check its power, `baud` and its Modbus unit (1)", now_ms
            )

    def _polled(self, values: tuple[int, ...], at_ms: int) -> Iterator[Report]:
        if not self._introduced:
            self._introduced = True
            yield Introduced("Modbus table", "", "modbus-rtu", CAPABILITIES)
        for register in REGISTERS:
            now = values[register.first - _FIRST : register.first - _FIRST + register.size]
            before = self._known.get(register.first)
            self._known[register.first] = now
            if register.counter:
                happened = 0 if before is None else (now[0] - before[0]) % 0x10000
                if happened > 1:
                    self._counts["missed"] += happened - 1
                if not happened:
                    continue
            try:
                yield from self._news(register, now, at_ms)
            except (ValidationError, ValueError, LookupError):  # values that cannot be
                yield from self._trouble("map", f"registers from {register.first} on make no sense: {now}", at_ms)
        yield from self._arrival.quiet(at_ms)

    def _news(self, register: Register, values: Sequence[int], at_ms: int) -> Iterator[Report]:
        for n, observation in enumerate(register.say(values)):
            key = (str(register.first), str(n))
            if not register.counter and self._told.get(key) == observation:
                continue
            self._told[key] = observation
            yield self._arrival.say(at_ms, observation)
            if isinstance(observation, Jam):
                stuck = f"tiles are stuck in the {observation.place}; open the table and free them"
                yield from self._trouble(f"jam-{observation.place}", stuck if observation.present else "", at_ms)

    def _trouble(self, what: str, says: str, at_ms: int) -> Iterator[Trouble]:
        """Only what is news."""
        if self._troubles.get(what, "") != says:
            self._troubles[what] = says
            yield Trouble(what, says, at_ms)
