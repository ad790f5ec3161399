"""open_mahjong's records (game_title, game_round with action_ticks) of Chinese official and riichi games → game records.

Tiles are 11-19 characters, 21-29 dots, 31-39 bamboo, 41-44 winds, 45-47 red, white, green, 51-58 flowers, 105 205 305 red fives.
Ticks: bh flower, bd gd d draws, c discard, cl cm cr chow (the called tile is the left, middle or right of those laid
down: `cl` takes the two below it), p g ag jg sets, hu_… win, liuju, end. A `hu_…` without `end` after it was a false win and
play went on. Seats of a hand are counted anew each hand; `seats` says who sits where, else the deal goes round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_engine.records import cut_json
from table_engine.records.build import HandBuilder, ImpossibleMoveError, wrong_with
from table_engine.records.chain import game_of_hands
from table_engine.records.fan_words import value_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord, riichi_title
from table_engine.records.tenhou_words import EXHAUSTIVE
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.tiles import Tile, kind

_RULES = {"guobiao": "chinese_official", "riichi": "riichi"}
_HONOURS = {41: "1z", 42: "2z", 43: "3z", 44: "4z", 45: "7z", 46: "5z", 47: "6z"}
_REDS = {105: "0m", 205: "0p", 305: "0s"}
_WINS = ("hu_self", "hu_first", "hu_second", "hu_third", "hu_riichi")
_DAMAGE = (ImpossibleMoveError, KeyError, ValueError, IndexError, TypeError, AttributeError)
_SILENT = ("end", "reset", "ca")
Tick = list[Any]


def recognises(head: str) -> bool:
    return '"game_title"' in head and ('"game_round"' in head or '"action_ticks"' in head)


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, hand and tick."""
    number = 0
    try:
        for value, _, whole in cut_json.values(text):
            for game in value if isinstance(value, list) else [value]:
                number += 1
                inner = game.get("record", game)
                yield _game(inner, source if number == 1 else f"{source}#{number}", whole=whole)
    except ValueError as error:
        raise RecordError(f"{source}: {error}; the file is damaged") from error


def _game(game: dict[str, Any], source: str, *, whole: bool) -> GameRecord:
    title = game["game_title"]
    rule = str(title.get("rule", "guobiao"))
    if rule not in _RULES:
        raise RecordError(f"{source}: a game of {rule!r}; read are {', '.join(_RULES)}")
    hands = list[HandRecord]()
    rounds = sorted((game.get("game_round") or {}).items(), key=lambda item: int(item[0].rpartition("_")[2]))
    for number, (_, data) in enumerate(rounds, start=1):
        cut = not whole and number == len(rounds)
        if cut and not data.get("action_ticks"):
            break
        if cut:
            data["action_ticks"].pop()
        hands.append(_hand(data, _RULES[rule], f"{source}, hand {number}"))
    if not hands:
        raise RecordError(f"{source}: an open_mahjong record without hands")
    names = tuple(str(title.get(f"p{n}_name", "")) for n in range(4))
    notes = [] if whole else ["the file breaks off; what comes after is missing"]
    return game_of_hands(source, hands, names=names, notes=notes)


def _hand(data: dict[str, Any], ruleset: str, where: str) -> HandRecord:
    try:
        hand = _Hand(data, ruleset)
    except _DAMAGE as error:
        raise RecordError(f"{where}: {wrong_with(error)}; the file is damaged or edited") from error
    ticks = data.get("action_ticks") or []
    for n, tick in enumerate(ticks):
        try:
            hand.feed(tick, follows=ticks[n + 1] if n + 1 < len(ticks) else None)
        except _DAMAGE as error:
            raise RecordError(f"{where}, tick {n + 1} {tick!r:.60}: {wrong_with(error)}") from error
    try:
        return hand.finish()
    except ImpossibleMoveError as error:
        raise RecordError(f"{where}: {error}; the file is damaged or edited") from error


