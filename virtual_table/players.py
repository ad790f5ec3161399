"""Four simple players who play a hand to its end under any rule set, keep its rules, and break one where a script says so.

They decide from the position alone, so they can also take over in the middle: `begin` says at what point.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from random import Random

from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    Konged,
    WinShown,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_flower, kind
from virtual_table.customs import Customs
from virtual_table.deed import Deed, Manner
from virtual_table.late_call import bait, caller_wanted
from virtual_table.policy import Policy
from virtual_table.position import Position
from virtual_table.script import Foul, What
from virtual_table.showing import at_the_end, ready_ones, three_winners


@dataclass(frozen=True, slots=True)
class Begin:
    """Where players take over: `seat` is to draw, to discard, or everybody may claim what `seat` has just discarded."""

    seat: Seat
    at: str
    """"deal" | "draw" | "discard" | "claim"."""


@dataclass(slots=True)
class Players:
    """Moves for all four seats. `fouls` are those still due in this hand; more may be added while it runs."""

    customs: Customs
    rng: Random
    fouls: list[Foul] = field(default_factory=list)
    begin: Begin | None = None
    turns: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    policy: Policy = field(init=False)
    committed: list[Foul] = field(default_factory=list)
    _moves: Iterator[Deed] | None = None
    _forced: bool = False
    """The replacement comes after an exposed kong (TW-P3: no win on it)."""

    def __post_init__(self) -> None:
        self.policy = Policy(self.customs, self.rng)

    def next(self, position: Position) -> Deed | None:
        """While a foul is still due nobody wins or declares ready, so that the hand lives to see it."""
        self.policy.patient = bool(self.fouls)
        self.policy.eager = self._due("late_call", None) is not None
        if self._moves is None:
            self._moves = self._play(position)
        return next(self._moves, None)

    def _due(self, what: What, seat: Seat | None, turn: int | None = None) -> Foul | None:
        """The first scripted foul of this kind, by this seat (None: any), whose turn has come (None: whenever)."""
        for foul in self.fouls:
            right = foul.what == what and (seat is None or foul.seat == seat)
            if right and (turn is None or turn >= foul.turn):
                return foul
        return None

    def _commit(self, foul: Foul) -> None:
        self.fouls.remove(foul)
        self.committed.append(foul)
        if foul.what != "draw_early":
            self.policy.memory[foul.seat].dead = True

    def _play(self, position: Position) -> Iterator[Deed]:
        begin = self.begin or Begin(position.dealer, "deal")
        if begin.at == "deal":
            if self.customs.rules.set.dora:
                yield _deed(DoraShown(tile=UNKNOWN))
            if self.customs.tiles == 144:
                yield from self._first_flowers(position)
        seat: Seat | None = begin.seat
        if begin.at in ("deal", "discard"):
            seat = yield from self._turn(position, begin.seat)
        elif begin.at == "claim" and position.discard:
            seat = yield from self._claims(position, begin.seat, position.faces[position.discard[1]])
        while seat is not None:
            if position.left <= self.customs.unplayed or position.head() is None:
                yield from map(_deed, ready_ones(position))
                yield _deed(HandEnded(won=False))
                return
            if not (yield from self._draw(position, seat)):
                return
            seat = yield from self._turn(position, seat)

    def _first_flowers(self, position: Position) -> Iterator[Deed]:
        """Laps of replacements: dealer first, all flowers of a seat at once, until nobody holds one (TW-S5)."""
        again = True
        while again:
            again = False
            for n in range(4):
                seat = position.dealer.step(n)
                flowers = tuple(sorted(t for t in position.tiles(seat) if is_flower(t)))
                if flowers:
                    again = True
                    yield _deed(FlowersShown(seat=seat, tiles=flowers))
                    for _ in flowers:
                        yield _deed(Drew(seat=seat, end="tail"))

    def _draw(self, position: Position, seat: Seat) -> Generator[Deed, None, bool]:
        """The draw of a turn with everything scripted for it. → False when the hand ends with it."""
        self.turns[seat] += 1
        turn = self.turns[seat]
        for other in SEATS:
            foul = self._due("draw_out_of_turn", other, self.turns[other])
            if foul and other != seat and position.left > self.customs.unplayed + 1:
                self._commit(foul)
                yield _deed(Drew(seat=other))
                yield from self._flowers(position, other)
        if foul := self._due("too_few", seat, turn):
            self._commit(foul)
            return True
        wrong, early = self._due("draw_wrong_end", seat, turn), self._due("draw_early", seat, turn)
        manner = Manner.PLAIN
        if wrong:
            self._commit(wrong)
        if early and position.discard is not None:
            self._commit(early)
            manner = Manner.HURRIED
        self.policy.draws(position, seat)
        yield Deed(Drew(seat=seat, end="tail" if wrong else "head"), manner)
        foul = self._due("too_many", seat, turn)
        if foul and position.left > self.customs.unplayed:
            self._commit(foul)
            yield _deed(Drew(seat=seat))
        self._forced = False
        return (yield from self._flowers(position, seat))

    def _flowers(self, position: Position, seat: Seat) -> Generator[Deed, None, bool]:
        """Shows and replaces drawn flowers. → False when nothing is left to replace them with."""
        while flowers := tuple(t for t in position.tiles(seat) if is_flower(t)):
            yield _deed(FlowersShown(seat=seat, tiles=flowers[:1]))
            if position.left <= self.customs.unplayed:
                yield _deed(HandEnded(won=False))
                return False
            yield _deed(Drew(seat=seat, end="tail"))
        return True

    def _turn(self, position: Position, seat: Seat, call: Called | None = None) -> Generator[Deed, None, Seat | None]:
        """A seat that holds its extra tile: wins, kongs or discards. → who draws next; None when the hand is over."""
        policy, dora = self.policy, 0
        if call is not None and call.call == "kong":
            if not (yield from self._replace(position, seat)):
                return None
            dora, self._forced, call = dora + 1, self.customs.ruleset == "taiwan16", None
        while call is None:
            if not self._forced and policy.wins(position, seat, None):
                tile = self._winning(position, seat)
                yield _deed(WinShown(seat=seat, tile=tile))
                yield _deed(HandEnded(won=True))
                return None
            kong = self._kong(position, seat)
            if kong is None:
                break
            yield _deed(kong)
            if kong.kong == "added" and (yield from self._wins(position, seat, kong.tile)):
                return None
            if self.customs.rules.set.dora and kong.kong == "concealed":
                yield _deed(DoraShown(tile=UNKNOWN))
            elif kong.kong == "added":
                dora += 1
            foul = self._due("kong_no_replacement", seat, self.turns[seat])
            if foul:
                self._commit(foul)
                break
            if not (yield from self._replace(position, seat)):
                return None
            self._forced = False
        forbidden = policy.forbidden(call) if call else frozenset[Tile]()
        tile, sideways = self._choose(position, seat, forbidden)
        early = None if dora else self._due("draw_early", seat.next, self.turns[seat.next] + 1)
        yield Deed(Discarded(seat=seat, tile=tile, sideways=sideways), Manner.LINGER if early else Manner.PLAIN)
        policy.memory[seat].discards.append(kind(tile))
        if self.customs.rules.set.dora:
            for _ in range(dora):
                yield _deed(DoraShown(tile=UNKNOWN))
        if early:
            return seat.next
        return (yield from self._claims(position, seat, tile))

    def _replace(self, position: Position, seat: Seat) -> Generator[Deed, None, bool]:
        if position.tail() is None:
            yield _deed(HandEnded(won=False))
            return False
        yield _deed(Drew(seat=seat, end="tail"))
        return (yield from self._flowers(position, seat))

    def _kong(self, position: Position, seat: Seat) -> Konged | None:
        """The kong a player makes of its own will, or because the script wants one."""
        waiting, due = (self._due("kong_no_replacement", seat, turn) for turn in (None, self.turns[seat]))
        if waiting and not due:
            return None
        kong = self.policy.kong(position, seat)
        if kong is None and due:
            faces = [kind(t) for t in position.tiles(seat)]
            four = sorted(f for f in set(faces) if faces.count(f) == 4)
            if four:
                return Konged(seat=seat, kong="concealed", tile=four[0])
        return kong

    def _choose(self, position: Position, seat: Seat, forbidden: frozenset[Tile]) -> tuple[Tile, bool]:
        """The policy's discard, or one that lets a scripted late call come about."""
        late = self._due("late_call", None)
        if late and not position.side(seat).ready:
            lure = bait(self.policy, position, seat, late.seat, forbidden)
            if lure is not None:
                return lure, False
        if self._due("kong_no_replacement", seat):
            four = [k for k in position.tiles(seat) if position.tiles(seat).count(k) == 4]
            forbidden = forbidden | frozenset(kind(k) for k in four)
        return self.policy.discard(position, seat, forbidden)

    def _winning(self, position: Position, seat: Seat) -> Tile:
        side = position.side(seat)
        return position.faces[side.drawn[-1] if side.drawn else side.hand[-1]]

    def _wins(self, position: Position, source: Seat, tile: Tile) -> Generator[Deed, None, bool]:
        """Wins on a discard or on the tile of an added kong. → whether the hand ended."""
        winners = [s for s in (source.step(n) for n in (1, 2, 3)) if self.policy.wins(position, s, tile)]
        if not winners:
            return False
        wins = self.customs.rules.wins
        if len(winners) == 3 and wins.three == "draw":
            yield from map(_deed, three_winners(position))
            yield _deed(HandEnded(won=False))
            return True
        if (len(winners) == 3 and wins.three == "nearest") or (len(winners) == 2 and wins.several < 2):
            winners = winners[:1]
        for seat in winners:
            yield _deed(WinShown(seat=seat, source=source, tile=tile))
        yield _deed(HandEnded(won=True))
        return True

    def _claims(self, position: Position, source: Seat, tile: Tile) -> Generator[Deed, None, Seat | None]:
        """What the others make of a discard. → who draws next; None when the hand is over."""
        if (yield from self._wins(position, source, tile)):
            return None
        others = [source.step(n) for n in (1, 2, 3)]
        pending = self._due("late_call", None)
        if all(side.ready for side in position.sides):
            yield from map(_deed, at_the_end(position, "four ready"))
            yield _deed(HandEnded(won=False))
            return None
        callers = others
        if pending:  # full hands to the end, so that there is something to call and to call with
            wanted = caller_wanted(position, source, pending.seat)
            callers = [] if wanted is None else [wanted]
        rank = {"kong": 0, "pung": 0, "chow": 1}
        calls = (self.policy.claim(position, s, source, tile) for s in callers)
        found = sorted((c for c in calls if c), key=lambda c: rank[c.call])
        call = self._late(position, source, tile) or (found[0] if found else None)
        for seat in others:
            if call is None or call.seat != seat:
                self.policy.lets_go(position, seat, tile)
        if call is None:
            return source.next
        yield _deed(call)
        return (yield from self._turn(position, call.seat, call))

    def _late(self, position: Position, source: Seat, tile: Tile) -> Called | None:
        """A scripted call although calls are over."""
        foul = self._due("late_call", None)
        if foul is None or foul.seat == source or not self.policy.banned(position):
            return None
        calls = self.policy.possible(position, foul.seat, source, tile)
        call = next((c for c in calls if c.call != "kong"), None)
        if call:
            self._commit(foul)
        return call


def _deed(move: Action) -> Deed:
    return Deed(move)
