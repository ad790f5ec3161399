"""Taiwanese 16-tile games as JSON lines → game records. One hand a line; following lines of one game share the id up to
its last dash and make one record.

A line has id, dealer, round_wind, wall (in the order tiles are taken) and events: dice, deal, draw, flower (in the deal
with its replacements), discard, chi, pon, minkan, kakan, ankan, win.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from table_engine.records.build import HandBuilder, ImpossibleMoveError
from table_engine.records.model import GameRecord, HandRecord, WinRecord
from table_engine.wire.actions import WinShown
from table_engine.wire.errors import RecordError
from table_engine.wire.observations import Code
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.settings import explain
from table_engine.wire.tiles import Tile

RULESET = "taiwan16"


class _Event(BaseModel):
    model_config = ConfigDict(extra="ignore")
    type: str
    actor: Seat
    tile: Code | None = None
    tiles: tuple[Code, ...] = ()
    replacement: tuple[Code, ...] = ()
    target: Seat | None = None
    dice: tuple[int, ...] = ()


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: str
    dealer: Seat
    round_wind: int = 0
    dealer_streak: int = 0
    wall: tuple[Code, ...] | None = None
    events: tuple[_Event, ...]
    result: dict[str, Any] = {}


def recognises(head: str) -> bool:
    line = head.lstrip().partition("\n")[0]
    return line.startswith("{") and '"events"' in line and '"wall"' in line


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, line and hand."""
    game, hands, notes = "", list[HandRecord](), list[str]()
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    for number, line in lines:
        where = f"{source}, line {number}"
        try:
            parsed = _Line.model_validate(json.loads(line))
        except json.JSONDecodeError as error:
            if hands and number == lines[-1][0]:
                notes.append(f"the file breaks off inside line {number}, which is left out")
                break
            raise RecordError(f"{where}: not valid JSON: {error}") from error
        except ValidationError as error:
            raise RecordError(f"{where}: {explain(error)}") from error
        this = parsed.id.rpartition("-")[0] or parsed.id
        if hands and this != game:
            yield GameRecord(source=f"{source}#{game}", ruleset=RULESET, hands=tuple(hands))
            hands = []
        game = this
        try:
            hands.append(_hand(parsed))
        except (ImpossibleMoveError, ValueError, TypeError) as error:
            raise RecordError(f"{where}, hand {parsed.id}: {error}") from error
    if hands:
        yield GameRecord(source=f"{source}#{game}", ruleset=RULESET, hands=tuple(hands), notes=tuple(notes))


def _hand(line: _Line) -> HandRecord:
    deal: list[list[Tile]] = [[], [], [], []]
    dice: tuple[int, ...] = ()
    rest = list(line.events)
    while rest and rest[0].type in ("dice", "deal"):
        event = rest.pop(0)
        dice = event.dice or dice
        deal[event.actor].extend(Tile(t) for t in event.tiles)
    for seat, hand in enumerate(deal):
        if len(hand) != 16:
            raise ValueError(f"seat {seat} is dealt {len(hand)} tiles instead of 16")
    build = HandBuilder(RULESET, line.dealer, deal)
    for event in rest:
        _apply(build, event)
    if build.won and "tai" in line.result:
        build.wins.append(_worth(build, line.result["tai"]))
    if not build.won and "winner" not in line.result:
        build.notes.append("the record breaks off inside this hand")
    return build.finish(
        title=f"{WINDS[line.round_wind % 4]} round, hand {line.id}",
        round_wind=line.round_wind,
        honba=line.dealer_streak,
        dice=dice,
        wall=tuple(Tile(t) for t in line.wall) if line.wall else None,
    )


def _worth(build: HandBuilder, tai: list[dict[str, Any]]) -> WinRecord:
    """What the hand counted, the dealer's tai left out: they differ from payer to payer."""
    win = next(move for move in reversed(build.moves) if isinstance(move, WinShown))
    return WinRecord(win.seat, win.source, items=tuple((str(one["name"]), int(one["tai"])) for one in tai))


def _apply(build: HandBuilder, event: _Event) -> None:
    seat = event.actor
    match event.type:
        case "draw":
            build.draw(seat, _tile(event))
        case "discard":
            build.discard(seat, _tile(event))
        case "flower":
            build.flowers(seat, [Tile(t) for t in event.tiles])
            for tile in event.replacement:
                build.draw(seat, Tile(tile))
        case "chi":
            own = [Tile(t) for t in event.tiles]
            own.remove(_tile(event))
            build.call(seat, "chow", own)
        case "pon":
            build.call_alike(seat, "pung")
        case "minkan":
            build.call_alike(seat, "kong")
        case "kakan":
            build.kong(seat, "added", _tile(event))
        case "ankan":
            build.kong(seat, "concealed", _tile(event))
        case "win":
            build.win(seat, event.target, _tile(event))
        case other:
            raise ValueError(f"unknown event {other!r}")


def _tile(event: _Event) -> Tile:
    if event.tile is None:
        raise ValueError(f"event {event.type!r} of seat {int(event.actor)} names no tile")
    return Tile(event.tile)
