"""Builds one hand of a record move by move, keeping every concealed hand, so that an impossible record is noticed."""

from __future__ import annotations

from typing import Literal

from table_engine.records.model import HandRecord
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
from table_engine.wire.tiles import Tile, copies, kind, order


class ImpossibleMoveError(ValueError):
    """A record tells of a tile that was not there. The reader adds file and place."""


class HandBuilder:
    """Takes a record's moves in order and gives the `HandRecord`, with the conventions of `records.model`."""

    def __init__(self, ruleset: str, dealer: Seat, hands: list[list[Tile]]) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.deal = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.moves: list[Action] = []
        self.notes: list[str] = []
        self.won = False
        self._owed = [0, 0, 0, 0]
        self._opened = False
        self._pungs: list[dict[Tile, tuple[Tile, ...]]] = [{}, {}, {}, {}]
        self._offer: tuple[Seat, Tile] | None = None

    def draw(self, seat: Seat, tile: Tile) -> None:
        """A draw from the head, or from the tail while a flower or kong of this seat waits for its replacement."""
        self.hands[seat].append(tile)
        if not self._opened:
            if seat != self.dealer:
                raise ImpossibleMoveError(f"seat {int(seat)} draws before the dealer")
            self._opened = True
            self.deal[seat].append(tile)
            return
        end: Literal["head", "tail"] = "tail" if self._owed[seat] else "head"
        self._owed[seat] = max(0, self._owed[seat] - 1)
        self._offer = None
        self.moves.append(Drew(seat=seat, end=end, tile=tile))

    def discard(self, seat: Seat, tile: Tile, *, sideways: bool = False) -> None:
        self._take(seat, tile)
        self._offer = (seat, tile)
        self.moves.append(Discarded(seat=seat, tile=tile, sideways=sideways))

    def call(self, seat: Seat, call: Literal["chow", "pung", "kong"], own: list[Tile]) -> None:
        """Takes up the last discard with the seat's `own` tiles."""
        if self._offer is None or self._offer[0] == seat:
            raise ImpossibleMoveError(f"seat {int(seat)} calls a {call} while no discard of another seat lies open")
        source, tile = self._offer
        for one in own:
            self._take(seat, one)
        tiles = tuple(sorted((*own, tile), key=order))
        if call == "pung":
            self._pungs[seat][kind(tile)] = tiles
        if call == "kong":
            self._owed[seat] += 1
        self._offer = None
        self.moves.append(Called(seat=seat, call=call, tile=tile, source=source, tiles=tiles))

    def call_alike(self, seat: Seat, call: Literal["pung", "kong"]) -> None:
        """A pung or kong with the tiles of the discard's kind from the hand, plain ones first."""
        want = kind(self._offer[1]) if self._offer else None
        alike = sorted((t for t in self.hands[seat] if kind(t) == want), key=lambda t: t[0] == "0")
        self.call(seat, call, alike[: 2 if call == "pung" else 3])

    def kong(self, seat: Seat, kong: Literal["concealed", "added"], tile: Tile) -> None:
        if kong == "concealed":
            tile = kind(tile)
            alike = [t for t in self.hands[seat] if kind(t) == tile]
            if len(alike) != 4:
                raise ImpossibleMoveError(
                    f"seat {int(seat)} makes a concealed kong of {tile} with {len(alike)} of them"
                )
            for one in alike:
                self._take(seat, one)
        else:
            if kind(tile) not in self._pungs[seat]:
                raise ImpossibleMoveError(f"seat {int(seat)} adds {tile} to a pung that does not lie there")
            self._take(seat, tile)
        self._offer = (seat, tile)
        self._owed[seat] += 1
        self.moves.append(Konged(seat=seat, kong=kong, tile=tile))

    def flowers(self, seat: Seat, tiles: list[Tile]) -> None:
        for tile in tiles:
            self._take(seat, tile)
        self._owed[seat] += len(tiles)
        self.moves.append(FlowersShown(seat=seat, tiles=tuple(tiles)))

    def dora(self, tile: Tile) -> None:
        self.moves.append(DoraShown(tile=tile))

    def win(self, seat: Seat, source: Seat | None, tile: Tile) -> None:
        """A shown win; `source` None or the winner itself is a self-draw. A tile won from a seat is the one it last
        discarded or added to a pung, for every winner."""
        if source is None or source == seat:
            source = None
            hand = list(self.hands[seat])
            if tile not in hand:
                raise ImpossibleMoveError(f"seat {int(seat)} wins on {tile} drawn, which it does not hold")
            hand.remove(tile)
        else:
            if self._offer is None or self._offer[0] != source or kind(self._offer[1]) != kind(tile):
                raise ImpossibleMoveError(
                    f"seat {int(seat)} wins on {tile} of seat {int(source)}, which does not lie open"
                )
            hand = list(self.hands[seat])
        self.won = True
        self.moves.append(WinShown(seat=seat, source=source, tile=tile, hand=tuple(sorted(hand, key=order))))

    @property
    def offer(self) -> tuple[Seat, Tile] | None:
        """Who gave the tile that lies open for a call or win, and the tile."""
        return self._offer

    def finish(
        self,
        *,
        title: str = "",
        ending: str = "",
        round_wind: int = 0,
        honba: int = 0,
        sticks: int = 0,
        scores: tuple[int, ...] | None = None,
        deltas: tuple[int, ...] | None = None,
        dice: tuple[int, ...] = (),
        wall: tuple[Tile, ...] | None = None,
        ura: tuple[Tile, ...] = (),
    ) -> HandRecord:
        """Ends the hand. Raises ImpossibleMoveError when some kind occurs more often than a set holds it."""
        self._conserve()
        self.moves.append(HandEnded(won=self.won))
        return HandRecord(
            ruleset=self.ruleset,
            dealer=self.dealer,
            hands=tuple(tuple(hand) for hand in self.deal),
            moves=tuple(self.moves),
            round_wind=round_wind,
            honba=honba,
            sticks=sticks,
            scores=scores,
            dice=dice,
            wall=wall,
            deltas=deltas,
            ura=ura,
            title=title,
            ending=ending,
            notes=tuple(self.notes),
        )

    def _take(self, seat: Seat, tile: Tile) -> None:
        try:
            self.hands[seat].remove(tile)
        except ValueError:
            raise ImpossibleMoveError(f"seat {int(seat)} plays {tile}, which it does not hold") from None

    def _conserve(self) -> None:
        seen: dict[Tile, int] = {}
        drawn = [m.tile for m in self.moves if isinstance(m, Drew | DoraShown)]
        for tile in (*(t for seat in SEATS for t in self.deal[seat]), *drawn):
            seen[tile] = seen.get(tile, 0) + 1
        for tile, count in seen.items():
            total = count + seen.get(Tile("0" + tile[1]), 0) if tile[0] == "5" and tile[1] in "mps" else count
            if total > copies(tile):
                raise ImpossibleMoveError(f"the hand holds {total} tiles {tile}")
