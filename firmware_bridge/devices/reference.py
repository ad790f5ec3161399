"""The reference controller (`docs/protocol.md`) in the house's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import JsonValue

from firmware_bridge import messages
from firmware_bridge.device import Done, Introduced, Report, Said, Trouble
from firmware_bridge.fields import CALLS, CAPABILITIES, PLACES
from firmware_bridge.framing import VERSION
from firmware_bridge.link import Link
from firmware_bridge.link_events import Answered, Born, ClockSet, Foreign, Gap, LinkEvent, Place, Quiet, Told, Whole
from firmware_bridge.messages import (
    BayMoved,
    Beep,
    ButtonPressed,
    Command,
    DealerSet,
    DiceRolled,
    DiscardsLie,
    Display,
    HandInZone,
    HonbaSet,
    Identify,
    Jammed,
    Lamp,
    Lift,
    Lock,
    Reading,
    ReadySlot,
    SetBuilt,
    TagRead,
    TilesMissing,
    WallLeft,
)
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
    ScoreTray,
    SetComplete,
    TagSeen,
    TileMissing,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import Seat

COMMANDS: dict[str, type[Command]] = {
    "lamp": Lamp,
    "display": Display,
    "beep": Beep,
    "lift": Lift,
    "lock": Lock,
    "identify": Identify,
}
_GARBAGE = 256
"""Bytes without one good frame after which the device is called foreign."""
_GOOD = 8
"""Good frames without a bad one between them after which it no longer is."""


class ReferenceDevice:
    """One reference controller."""

    def __init__(self, *, request: int = 1) -> None:
        self._link = Link(request=request)
        self._since_good = 0
        self._good = 0
        self._troubles: dict[str, str] = {}

    def resume(self, place: str) -> None:
        self._link.resume(Place.parse(place))

    def opened(self, now_ms: int) -> list[Report]:
        self._since_good = 0
        self._link.opened()
        return list(self._trouble("state", "has not told its state yet", now_ms))

    def receive(self, data: bytes, now_ms: int) -> list[Report]:
        counters = self._link.counters
        frames, bad = counters.frames, counters.bad_frames
        reports = [report for event in self._link.receive(data, now_ms) for report in self._report(event)]
        self._since_good = 0 if counters.frames > frames else self._since_good + len(data)
        self._good = counters.frames - frames + (0 if counters.bad_frames > bad else self._good)
        if self._since_good > _GARBAGE:
            says = "sends bytes that are not our protocol; check `baud` and `device` in the site file"
            reports += self._trouble("garbage", says, now_ms)
        elif self._good >= _GOOD:
            reports += self._trouble("garbage", "", now_ms)
        return reports

    def tick(self, now_ms: int) -> list[Report]:  # noqa: ARG002  # the device's own ticks pace everything
        return []

    @property
    def pace_s(self) -> float:
        return 1.0

    def confirm(self) -> None:
        self._link.confirm()

    def to_send(self) -> bytes:
        return self._link.to_send()

    def ask_all(self) -> None:
        self._link.ask_state()

    def command(self, name: str, data: Mapping[str, JsonValue]) -> int:
        kind = COMMANDS.get(name)
        if kind is None:
            raise DeviceError(f"command {name!r}: the reference controller has {', '.join(COMMANDS)}")
        return self._link.command(kind(**cast(dict[str, Any], dict(data))))

    def give_up(self, ticket: int) -> None:
        self._link.give_up(ticket)

    @property
    def commands(self) -> tuple[str, ...]:
        return tuple(COMMANDS)

    @property
    def place(self) -> str:
        place = self._link.place
        return "" if place is None else str(place)

    @property
    def counters(self) -> dict[str, float]:
        clock = self._link.clock
        known = {"clock_uncertainty_ms": clock.uncertainty_ms, "round_trip_ms": self._link.round_trip_ms}
        return {
            **self._link.counters.as_dict(),
            "drift_ppm": round(clock.drift_ppm, 1),
            **{name: float(value) for name, value in known.items() if value is not None},
        }

    def _report(self, event: LinkEvent) -> Iterator[Report]:
        match event:
            case Told(message, at_ms):
                if (observation := observe(message)) is not None:
                    yield Said(at_ms, observation)
                yield from self._own_trouble(message, at_ms)
            case Quiet(at_ms):
                yield from self._trouble("clock", "", at_ms)
                yield Said(at_ms, Watermark())
            case Born(birth, reset, at_ms):
                names = tuple(name for name in CAPABILITIES if birth.can(name))
                yield Introduced(birth.model, birth.firmware, str(VERSION), names)
                yield from self._trouble("version", "", at_ms)
                if reset:
                    yield from self._trouble("state", "has started anew; its state is being read", at_ms)
            case Gap(lost, at_ms):
                yield from self._trouble(
                    "state", f"{lost} of its messages are lost; its state is being read anew", at_ms
                )
            case Whole(at_ms):
                yield from self._trouble("state", "", at_ms)
            case ClockSet(by_ms, at_ms):
                way = "forward" if by_ms > 0 else "back"
                yield from self._trouble(
                    "clock", f"this computer's clock was set {way} by {abs(by_ms) / 1000:.1f} s", at_ms
                )
            case Foreign(version, at_ms):
                says = f"speaks version {version} of the protocol, this bridge version {VERSION}; update the older one"
                yield from self._trouble("version", says, at_ms)
            case Answered(ticket, command, result):
                yield Done(ticket, type(command).__name__.lower(), result)

    def _own_trouble(self, message: Reading, at_ms: int) -> Iterator[Report]:
        match message:
            case Jammed(_, place, present):
                says = f"tiles are stuck in the {PLACES[place]}; open the table and free them" if present else ""
                yield from self._trouble(f"jam-{place}", says, at_ms)
            case TilesMissing(_, expected, counted):
                says = f"the set has {counted} tiles instead of {expected}" if counted != expected else ""
                yield from self._trouble("tiles", says, at_ms)
            case _:
                pass

    def _trouble(self, what: str, says: str, at_ms: int) -> Iterator[Trouble]:
        """Only what is news."""
        if self._troubles.get(what, "") != says:
            self._troubles[what] = says
            yield Trouble(what, says, at_ms)


def observe(message: Reading) -> Observation | None:
    """A reading as an observation; None for what only the session is about."""
    match message:
        case DiceRolled(_, first, second, third):
            return Dice(dice=(first, second, third) if third else (first, second))
        case DealerSet(_, seat):
            return Dealer(seat=Seat(seat))
        case WallLeft(_, side, count, slot):
            return WallCount(side=Seat(side), count=count, slot=slot)
        case HandInZone(_, side, present):
            return HandZone(side=Seat(side), present=present)
        case DiscardsLie(_, seat, count, touched):
            return DiscardZone(seat=Seat(seat), count=count, touched=touched)
        case SetBuilt(_, tiles):
            return SetComplete(tiles=tiles)
        case BayMoved(_, is_open):
            return Bay(open=is_open)
        case ButtonPressed(_, seat, call):
            return Button(seat=Seat(seat), call=CALLS[call])
        case ReadySlot(_, seat, present):
            return ReadyStick(seat=Seat(seat), present=present)
        case HonbaSet(_, count):
            return Honba(count=count)
        case Jammed(_, place, present):
            return Jam(place=PLACES[place], present=present)
        case TilesMissing(_, expected, counted):
            return TileMissing(expected=expected, counted=counted)
        case messages.ScoreTray(_, seat, points):
            return ScoreTray(seat=Seat(seat), points=points)
        case TagRead(_, reader, slot, tag):
            return TagSeen(reader=reader, slot=slot, tag=f"{tag:016x}" if tag else None)
        case _:
            return None
