"""Chinese official hands → Botzone's official text, one match a hand. See `botzone` for the words.

Botzone knows no flowers and one winner, and numbers players from the dealer on. Not told: names, dice, wall, times, which
of two equal tiles was discarded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from table_engine.records.botzone import DRAGONS, SUITS
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord
from table_engine.records.worth import worths
from table_engine.wire.actions import Action, Called, Discarded, Drew, FlowersShown, HandEnded, Konged, WinShown
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_flower, kind

_LETTERS = {suit: letter for letter, suit in SUITS.items()}
_NUMBERS = {tile: f"J{number}" for number, tile in DRAGONS.items()}


def text(game: GameRecord) -> str:
    """Raises RecordError for what Botzone's text has no words for."""
    name = game.source.rpartition("#")[2] or game.source
    several = len(game.hands) > 1
    return "".join(
        "\n".join(_Match(hand, f"{name}-{n}" if several else name, game.source).lines()) + "\n"
        for n, hand in enumerate(game.hands, start=1)
    )


class _Match:
    """One hand as a match; players are counted from the dealer."""

    def __init__(self, hand: HandRecord, name: str, source: str) -> None:
        self._hand = hand
        self._name = "".join(name.split()) or "1"
        self._where = f"{source}: {hand.title or 'a hand'}"

    def lines(self) -> Iterator[str]:
        hand = self._hand
        if any(is_flower(tile) for tiles in hand.hands for tile in tiles):
            raise self._flowers()
        yield f"Match {self._name}"
        yield f"Wind {hand.round_wind % 4}"
        for number, seat in enumerate(map(hand.dealer.step, range(4))):
            yield f"Player {number} Deal {' '.join(self._code(tile) for tile in hand.hands[seat][:13])}"
        for tile in hand.hands[hand.dealer][13:]:
            yield f"Player 0 Draw {self._code(tile)}"
        for move in hand.moves:
            yield from self._line(move)
        if BREAKS_OFF not in hand.notes:
            yield from self._end()

    def _line(self, move: Action) -> Iterator[str]:
        match move:
            case Drew(seat=seat, tile=tile):
                yield f"{self._player(seat)} Draw {self._code(tile)}"
            case Discarded(seat=seat, tile=tile):
                yield f"{self._player(seat)} Play {self._code(tile)}"
            case Called(seat=seat, call="chow", tiles=tiles):
                middle = sorted(tiles, key=lambda tile: kind(tile)[0])[1]
                yield f"{self._player(seat)} Chi {self._code(middle)}"
            case Called(seat=seat, call=call, tile=tile):
                yield f"{self._player(seat)} {'Peng' if call == 'pung' else 'Gang'} {self._code(tile)}"
            case Konged(seat=seat, kong=kong, tile=tile):
                yield f"{self._player(seat)} {'AnGang' if kong == 'concealed' else 'BuGang'} {self._code(tile)}"
            case WinShown(seat=seat, tile=tile) if move is self._wins()[0]:
                others = "".join(f" Ignore {self._player(w.seat)} Hu {self._code(w.tile)}" for w in self._wins()[1:])
                false = " # FALSE WIN" if "FALSE WIN" in self._hand.notes else ""
                yield f"{self._player(seat)} Hu {self._code(tile)}{others}{false}"
            case FlowersShown():
                raise self._flowers()
            case _:
                pass

    def _end(self) -> Iterator[str]:
        won = any(isinstance(move, HandEnded) and move.won for move in self._hand.moves)
        if won:
            told = worths(self._hand)[0]
            if told.items and told.fan is not None:
                yield f"Fan {told.fan} {_fan(told)}"
        else:
            yield "Huang"
        deltas = self._hand.deltas or (0, 0, 0, 0)
        yield f"Score {' '.join(str(deltas[self._hand.dealer.step(n)]) for n in range(4))}"

    def _flowers(self) -> RecordError:
        return RecordError(f"{self._where}: Botzone's text knows no flowers; export it as pmn or jantaku")

    def _wins(self) -> list[WinShown]:
        return [move for move in self._hand.moves if isinstance(move, WinShown)]

    def _player(self, seat: Seat) -> str:
        return f"Player {(seat - self._hand.dealer) % len(SEATS)}"

    def _code(self, tile: Tile) -> str:
        if tile == UNKNOWN:
            raise RecordError(f"{self._where}: a tile nobody saw, which Botzone's text has no word for")
        tile = kind(tile)
        if tile in _NUMBERS:
            return _NUMBERS[tile]
        return f"F{tile[0]}" if tile[1] == "z" else _LETTERS[tile[1]] + tile[0]


def _fan(win: WinRecord) -> str:
    counts = Counter(name for name, _ in win.items)
    return "+".join(f"{name}*{count}" for name, count in counts.items())
