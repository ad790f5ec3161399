"""Denno-majiang's records (majiang-log, kobalab) → game records.

    {title, player, qijia, log: [[{qipai}, {zimo}, {dapai}, {fulou}, {gang}, {gangzimo}, {kaigang}, {hule}, {pingju}], …], defen}

Within a hand `l` counts seats from the dealer on; `player` and the final `defen` count from `qijia`, the first dealer. A tile is
`m5`, `m0` red, `z1`; `_` after a discard means the tile just drawn, `*` ready. In a set the sign after a tile says of whom
it was taken: `+` next, `=` opposite, `-` upper seat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from table_engine.records import cut_json
from table_engine.records.build import HandBuilder, ImpossibleMoveError, less_bets, wrong_with
from table_engine.records.chain import game_of_hands
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord, riichi_title
from table_engine.records.tenhou_words import ENDINGS, limit_of, shares
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, kind

_TILE = re.compile(r"[mpsz][0-9_]+|_")
_SIGNS = {"+": 1, "=": 2, "-": 3}
_DAMAGE = (ImpossibleMoveError, KeyError, ValueError, IndexError, TypeError, AttributeError)


def recognises(head: str) -> bool:
    return '"qipai"' in head


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, game, hand and event."""
    number = 0
    try:
        for value, _, whole in cut_json.values(text):
            games = value if isinstance(value, list) else [value]
            for n, game in enumerate(games):
                number += 1
                cut = not whole and n == len(games) - 1
                record = _game(game, source if len(games) == 1 else f"{source}#{number}", cut=cut)
                if record is not None:
                    yield record
    except ValueError as error:
        raise RecordError(f"{source}: {error}; the file is damaged") from error


def _game(game: dict[str, Any], source: str, *, cut: bool) -> GameRecord | None:
    hands = list[HandRecord]()
    log = game.get("log") or []
    for number, events in enumerate(log, start=1):
        last = cut and number == len(log)
        if last and not any("qipai" in event for event in events[:-1]):
            break
        hands.append(_hand(events[:-1] if last else events, f"{source}, hand {number}"))
    first = int(game.get("qijia", 0))
    players = [str(p).split("\n")[0] for p in game.get("player") or []]
    names = tuple(players[(first + n) % 4] if len(players) == 4 else "" for n in range(4))
    final = game.get("defen") or []
    scores = tuple(int(final[(first + n) % 4]) for n in range(4)) if len(final) == 4 else None
    notes = ["the file breaks off; what comes after is missing"] if cut else []
    if not hands:
        if cut:
            return None
        raise RecordError(f"{source}: a game without hands")
    return game_of_hands(source, hands, names=names, final=scores, notes=notes)


def _hand(events: list[dict[str, Any]], where: str) -> HandRecord:
    try:
        hand = _Hand(events[0]["qipai"])
    except _DAMAGE as error:
        raise RecordError(f"{where}, event 1: {wrong_with(error)}; the file is damaged or edited") from error
    for number, event in enumerate(events[1:], start=2):
        try:
            for name, data in event.items():
                hand.feed(name, data)
        except _DAMAGE as error:
            place = f"{where}, event {number} ({', '.join(event)})"
            raise RecordError(f"{place}: {wrong_with(error)}; the file is damaged or edited") from error
    try:
        return hand.finish()
    except ImpossibleMoveError as error:
        raise RecordError(f"{where}: {error}; the file is damaged or edited") from error


