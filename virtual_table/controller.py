"""The virtual table's controller: sensors in, serial bytes out, as the reference firmware does it.

The table's physics calls the sensor methods (`wall`, `hand_zone`, …) and `pump(now_ms)` at least each step; the controller
speaks the protocol of `docs/protocol.md` over a pty and knows nothing of the game. All its time is `now_ms`, so it runs at
any speed; its sensor faults are drawn from the seed, one draw per reading, so the same game meets the same faults.
"""

from __future__ import annotations

import heapq
import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from firmware_bridge.fields import CALLS, CAPABILITIES, PLACES, RESULTS
from firmware_bridge.framing import SEQ, VERSION, Decoder, Frame, encode
from firmware_bridge.messages import (
    NEEDS,
    TICK_MS,
    WINDOW,
    Ack,
    BayMoved,
    Birth,
    ButtonPressed,
    Command,
    CommandAck,
    DealerSet,
    DiceRolled,
    DiscardsLie,
    Gone,
    HandInZone,
    HonbaSet,
    Jammed,
    Message,
    Nak,
    Reading,
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
    pack,
    unpack,
)
from table_engine.wire.errors import WireError
from table_engine.wire.seats import Seat
from virtual_table.line import PtyLine

_RESEND_MS = 500
_RESEND_MAX_MS = 4_000
_BIRTH_MS = 1_000
_TICK_WRAP = 1 << 32


@dataclass(frozen=True, slots=True)
class SensorFaults:
    """How badly the sensors work. `dead` names capabilities (`wall`, `hand_zone`, …) whose sensors say nothing."""

    drop: float = 0.0
    duplicate: float = 0.0
    delay_ms: int = 0
    """Each reading comes up to this much late; readings of one sensor keep their order."""
    dead: frozenset[str] = frozenset()


