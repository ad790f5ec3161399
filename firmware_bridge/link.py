"""The host's end of a session with a table controller: bytes in, events and bytes out, no port and no timer.

Sequenced messages are delivered once and in order. One that arrives beyond a hole waits while the hole is asked for (NAK);
what the device no longer holds becomes a `Gap`, after which the whole state is asked for. `confirm()` acknowledges what was
handed out: call it when that is stored, so that whatever a crash loses is still held by the device. Everything that repeats
(asking again, resending commands, syncing the clock) is paced by the device's ticks: played at twenty times the speed of
life, or stopped, the session behaves the same.
"""

from __future__ import annotations

from collections import deque

from firmware_bridge.course import Course
from firmware_bridge.fields import RESULTS
from firmware_bridge.framing import CHECKED, SEQ, VERSION, BadFrame, Decoder, Frame, encode
from firmware_bridge.link_events import (
    Answered,
    Born,
    ClockSet,
    Counters,
    Foreign,
    Gap,
    LinkEvent,
    Place,
    Quiet,
    Told,
    Whole,
)
from firmware_bridge.messages import (
    MESSAGES,
    NEEDS,
    WINDOW,
    Ack,
    Birth,
    Command,
    CommandAck,
    Gone,
    Message,
    Nak,
    Reading,
    StateEnd,
    StateRequest,
    Tick,
    TimeEcho,
    TimeSync,
    is_reading,
    pack,
    unpack,
)
from firmware_bridge.orders import Orders
from firmware_bridge.ticks import TickClock
from table_engine.wire.errors import DeviceError, WireError

_HOLD = 4 * WINDOW
"""Messages beyond a hole that are kept; a device never has more than a window under way."""
_ASK_AGAIN_MS = 200
_STATE_AGAIN_MS = 1_500
_STUCK = 3
_SYNC_MS = 2_000
_SYNCS = 4


