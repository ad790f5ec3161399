"""Majsoul's records as JSON (the messages of a game record decoded) → game records.

A list of `{"name": ".lq.RecordNewRound", "data": {…}}`, wherever in the file it stands (`data.actions[].result` in full dumps).
Seats are Majsoul's, of which seat 0 deals first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from table_engine.records import cut_json
from table_engine.records.build import HandBuilder, ImpossibleMoveError, less_bets, wrong_with
from table_engine.records.chain import game_of_hands
from table_engine.records.majsoul_words import ENDINGS, yaku_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord, riichi_title
from table_engine.records.tenhou_words import EXHAUSTIVE, NAGASHI, limit_of
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, REDS, Tile

_WINDS = "東南西北"
_RECORD = re.compile(r"^(?:\.?lq\.)?(Record\w+)$")
_KNOWN = frozenset((*KINDS, *REDS))
_DAMAGE = (ImpossibleMoveError, KeyError, ValueError, IndexError, TypeError, AttributeError)


def recognises(head: str) -> bool:
    return "RecordNewRound" in head or ".lq.GameDetailRecords" in head


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, hand and record."""
    number = 0
    try:
        for value, _, whole in cut_json.values(text):
            for game in value if isinstance(value, list) and value and "head" in value[0] else [value]:
                number += 1
                yield _game(game, source if number == 1 else f"{source}#{number}", whole=whole)
    except ValueError as error:
        raise RecordError(f"{source}: {error}; the file is damaged") from error


def _game(value: Any, source: str, *, whole: bool) -> GameRecord:  # noqa: ANN401 (JSON of any shape)
    head = value.get("head") or {} if isinstance(value, dict) else {}
    hands: list[HandRecord] = []
    hand: _Hand | None = None
    records = list(_records(value, 0))
    for name, data, at_ms in records if whole else records[:-1]:
        try:
            if name == "RecordNewRound":
                if hand:
                    hands.append(hand.finish())
                hand = _Hand(data)
            elif hand:
                hand.build.at_ms = at_ms
                hand.feed(name, data)
        except _DAMAGE as error:
            where = f"{source}, hand {len(hands) + 1}, {name}"
            raise RecordError(f"{where}: {wrong_with(error)}; the file is damaged or edited") from error
    if hand:
        try:
            hands.append(hand.finish())
        except ImpossibleMoveError as error:
            raise RecordError(f"{source}, hand {len(hands) + 1}: {error}; the file is damaged or edited") from error
    if not hands:
        raise RecordError(f"{source}: a Majsoul record without a hand (no RecordNewRound)")
    names = ["", "", "", ""]
    for account in head.get("accounts") or []:
        names[int(account.get("seat", 0)) % 4] = str(account.get("nickname", ""))
    final = [0, 0, 0, 0]
    players = (head.get("result") or {}).get("players") or []
    for player in players:
        final[int(player.get("seat", 0)) % 4] = int(player.get("part_point_1", 0))
    notes = [] if whole else ["the file breaks off; what comes after is missing"]
    scores = tuple(final) if len(players) == 4 else None
    return game_of_hands(source, hands, names=tuple(names), final=scores, notes=notes)


def _records(value: Any, at_ms: int) -> Iterator[tuple[str, dict[str, Any], int]]:  # noqa: ANN401 (JSON of any shape)
    """Every record with its data and when it happened (ms since the game began, 0: not told), in the file's order."""
    if isinstance(value, list):
        for one in value:
            yield from _records(one, at_ms)
    elif isinstance(value, dict):
        at_ms = int(value.get("passed") or at_ms)
        found = _RECORD.match(str(value.get("name", "")))
        if found and isinstance(value.get("data"), dict):
            yield found[1], value["data"], at_ms
            return
        for key, one in value.items():
            if key != "head" and isinstance(one, dict | list):
                yield from _records(one, at_ms)