class Controller:
    """A table controller on a pty at `path` (a symlink it makes and removes)."""

    def __init__(
        self,
        path: Path,
        *,
        seed: int = 0,
        faults: SensorFaults | None = None,
        noise: float = 0.0,
        lose: float = 0.0,
        ring: int = 512,
        start_ms: int = 0,
        start_ticks: int = 0,
        drift_ppm: float = 0.0,
        capabilities: Sequence[str] = CAPABILITIES,
    ) -> None:
        """`ring`: how many readings it holds until they are acknowledged (16 in the smallest firmware). `start_ms` is
        `now_ms` at the first reset, when the tick counter stands at `start_ticks`; it is `drift_ppm` fast."""
        self.line = PtyLine(path, noise=noise, lose=lose, seed=seed)
        self.faults = faults or SensorFaults()
        self.commands: deque[Command] = deque(maxlen=256)
        """The newest commands carried out, oldest first."""
        self.results: dict[type[Command], Literal["done", "unknown", "refused"]] = {}
        """What it answers to a kind of command instead of "done"."""
        self.overwritten = 0
        """Readings that were lost because nobody fetched them in time."""
        self.resent = 0
        self._random = random.Random(f"sensors {seed}")
        self._ring = ring
        self._drift = 1 + drift_ppm * 1e-6
        self._capabilities = sum(1 << CAPABILITIES.index(name) for name in capabilities)
        self._boot = random.Random(f"boot {seed}").randrange(SEQ)
        self._now_ms = start_ms
        self._dead = False
        self._state: dict[tuple[str, int], Reading] = {}
        self._late: list[tuple[int, int, str, int | None, Reading]] = []
        self._late_until: dict[tuple[str, int | None], int] = {}
        self._readings = 0
        self.reset(start_ticks)

    # sensors

    def dice(self, dice: Sequence[int]) -> None:
        first, second, *rest = dice
        self._sense("dice", None, DiceRolled(0, first, second, rest[0] if rest else 0))

    def dealer(self, seat: Seat) -> None:
        self._sense("dealer", 0, DealerSet(0, seat))

    def honba(self, count: int) -> None:
        self._sense("honba", 0, HonbaSet(0, count))

    def wall(self, side: Seat, count: int, slot: int = -1) -> None:
        self._sense("wall", side, WallLeft(0, side, count, slot))

    def hand_zone(self, side: Seat, present: bool) -> None:
        self._sense("hand_zone", side, HandInZone(0, side, present))

    def discard_zone(self, seat: Seat, count: int, touched: bool = False) -> None:
        self._sense("discard_count", seat, DiscardsLie(0, seat, count, touched))

    def set_complete(self, tiles: int) -> None:
        self._sense("set_complete", None, SetBuilt(0, tiles))

    def bay(self, open: bool) -> None:  # noqa: A002  # the word of the observation
        self._sense("bay", 0, BayMoved(0, open))

    def jam(self, place: str, present: bool) -> None:
        """`place` is one of `firmware_bridge.fields.PLACES`."""
        self._sense("jam", PLACES.index(place), Jammed(0, PLACES.index(place), present))

    def tile_missing(self, expected: int, counted: int) -> None:
        self._sense("tile_missing", 0, TilesMissing(0, expected, counted))

    def ready_stick(self, seat: Seat, present: bool) -> None:
        self._sense("ready_stick", seat, ReadySlot(0, seat, present))

    def score_tray(self, seat: Seat, points: int) -> None:
        self._sense("score_tray", seat, ScoreTray(0, seat, points))

    def button(self, seat: Seat, call: Literal["chow", "pung", "kong", "win", "ready", "referee"]) -> None:
        self._sense("buttons", None, ButtonPressed(0, seat, CALLS.index(call)))

    def tag(self, reader: int, slot: int, tag: int) -> None:
        self._sense("tags", reader << 8 | slot, TagRead(0, reader, slot, tag))

    # life

    def tick(self, now_ms: int) -> None:
        """Sets the time without touching the line: readings are stamped with the newest time given."""
        self._now_ms = max(self._now_ms, now_ms)
        while self._late and self._late[0][0] <= self._now_ms:
            _, _, kind, key, reading = heapq.heappop(self._late)
            self._take(kind, key, reading)

    def pump(self, now_ms: int) -> None:
        """Sets the time, hears the host and says what is to be said. Never blocks. Call it after the shared clock was set."""
        self.tick(now_ms)
        for item in self._decoder.feed(self.line.read()):
            if isinstance(item, Frame) and item.version == VERSION and not self._dead:
                self._hear(item)
        if not self._dead:
            self._speak()
        self.line.flush()

    def settle(self, timeout_s: float = 1.0) -> bool:
        """Lockstep: stands still (simulated time does too) until the host has acknowledged everything said so far. False
        when no host has the port open or it does not within `timeout_s` of real time."""
        deadline = time.monotonic() + timeout_s
        nudge = time.monotonic() + 0.05
        while self._held and self.line.connected and not self._dead:
            if time.monotonic() > deadline:
                return False
            if time.monotonic() > nudge:  # the line may have lost the last frame, and no tick will come to tell
                nudge += 0.05
                self._resend_oldest()
            self.line.wait(5)
            self.pump(self._now_ms)
        return not self._held

    @property
    def backlog(self) -> int:
        """Readings not yet acknowledged by the host."""
        return len(self._held)

    def reset(self, ticks: int = 0) -> None:
        """Power on: numbering, ring and clock begin anew; what the sensors see is as it is."""
        self._dead = False
        self._boot = (self._boot + 1) % SEQ
        self._booted_ms, self._start_ticks = self._now_ms, ticks
        self._decoder = Decoder()
        self._seq = SEQ - 1
        self._held: deque[bytes] = deque()
        self._sent = 0
        self._request = 0
        self._telling: deque[tuple[str, int]] | None = None
        self._command = 0
        self._command_result = 0
        self._heard = False
        self._ticked = self._resent_at = self._ticks
        self._resend_ms = _RESEND_MS
        self._send_birth()

    def kill(self) -> None:
        """The controller hangs or has no power: it says nothing more, though the port stays. `reset` revives it."""
        self._dead = True

    def unplug(self) -> None:
        self.line.unplug()

    def replug(self) -> None:
        self.line.plug()

    def close(self) -> None:
        self.line.close()

    # inside

    @property
    def _ticks(self) -> int:
        return self._start_ticks + int((self._now_ms - self._booted_ms) * self._drift)

    @property
    def _stamp(self) -> int:
        return self._ticks % _TICK_WRAP

    @property
    def _first(self) -> int:
        """seq of the oldest reading held; one after the last when none is."""
        return (self._seq + 1 - len(self._held)) % SEQ

    def _sense(self, kind: str, key: int | None, reading: Reading) -> None:
        """One reading of one sensor. `key` names the state it belongs to; None: it is a moment, not a state."""
        dropped, late_ms = self._random.random() < self.faults.drop, self._random.random() * self.faults.delay_ms
        if dropped or kind in self.faults.dead:
            return
        due_ms = max(self._now_ms + int(late_ms), self._late_until.get((kind, key), 0))
        if due_ms <= self._now_ms:
            self._take(kind, key, reading)
            return
        self._late_until[kind, key] = due_ms
        self._readings += 1
        heapq.heappush(self._late, (due_ms, self._readings, kind, key, reading))

    def _take(self, kind: str, key: int | None, reading: Reading) -> None:
        doubled = self._random.random() < self.faults.duplicate
        if key is not None:
            if self._state.get((kind, key)) == reading:
                return
            self._state[kind, key] = reading
        if not self._dead:
            for _ in range(2 if doubled else 1):
                self._issue(reading)

    def _issue(self, reading: Reading) -> None:
        self._seq = (self._seq + 1) % SEQ
        if len(self._held) == self._ring:
            self._held.popleft()
            self._sent = max(self._sent - 1, 0)
            self.overwritten += 1
        self._held.append(encode(pack(replace(reading, ticks_ms=self._stamp), self._seq)))

    def _send(self, message: Message, seq: int) -> None:
        self.line.write(encode(pack(message, seq % SEQ)))

    def _send_birth(self) -> None:
        self._birth_at = self._ticks
        self._send(
            Birth(
                self._stamp,
                self._boot,
                self._request,
                self._first,
                self._command,
                self._ring,
                self._capabilities,
                "jantaku virtual",
                "1.0",
            ),
            self._seq,
        )

    def _resend_oldest(self) -> None:
        if self._sent:
            self.resent += 1
            self.line.write(self._held[0])

    def _speak(self) -> None:
        if not self._heard and self._ticks - self._birth_at >= _BIRTH_MS:
            self._send_birth()
        while self._telling is not None and len(self._held) < WINDOW:
            if self._telling:
                self._issue(self._state[self._telling.popleft()])
            else:
                self._telling = None
                self._issue(StateEnd(0, self._request))
        if self._held and self._sent and self._ticks - self._resent_at >= self._resend_ms:
            self._resent_at = self._ticks
            self._resend_ms = min(2 * self._resend_ms, _RESEND_MAX_MS)
            self._resend_oldest()
        while self._sent < min(len(self._held), WINDOW):
            if self._sent == 0:
                self._resent_at, self._resend_ms = self._ticks, _RESEND_MS
            self.line.write(self._held[self._sent])
            self._sent += 1
        if self._ticks - self._ticked >= TICK_MS and self._sent == len(self._held):
            self._ticked = self._ticks
            self._send(Tick(self._stamp), self._seq)

    def _hear(self, frame: Frame) -> None:
        self._heard = True
        if is_command(frame.type):
            self._obey(frame)
            return
        try:
            message = unpack(frame)
        except WireError:
            return  # the protocol: what a device does not know it ignores
        match message:
            case Ack():
                count = (frame.seq + 1 - self._first) % SEQ
                if 0 < count <= self._sent:
                    for _ in range(count):
                        self._held.popleft()
                    self._sent -= count
                    self._resent_at, self._resend_ms = self._ticks, _RESEND_MS
            case Nak(count):
                self._resend(frame.seq, count)
            case StateRequest(request):
                busy = self._telling is not None and request == self._request
                self._request = request
                self._send_birth()
                if not busy:
                    self._sent = 0
                    self._telling = deque(self._state)
            case TimeSync(host_ms):
                self._send(TimeEcho(self._stamp, host_ms), self._seq)
            case _:
                pass

    def _resend(self, seq: int, count: int) -> None:
        first = self._first
        for missing in range(seq, seq + count):
            index = (missing - first) % SEQ
            if index < self._sent:
                self.resent += 1
                self.line.write(self._held[index])
            elif index >= SEQ // 2:
                self._send(Gone(), first)
                return

    def _obey(self, frame: Frame) -> None:
        if frame.seq == (self._command + 1) % SEQ:
            self._command = frame.seq
            try:
                command = unpack(frame)
            except WireError:
                self._command_result = 1
            else:
                self._carry_out(command)
        if frame.seq == self._command:
            self._send(CommandAck(self._command_result), frame.seq)

    def _carry_out(self, command: Message) -> None:
        if not isinstance(command, Command):
            self._command_result = RESULTS.index("unknown")
            return
        able = self._capabilities >> CAPABILITIES.index(NEEDS[type(command)]) & 1
        result = self.results.get(type(command), "done" if able else "unknown")
        self._command_result = RESULTS.index(result)
        if result == "done":
            self.commands.append(command)
