"""mjai events → game records: one event a line (gimite's .mjson, Mortal, RiichiEnv), lists of events a line (mjai.app) or
one list of all. A game may be seen from one seat only; what was not seen is `?`.

Read as gimite's server, Mortal's libriichi and RiichiEnv write them; everything but the moves themselves is optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from table_engine.records import cut_json
from table_engine.records.build import HandBuilder, ImpossibleMoveError, less_bets, wrong_with
from table_engine.records.chain import game_of_hands
from table_engine.records.drawn_game import ending_of
from table_engine.records.mjai_codes import ENDINGS, tile_of
from table_engine.records.mjai_worth import worth_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, riichi_title
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

Event = dict[str, Any]
_EVENT = re.compile(r'"type"\s*:\s*"(start_game|start_kyoku)"')
_SILENT = frozenset(("none", "hello", "join", "error", "log", "request", "possible_actions", "tenpai", "noten"))
_WINDS = "ESWN"
_CALLS = {"chi": "chow", "pon": "pung", "daiminkan": "kong"}


def recognises(head: str) -> bool:
    return bool(_EVENT.search(head)) and '"events"' not in head[:200]


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, line and what is wrong there."""
    game = _Game(source)
    number = 1
    for event, line in _events(text, source):
        if event.get("type") == "start_game" and game.begun:
            yield game.finish()
            number += 1
            game = _Game(f"{source}#{number}")
        game.feed(event, line)
    if not game.begun:
        raise RecordError(f"{source}: mjai events without a hand (no start_kyoku)")
    yield game.finish()


def _events(text: str, source: str) -> Iterator[tuple[Event, int]]:
    """The events with their lines. A last line that is cut off is left out."""
    lines = text.splitlines()
    begun = [n for n, line in enumerate(lines) if line.strip()]
    if begun and lines[begun[0]].strip() == "[":
        yield from _listed(text, source)
        return
    for n in begun:
        try:
            value = json.loads(lines[n])
        except json.JSONDecodeError as error:
            if n == begun[-1] and n:
                return
            if n == begun[0]:
                yield from _listed(text, source)
                return
            raise RecordError(f"{source}, line {n + 1}: not valid JSON ({error.msg}); the file is damaged") from error
        for event in value if isinstance(value, list) else [value]:
            if isinstance(event, dict):
                yield event, n + 1


def _listed(text: str, source: str) -> Iterator[tuple[Event, int]]:
    try:
        for value, line, _ in cut_json.values(text):
            for event in value if isinstance(value, list) else [value]:
                if isinstance(event, dict):
                    yield event, line
    except ValueError as error:
        raise RecordError(f"{source}: {error}; the file is damaged") from error


