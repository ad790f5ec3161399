"""Chinese official hands → PMN, one section of tags a hand. See `pmn` for the notation.

Players are counted from the dealer, who is east. Not told: dice, wall, times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from table_engine.records.fan_words import number_of, value_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord
from table_engine.records.pmn import DRAGONS, PENALTY, PLAYERS
from table_engine.records.worth import worths
from table_engine.wire.actions import Action, Called, Discarded, Drew, FlowersShown, HandEnded, Konged, WinShown
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import UNKNOWN, Tile, kind, order

_SUITS = {"m": "c", "p": "d", "s": "b", "f": "f"}
_DRAGONS = {tile: f"r{number}" for number, tile in DRAGONS.items()}
_GROUPS = "cdbwrf"


def text(game: GameRecord) -> str:
    """Raises RecordError for what PMN has no words for."""
    return "\n".join(_section(game, hand, number) for number, hand in enumerate(game.hands, start=1))


def _section(game: GameRecord, hand: HandRecord, number: int) -> str:
    where = f"{game.source}: {hand.title or 'a hand'}"
    round_ = [hand.dealer.step(n) for n in range(4)]
    several = len([move for move in hand.moves if isinstance(move, WinShown)]) > 1
    board = hand.title.rpartition("board ")[2] if "board " in hand.title else str(number)
    penalty = next((note.removeprefix(PENALTY) for note in hand.notes if note.startswith(PENALTY)), "0 0 0 0")
    deltas, scores = hand.deltas or (0,) * 4, hand.scores or (0,) * 4
    fan = {win.seat: _fan(win) for win in worths(hand)}
    tags = {
        "Event": _plain(game.source) or "?",
        "Site": "?",
        "Date": "1970.01.01",
        "Board": board if board.isdecimal() else str(number),
        "PWind": "ESWN"[hand.round_wind % 4],
        **{player: _plain(game.names[seat]) for player, seat in zip(PLAYERS, round_, strict=True)},
        "Deal": " ".join(_deal(hand.hands[seat][:13], where) for seat in round_),
        "Scoring": "Duplicate" if several else "Normal",
        "Starting": " ".join(str(scores[seat]) for seat in round_),
        "Result": " ".join(str(deltas[seat]) for seat in round_),
        "Penalty": penalty,
        "Play": "".join(_play(hand, where)),
        "Fan": " ".join(fan.get(seat, "None") for seat in round_),
    }
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items())


def _play(hand: HandRecord, where: str) -> Iterator[str]:
    last: Tile | None = None
    for tile in hand.hands[hand.dealer][13:]:
        last = tile
        yield f"T0{_code(tile, where)}"
    for move in hand.moves:
        if isinstance(move, HandEnded):
            if not move.won and BREAKS_OFF not in hand.notes:
                yield "N"
        elif isinstance(move, Discarded):
            same = move.tile == last if move.drawn is None else move.drawn
            yield f"D{_player(move.seat, hand)}{'z1' if same else _code(move.tile, where)}"
            last = None
        else:
            last = move.tile if isinstance(move, Drew) else None
            yield from _move(move, hand, where)


def _move(move: Action, hand: HandRecord, where: str) -> Iterator[str]:
    match move:
        case Drew(seat=seat, tile=tile):
            yield f"T{_player(seat, hand)}{_code(tile, where)}"
        case Called(seat=seat, call="chow", tiles=tiles):
            yield f"C{_player(seat, hand)}{_code(sorted(tiles, key=order)[1], where)}"
        case Called(seat=seat, call=call, tile=tile):
            yield f"{'P' if call == 'pung' else 'Z'}{_player(seat, hand)}{_code(tile, where)}"
        case Konged(seat=seat, kong=kong, tile=tile):
            yield f"{'A' if kong == 'concealed' else 'B'}{_player(seat, hand)}{_code(tile, where)}"
        case FlowersShown(seat=seat, tiles=tiles):
            for tile in tiles:
                yield f"R{_player(seat, hand)}{_code(tile, where)}"
        case WinShown(seat=seat):
            yield f"H{_player(seat, hand)}"
        case _:
            pass


def _player(seat: Seat, hand: HandRecord) -> int:
    return (seat - hand.dealer) % 4


def _deal(tiles: tuple[Tile, ...], where: str) -> str:
    codes = [_code(tile, where) for tile in sorted(tiles, key=order)]
    return "".join(suit + "".join(sorted(code[1] for code in codes if code[0] == suit)) for suit in _GROUPS)


def _code(tile: Tile, where: str) -> str:
    if tile == UNKNOWN:
        raise RecordError(f"{where}: a tile nobody saw, which PMN has no word for")
    tile = kind(tile)
    if tile in _DRAGONS:
        return _DRAGONS[tile]
    return f"w{tile[0]}" if tile[1] == "z" else _SUITS[tile[1]] + tile[0]


def _fan(win: WinRecord) -> str:
    counts = Counter(win.items)
    parts = []
    for (name, value), count in counts.items():
        number = number_of(name)
        if number is not None:
            parts.append(f"{number}/{value if value is not None else value_of(name)}/{count}")
    return ".".join(parts) or "None"


def _plain(text: str) -> str:
    """A tag's value may hold no quotation mark."""
    return text.replace('"', "'").replace("\n", " ")