class Link:
    """One device's session."""

    def __init__(self, *, request: int = 1) -> None:
        """`request` numbers the first state request (1 to 65535); a fresh process had better begin elsewhere."""
        self.counters = Counters()
        self.clock = TickClock()
        self.birth: Birth | None = None
        self.round_trip_ms: int | None = None
        """How long the last time sync took, there and back; None before one came back."""
        self._resume: Place | None = None
        self._request = request % SEQ or 1
        self._decoder = Decoder()
        self._out = bytearray()
        self._expected = 0
        self._beyond: dict[int, tuple[Frame, int]] = {}
        self._asked: dict[int, tuple[int, int]] = {}
        self._told = Course()
        self._stored = True
        self._whole = False
        self._state_asked_at = 0
        self._synced_at: int | None = None
        self._syncs: deque[int] = deque(maxlen=_SYNCS)
        """What the newest time syncs asked with: an echo of anything else proves nothing."""
        self._last_at_ms: int | None = None
        self._lost_sync = False
        self._named = False
        """The birth that is known is that of the device on the line, as far as one can tell."""
        self._nameless = False
        """Something was heard of a device that is not named."""
        self._stuck = (0, 0)
        """A reading that leads no further, and how often it came in a row."""
        self._orders = Orders()

    def resume(self, place: Place | None) -> None:
        """How far a former session came: readings up to it are not told again, and nothing is told about an earlier moment.
        A place in the future is void: the clock was set, or another simulation has begun. Call it before the first bytes."""
        self._resume = place

    def opened(self) -> None:
        """The port was (re)opened: what was half received is worthless, what was missed is asked for."""
        self._decoder = Decoder()
        self._out.clear()
        self._asked.clear()
        self._named = False
        self.ask_state()

    def ask_state(self) -> None:
        """Asks the device to introduce itself, send what it holds and tell its whole state."""
        self._request = self._request % (SEQ - 1) + 1
        self._whole = False
        self._send_request()

    def command(self, command: Command) -> int:
        """Queues a command and returns its ticket; `Answered` tells what came of it. Raises DeviceError when the device
        cannot do it, ValueError or TypeError when a field is out of its range."""
        pack(command)
        if self.birth is None:
            raise DeviceError(
                f"{type(command).__name__}: the table's controller has not been heard yet; try again later"
            )
        need = NEEDS[type(command)]
        if not self.birth.can(need):
            raise DeviceError(f"{type(command).__name__}: {self.birth.model} has no {need}")
        ticket = self._orders.add(command)
        self._send_command()
        return ticket

    def give_up(self, ticket: int) -> None:
        """Nobody waits for this command any more; when it has not been sent yet, it will not be."""
        self._orders.give_up(ticket)

    def to_send(self) -> bytes:
        """Takes what has to go out on the line."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def confirm(self) -> None:
        """Everything handed out so far is stored: acknowledges it."""
        if not self._stored and self.birth is not None:
            self._stored = True
            self._send(Ack(), self._expected - 1)

    @property
    def place(self) -> Place | None:
        """Up to where everything was handed out; None before the first contact."""
        if self.birth is None or self._last_at_ms is None:
            return None
        return Place(self.birth.boot, (self._expected - 1) % SEQ, self._last_at_ms)

    def receive(self, data: bytes, now_ms: int) -> list[LinkEvent]:
        """What bytes read at the host's `now_ms` say. Never raises: nonsense is counted."""
        events: list[LinkEvent] = []
        for item in self._decoder.feed(data):
            match item:
                case BadFrame(reason):
                    self.counters.bad_frames += 1
                    self.counters.crc_errors += reason in CHECKED
                    self._lost_sync = True
                case Frame():
                    self.counters.frames += 1
                    self.counters.resyncs += self._lost_sync
                    self._lost_sync = False
                    self._frame(item, now_ms, events)
        if self._nameless:
            self._nameless = False
            self._send_request()
        return events

    def _frame(self, frame: Frame, now_ms: int, events: list[LinkEvent]) -> None:
        if frame.version != VERSION:
            events.append(Foreign(frame.version, now_ms))
            return
        if is_reading(frame.type):
            self._sequenced(frame, now_ms, events)
            return
        try:
            message = unpack(frame)
        except WireError:
            self.counters.malformed += 1
            return
        match message:
            case Birth():
                self._born(message, frame.seq, now_ms, events)
            case Tick() if self._knows(message):
                self._ticked(self._hear(message.ticks_ms, now_ms, events), frame.seq, events)
            case Tick():
                self._named, self._nameless = False, True
            case TimeEcho(host_ms=sent_ms) if self._named and sent_ms in self._syncs:
                ticks = self.clock.unwrap(message.ticks_ms)
                self._jumped(self.clock.echoed(sent_ms, ticks, now_ms), now_ms, events)
                if now_ms >= sent_ms:
                    self.round_trip_ms = now_ms - sent_ms
            case Gone() if self._named:
                self._skip_to(frame.seq, now_ms, events)
            case CommandAck():
                self._answered(message, frame.seq, events)
            case _:
                pass

    # readings

    def _sequenced(self, frame: Frame, now_ms: int, events: list[LinkEvent]) -> None:
        if not self._named or self._told.contradicts(frame):
            self._named, self._nameless = False, True  # it has started anew and its birth was lost
            return
        ahead = (frame.seq - self._expected) % SEQ
        if ahead >= SEQ // 2 or frame.seq in self._beyond:
            self.counters.duplicates += 1
            self._stored = False
            self._repeated(frame.seq)
            return
        if ahead < _HOLD:
            self._beyond[frame.seq] = (frame, now_ms)
            self._deliver(events)
        if ahead:
            self._ask(frame.seq)

    def _repeated(self, seq: int) -> None:
        """A device that repeats itself while its state is awaited may have started anew: no tick comes as long as its window
        is full, so nothing else would ask it who it is."""
        last, times = self._stuck
        self._stuck = (seq, times + 1 if seq == last else 1)
        if not self._whole and self._stuck[1] >= _STUCK:
            self._stuck = (seq, 0)
            self._send_request()

    def _deliver(self, events: list[LinkEvent]) -> None:
        while (waiting := self._beyond.pop(self._expected, None)) is not None:
            frame, now_ms = waiting
            self._told.add(frame)
            self.counters.recovered += self._asked.pop(frame.seq, None) is not None
            self._expected = (self._expected + 1) % SEQ
            self._stored = False
            try:
                message = unpack(frame)
            except WireError:
                self.counters.malformed += frame.type in MESSAGES
                self.counters.unknown += frame.type not in MESSAGES
                continue
            if isinstance(message, Reading) and self.birth is not None:
                at_ms = self._at(self._hear(message.ticks_ms, now_ms, events))
                if not isinstance(message, StateEnd):
                    events.append(Told(message, at_ms, self.birth.boot, frame.seq))
                elif message.request == self._request:
                    self._whole = True
                    events.append(Whole(at_ms))

    def _ask(self, until: int) -> None:
        """Asks for every hole before seq `until`, each again only after a window of frames or a while of ticks."""
        missing = [
            seq
            for n in range(min((until - self._expected) % SEQ, _HOLD))
            if (seq := (self._expected + n) % SEQ) not in self._beyond and self._may_ask(seq)
        ]
        while missing:
            run = 1
            while run < len(missing) and missing[run] == (missing[0] + run) % SEQ:
                run += 1
            self._send(Nak(run), missing[0])
            self.counters.asked_again += run
            self._asked |= dict.fromkeys(missing[:run], (self.counters.frames, self.clock.ticks))
            del missing[:run]

    def _may_ask(self, seq: int) -> bool:
        frames, ticks = self._asked.get(seq, (-WINDOW, -_ASK_AGAIN_MS))
        return self.counters.frames - frames >= WINDOW or self.clock.ticks - ticks >= _ASK_AGAIN_MS

    def _skip_to(self, seq: int, now_ms: int, events: list[LinkEvent]) -> None:
        """The device holds nothing before `seq`."""
        gaps = self.counters.gaps
        while 0 < (lost := (seq - self._expected) % SEQ) < SEQ // 2:
            lost = min(lost, *((held - self._expected) % SEQ for held in self._beyond), SEQ)
            self.counters.gaps += 1
            self.counters.lost += lost
            self._expected = (self._expected + lost) % SEQ
            self._asked.clear()
            self._stored = False
            events.append(Gap(lost, self._now(now_ms)))
            self._deliver(events)
        if self.counters.gaps > gaps:
            self.ask_state()

    # the session

    def _born(self, birth: Birth, seq: int, now_ms: int, events: list[LinkEvent]) -> None:
        known = self.birth
        self.birth = birth
        self._named = True
        if known is not None and self._continues(known, birth, seq):
            self._told.forget()
            self._hear(birth.ticks_ms, now_ms, events)
        else:
            self._begin(birth, seq, now_ms)
            self._hear(birth.ticks_ms, now_ms, events)
            events.append(Born(birth, known is not None, self._now(now_ms)))
            if birth.request != self._request:
                self._whole = False
                self._send_request()
            self._sync(now_ms)
            self._send_command()
        self._skip_to(birth.first, now_ms, events)

    def _knows(self, tick: Tick) -> bool:
        """A tick of the device as it is named; ticks that went back are those of one that has started anew."""
        return self._named and not self.clock.is_before(tick.ticks_ms)

    def _continues(self, known: Birth, birth: Birth, seq: int) -> bool:
        """The same device, not reset in between: its numbering and its time go on from what was received."""
        same = (known.boot, known.model, known.firmware) == (birth.boot, birth.model, birth.firmware)
        return same and (seq + 1 - self._expected) % SEQ < SEQ // 2 and not self.clock.is_before(birth.ticks_ms)

    def _begin(self, birth: Birth, seq: int, now_ms: int) -> None:
        self.counters.births += 1
        self.clock = TickClock()
        self._told.forget()
        self._beyond.clear()
        self._asked.clear()
        self._synced_at, self._state_asked_at = None, birth.ticks_ms
        self._orders.begin(birth.command)
        self._expected = birth.first
        if self._resume is not None and self._resume.at_ms <= now_ms:
            stored = (self._resume.seq + 1) % SEQ
            if self._resume.boot == birth.boot and (seq + 1 - stored) % SEQ < SEQ // 2:
                self._expected = stored
            self._last_at_ms = self._resume.at_ms
        self._resume = None

    def _ticked(self, ticks: int, seq: int, events: list[LinkEvent]) -> None:
        missing = (seq + 1 - self._expected) % SEQ
        if missing == 0:
            self._told.upto(ticks)
            at_ms = self._at(ticks)
            self._stored = False
            events.append(Quiet(at_ms))
        elif missing < SEQ // 2:
            self._ask((seq + 1) % SEQ)

    def _hear(self, ticks_ms: int, now_ms: int, events: list[LinkEvent]) -> int:
        ticks = self.clock.unwrap(ticks_ms)
        self._jumped(self.clock.heard(ticks, now_ms), now_ms, events)
        self._remind(now_ms)
        return ticks

    def _remind(self, now_ms: int) -> None:
        """Says again what was not answered; a device too busy to tick hears it too."""
        ticks = self.clock.ticks
        if self._synced_at is not None and ticks - self._synced_at >= _SYNC_MS:
            self._sync(now_ms)
        if not self._whole and ticks - self._state_asked_at >= _STATE_AGAIN_MS:
            self._send_request()
        if self._orders.overdue(ticks):
            self.counters.commands_resent += 1
            self._send_command()

    def _jumped(self, by_ms: int | None, now_ms: int, events: list[LinkEvent]) -> None:
        if by_ms is not None:
            self._last_at_ms = None
            events.append(ClockSet(by_ms, now_ms))

    def _at(self, ticks: int) -> int:
        """Host time of these ticks, never before what was said last."""
        at_ms = self.clock.host_ms(ticks)
        if self._last_at_ms is not None:
            at_ms = max(at_ms, self._last_at_ms)
        self._last_at_ms = at_ms
        return at_ms

    def _now(self, now_ms: int) -> int:
        """The moment up to which has been told: where what has no moment of its own belongs."""
        return now_ms if self._last_at_ms is None else self._last_at_ms

    # sending

    def _send(self, message: Message, seq: int = 0) -> None:
        self._out += encode(pack(message, seq % SEQ))

    def _send_request(self) -> None:
        self._state_asked_at = self.clock.ticks
        self._send(StateRequest(self._request))

    def _sync(self, now_ms: int) -> None:
        self._synced_at = self.clock.ticks
        self._syncs.append(now_ms)
        self._send(TimeSync(now_ms))

    def _send_command(self) -> None:
        if self.birth is not None and (order := self._orders.next(self.clock.ticks)) is not None:
            self._send(*order)

    def _answered(self, message: CommandAck, seq: int, events: list[LinkEvent]) -> None:
        if (answered := self._orders.answered(seq)) is not None:
            events.append(Answered(*answered, RESULTS[message.result]))
            self._send_command()
