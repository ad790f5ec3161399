"""Our own record: JSON lines that hold everything a record or a journal knows, fouls, times, flowers, dice and confidence
included. What the other formats lose is kept here.

    {"jantaku": 1, "source", "ruleset", "names", "final", "notes"}
    {"hand": {"dealer", "round_wind", "honba", "sticks", "scores", "dice", "hands", "wall", "overrides", "title"}}
    {"move": {"type": "drew", "seat": 0, "end": "head", "tile": "3p", "at_ms": 81200, "confidence": 0.97}}
    {"aside": {"type": "call_announced", …}}          what was seen and is no move
    {"alert": {"code": "tile_count", "rule": "TW-F3", …}}
    {"end": {"deltas", "ending", "ura", "wins", "shown", "notes"}}

Whatever has its default is left out. Tiles are written as in `wire.tiles`, actions as on the wire.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord
from table_engine.wire.actions import ACTION, Action, HandEnded
from table_engine.wire.alerts import Alert
from table_engine.wire.errors import RecordError
from table_engine.wire.settings import explain

VERSION = 1
_HAND: TypeAdapter[HandRecord] = TypeAdapter(HandRecord)
_LINES = frozenset(("moves", "alerts", "asides"))
_AFTER = frozenset(("deltas", "ending", "ura", "wins", "shown", "notes"))
_DEFAULTS = {"at_ms": 0, "evidence": [], "confidence": 1.0}


def recognises(head: str) -> bool:
    line = head.lstrip().partition("\n")[0]
    return line.startswith("{") and '"jantaku"' in line and '"ruleset"' in line


def lines(game: GameRecord) -> Iterator[str]:
    """The game, line by line."""
    head = {"jantaku": VERSION, "source": game.source, "ruleset": game.ruleset, "names": list(game.names)}
    yield _line(head | ({"final": list(game.final)} if game.final else {}) | _unless_empty("notes", game.notes))
    for hand in game.hands:
        whole = _HAND.dump_python(hand, mode="json", exclude_defaults=True)
        yield _line({"hand": {k: v for k, v in whole.items() if k not in _LINES | _AFTER and k != "ruleset"}})
        for move in hand.moves:
            yield _line({"move": _action(move)})
        for aside in hand.asides:
            yield _line({"aside": _action(aside)})
        for alert in hand.alerts:
            yield _line({"alert": alert.model_dump(mode="json", exclude_defaults=True)})
        yield _line({"end": {k: v for k, v in whole.items() if k in _AFTER}})


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. A hand whose `end` is missing is kept as far as it goes. Raises RecordError naming file and
    line."""
    game: dict[str, Any] | None = None
    hands: list[HandRecord] = []
    open_hand: dict[str, Any] | None = None
    numbered = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    number = 0
    for number, line in numbered:
        where = f"{source}, line {number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            if number == numbered[-1][0] and number > 1:
                break
            raise RecordError(f"{where}: not valid JSON ({error.msg}); the file is damaged") from error
        try:
            if "jantaku" in value:
                if game is not None:
                    yield _game(game, hands)
                game, hands, open_hand = _header(value), [], None
            elif game is None:
                raise ValueError("it comes before the line that begins a game")
            else:
                open_hand = _told(value, game, open_hand, hands)
        except (ValidationError, ValueError, KeyError, TypeError) as error:
            what = explain(error) if isinstance(error, ValidationError) else str(error)
            raise RecordError(f"{where}: {what}") from error
    if game is None:
        raise RecordError(f"{source}: a record without a game")
    if open_hand is not None:
        try:
            hands.append(_hand(_broken_off(open_hand)))
        except ValidationError as error:
            raise RecordError(f"{source}, line {number}: {explain(error)}") from error
    yield _game(game, hands)


def _header(value: dict[str, Any]) -> dict[str, Any]:
    if value["jantaku"] != VERSION:
        raise ValueError(f"a record of version {value['jantaku']}, this program reads version {VERSION}")
    return value


def _told(
    value: dict[str, Any], game: dict[str, Any], hand: dict[str, Any] | None, hands: list[HandRecord]
) -> dict[str, Any] | None:
    """Takes one line of a game; gives the hand that is open after it."""
    ((name, data),) = value.items()
    if name == "hand":
        if hand is not None:
            hands.append(_hand(_broken_off(hand)))
        return {**data, "ruleset": game["ruleset"], "moves": [], "asides": [], "alerts": []}
    if hand is None:
        raise ValueError(f"{name!r} outside a hand")
    match name:
        case "move" | "aside":
            hand[f"{name}s"].append(ACTION.validate_python(data))
        case "alert":
            hand["alerts"].append(Alert.model_validate(data))
        case "end":
            hands.append(_hand(hand | data))
            return None
        case _:
            raise ValueError(f"{name!r} is no line of a record")
    return hand


def _broken_off(hand: dict[str, Any]) -> dict[str, Any]:
    return hand | {"moves": [*hand["moves"], HandEnded(won=False)], "notes": [BREAKS_OFF]}


def _hand(data: dict[str, Any]) -> HandRecord:
    if unknown := sorted(set(data) - {one.name for one in fields(HandRecord)}):
        raise ValueError(f"{unknown[0]!r} is no field of a hand")
    return _HAND.validate_python(data)


def _game(game: dict[str, Any], hands: list[HandRecord]) -> GameRecord:
    final = game.get("final")
    return GameRecord(
        str(game["source"]),
        str(game["ruleset"]),
        tuple(hands),
        tuple(str(name) for name in game["names"]),
        tuple(final) if final else None,
        tuple(game.get("notes", ())),
    )


def _action(action: Action) -> dict[str, Any]:
    raw: dict[str, Any] = ACTION.dump_python(action, mode="json")
    return {key: value for key, value in raw.items() if key not in _DEFAULTS or value != _DEFAULTS[key]}


def _unless_empty(name: str, values: tuple[str, ...]) -> dict[str, object]:
    return {name: list(values)} if values else {}


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
