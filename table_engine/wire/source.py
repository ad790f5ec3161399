"""One source as the engine hears it, without a wire: its order, its presence, its holes, and what to ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from table_engine.wire.alerts import Fault
from table_engine.wire.bundle import opened
from table_engine.wire.errors import WireError
from table_engine.wire.messages import Availability, NodeInfo, Position
from table_engine.wire.observations import Envelope
from table_engine.wire.order import TELL_S, Hole, Order
from table_engine.wire.reading import Misread, read_envelope
from table_engine.wire.received import Birth, Gap, Observed, Presence, Received, Unreadable

Wish = Literal["resend", "rebirth"]


@dataclass(slots=True)
class Source:
    """What is known of one node. `now_s` is any steady clock's seconds."""

    table: str
    src: str
    order: Order[Observed | Unreadable] = field(default_factory=Order)
    wishes: list[Wish] = field(default_factory=list)
    """Commands to send to the node; the owner takes them out."""
    repeats: bool = False
    """It sent something old: it has missed our ack. The owner sets it back."""
    _boot: int = -1
    _said: Availability | None = None
    _info: NodeInfo | None = None
    _told: Hole | None = None
    """The hole the engine has been told of."""

    @property
    def online(self) -> bool:
        return self._said is not None and self._said.state == "online"

    def forget_presence(self) -> None:
        """Our own connection was lost: nobody knows whether the node is still there."""
        self._said = None

    def unreadable(self, position: Position | None, error: WireError, now_ms: int) -> Unreadable:
        fault = Fault(source=f"{self.table}/{self.src}", code="message", says=str(error), since_ms=now_ms)
        return Unreadable(self.table, self.src, position, fault)

    def on_envelopes(
        self, topic: str, payload: bytes, *, secret: bool, now_s: float, now_ms: int
    ) -> Iterator[Observed | Unreadable]:
        """One message of the node, with one envelope or several: lets through what is next in the node's order, and what
        has waited for it."""
        for one in opened(payload):
            yield from self._on_envelope(topic, one, secret, now_s, now_ms)

    def _on_envelope(
        self, topic: str, payload: bytes, secret: bool, now_s: float, now_ms: int
    ) -> list[Observed | Unreadable]:
        read = read_envelope(topic, self.src, payload)
        match read:
            case Misread(position=position, error=error):
                item: Observed | Unreadable = self.unreadable(position, error, now_ms)
            case Envelope():
                position = Position(read.boot, read.seq)
                item = Observed(self.table, self.src, position, read, secret)
        if position is None:
            return [item]
        if self.order.position is not None and position <= self.order.position:
            self.repeats = True
        return self.order.offer(position, item, now_s)

    def on_presence(self, said: Availability, *, retained: bool, now_s: float) -> Iterator[Presence]:
        if said.boot < self._boot or said == self._said:
            return
        self._boot, self._said = said.boot, said
        if self.online and retained:
            self.wishes.append("resend")
        if self.online and self.order.hole is not None:
            self.order.hole.since_s = now_s
        yield Presence(self.table, self.src, said.boot, self.online, said.trouble)

    def on_birth(self, info: NodeInfo, now_s: float) -> Iterator[Received]:
        hole = self.order.hole
        if info.boot >= self._boot and hole is not None:
            if info.first > hole.expected:
                yield from self._give_up(info.first, now_s)
            else:
                hole.promised_s = now_s
        if info != self._info:
            self._info = info
            yield Birth(self.table, self.src, info)

    def mind(self, now_s: float) -> Iterator[Received]:
        """Looks after a hole: asks for what is missing, tells, and gives up in the end. To be called again and again."""
        hole, told = self.order.hole, self._told
        if told is not None and (hole is None or hole.expected != told.expected):
            self._told = None
            yield Gap(self.table, self.src, told.expected, told.seen, "healed")
        if hole is None:
            return
        if not hole.told and now_s - hole.since_s >= TELL_S:
            hole.told, self._told = True, hole
            self.wishes.append("rebirth")
            yield Gap(self.table, self.src, hole.expected, hole.seen, "open")
        if self.online and hole.is_hopeless(now_s):
            yield from self._give_up(None, now_s)
        elif hole.asks(now_s):
            self.wishes.append("resend")

    def _give_up(self, first: Position | None, now_s: float) -> Iterator[Received]:
        hole = self.order.hole
        given_up = self.order.give_up(first, now_s)
        if hole is None or given_up is None:
            return
        goes_on, let = given_up
        self._told = None
        self.wishes.append("resend" if hole.told else "rebirth")
        yield Gap(self.table, self.src, hole.expected, goes_on, "lost")
        yield from let
