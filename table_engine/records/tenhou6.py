"""Game records → the JSON log that tenhou.net/6 shows and reviewers read.

    {"title", "name", "rule", "log": [[[hand, honba, sticks], scores, dora, ura, hand 0, takes 0, discards 0, … 3, result]]}

Tiles are 11-19 characters, 21-29 dots, 31-39 bamboo, 41-47 honours, 51 52 53 red fives, 0 unknown. A take is a tile or a
call, a discard a tile, 60 for the tile just drawn, a kong, or `r` and a tile for ready. In a call the letter stands before
the called tile, and its place tells of whom it was called: first the upper seat, then the opposite, then the next.
A win carries what the record tells of its worth, else what our own scoring makes of it. Not told: dice, wall, times, when
an indicator was turned, what is odd about the record.
"""

from __future__ import annotations

from table_engine.records.mjai import START
from table_engine.records.model import GameRecord, HandRecord
from table_engine.records.tenhou6_codes import DRAWN, code
from table_engine.records.tenhou_words import ENDING_WORDS, EXHAUSTIVE, NAGASHI, item_text, line_of
from table_engine.records.worth import worths
from table_engine.wire.actions import Called, Discarded, DoraShown, Drew, Konged, WinShown
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, kind, order

Take = int | str
_LETTERS = {"chow": "c", "pung": "p", "kong": "m"}
UNSCORED = "役不明(0飜)"


def log(game: GameRecord) -> dict[str, object]:
    """A whole game as one JSON object."""
    reds = any(tile[0] == "0" for hand in game.hands for tiles in hand.hands for tile in tiles) or any(
        isinstance(move, Drew | Discarded) and move.tile[0] == "0" for hand in game.hands for move in hand.moves
    )
    return {
        "title": [game.source, ""],
        "name": [name or f"P{n}" for n, name in enumerate(game.names)],
        "rule": {"disp": "riichi", "aka": int(reds)},
        "log": [_hand(hand) for hand in game.hands],
        **({"sc": [value for score in game.final for value in (score, 0)]} if game.final else {}),
    }


def _hand(hand: HandRecord) -> list[object]:
    sheet = _Sheet(hand)
    for move in hand.moves:
        sheet.note(move)
    rows: list[object] = [
        [hand.round_wind * 4 + int(hand.dealer), hand.honba, hand.sticks],
        list(hand.scores or (START,) * 4),
        [code(tile) for tile in sheet.dora],
        [code(tile) for tile in hand.ura],
    ]
    for seat in SEATS:
        dealt = sorted(hand.hands[seat][:13], key=order)
        rows += [[code(tile) for tile in dealt], sheet.takes[seat], sheet.discards[seat]]
    return [*rows, sheet.result()]


class _Sheet:
    """The columns of one hand while its moves are noted."""

    def __init__(self, hand: HandRecord) -> None:
        self._hand = hand
        self.dora: list[Tile] = []
        self.takes: tuple[list[Take], ...] = ([], [], [], [])
        self.discards: tuple[list[Take], ...] = ([], [], [], [])
        self._wins: list[WinShown] = []
        self._ready: set[Seat] = set()
        self._drawn: Tile | None = None
        self._pungs: dict[tuple[Seat, Tile], tuple[int, list[int]]] = {}
        extra = hand.hands[hand.dealer][13:]
        if extra:
            self._drawn = extra[0]
            self.takes[hand.dealer].append(code(extra[0]))

    def note(self, move: object) -> None:
        """Writes one move down."""
        match move:
            case Drew(seat=seat, tile=tile):
                self.takes[seat].append(code(tile))
                self._drawn = tile
            case Discarded(seat=seat, tile=tile, sideways=sideways, drawn=drawn):
                number = DRAWN if (tile == self._drawn if drawn is None else drawn) else code(tile)
                declares = sideways and seat not in self._ready
                self._ready |= {seat} if sideways else set()
                self.discards[seat].append(f"r{number}" if declares else number)
                self._drawn = None
            case Called(seat=seat, call=call, source=source, tile=tile, tiles=tiles):
                own = list(tiles)
                own.remove(tile)
                numbers = [code(one) for one in sorted(own, key=order)]
                if call != "chow":
                    numbers.sort()
                place = {3: 0, 2: 1, 1: len(numbers)}[(source - seat) % 4]
                if call == "pung":
                    self._pungs[seat, kind(tile)] = (place, [*numbers[:place], code(tile), *numbers[place:]])
                self.takes[seat].append(_text(numbers, place, _LETTERS[call], code(tile)))
                if call == "kong":
                    self.discards[seat].append(0)
                self._drawn = None
            case Konged(seat=seat, kong="added", tile=tile):
                place, numbers = self._pungs.get((seat, kind(tile)), (0, [code(kind(tile))] * 3))
                self.discards[seat].append(_text(numbers, place, "k", code(tile)))
            case Konged(seat=seat, tile=tile):
                four = self._four(seat, tile)
                self.discards[seat].append(_text(four[:3], 3, "a", four[3]))
            case DoraShown(tile=tile):
                self.dora.append(tile)
            case WinShown():
                self._wins.append(move)

    def result(self) -> list[object]:
        """`和了` with payments and, for each winner, who, of whom, who answers for it, and what it is worth; or why nobody
        won. A hand that breaks off is a draw here: no reader takes a hand without an end."""
        payments = self._payments()
        if not self._wins:
            name = ENDING_WORDS.get(self._hand.ending, "流局")
            return [name, payments] if self._hand.ending in ("", EXHAUSTIVE, NAGASHI) else [name]
        rows: list[object] = ["和了"]
        for n, (win, worth) in enumerate(zip(self._wins, worths(self._hand), strict=True)):
            gains = payments if n == 0 else [0, 0, 0, 0]
            if len(self._wins) > 1 and worth.deltas:
                gains = list(worth.deltas)
            source = win.seat if win.source is None else win.source
            liable = win.seat if worth.liable is None else worth.liable
            items = [item_text(name, value) for name, value in worth.items]
            rows += [gains, [int(win.seat), int(source), int(liable), line_of(worth), *(items or [UNSCORED])]]
        return rows

    def _payments(self) -> list[int]:
        """What changes hands at the end; sticks laid before it were paid before it."""
        deltas = self._hand.deltas or (0, 0, 0, 0)
        winners = {win.seat for win in self._wins}
        robbed = {win.source for win in self._wins}
        refused = self._ready & robbed - winners if self._last_was_ready() else set()
        return [deltas[seat] + (1000 if seat in self._ready - refused else 0) for seat in SEATS]

    def _last_was_ready(self) -> bool:
        """The tile won on was itself a ready discard: its stick was never paid."""
        discards = [move for move in self._hand.moves if isinstance(move, Discarded)]
        return bool(discards) and discards[-1].sideways and isinstance(self._hand.moves[-2], WinShown)

    def _four(self, seat: Seat, tile: Tile) -> list[int]:
        """The four tiles of a concealed kong; a red five among them is shown last."""
        red = Tile("0" + tile[1])
        held = red in self._hand.hands[seat] or any(
            isinstance(move, Drew) and move.seat == seat and move.tile == red for move in self._hand.moves
        )
        return [code(tile)] * 3 + [code(red) if held and tile[0] == "5" and tile[1] != "z" else code(tile)]


def _text(numbers: list[int], place: int, letter: str, tile: int) -> str:
    return "".join(map(str, numbers[:place])) + f"{letter}{tile}" + "".join(map(str, numbers[place:]))