class _Hand:
    """One hand while it is read."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._wind, self._number = int(start["zhuangfeng"]), int(start["jushu"])
        self._honba, self._sticks = int(start.get("changbang", 0)), int(start.get("lizhibang", 0))
        self._dealer = SEATS[self._number % 4]
        if len(start["shoupai"]) != 4:
            raise ValueError(f"{len(start['shoupai'])} hands are dealt; only four-player games are supported")
        deal = self._seated([_tiles(hand) for hand in start["shoupai"]])
        for seat, hand in enumerate(deal):
            if len(hand) not in (13, 14):
                raise ValueError(f"seat {seat} is dealt {len(hand)} tiles")
        self._scores = self._seated([int(n) for n in start["defen"]]) if start.get("defen") else None
        self.build = HandBuilder("riichi", self._dealer, deal)
        self.build.dora(_tiles(start["baopai"])[0])
        self._ready: set[Seat] = set()
        self._declared: Seat | None = None
        self._gains: list[int] | None = None
        self._ura: tuple[Tile, ...] = ()
        self._shown: tuple[tuple[Tile, ...] | None, ...] = ()
        self._ending = ""
        self._over = False

    def feed(self, name: str, data: dict[str, Any]) -> None:
        match name:
            case "zimo" | "gangzimo":
                self._settle()
                self.build.draw(self._seat(data), _tiles(data["p"])[0])
            case "dapai":
                self._discard(self._seat(data), str(data["p"]))
            case "fulou":
                self._settle()
                self._call(self._seat(data), str(data["m"]))
            case "gang":
                self._kong(self._seat(data), str(data["m"]))
            case "kaigang":
                self.build.dora(_tiles(data["baopai"])[0])
            case "hule":
                self._won(data)
            case "pingju":
                self._drawn_game(data)
            case _:
                self.build.notes.append(f"an event {name!r} that is not known was left out")

    def _discard(self, seat: Seat, text: str) -> None:
        ready = "*" in text
        self.build.discard(seat, _tiles(text[:2])[0], sideways=ready, drawn="_" in text[2:])
        self._declared = seat if ready else None

    def _settle(self) -> None:
        if self._declared is not None:
            self._ready.add(self._declared)
            self._declared = None

    def _call(self, seat: Seat, text: str) -> None:
        """`p56-7`: the tile before the sign was called."""
        sign = re.search(r"(\d)([-+=])", text)
        if sign is None:
            raise ValueError(f"{text!r} does not say of whom it was taken")
        called = Tile(f"{sign[1]}{text[0]}")
        source = seat.step(_SIGNS[sign[2]])
        if self.build.offer != (source, called):
            raise ImpossibleMoveError(f"seat {int(seat)} calls {called} of seat {int(source)}, which does not lie open")
        own = _tiles(re.sub(r"[-+=]", "", text))
        own.remove(called)
        alike = len({kind(t) for t in own}) == 1
        self.build.call(seat, ("pung" if len(own) == 2 else "kong") if alike else "chow", own)

    def _kong(self, seat: Seat, text: str) -> None:
        if re.search(r"[-+=]", text):
            self.build.kong(seat, "added", _tiles(text[0] + text[-1])[0])
        else:
            self.build.kong(seat, "concealed", _tiles(text)[0])

    def _won(self, data: dict[str, Any]) -> None:
        seat = self._seat(data)
        source = None if data.get("baojia") is None else self._seat({"l": data["baojia"]})
        gains = self._seated([int(n) for n in data["fenpei"]]) if data.get("fenpei") else None
        if gains:
            self._gains = [a + b for a, b in zip(self._gains or [0] * 4, gains, strict=True)]
        concealed = _tiles(str(data.get("shoupai", "")).split(",")[0].rstrip("*"))
        self._ura = self._ura or tuple(_tiles(p)[0] for p in data.get("fubaopai") or [])
        yakuman, points = int(data.get("damanguan") or 0), int(data.get("defen") or 0)
        fu, han = int(data.get("fu") or 0), int(data.get("fanshu") or 0)
        items = tuple((str(h["name"]), _han(h.get("fanshu"))) for h in data.get("hupai") or [])
        worth = WinRecord(
            seat=seat,
            source=source,
            deltas=gains,
            points=points or None,
            payments=shares(points, dealer=seat == self._dealer) if source is None and points else (),
            fu=fu or None,
            han=han if han and not yakuman else None,
            yakuman=yakuman,
            limit=limit_of(fu, han, yakuman=yakuman > 0),
            items=items,
        )
        self._over = True
        self.build.win(seat, source, hand=concealed[:-1], worth=worth)

    def _drawn_game(self, data: dict[str, Any]) -> None:
        self._over = True
        name = str(data.get("name", ""))
        self._ending = ENDINGS.get(name, name)
        if self._ending != "triple win":
            self._settle()
        if data.get("fenpei"):
            self._gains = list(self._seated([int(n) for n in data["fenpei"]]))
        shown = [str(hand).split(",", 1)[0].rstrip("*") for hand in data.get("shoupai") or []]
        if any(shown):
            self._shown = self._seated([tuple(_tiles(hand)) if hand else None for hand in shown])

    def finish(self) -> HandRecord:
        if not self._over:
            self._settle()
            self.build.notes.append(BREAKS_OFF)
        gains = self._gains
        deltas = None if gains is None else less_bets(gains, self._ready)
        return self.build.finish(
            title=riichi_title(self._wind, self._number + 1, self._honba, self._ending),
            ending=self._ending,
            round_wind=self._wind,
            honba=self._honba,
            sticks=self._sticks,
            scores=self._scores,
            deltas=deltas,
            ura=self._ura,
            shown=self._shown,
        )

    def _seat(self, data: dict[str, Any]) -> Seat:
        number = int(data["l"])
        if number not in range(4):
            raise ValueError(f"seat {number} is not in 0..3")
        return self._dealer.step(number)

    def _seated(self, values: list[Any]) -> tuple[Any, ...]:
        return tuple(values[(seat - self._dealer) % 4] for seat in SEATS)


def _han(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isdecimal() else None


def _tiles(text: object) -> list[Tile]:
    """`m127z4` → tiles; `_` is one nobody saw. Raises ValueError."""
    word = str(text).split(",", 1)[0]
    tiles: list[Tile] = []
    for group in _TILE.findall(word):
        tiles += [UNKNOWN if n == "_" else Tile(f"{n}{group[0]}") for n in (group[1:] if group != "_" else "_")]
    if not tiles and word.strip("+*-"):
        raise ValueError(f"{word!r} holds no tile")
    return tiles
