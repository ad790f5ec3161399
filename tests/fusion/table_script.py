"""A table described by hand: what both sensors say while somebody draws, discards, calls. Independent of the virtual
table, so that fusion is tested against two different ideas of how people move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from table_engine.records.model import HandRecord
from table_engine.wire.actions import (
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    Konged,
    WinShown,
)
from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    Bay,
    Dealer,
    Dice,
    DiscardZone,
    Envelope,
    HandSeen,
    HandZone,
    Observation,
    RackSeen,
    ReadyStick,
    SetComplete,
    TileSeen,
    WallCount,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, kind

CAMERA, BRIDGE = "cam", "bridge"
SIZES = {"riichi": 13, "chinese_official": 13, "world_series": 13, "taiwan16": 16}


@dataclass
class Script:
    """Writes envelopes as it goes; `stream()` gives them in the order of time."""

    ruleset: str = "riichi"
    camera: bool = True
    bridge: bool = True
    step_ms: int = 400
    now: int = 1_000
    out: list[Envelope] = field(default_factory=list)
    seqs: dict[str, int] = field(default_factory=lambda: {CAMERA: 0, BRIDGE: 0})

    def __post_init__(self) -> None:
        self.total = 144 if self.ruleset == "taiwan16" else 136
        self.stacks = self.total // 8
        self.clear()

    def clear(self) -> None:
        self.ponds: list[list[TileSeen]] = [[], [], [], []]
        self.sets: list[list[list[TileSeen]]] = [[], [], [], []]
        self.flower: list[list[Tile]] = [[], [], [], []]
        self.racks = [0, 0, 0, 0]
        self.open: list[list[TileSeen]] = [[], [], [], []]
        self.heights = [[0] * self.stacks for _ in SEATS]
        self.turned: list[TileSeen] = []
        self.head = self.tail = 0
        self.line: list[tuple[Seat, int]] = []
        self.ready = [False] * 4

    # ------------------------------------------------------------------ saying

    def say(self, src: str, data: Observation, at_ms: int | None = None) -> None:
        if (src == CAMERA and not self.camera) or (src == BRIDGE and not self.bridge):
            return
        self.seqs[src] += 1
        at = self.now if at_ms is None else at_ms
        self.out.append(Envelope.of(src, 1, self.seqs[src], at, at, data))

    def wait(self, ms: int | None = None) -> None:
        end = self.now + (self.step_ms if ms is None else ms)
        while self.now < end:
            self.now = min(end, self.now + 250)
            for src in (CAMERA, BRIDGE):
                self.say(src, Watermark())

    def stream(self) -> list[Envelope]:
        return sorted(self.out, key=lambda e: (e.at_ms, e.src, e.seq))

    def see_rack(self, seat: Seat, apart: int = 0) -> None:
        rack = RackSeen(seat=seat, standing=self.racks[seat], apart=apart, open=tuple(self.open[seat]))
        self.say(CAMERA, rack)

    def see_pond(self, seat: Seat) -> None:
        self.say(CAMERA, ZoneSeen(zone=Zone.POND, seat=seat, tiles=tuple(self.ponds[seat])))
        self.say(BRIDGE, DiscardZone(seat=seat, count=len(self.ponds[seat])))

    def see_sets(self, seat: Seat) -> None:
        tiles = tuple(t.model_copy(update={"group": n}) for n, one in enumerate(self.sets[seat]) for t in one)
        self.say(CAMERA, ZoneSeen(zone=Zone.MELD, seat=seat, tiles=tiles))

    def see_flowers(self, seat: Seat) -> None:
        tiles = tuple(TileSeen(code=t) for t in self.flower[seat])
        self.say(CAMERA, ZoneSeen(zone=Zone.FLOWER, seat=seat, tiles=tiles))

    def see_wall(self, side: Seat) -> None:
        turned = tuple(t for t in self.turned if self.line[t.track][0] == side)
        turned = tuple(t.model_copy(update={"group": self.line[t.track][1]}) for t in turned)
        self.say(CAMERA, WallSeen(seat=side, heights=tuple(self.heights[side]), open=turned))

    def arm(self, seat: Seat, zone: Zone, owner: Seat, *, present: bool) -> None:
        self.say(CAMERA, HandSeen(seat=seat, zone=zone, owner=owner, present=present))
        if zone == Zone.WALL:
            self.say(BRIDGE, HandZone(side=owner, present=present))

    # ------------------------------------------------------------------ moving

    def build(
        self, dealer: Seat = Seat.S0, dice: tuple[int, ...] = (2, 3), side: Seat = Seat.S0, stack: int = 5
    ) -> None:
        self.clear()
        self.heights = [[2] * self.stacks for _ in SEATS]
        self.line = [(side, stack)]
        while len(self.line) < 4 * self.stacks:
            s, n = self.line[-1]
            self.line.append((s, n + 1) if n + 1 < self.stacks else (s.step(3), 0))
        for seat in SEATS:
            self.see_pond(seat)
            self.see_sets(seat)
            self.see_flowers(seat)
            self.see_rack(seat)
            self.see_wall(seat)
            self.say(BRIDGE, WallCount(side=seat, count=2 * self.stacks))
        self.say(BRIDGE, SetComplete(tiles=self.total))
        self.say(BRIDGE, Dealer(seat=dealer))
        self.wait()
        self.say(BRIDGE, Dice(dice=dice))
        self.wait()

    def take(self, end: str = "head") -> None:
        """One tile leaves the wall."""
        index = self.head // 2 if end == "head" else len(self.line) - 1 - self.tail // 2
        side, stack = self.line[index]
        if end == "head":
            self.head += 1
        else:
            self.tail += 1
        self.heights[side][stack] -= 1
        self.say(BRIDGE, WallCount(side=side, count=sum(self.heights[side]), slot=stack))
        self.see_wall(side)

    def deal(self, dealer: Seat) -> None:
        size = SIZES[self.ruleset]
        for _ in range(size // 4):
            for n in range(4):
                for _ in range(4):
                    self.take()
                self.racks[dealer.step(n)] += 4
                self.wait()
                self.see_rack(dealer.step(n))
        for n in range(4 if size % 4 else 0):
            self.take()
            self.racks[dealer.step(n)] += 1
            self.wait()
            self.see_rack(dealer.step(n))
        self.take()
        self.racks[dealer] += 1
        self.wait()
        self.see_rack(dealer)
        self.wait()

    def draw(self, seat: Seat, end: str = "head", *, racked: bool = True) -> None:
        self.arm(seat, Zone.WALL, self.line[min(self.head // 2, len(self.line) - 1)][0], present=True)
        self.wait(200)
        self.take(end)
        self.wait(200)
        for arm in SEATS:
            self.arm(seat, Zone.WALL, arm, present=False)
        self.racks[seat] += 1
        self.wait()
        if racked:
            self.see_rack(seat, apart=1)
        self.wait()

    def discard(self, seat: Seat, tile: str, *, sideways: bool = False) -> None:
        self.arm(seat, Zone.POND, seat, present=True)
        self.racks[seat] -= 1
        self.see_rack(seat)
        self.wait(300)
        self.ponds[seat].append(TileSeen(code=tile, sideways=sideways))
        self.see_pond(seat)
        self.wait(200)
        self.arm(seat, Zone.POND, seat, present=False)
        self.wait()

    def stick(self, seat: Seat) -> None:
        self.ready[seat] = True
        self.say(BRIDGE, ReadyStick(seat=seat, present=True))

    def call(self, seat: Seat, source: Seat, tiles: tuple[Tile, ...], called: Tile) -> None:
        own = list(tiles)
        own.remove(called)
        self.racks[seat] -= len(own)
        self.see_rack(seat)
        self.sets[seat].append([TileSeen(code=t) for t in own])
        self.wait(300)
        self.see_sets(seat)
        self.wait(300)
        self.ponds[source].pop()
        self.see_pond(source)
        self.wait(300)
        where = 1 if self.ruleset == "taiwan16" else {3: 0, 2: 1, 1: len(own)}[(source - seat) % 4]
        self.sets[seat][-1].insert(where, TileSeen(code=called, sideways=self.ruleset != "taiwan16"))
        self.see_sets(seat)
        self.wait()

    def kong(self, seat: Seat, how: str, tile: Tile) -> None:
        if how == "added":
            self.racks[seat] -= 1
            self.see_rack(seat)
            self.wait(300)
            for one in self.sets[seat]:
                if all(t.code != "b" and kind(Tile(t.code)) == kind(tile) for t in one):
                    one.append(TileSeen(code=tile, sideways=self.ruleset == "riichi"))
        else:
            self.racks[seat] -= 4
            self.see_rack(seat)
            self.wait(300)
            backs = {0, 3} if self.ruleset == "riichi" else {0, 1, 2, 3}
            self.sets[seat].append([TileSeen(code="b" if n in backs else tile) for n in range(4)])
        self.see_sets(seat)
        self.wait()

    def flowers(self, seat: Seat, tiles: tuple[Tile, ...]) -> None:
        for tile in tiles:
            self.racks[seat] -= 1
            self.see_rack(seat)
            self.wait(200)
            self.flower[seat].append(tile)
            self.see_flowers(seat)
        self.wait()

    def dora(self, tile: Tile) -> None:
        index = len(self.line) - 3 - len(self.turned)
        self.turned.append(TileSeen(code=tile, track=index))
        self.see_wall(self.line[index][0])
        self.wait()

    def win(self, seat: Seat, hand: tuple[Tile, ...], won: Tile, source: Seat | None) -> None:
        faces = [TileSeen(code=t, u_mm=26.0 * n) for n, t in enumerate(hand)]
        if source is None:
            faces.append(TileSeen(code=won, u_mm=26.0 * len(hand) + 14))
        self.racks[seat] = 0
        self.open[seat] = faces
        self.see_rack(seat)
        self.wait()

    def sweep(self) -> None:
        self.say(BRIDGE, Bay(open=True))
        self.clear()
        for seat in SEATS:
            self.see_pond(seat)
            self.see_sets(seat)
            self.see_flowers(seat)
            self.see_rack(seat)
            self.see_wall(seat)
            self.say(BRIDGE, WallCount(side=seat, count=0))
            self.wait(300)
        self.say(BRIDGE, Bay(open=False))
        self.wait(2_000)

    def play(self, record: HandRecord) -> None:
        """A whole hand as recorded."""
        dice = record.dice or (3, 4)
        past, stack = divmod(sum(dice), self.stacks)
        self.build(record.dealer, dice, record.dealer.step(sum(dice) - 1 - past), stack)
        self.deal(record.dealer)
        for move in record.moves:
            match move:
                case Drew():
                    self.draw(move.seat, move.end)
                case Discarded():
                    self.discard(move.seat, move.tile, sideways=move.sideways)
                    if move.sideways:
                        self.stick(move.seat)
                case Called():
                    self.call(move.seat, move.source, move.tiles, move.tile)
                case Konged():
                    self.kong(move.seat, move.kong, move.tile)
                case FlowersShown():
                    self.flowers(move.seat, move.tiles)
                case DoraShown():
                    self.dora(move.tile)
                case WinShown():
                    self.win(move.seat, move.hand, move.tile, move.source)
                case HandEnded():
                    self.sweep()


def shuffle_within(envelopes: list[Envelope], window: int, rng) -> Iterator[Envelope]:
    """Every envelope moved by less than `window` places; those of one source keep their numbers."""
    keyed = sorted(range(len(envelopes)), key=lambda n: n + rng.random() * window)
    yield from (envelopes[n] for n in keyed)