class _Game:
    """One game while its events are read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.names: tuple[str, ...] = ("", "", "", "")
        self.final: tuple[int, ...] | None = None
        self.notes: list[str] = []
        self._hands: list[HandRecord] = []
        self._hand: _Hand | None = None
        self._wind = 0
        self._last_dealer = 0
        self._ended = False

    @property
    def begun(self) -> bool:
        return bool(self._hands) or self._hand is not None

    def feed(self, event: Event, line: int) -> None:
        try:
            self._feed(event)
        except (ImpossibleMoveError, KeyError, ValueError, IndexError, TypeError) as error:
            where = f"{self.source}, line {line}, hand {len(self._hands) + 1}"
            raise RecordError(
                f"{where}: {wrong_with(error)} ({event.get('type')!r}); the file is damaged or edited"
            ) from error

    def _feed(self, event: Event) -> None:
        match event.get("type"):
            case "start_game":
                names = [str(name) for name in event.get("names") or []]
                if len(names) == 3:
                    raise ValueError("a three-player game; only four-player games are supported")
                self.names = tuple((names + [""] * 4)[:4])
            case "start_kyoku":
                self._close()
                self._hand = self._start(event)
            case "end_game":
                self._ended = True
                self.final = _four(event.get("scores"))
                self._close()
            case "end_kyoku":
                self._close()
            case "nukidora" | "kita":
                raise ValueError("a north set aside, which only three-player games have")
            case kind if kind in _SILENT or kind is None:
                pass
            case _ if self._hand:
                self._hand.feed(event)
            case kind:
                raise ValueError(f"{kind!r} before the first start_kyoku")

    def _start(self, event: Event) -> _Hand:
        dealer = int(event["oya"])
        if "bakaze" in event:
            self._wind = _WINDS.index(str(event["bakaze"]))
        elif self._hands and dealer < self._last_dealer:
            self._wind += 1
        self._last_dealer = dealer
        return _Hand(event, SEATS[dealer], self._wind)

    def _close(self) -> None:
        if self._hand:
            hand, self._hand = self._hand, None
            self._hands.append(hand.finish())

    def finish(self) -> GameRecord:
        try:
            self._close()
        except ImpossibleMoveError as error:
            where = f"{self.source}, hand {len(self._hands) + 1}"
            raise RecordError(f"{where}: {error}; the file is damaged or edited") from error
        return game_of_hands(self.source, self._hands, names=self.names, final=self.final, notes=self.notes)


class _Hand:
    """One hand while it is read. Its builder is made at the first draw, when all hands have been dealt."""

    def __init__(self, event: Event, dealer: Seat, wind: int) -> None:
        self._dealer = dealer
        self._wind = wind
        self._number = int(event.get("kyoku", dealer + 1))
        self._honba, self._sticks = int(event.get("honba", 0)), int(event.get("kyotaku", 0))
        self._scores = _four(event.get("scores"))
        self._dora = tile_of(event["dora_marker"]) if event.get("dora_marker") else None
        self._deal = [[tile_of(t) for t in hand] for hand in event.get("tehais") or [[], [], [], []]]
        if len(self._deal) == 3:
            raise ValueError("a three-player game; only four-player games are supported")
        self._build: HandBuilder | None = None
        self._ready: Seat | None = None
        self._declared: Seat | None = None
        self._sticks_laid: set[Seat] = set()
        self._gains: list[int] | None = None
        self._after: tuple[int, ...] | None = None
        self._ura: tuple[Tile, ...] = ()
        self._ending = ""
        self._over = False
        self._shown: tuple[tuple[Tile, ...] | None, ...] = ()
        self._unknown: list[str] = []

    def feed(self, event: Event) -> None:
        seat = _seat(event, "actor") if "actor" in event else None
        match event["type"]:
            case "haipai":
                self._deal[int(event["actor"])] = [tile_of(t) for t in event["pais"]]
            case "dora":
                self._builder().dora(tile_of(event["dora_marker"]))
            case "reach":
                self._declared = seat
            case "reach_accepted":
                self._accept(event)
            case "hora":
                self._won(event)
            case "ryukyoku":
                self._drawn_game(event)
            case _ if seat is not None:
                self._move(event, seat)
            case kind:
                self._unknown.append(str(kind))

    def _move(self, event: Event, seat: Seat) -> None:
        build = self._builder()
        match event["type"]:
            case "tsumo":
                self._settle()
                build.draw(seat, tile_of(event["pai"]))
            case "dahai":
                drawn = event.get("tsumogiri")
                ready = self._declared == seat
                build.discard(seat, tile_of(event["pai"]), sideways=ready, drawn=None if drawn is None else bool(drawn))
                self._declared, self._ready = None, seat if ready else self._ready
            case "chi" | "pon" | "daiminkan" as kind:
                self._settle()
                tile, source = tile_of(event["pai"]), _seat(event, "target")
                if build.offer != (source, tile):
                    raise ImpossibleMoveError(
                        f"seat {int(seat)} calls {tile} of seat {int(source)}, which does not lie open"
                    )
                call = _CALLS[kind]
                build.call(seat, call, [tile_of(t) for t in event["consumed"]])  # type: ignore[arg-type]
            case "ankan":
                build.kong(seat, "concealed", tile_of(event["consumed"][0]))
            case "kakan":
                build.kong(seat, "added", tile_of(event["pai"]))
            case kind:
                self._unknown.append(str(kind))

    def _accept(self, event: Event) -> None:
        self._sticks_laid.add(_seat(event, "actor"))
        self._ready = None

    def _settle(self) -> None:
        """Play goes on: a ready discard stands, told or not."""
        if self._ready is not None:
            self._sticks_laid.add(self._ready)
            self._ready = None

    def _won(self, event: Event) -> None:
        seat, target = _seat(event, "actor"), _seat(event, "target")
        self._over = True
        pai = event.get("pai")
        tile = tile_of(pai) if pai else None
        held = [tile_of(t) for t in event.get("hora_tehais") or []]
        if tile in held and len(held) % 3 == 2:
            held.remove(tile)
        gains = _four(event.get("deltas"))
        if gains:
            self._gains = [a + b for a, b in zip(self._gains or [0] * 4, gains, strict=True)]
        self._after = _four(event.get("scores")) or self._after
        self._ura = self._ura or tuple(tile_of(t) for t in event.get("uradora_markers", event.get("ura_markers")) or [])
        worth = worth_of(event, seat, None if seat == target else target, gains, dealer=seat == self._dealer)
        self._builder().win(seat, target, tile, hand=held, worth=worth)

    def _drawn_game(self, event: Event) -> None:
        self._over = True
        reason = str(event.get("reason") or "")
        self._ending = ENDINGS.get(reason, reason) or ending_of(self._builder())
        if self._ending != "triple win":
            self._settle()
        self._gains = list(_four(event.get("deltas")) or ()) or self._gains
        self._after = _four(event.get("scores"))
        tenpais, tehais = event.get("tenpais"), event.get("tehais")
        if tehais and tenpais:
            shown = zip(tenpais, tehais, strict=True)
            hands = tuple(tuple(tile_of(t) for t in hand) if ready else None for ready, hand in shown)
            self._shown = tuple(hand if hand and "?" not in hand else None for hand in hands)

    def _builder(self) -> HandBuilder:
        if self._build is None:
            for seat, hand in enumerate(self._deal):
                if len(hand) not in (13, 14):
                    raise ValueError(f"seat {seat} is dealt {len(hand)} tiles instead of 13")
            self._build = HandBuilder("riichi", self._dealer, self._deal)
            if self._dora:
                self._build.dora(self._dora)
        return self._build

    def finish(self) -> HandRecord:
        build = self._builder()
        if not self._over:
            build.notes.append(BREAKS_OFF)
        if self._unknown:
            build.notes.append(f"events that are not known were left out: {', '.join(sorted(set(self._unknown)))}")
        return build.finish(
            title=riichi_title(self._wind, self._number, self._honba, self._ending),
            ending=self._ending,
            round_wind=self._wind,
            honba=self._honba,
            sticks=self._sticks,
            scores=self._scores,
            deltas=self._deltas(),
            ura=self._ura,
            shown=self._shown,
        )

    def _deltas(self) -> tuple[int, ...] | None:
        if self._gains is not None:
            return less_bets(self._gains, self._sticks_laid)
        if self._after and self._scores:
            return tuple(b - a for a, b in zip(self._scores, self._after, strict=True))
        return None


def _seat(event: Event, key: str) -> Seat:
    number = int(event[key])
    if number not in range(4):
        raise ValueError(f"{key} {number} is not in 0..3")
    return SEATS[number]


def _four(values: object) -> tuple[int, ...] | None:
    return tuple(int(v) for v in values) if isinstance(values, list) and len(values) == 4 else None