class _Hand:
    """One hand while it is read."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._wind, self._number = int(data.get("chang", 0)), int(data.get("ju", 0))
        self._honba, self._sticks = int(data.get("ben", 0)), int(data.get("liqibang", 0))
        self._scores = tuple(int(n) for n in data["scores"])
        if len(self._scores) != 4:
            raise ValueError("a three-player game; only four-player games are supported")
        deal = [[_tile(t) for t in data[f"tiles{seat}"]] for seat in range(4)]
        for seat, hand in enumerate(deal):
            if len(hand) != 13 + (seat == self._number):
                raise ValueError(f"seat {seat} is dealt {len(hand)} tiles")
        self.build = HandBuilder("riichi", SEATS[self._number], deal)
        self._dora: list[Tile] = []
        self._turn(data.get("doras") or ([data["dora"]] if data.get("dora") else []))
        self._ready: set[Seat] = set()
        self._gains: tuple[int, ...] | None = None
        self._ura: tuple[Tile, ...] = ()
        self._shown: tuple[tuple[Tile, ...] | None, ...] = ()
        self._ending = ""
        self._over = self._played = False

    def feed(self, name: str, data: dict[str, Any]) -> None:
        self._accept(data.get("liqi"))
        if name not in ("RecordHule", "RecordNoTile", "RecordLiuJu"):
            self._turn(data.get("doras") or [])
        match name:
            case "RecordDealTile":
                self.build.draw(_seat(data), _tile(data["tile"]))
            case "RecordDiscardTile":
                ready = bool(data.get("is_liqi") or data.get("is_wliqi"))
                drawn = bool(data.get("moqie")) or (not self._played and self._extra(data["tile"]))
                self._played = True
                self.build.discard(_seat(data), _tile(data["tile"]), sideways=ready, drawn=drawn)
            case "RecordChiPengGang":
                self._call(_seat(data), [_tile(t) for t in data["tiles"]], int(data.get("type", 0)))
            case "RecordAnGangAddGang":
                tile = _tile(data["tiles"] if isinstance(data["tiles"], str) else data["tiles"][0])
                self.build.kong(_seat(data), "concealed" if int(data["type"]) == 3 else "added", tile)
            case "RecordBaBei":
                raise ValueError("a north set aside, which only three-player games have")
            case "RecordHule":
                self._won(data)
            case "RecordNoTile":
                self._exhausted(data)
            case "RecordLiuJu":
                self._over = True
                self._ending = ENDINGS.get(int(data.get("type", 0)), "abortive draw")
                self._gains = (0, 0, 0, 0)
            case _:
                self.build.notes.append(f"a {name} that is not known was left out")

    def _extra(self, tile: str) -> bool:
        """The dealer's fourteenth tile counts as drawn."""
        return self.build.last_drawn == (self.build.dealer, _tile(tile))

    def _call(self, seat: Seat, tiles: list[Tile], kind_of_call: int) -> None:
        """The called tile stands last."""
        offer = self.build.offer
        if offer is None or offer[1] != tiles[-1]:
            raise ImpossibleMoveError(f"seat {int(seat)} calls {tiles[-1]}, which does not lie open")
        self.build.call(seat, ("chow", "pung", "kong")[kind_of_call], tiles[:-1])

    def _turn(self, doras: list[str]) -> None:
        for tile in (_tile(t) for t in doras[len(self._dora) :]):
            self._dora.append(tile)
            self.build.dora(tile)

    def _accept(self, liqi: dict[str, Any] | None) -> None:
        if liqi and not liqi.get("failed"):
            self._ready.add(_seat(liqi))

    def _won(self, data: dict[str, Any]) -> None:
        self._over = True
        offer = self.build.offer
        hules = data["hules"]
        gains = data.get("delta_scores")
        self._gains = tuple(int(n) for n in gains) if gains else None
        for hule in hules:
            seat = _seat(hule)
            source = None if hule.get("zimo") else offer[0] if offer else None
            held = [_tile(t) for t in hule.get("hand") or []]
            ura = tuple(_tile(t) for t in hule.get("li_doras") or [])
            self._ura = ura if len(ura) > len(self._ura) else self._ura
            winds = {"自風": _WINDS[(seat - self._number) % 4], "場風": _WINDS[self._wind % 4]}
            worth = _worth(hule, seat, source, self._gains if len(hules) == 1 else None, winds)
            self.build.win(seat, source, _tile(hule["hu_tile"]), hand=held, worth=worth)

    def _exhausted(self, data: dict[str, Any]) -> None:
        self._over = True
        self._ending = NAGASHI if data.get("liujumanguan") else EXHAUSTIVE
        total = [0, 0, 0, 0]
        for scores in data.get("scores") or []:
            for seat, gain in enumerate(scores.get("delta_scores") or []):
                total[seat] += int(gain)
        self._gains = tuple(total)
        hands = [p.get("hand") if p.get("tingpai") else None for p in data.get("players") or []]
        if any(hands):
            self._shown = tuple(tuple(_tile(t) for t in hand) if hand else None for hand in hands)

    def finish(self) -> HandRecord:
        if not self._over:
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


def _worth(
    hule: dict[str, Any], seat: Seat, source: Seat | None, gains: tuple[int, ...] | None, winds: dict[str, str]
) -> WinRecord:
    """`winds`: the yaku that Tenhou names with their wind, and which it is here."""
    yiman = bool(hule.get("yiman"))
    fu, count = int(hule.get("fu") or 0), int(hule.get("count") or 0)
    other, dealer = int(hule.get("point_zimo_xian") or 0), int(hule.get("point_zimo_qin") or 0)
    payments: tuple[int, ...] = ()
    points = int(hule.get("point_rong") or 0)
    if source is None:
        payments = (other,) if hule.get("qinjia") else (other, dealer)
        points = 3 * other if hule.get("qinjia") else 2 * other + dealer
    fans = [(yaku_of(int(fan["id"])), int(fan.get("val") or 0)) for fan in hule.get("fans") or []]
    items = [(name, None if yiman else val) for name, val in fans if yiman or val]
    return WinRecord(
        seat=seat,
        source=source,
        deltas=gains,
        points=points or None,
        payments=payments,
        fu=fu or None,
        han=None if yiman else count,
        yakuman=count if yiman else 0,
        limit=limit_of(fu, count, yakuman=yiman),
        items=tuple((" ".join((name, winds[name])) if name in winds else name, val) for name, val in items),
    )


def _seat(data: dict[str, Any]) -> Seat:
    number = int(data.get("seat", 0))
    if number not in range(4):
        raise ValueError(f"seat {number} is not in 0..3")
    return SEATS[number]


def _tile(text: object) -> Tile:
    if text not in _KNOWN:
        raise ValueError(f"{text!r} is not a tile of Majsoul")
    return Tile(str(text))
