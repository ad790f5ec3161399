"""Game records → mjai events, the JSON lines that reviewers and bots speak.

Event and field names are those of gimite/mjai and Mortal's libriichi; `?` is a tile nobody saw. What a win is worth goes with
gimite's optional fields, which other readers pass over. Not told: dice, wall, times, what is odd about the record.
"""

from __future__ import annotations

from collections.abc import Iterator

from table_engine.records.mjai_codes import REASONS, pai
from table_engine.records.mjai_worth import fields_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord
from table_engine.wire.actions import (
    Called,
    Discarded,
    DoraShown,
    Drew,
    HandEnded,
    Konged,
    WinShown,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, kind

Event = dict[str, object]
_WINDS = "ESWN"
_CALLS = {"chow": "chi", "pung": "pon", "kong": "daiminkan"}
START = 25_000


def events(game: GameRecord) -> Iterator[Event]:
    """A whole game."""
    yield {"type": "start_game", "names": [name or f"P{n}" for n, name in enumerate(game.names)]}
    for hand in game.hands:
        yield from _hand(hand)
    yield {"type": "end_game", **({"scores": list(game.final)} if game.final else {})}


def hand_number(hand: HandRecord) -> int:
    """1 to 4 within the round: the dealer's player number, since player 0 deals first."""
    return int(hand.dealer) + 1


def _hand(hand: HandRecord) -> Iterator[Event]:
    moves, indicator = hand.moves, UNKNOWN
    if moves and isinstance(first := moves[0], DoraShown):
        moves, indicator = moves[1:], first.tile
    dealt = [hand.hands[seat][:13] for seat in SEATS]
    yield {
        "type": "start_kyoku",
        "bakaze": _WINDS[hand.round_wind % 4],
        "dora_marker": pai(indicator),
        "kyoku": hand_number(hand),
        "honba": hand.honba,
        "kyotaku": hand.sticks,
        "oya": int(hand.dealer),
        "scores": list(hand.scores or (START,) * 4),
        "tehais": [[pai(tile) for tile in one] for one in dealt],
    }
    teller = _Teller(hand)
    broken_off = BREAKS_OFF in hand.notes
    if len(hand.hands[hand.dealer]) > 13:
        yield from teller.tell(Drew(seat=hand.dealer, tile=hand.hands[hand.dealer][13]))
    for move in moves:
        if not (broken_off and isinstance(move, HandEnded)):
            yield from teller.tell(move)
    yield {"type": "end_kyoku"}


class _Teller:
    """Tells the moves of one hand; remembers what lies between two of them."""

    def __init__(self, hand: HandRecord) -> None:
        self._hand = hand
        self._drawn: Tile | None = None
        self._ready: Seat | None = None
        self._accepted: set[Seat] = set()
        self._pungs: dict[tuple[Seat, Tile], tuple[Tile, ...]] = {}
        self._tiles = [list(tiles) for tiles in hand.hands]
        self._wins = iter(hand.wins)
        self._told = False

    def tell(self, move: object) -> Iterator[Event]:
        ended = isinstance(move, HandEnded) and (move.won or self._hand.ending == "triple win")
        refused = ended or isinstance(move, WinShown)
        if not refused:
            yield from self._accept()
        match move:
            case Drew(seat=seat, tile=tile):
                self._drawn = tile
                self._tiles[seat].append(tile)
                yield {"type": "tsumo", "actor": int(seat), "pai": pai(tile)}
            case Discarded(seat=seat, tile=tile, sideways=sideways, drawn=same):
                if sideways and seat not in self._accepted:
                    self._ready = seat
                    yield {"type": "reach", "actor": int(seat)}
                drawn, self._drawn = self._drawn, None
                self._lose(seat, tile)
                same = drawn == tile if same is None else same
                yield {"type": "dahai", "actor": int(seat), "pai": pai(tile), "tsumogiri": same}
            case Called(seat=seat, call=call, tile=tile, source=source, tiles=tiles):
                own = list(tiles)
                own.remove(tile)
                for one in own:
                    self._lose(seat, one)
                self._drawn = None
                if call == "pung":
                    self._pungs[seat, kind(tile)] = tiles
                consumed = [pai(one) for one in own]
                yield {
                    "type": _CALLS[call],
                    "actor": int(seat),
                    "target": int(source),
                    "pai": pai(tile),
                    "consumed": consumed,
                }
            case Konged(seat=seat, kong="added", tile=tile):
                self._lose(seat, tile)
                consumed = [pai(one) for one in self._pungs.get((seat, kind(tile)), (kind(tile),) * 3)]
                yield {"type": "kakan", "actor": int(seat), "pai": pai(tile), "consumed": consumed}
            case Konged(seat=seat, tile=tile):
                own = [one for one in self._tiles[seat] if kind(one) == tile][:4] or [tile] * 4
                for one in own:
                    self._lose(seat, one)
                yield {"type": "ankan", "actor": int(seat), "consumed": [pai(one) for one in own]}
            case DoraShown(tile=tile):
                yield {"type": "dora", "dora_marker": pai(tile)}
            case WinShown():
                yield self._win(move)
            case HandEnded(won=False):
                yield self._drawn_game()

    def _accept(self) -> Iterator[Event]:
        if self._ready is not None:
            self._accepted.add(self._ready)
            yield {"type": "reach_accepted", "actor": int(self._ready)}
            self._ready = None

    def _win(self, win: WinShown) -> Event:
        seat, target = win.seat, win.seat if win.source is None else win.source
        event: Event = {"type": "hora", "actor": int(seat), "target": int(target), "pai": pai(win.tile)}
        worth = next(self._wins, None)
        several = sum(isinstance(move, WinShown) for move in self._hand.moves) > 1
        if several and worth and worth.deltas:
            event["deltas"] = list(worth.deltas)
        elif self._hand.deltas:
            event["deltas"] = [0] * 4 if self._told else self._payments()
        self._told = True
        if self._hand.ura and seat in self._accepted:
            event["ura_markers"] = [pai(tile) for tile in self._hand.ura]
        if UNKNOWN in self._hand.hands[seat] and win.hand and UNKNOWN not in win.hand:
            event["hora_tehais"] = [pai(tile) for tile in (*win.hand, win.tile)]
        return event | (fields_of(worth) if worth else {})

    def _drawn_game(self) -> Event:
        event: Event = {"type": "ryukyoku"}
        if self._hand.ending:
            event["reason"] = REASONS.get(self._hand.ending, self._hand.ending)
        if self._hand.deltas:
            event["deltas"] = self._payments()
        if self._hand.shown:
            event["tenpais"] = [hand is not None for hand in self._hand.shown]
            event["tehais"] = [[pai(tile) for tile in hand] if hand else ["?"] * 13 for hand in self._hand.shown]
        return event

    def _payments(self) -> list[int]:
        """What changes hands at the end: the sticks laid during the hand were paid before."""
        deltas = self._hand.deltas or (0, 0, 0, 0)
        return [deltas[seat] + (1000 if seat in self._accepted else 0) for seat in SEATS]

    def _lose(self, seat: Seat, tile: Tile) -> None:
        tiles = self._tiles[seat]
        if tile in tiles:
            tiles.remove(tile)
        elif UNKNOWN in tiles:
            tiles.remove(UNKNOWN)
