"""The JSON logs of tenhou.net/6 → game records: as written by Tenhou, its log editor, tensoul and others, one or several
in a file, or as the links that the editor gives (`https://tenhou.net/6/#json=…`).

Takes and discards stand seat by seat, so the order of play is found again (`tenhou6_order`). See `tenhou6` for the codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from table_engine.records import cut_json
from table_engine.records.build import HandBuilder, ImpossibleMoveError, less_bets
from table_engine.records.chain import game_of_hands
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord, WinRecord, riichi_title
from table_engine.records.tenhou6_codes import tile_of
from table_engine.records.tenhou6_order import Columns, Step, played
from table_engine.records.tenhou_words import (
    ENDINGS,
    EXHAUSTIVE,
    item_of,
    worth_of,
    yakuman_count,
)
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

_LINK = re.compile(r"^\s*\[?https?://tenhou\.net/[56]/#json=", re.MULTILINE)
_HEAD = re.compile(r'"log"\s*:\s*\[\s*\[\s*\[\s*\d')
_ROWS = 17
_WON = ("和了", "agari")


def recognises(head: str) -> bool:
    return bool(_LINK.search(head) or _HEAD.search(head))


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, hand and what is wrong with it."""
    if _LINK.search(text):
        text = "\n".join(
            unquote(line.split("#json=", 1)[1].split("&", 1)[0]) for line in text.splitlines() if "#json=" in line
        )
    found = 0
    try:
        for value, _, whole in cut_json.values(text):
            for log in value if isinstance(value, list) else [value]:
                if isinstance(log, dict) and isinstance(log.get("log"), list):
                    found += 1
                    yield _game(log, source if found == 1 else f"{source}#{found}", whole=whole)
    except ValueError as error:
        raise RecordError(f"{source}: {error}; the file is damaged") from error
    if not found:
        raise RecordError(f"{source}: a tenhou.net/6 log without hands")


