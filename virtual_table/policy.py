"""What a simple but law-abiding player decides: what to discard, whether to call, whether the hand may be won with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Literal

from table_engine.wire.actions import Called, Konged
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, Tile, is_outer, kind
from virtual_table.customs import Customs
from virtual_table.position import Position
from virtual_table.shape import complete, distance, isolation, seven_pairs

DRAGONS = (Tile("5z"), Tile("6z"), Tile("7z"))
_SAME: tuple[tuple[Literal["kong", "pung"], int], ...] = (("kong", 3), ("pung", 2))
"""Calls of equal tiles, and how many of them the caller must hold."""


@dataclass(slots=True)
class Memory:
    """What a player must not forget within a hand."""

    discards: list[Tile] = field(default_factory=list)
    """Kinds of all own discards, called ones included."""
    passed: bool = False
    """A winning tile was let go since the own last draw (since ready: for good)."""
    passed_pungs: set[Tile] = field(default_factory=set)
    dead: bool = False
    """Has broken a rule: draws and discards only."""


@dataclass(slots=True)
class Policy:
    customs: Customs
    rng: Random
    patient: bool = False
    """Nobody wins or declares ready for now."""
    eager: bool = False
    """Whatever may be called is called."""
    memory: tuple[Memory, ...] = field(default_factory=lambda: tuple(Memory() for _ in SEATS))

    def sets(self, position: Position, seat: Seat) -> int:
        """Sets still wanted from the concealed tiles."""
        return self.customs.sets - len(position.side(seat).melds)

    def banned(self, position: Position) -> bool:
        """No discard may be called any more in this hand."""
        ban = self.customs.rules.call_ban.discards
        return ban is not None and position.left <= ban

    def completes(self, position: Position, seat: Seat, extra: Tile | None) -> bool:
        tiles = [*position.tiles(seat), *([extra] if extra else [])]
        pairs = self.customs.ruleset in ("riichi", "chinese_official") and not position.side(seat).melds
        return complete(tiles, self.sets(position, seat)) or (pairs and seven_pairs(tiles))

    def wins(self, position: Position, seat: Seat, tile: Tile | None) -> bool:
        """May and will win: on the discard `tile`, or on the own draw (None)."""
        memory = self.memory[seat]
        if self.patient or memory.dead or not self.completes(position, seat, tile):
            return False
        if tile is not None and self.customs.ruleset in ("riichi", "taiwan16") and memory.passed:
            return False
        match self.customs.ruleset:
            case "riichi":
                return self._has_yaku(position, seat, tile) and (tile is None or not self._furiten(position, seat))
            case "chinese_official":
                return self._fan(position, seat, tile) >= self.customs.rules.scoring.minimum
            case _:
                return True

    def lets_go(self, position: Position, seat: Seat, tile: Tile) -> None:
        """A discard passed by this player."""
        if self.completes(position, seat, tile):
            self.memory[seat].passed = True
        if sum(kind(t) == kind(tile) for t in position.tiles(seat)) >= 2:
            self.memory[seat].passed_pungs.add(kind(tile))

    def draws(self, position: Position, seat: Seat) -> None:
        """This player draws: what was passed is forgiven, save after declaring ready."""
        memory = self.memory[seat]
        memory.passed_pungs.clear()
        memory.passed = memory.passed and position.side(seat).ready

    def discard(self, position: Position, seat: Seat, forbidden: frozenset[Tile]) -> tuple[Tile, bool]:
        """The tile to discard and whether it declares ready."""
        side = position.side(seat)
        if side.ready and side.drawn:
            return position.faces[side.drawn[-1]], False
        tiles, sets = position.tiles(seat), self.sets(position, seat)
        counts = Counter(kind(t) for t in tiles)
        suit = self._flush(position, seat)
        best: tuple[tuple[float, ...], Tile] | None = None
        for tile in sorted(set(tiles)):
            if kind(tile) in forbidden:
                continue
            rest = list(tiles)
            rest.remove(tile)
            counts[kind(tile)] -= 1
            off = suit is not None and tile[1] not in (suit, "z")
            score = (
                -float(off),
                float(distance(rest, sets)) if not off else 0.0,
                -isolation(tile, counts),
                float(tile[0] == "0"),
                self.rng.random(),
            )
            counts[kind(tile)] += 1
            if best is None or score < best[0]:
                best = (score, tile)
        choice = best[1] if best else tiles[-1]
        return choice, self._declares(position, seat, choice)

    def claim(self, position: Position, seat: Seat, source: Seat, tile: Tile) -> Called | None:
        """The set this player takes a discard up into, if any."""
        if self.memory[seat].dead or position.side(seat).ready or self.banned(position):
            return None
        if position.head() is None or (self.rng.random() > 0.85 and not self.eager):
            return None
        now = distance(position.tiles(seat), self.sets(position, seat))
        for call in self.possible(position, seat, source, tile):
            if not self.allowed(position, call):
                continue
            own = list(call.tiles)
            own.remove(tile)
            rest = list(position.tiles(seat))
            for face in own:
                rest.remove(face)
            after = distance(rest, self.sets(position, seat) - 1)
            if self.eager or after < now or (call.call == "kong" and after <= now):
                return call
        return None

    def possible(self, position: Position, seat: Seat, source: Seat, tile: Tile) -> Iterator[Called]:
        """Every set the tiles in hand allow: kong, pung, then chows of the upper player's discard."""
        hand = position.tiles(seat)
        same = sorted((t for t in hand if kind(t) == kind(tile)), reverse=True)
        for call, count in _SAME:
            if len(same) >= count:
                tiles = (*same[:count], tile)
                yield Called(seat=seat, call=call, tile=tile, source=source, tiles=tiles)
        if source != seat.upper or tile[1] == "z":
            return
        rank, suit = int(kind(tile)[0]), tile[1]
        for a, b in ((-2, -1), (-1, 1), (1, 2)):
            faces = [[t for t in hand if kind(t) == f"{rank + d}{suit}"][:1] for d in (a, b)]
            for pair in product(*faces):
                tiles = tuple(sorted((*pair, tile), key=kind))
                yield Called(seat=seat, call="chow", tile=tile, source=source, tiles=tiles)

    def forbidden(self, call: Called) -> frozenset[Tile]:
        """Kinds that may not be discarded right after a call (swap calls)."""
        calls = self.customs.rules.calls
        kinds = set() if calls.swap_same else {kind(call.tile)}
        if call.call == "chow" and not calls.swap_other_end:
            rank, suit = int(kind(call.tile)[0]), call.tile[1]
            ranks = sorted(int(kind(t)[0]) for t in call.tiles)
            if rank == ranks[0]:
                kinds.add(Tile(f"{ranks[2] + 1}{suit}"))
            elif rank == ranks[2]:
                kinds.add(Tile(f"{ranks[0] - 1}{suit}"))
        return frozenset(kinds)

    def kong(self, position: Position, seat: Seat) -> Konged | None:
        """A kong on the own turn that costs nothing."""
        side = position.side(seat)
        ban = self.customs.rules.call_ban.own_kongs or 0
        if self.memory[seat].dead or side.ready or position.left <= max(1, ban):
            return None
        if self.customs.rules.set.dora and position.turned > 3:
            return None
        tiles, sets = position.tiles(seat), self.sets(position, seat)
        now = distance(tiles, sets)
        for face, count in sorted(Counter(kind(t) for t in tiles).items()):
            rest = [t for t in tiles if kind(t) != face]
            if count == 4 and distance(rest, sets - 1) <= now:
                return Konged(seat=seat, kong="concealed", tile=face)
            pung = any(m.kind == "pung" and kind(position.faces[m.tiles[0]]) == face for m in side.melds)
            if pung and distance(rest, sets) <= now:
                tile = next(t for t in tiles if kind(t) == face)
                return Konged(seat=seat, kong="added", tile=tile)
        return None

    def allowed(self, position: Position, call: Called) -> bool:
        """The rules of this rule set on one call, and the player's own plan."""
        seat, memory, face = call.seat, self.memory[call.seat], kind(call.tile)
        side = position.side(seat)
        rest = Counter(kind(t) for t in position.tiles(seat))
        rest.subtract(kind(t) for t in call.tiles)
        rest[face] += 1
        forbidden = self.forbidden(call)
        if not any(n > 0 and k not in forbidden for k, n in rest.items()):
            return False
        calls = self.customs.rules.calls
        if call.call == "kong" and call.source == seat.upper and not calls.kong_of_upper:
            return False
        if not calls.chow_back_own_discard and (
            (call.call == "chow" and memory.discards[-1:] == [face])
            or (call.call == "pung" and face in memory.passed_pungs)
        ):
            return False
        if self.eager:
            return call.call != "kong"
        match self.customs.ruleset:
            case "riichi":
                value = face in (*DRAGONS, Tile(f"{(seat - position.dealer) % 4 + 1}z"))
                return call.call != "kong" and (bool(side.melds) or (value and call.call == "pung"))
            case "chinese_official":
                suit = self._flush(position, seat)
                return suit is not None and face[1] in (suit, "z")
            case _:
                return True

    def _flush(self, position: Position, seat: Seat) -> str | None:
        """The suit a Chinese official hand is built in, if it is strong enough in one."""
        if self.customs.ruleset != "chinese_official":
            return None
        side = position.side(seat)
        laid = [position.faces[t] for m in side.melds for t in m.tiles]
        tiles = [*position.tiles(seat), *laid]
        suits = {t[1] for t in laid} - {"z"}
        if len(suits) > 1:
            return None
        for suit in sorted(suits) or "mps":
            if sum(t[1] in (suit, "z") for t in tiles) >= 9:
                return suit
        return None

    def _declares(self, position: Position, seat: Seat, tile: Tile) -> bool:
        side = position.side(seat)
        if self.patient or not self.customs.habits.ready_stick or side.melds or side.ready or self.memory[seat].dead:
            return False
        rest = list(position.tiles(seat))
        rest.remove(tile)
        return position.left - self.customs.unplayed >= 4 and distance(rest, 4) == 0

    def _furiten(self, position: Position, seat: Seat) -> bool:
        mine = set(self.memory[seat].discards)
        return any(k in mine and self.completes(position, seat, k) for k in KINDS)

    def _has_yaku(self, position: Position, seat: Seat, tile: Tile | None) -> bool:
        """One of the plain ones: ready, self-draw of a closed hand, value triplet, no ends, seven pairs."""
        side = position.side(seat)
        closed = all(m.kind == "concealed" for m in side.melds)
        concealed = Counter(kind(t) for t in (*position.tiles(seat), *([tile] if tile else [])))
        laid = [kind(position.faces[t]) for m in side.melds for t in m.tiles]
        total = concealed + Counter(laid)
        value = (*DRAGONS, Tile(f"{(seat - position.dealer) % 4 + 1}z"))
        simples = not any(map(is_outer, total))
        pairs = not side.melds and sorted(concealed.values()) == [2] * 7
        return side.ready or (closed and tile is None) or any(total[v] >= 3 for v in value) or simples or pairs

    def _fan(self, position: Position, seat: Seat, tile: Tile | None) -> int:
        """No more fan than the hand surely has (a few of the eighty-one)."""
        side = position.side(seat)
        concealed = Counter(kind(t) for t in (*position.tiles(seat), *([tile] if tile else [])))
        laid = Counter(kind(position.faces[t]) for m in side.melds for t in m.tiles)
        total = concealed + laid
        suits = {k[1] for k in total}
        closed = all(m.kind == "concealed" for m in side.melds)
        if not side.melds and sorted(concealed.values()) == [2] * 7:
            return 24
        fan = 2 * sum(total[d] >= 3 for d in DRAGONS)
        fan += 6 if len(suits - {"z"}) == 1 else 0
        runs = any(m.kind == "chow" for m in side.melds)
        fan += 6 if not runs and min(concealed.values()) == 2 and all(n in (2, 3) for n in concealed.values()) else 0
        fan += 2 if not any(map(is_outer, total)) else 0
        if tile is None:
            return fan + (4 if closed else 1)
        return fan + (2 if closed else 0)