class _Hand:
    """One hand while it is read."""

    def __init__(self, data: dict[str, Any], ruleset: str) -> None:
        self._ruleset = ruleset
        self._number = int(data.get("current_round", data.get("round_index", 1))) - 1
        self._by_player = not data.get("seats")  # older records count score changes by player, not by seat
        seats = data.get("seats") or [(player - self._number) % 4 for player in range(4)]
        self._who = {int(index): SEATS[player] for player, index in enumerate(seats)}
        deal = [[_tile(t) for t in data[f"p{index}_tiles"]] for index in range(4)]
        longest = max(range(4), key=lambda index: len(deal[index]))
        self._dealer = self._who[int(data.get("dealer_index", longest))]
        self._turn = self._who[int(data.get("start_player_index", longest))]
        riichi = data.get("riichi") or {}
        self._honba, self._sticks = int(riichi.get("honba", 0)), int(riichi.get("riichi_sticks", 0))
        self.build = HandBuilder(ruleset, self._dealer, [deal[self._index(seat)] for seat in SEATS])
        self._ready = False
        self._played = self._over = False
        self._gains: tuple[int, ...] | None = None
        self._ending = ""

    def feed(self, tick: Tick, follows: Tick | None) -> None:
        code, rest = str(tick[0]), tick[1:]
        match code:
            case "bh":
                seat = self._who[int(rest[1])]
                self._acting(seat)
                self.build.flowers(seat, [_tile(rest[0])])
            case "d" | "gd" | "bd":
                self._draw(code, rest)
            case "c":
                sideways, self._ready = self._ready or "H" in rest[1:], False
                self.build.discard(self._turn, _tile(rest[0]), sideways=sideways, drawn="T" in rest[1:])
                self._played = True
            case "cl" | "cm" | "cr" | "p" | "g":
                self._call(code, rest)
            case "ag" | "jg":
                self.build.kong(self._turn, "concealed" if code == "ag" else "added", _tile(rest[0]))
            case "riichi":
                self._ready = True
            case "dora":
                self.build.dora(_tile(rest[0]))
            case "liuju" | "ryuukyoku" | "jiuzhongjiupai":
                self._over = True
                self._ending = "nine terminals" if code == "jiuzhongjiupai" else EXHAUSTIVE
                self._gains = self._seated(rest[1]) if code == "ryuukyoku" else (0, 0, 0, 0)
            case _ if code in _WINS:
                self._won(code, rest, follows)
            case _ if code not in _SILENT:
                self.build.notes.append(f"a tick {code!r} that is not known was left out")

    def _acting(self, seat: Seat) -> None:
        """Opening flowers are replaced before the dealer acts, and do not pass the turn."""
        if self._played:
            self._turn = seat

    def _draw(self, code: str, rest: Tick) -> None:
        if code == "bd":
            seat = self._who[int(rest[1])] if len(rest) > 1 else self._flowered()
            self.build.draw(seat, _tile(rest[0]))
            return
        if code == "d" and self.build.offer is not None:
            self._turn = self.build.offer[0].next
        self.build.draw(self._turn, _tile(rest[0]))

    def _flowered(self) -> Seat:
        move = self.build.moves[-1]
        seat: Seat | None = getattr(move, "seat", None)
        if seat is None:
            raise ImpossibleMoveError("a replacement is drawn and no flower lies there")
        return seat

    def _call(self, code: str, rest: Tick) -> None:
        tile, seat = _tile(rest[0]), self._who[int(rest[1])]
        if self.build.offer is None or kind(self.build.offer[1]) != kind(tile):
            raise ImpossibleMoveError(f"seat {int(seat)} calls {tile}, which does not lie open")
        self._turn = seat
        own = [_tile(t) for t in rest[2:] if isinstance(t, int)]
        if code in ("p", "g"):
            if len(own) == (2 if code == "p" else 3):
                self.build.call(seat, "pung" if code == "p" else "kong", own)
            else:
                self.build.call_alike(seat, "pung" if code == "p" else "kong")
            return
        if len(own) != 2:
            rank, suit = int(kind(tile)[0]), tile[1]
            own = [Tile(f"{rank + step}{suit}") for step in {"cl": (-2, -1), "cm": (-1, 1), "cr": (1, 2)}[code]]
        self.build.call(seat, "chow", own)

    def _won(self, code: str, rest: Tick, follows: Tick | None) -> None:
        seat = self._who[int(rest[0])]
        if follows is None or str(follows[0]) not in (*_WINS, "end"):
            self.build.notes.append(f"FALSE WIN of seat {int(seat)}")
            return
        riichi = code == "hu_riichi"
        own = str(rest[1] if riichi else code) == "hu_self"
        source = None if own or self.build.offer is None else self.build.offer[0]
        changes = rest[5] if riichi else rest[3]
        gains = self._seated(changes)
        before = self._gains or (0, 0, 0, 0)
        self._gains = tuple(a + b for a, b in zip(before, gains, strict=True)) if self._over else gains
        self._over = True
        names = [str(name) for name in (rest[4] if riichi else rest[2])]
        items = tuple(item for name in names for item in _items(name, riichi=riichi))
        if riichi:
            worth = WinRecord(seat, source, deltas=gains, han=int(rest[2]), fu=int(rest[3]), items=items)
        else:
            worth = WinRecord(seat, source, deltas=gains, items=items, fan=int(rest[1]))
        self.build.win(seat, source, worth=worth)

    def finish(self) -> HandRecord:
        if not self._over:
            self.build.notes.append(BREAKS_OFF)
        wind, number = self._number // 4, self._number % 4 + 1
        riichi = self._ruleset == "riichi"
        title = (
            riichi_title(wind, number, self._honba, self._ending)
            if riichi
            else f"{WINDS[wind % 4]} round, hand {number}"
        )
        return self.build.finish(
            title=title,
            ending=self._ending,
            round_wind=wind,
            honba=self._honba,
            sticks=self._sticks,
            deltas=self._gains,
        )

    def _index(self, seat: Seat) -> int:
        return next(index for index, who in self._who.items() if who == seat)

    def _seated(self, values: list[Any]) -> tuple[int, ...]:
        if self._by_player:
            return tuple(int(value) for value in values)
        return tuple(int(values[self._index(seat)]) for seat in SEATS)


def _items(text: str, *, riichi: bool) -> list[tuple[str, int | None]]:
    name, _, times = text.partition("*")
    return [(name, None if riichi else value_of(name))] * (int(times) if times.isdecimal() else 1)


def _tile(number: object) -> Tile:
    code = int(number) if isinstance(number, int | str) else -1
    if code in _HONOURS or code in _REDS:
        return Tile(_HONOURS.get(code) or _REDS[code])
    suit, rank = divmod(code, 10)
    if suit in (1, 2, 3) and rank:
        return Tile(f"{rank}{'mps'[suit - 1]}")
    if suit == 5 and 1 <= rank <= 8:
        return Tile(f"{rank}f")
    raise ValueError(f"{number!r} is not a tile of open_mahjong")