def _game(log: dict[str, Any], source: str, *, whole: bool) -> GameRecord:
    names = [str(n or "") for n in log.get("name") or []]
    if str(log.get("ratingc", "")).startswith("PF3") or "三" in str((log.get("rule") or {}).get("disp", "")):
        raise RecordError(f"{source}: a three-player game; only four-player games are supported")
    hands, notes = list[HandRecord](), list[str]()
    for number, rows in enumerate(log["log"], start=1):
        last = number == len(log["log"])
        if isinstance(rows, list) and len(rows) < _ROWS and last and not whole:
            notes.append(f"the file breaks off inside hand {number}, which is left out")
            break
        try:
            hands.append(_hand(rows, cut=last and not whole))
        except (ImpossibleMoveError, ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
            raise RecordError(f"{source}, hand {number}: {error}; the file is damaged or edited") from error
    if not hands:
        raise RecordError(f"{source}: {notes[0] if notes else 'no hand in it'}; nothing can be played")
    final = [int(n) for n in (log.get("sc") or [])[::2]]
    padded = tuple((names + [""] * 4)[:4])
    return game_of_hands(source, hands, names=padded, final=tuple(final) if len(final) == 4 else None, notes=notes)


def _hand(rows: list[Any], *, cut: bool) -> HandRecord:
    if len(rows) not in (_ROWS, _ROWS - 1):
        raise ValueError(f"it has {len(rows)} rows instead of {_ROWS}")
    number, honba, sticks = (int(n) for n in (*rows[0], 0, 0)[:3])
    dealer = SEATS[number % 4]
    dora, ura = [_tile(n) for n in rows[2]], tuple(_tile(n) for n in rows[3])
    columns = [Columns.of(list(rows[5 + 3 * seat]), list(rows[6 + 3 * seat])) for seat in range(4)]
    deal = [[_tile(n) for n in rows[4 + 3 * seat]] for seat in range(4)]
    for seat, hand in enumerate(deal):
        if len(hand) == 14 and seat == dealer:
            columns[seat] = Columns.of([rows[4 + 3 * seat][13], *rows[5 + 3 * seat]], rows[6 + 3 * seat])
            del hand[13]
        if len(hand) != 13:
            raise ValueError(f"seat {seat} is dealt {len(hand)} tiles")
    build = HandBuilder("riichi", dealer, deal)
    accepted = _Teller(build, dora).tell(played(columns, dealer))
    result = list(rows[16]) if len(rows) == _ROWS else []
    ending, deltas = _result(build, result)
    if not result or cut:
        build.notes.append(BREAKS_OFF)
    if accepted.last is not None and (build.won or ending == "triple win"):
        accepted.discard(accepted.last)
    total = None if deltas is None else less_bets(deltas, accepted)
    return build.finish(
        title=riichi_title(number // 4, number % 4 + 1, honba, ending),
        ending=ending,
        round_wind=number // 4,
        honba=honba,
        sticks=sticks,
        scores=tuple(int(n) for n in rows[1][:4]),
        deltas=total,
        ura=ura,
    )


class _Ready(set[Seat]):
    """Who has laid a stick; `last`: who declared with the very last discard, whose stick is not paid if it is won."""

    last: Seat | None = None


class _Teller:
    """Tells the steps to a builder and turns the dora indicators when they are due: at once after a concealed kong,
    before the next discard or kong after the others."""

    def __init__(self, build: HandBuilder, dora: list[Tile]) -> None:
        self._build = build
        self._dora = dora
        self._due = 0
        if dora:
            build.dora(dora.pop(0))

    def tell(self, steps: list[Step]) -> _Ready:
        ready = _Ready()
        for step in steps:
            seat, ready.last = step.seat, None
            match step.what:
                case "draw":
                    self._build.draw(seat, _tile(step.tile))
                case "discard":
                    self._turn()
                    ready.last = seat if step.ready else None
                    ready.update({seat} if step.ready else ())
                    drawn = self._build.last_drawn if step.drawn else None
                    if step.drawn and (drawn is None or drawn[0] != seat):
                        raise ValueError(f"seat {int(seat)} discards the drawn tile without having drawn")
                    tile = drawn[1] if drawn else _tile(step.tile)
                    self._build.discard(seat, tile, sideways=step.ready, drawn=step.drawn)
                case "chow" | "pung" | "kong" as call:
                    offer = self._build.offer
                    if offer is None or offer[1] != _tile(step.tile):
                        raise ValueError(f"seat {int(seat)} calls {_tile(step.tile)}, which does not lie open")
                    self._build.call(seat, call, [_tile(n) for n in step.own])
                    self._due += call == "kong"
                case "added":
                    self._build.kong(seat, "added", _tile(step.tile))
                    self._due += 1
                case "concealed":
                    self._build.kong(seat, "concealed", _tile(step.tile))
                    self._due += 1
                    self._turn()
        self._due = len(self._dora)  # turned although nothing was discarded any more
        self._turn()
        return ready

    def _turn(self) -> None:
        for _ in range(min(self._due, len(self._dora))):
            self._build.dora(self._dora.pop(0))
        self._due = 0


def _result(build: HandBuilder, result: list[Any]) -> tuple[str, tuple[int, ...] | None]:
    """How the hand ended: wins are told to the builder; the ending without one, and what changed hands at the end."""
    if not result:
        return "", None
    word = str(result[0]).strip().lower()
    if word not in _WON:
        deltas = tuple(int(n) for n in result[1]) if len(result) > 1 else None
        ending = ENDINGS.get(word)
        if ending is None:
            build.notes.append(f"the record calls its ending {result[0]!r}, which is not known")
        abortive = ending not in (None, EXHAUSTIVE)
        return ending or str(result[0]), deltas or ((0, 0, 0, 0) if abortive or deltas is None else deltas)
    total = [0, 0, 0, 0]
    for deltas, win in zip(result[1::2], result[2::2], strict=True):
        gains = tuple(int(n) for n in deltas)
        total = [a + b for a, b in zip(total, gains, strict=True)]
        worth = _win(win, gains)
        build.win(worth.seat, worth.source, worth=worth)
    return "", tuple(total)


def _win(row: list[Any], deltas: tuple[int, ...]) -> WinRecord:
    who, source = SEATS[int(row[0])], SEATS[int(row[1])]
    liable = SEATS[int(row[2])] if len(row) > 2 and isinstance(row[2], int) else who
    worth = worth_of(str(row[3])) if len(row) > 3 else None
    items = tuple(item_of(str(text)) for text in row[4:])
    yakuman = yakuman_count(items) if worth and worth.limit == "yakuman" else 0
    han = worth.han if worth and worth.han is not None else None
    if han is None and items and not yakuman:
        han = sum(value or 0 for _, value in items)
    return WinRecord(
        seat=who,
        source=None if source == who else source,
        deltas=deltas,
        points=worth.points if worth else None,
        payments=worth.payments if worth else (),
        fu=worth.fu if worth else None,
        han=han,
        yakuman=yakuman,
        limit=worth.limit if worth else "",
        items=items,
        liable=None if liable == who else liable,
    )


def _tile(number: object) -> Tile:
    return tile_of(int(number) if isinstance(number, int | str) else -1)
