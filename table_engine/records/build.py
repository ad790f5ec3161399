"""Builds one hand of a record move by move, keeping every concealed hand, so that an impossible record is noticed."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Literal

from table_engine.records.model import HandRecord, WinRecord
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
from table_engine.wire.tiles import UNKNOWN, Tile, copies, is_flower, kind, order


class ImpossibleMoveError(ValueError):
    """A record tells of a tile that was not there. The reader adds file and place."""


def wrong_with(error: Exception) -> str:
    """What a damaged record lacks or says wrongly, in words."""
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def less_bets(gains: Sequence[int], bettors: Container[Seat]) -> tuple[int, ...]:
    """What a hand brought each seat, its own ready bet taken off, where a record tells the gains without it."""
    return tuple(gain - 1000 * (seat in bettors) for seat, gain in zip(SEATS, gains, strict=True))


class HandBuilder:
    """Takes a record's moves in order and gives the `HandRecord`, with the conventions of `records.model`. A hand of
    which some tiles are unknown may hold any tile."""

    def __init__(self, ruleset: str, dealer: Seat, hands: Sequence[Sequence[Tile]]) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.deal = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.moves: list[Action] = []
        self.notes: list[str] = []
        self.wins: list[WinRecord] = []
        self.won = False
        self.at_ms = 0
        """When the next move happens, for records that tell."""
        self._last: tuple[Seat, Tile] | None = None
        self._owed = [0, 0, 0, 0]
        self._opened = False
        self._pungs: list[dict[Tile, tuple[Tile, ...]]] = [{}, {}, {}, {}]
        self._offer: tuple[Seat, Tile] | None = None
        for seat, hand in enumerate(self.deal):
            if seat == dealer and len(hand) % 3 == 2:
                self._opened = True
                self._last = (dealer, hand[-1])

    def draw(self, seat: Seat, tile: Tile) -> None:
        """A draw from the head, or from the tail while a flower or kong of this seat waits for its replacement."""
        self.hands[seat].append(tile)
        if not self._opened:
            if seat != self.dealer:
                raise ImpossibleMoveError(f"seat {int(seat)} draws before the dealer")
            self._opened = True
            self._last = (seat, tile)
            self.deal[seat].append(tile)
            return
        end: Literal["head", "tail"] = "tail" if self._owed[seat] else "head"
        self._owed[seat] = max(0, self._owed[seat] - 1)
        self._offer = None
        self._last = (seat, tile)
        self.moves.append(Drew(at_ms=self.at_ms, seat=seat, end=end, tile=tile))

    def discard(self, seat: Seat, tile: Tile, *, sideways: bool = False, drawn: bool | None = None) -> None:
        """`drawn`: whether it is the tile just drawn; None: it is if it looks the same."""
        if drawn and self._last == (seat, UNKNOWN):
            self._reveal(seat, tile)
        self._take(seat, tile)
        self._offer = (seat, tile)
        if drawn is None:
            drawn = self._last == (seat, tile)
        self._last = None
        self.moves.append(Discarded(at_ms=self.at_ms, seat=seat, tile=tile, sideways=sideways, drawn=drawn))

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
        self._offer = self._last = None
        self.moves.append(Called(at_ms=self.at_ms, seat=seat, call=call, tile=tile, source=source, tiles=tiles))

    def call_alike(self, seat: Seat, call: Literal["pung", "kong"]) -> None:
        """A pung or kong with the tiles of the discard's kind from the hand, plain ones first."""
        want = kind(self._offer[1]) if self._offer else UNKNOWN
        count = 2 if call == "pung" else 3
        alike = sorted((t for t in self.hands[seat] if kind(t) == want), key=lambda t: t[0] == "0")
        self.call(seat, call, (alike + [want] * count)[:count])

    def kong(self, seat: Seat, kong: Literal["concealed", "added"], tile: Tile) -> None:
        if kong == "concealed":
            tile = kind(tile)
            alike = [t for t in self.hands[seat] if kind(t) == tile]
            if len(alike) + self.hands[seat].count(UNKNOWN) < 4:
                raise ImpossibleMoveError(
                    f"seat {int(seat)} makes a concealed kong of {tile} with {len(alike)} of them"
                )
            for one in (alike + [tile] * 4)[:4]:
                self._take(seat, one)
        else:
            if kind(tile) not in self._pungs[seat]:
                raise ImpossibleMoveError(f"seat {int(seat)} adds {tile} to a pung that does not lie there")
            self._take(seat, tile)
        self._offer = (seat, tile)
        self._last = None
        self._owed[seat] += 1
        self.moves.append(Konged(at_ms=self.at_ms, seat=seat, kong=kong, tile=tile))

    def flowers(self, seat: Seat, tiles: list[Tile]) -> None:
        for tile in tiles:
            self._take(seat, tile)
        self._owed[seat] += len(tiles)
        self._last = None
        self.moves.append(FlowersShown(at_ms=self.at_ms, seat=seat, tiles=tuple(tiles)))

    def dora(self, tile: Tile) -> None:
        self.moves.append(DoraShown(at_ms=self.at_ms, tile=tile))

    def win(
        self,
        seat: Seat,
        source: Seat | None,
        tile: Tile | None = None,
        *,
        hand: Sequence[Tile] = (),
        worth: WinRecord | None = None,
    ) -> None:
        """A shown win; `source` None or the winner itself is a self-draw. A tile won from a seat is the one it last
        discarded or added to a pung, for every winner. `tile` None: that one, or the one just drawn. `hand`: the
        concealed tiles shown, where the record tells and the seat's tiles are not all known."""
        own = source is None or source == seat
        if own:
            source, tile = None, self._drawn_tile(seat) if tile is None else tile
            if self._last == (seat, UNKNOWN):
                self._reveal(seat, tile)
            held = list(self.hands[seat])
            if tile not in held and UNKNOWN not in held:
                raise ImpossibleMoveError(f"seat {int(seat)} wins on {tile} drawn, which it does not hold")
            held.remove(tile if tile in held else UNKNOWN)
        else:
            if self._offer is None or self._offer[0] != source or (tile and kind(self._offer[1]) != kind(tile)):
                raise ImpossibleMoveError(
                    f"seat {int(seat)} wins on {tile or 'a tile'} of seat {int(source or 0)}, which does not lie open"
                )
            tile = self._offer[1] if tile is None else tile
            held = list(self.hands[seat])
        if UNKNOWN in held and len(hand) == len(held):
            held = list(hand)
        self.won = True
        shown = tuple(sorted(held, key=order))
        self.moves.append(WinShown(at_ms=self.at_ms, seat=seat, source=source, tile=tile, hand=shown))
        if worth is not None:
            self.wins.append(worth)

    def chowed_with(self, middle: Tile) -> list[Tile]:
        """The two own tiles of a chow that is named by its middle tile. Raises ValueError or ImpossibleMoveError."""
        rank, suit = int(middle[0]), middle[1]
        if suit not in "mps" or not 2 <= rank <= 8:
            raise ValueError(f"no sequence has {middle} in its middle")
        run = [Tile(f"{n}{suit}") for n in (rank - 1, rank, rank + 1)]
        if self._offer is None or self._offer[1] not in run:
            raise ImpossibleMoveError(f"a chow of {''.join(run)} while no tile of it lies open")
        run.remove(self._offer[1])
        return run

    @property
    def offer(self) -> tuple[Seat, Tile] | None:
        """Who gave the tile that lies open for a call or win, and the tile."""
        return self._offer

    @property
    def last_drawn(self) -> tuple[Seat, Tile] | None:
        """Who has drawn and not yet discarded, and what."""
        return self._last

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
        shown: tuple[tuple[Tile, ...] | None, ...] = (),
    ) -> HandRecord:
        """Ends the hand. Raises ImpossibleMoveError when some kind occurs more often than a set holds it."""
        flowers = self._conserve()
        self.moves.append(HandEnded(at_ms=self.at_ms, won=self.won))
        extra = flowers and self.ruleset in ("riichi", "chinese_official", "world_series")
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
            wins=tuple(self.wins),
            shown=shown,
            overrides=(("set.tiles", 144),) if extra else (),
        )

    def _drawn_tile(self, seat: Seat) -> Tile:
        if self._last is None or self._last[0] != seat:
            raise ImpossibleMoveError(f"seat {int(seat)} wins by self-draw without having drawn")
        return self._last[1]

    def _reveal(self, seat: Seat, tile: Tile) -> None:
        """A hidden draw turns out to be the tile that is discarded at once."""
        draws = [(n, move) for n, move in enumerate(self.moves) if isinstance(move, Drew) and move.seat == seat]
        if draws:
            n, draw = draws[-1]
            self.moves[n] = replace(draw, tile=tile)
        else:
            self.deal[seat][-1] = tile
        self.hands[seat][-1] = tile
        self._last = (seat, tile)

    def _take(self, seat: Seat, tile: Tile) -> None:
        held = self.hands[seat]
        if tile in held:
            held.remove(tile)
        elif UNKNOWN in held:
            held.remove(UNKNOWN)
        else:
            raise ImpossibleMoveError(f"seat {int(seat)} plays {tile}, which it does not hold")

    def _conserve(self) -> bool:
        """Whether there were flowers."""
        seen: dict[Tile, int] = {}
        drawn = [m.tile for m in self.moves if isinstance(m, Drew | DoraShown)]
        for tile in (*(t for seat in SEATS for t in self.deal[seat]), *drawn):
            if tile != UNKNOWN:
                seen[tile] = seen.get(tile, 0) + 1
        for tile, count in seen.items():
            total = count + seen.get(Tile("0" + tile[1]), 0) if tile[0] == "5" and tile[1] in "mps" else count
            if total > copies(tile):
                raise ImpossibleMoveError(f"the hand holds {total} tiles {tile}")
        return any(is_flower(tile) for tile in seen)
