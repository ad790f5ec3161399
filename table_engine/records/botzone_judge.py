"""Logs of Botzone's judge for Chinese Standard Mahjong, as JSON lines → the moves of Botzone's text → game records.

    {"id", "initdata": {"quan", …}, "logs": [{"output": {"command", "content", "display"}}, {"0": {"response"}, …}, …]}
    {"log": [{"0": "request", "1": …}, {"0": {"response"}, …}, …], "quan", "scores"}

What the judge told comes first, the players' answers second. Requests: `0 player round-wind`, `1 flowers×4 tiles`, `2 tile`,
`3 player MOVE …`. A concealed kong's tile stands only in the answer before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from table_engine.records.botzone import Match
from table_engine.records.build import ImpossibleMoveError
from table_engine.records.model import GameRecord
from table_engine.wire.errors import RecordError

Answers = dict[str, Any]


def recognises(head: str) -> bool:
    """A first line that is a match with the judge's own log, or with requests and answers by player."""
    line = head.lstrip().partition("\n")[0]
    judge = '"initdata"' in line and '"logs"' in line
    plain = '"log"' in line and ('"verdict"' in line or '"response"' in line) and '"0"' in line
    return line.startswith(("{", "[")) and (judge or plain)


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every match of a file. Raises RecordError naming file, line and request."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    before: GameRecord | None = None
    for number, line in lines:
        where = f"{source}, line {number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            if before is None or number != lines[-1][0]:
                raise RecordError(f"{where}: not valid JSON: {error}") from error
            before = replace(before, notes=(f"the file breaks off inside line {number}, which is left out",))
            break
        for match in value if isinstance(value, list) else [value]:
            if isinstance(match, dict) and "error" not in match:
                if before is not None:
                    yield before
                before = _match(match, source, where, number)
    if before is not None:
        yield before


def _match(match: dict[str, Any], source: str, where: str, number: int) -> GameRecord:
    reader = Match(str(match.get("id") or match.get("_id") or number))
    for n, words in enumerate(_words(match)):
        try:
            reader.feed(words)
        except (ImpossibleMoveError, ValueError, IndexError) as error:
            raise RecordError(f"{where}, move {n + 1}: {error} in {' '.join(words)!r:.80}") from error
    if reader.winner is not None and (reader.deltas or (0,) * 4)[reader.winner] < 0:
        reader.notes.append("FALSE WIN")
    try:
        return reader.finish(source)
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from error


def _words(match: dict[str, Any]) -> Iterator[list[str]]:
    """The lines Botzone's text has for the same match."""
    log = match.get("logs") or match.get("log") or []
    quan = (match.get("initdata") or {}).get("quan") if isinstance(match.get("initdata"), dict) else match.get("quan")
    yield ["Wind", str(quan or 0)]
    told = _Told()
    answers: Answers = {}
    for entry in log:
        output = entry.get("output") if isinstance(entry, dict) else None
        if isinstance(output, dict):
            yield from told.requests(output.get("content") or {}, answers, output.get("display") or {})
        elif isinstance(entry.get("0"), str):
            yield from told.requests(entry, answers, {})
        else:
            answers = entry
    yield from told.unsaid(answers, match.get("scores") or [])


class _Told:
    """Reads what the judge tells; remembers the tile that lies open or was drawn, which a win does not name."""

    def __init__(self) -> None:
        self._tile = ""
        self._drawn = False
        self._last = 0
        self._over = False

    def requests(self, content: dict[str, Any], answers: Answers, display: dict[str, Any]) -> Iterator[list[str]]:
        """What one round of requests tells, as lines of Botzone's text. `answers`: the players' answers before it."""
        action = str(display.get("action", "")).upper()
        if action in ("HU", "HUANG"):
            self._over = True
            yield from self._end(action, content, answers, display)
            return
        for player in "0123":
            words = str(content.get(player, "")).split()
            if words[:1] == ["0"] and player == "0":
                yield ["Wind", words[2]]
            elif words[:1] == ["1"]:
                yield ["Player", player, "Deal", *words[5:]]
            elif words[:1] == ["2"]:
                self._tile, self._drawn, self._last = words[1], True, int(player)
                yield ["Player", player, "Draw", words[1]]
        moves = [str(content.get(player, "")).split() for player in "0123"]
        move = next((m for m in moves if m[:1] == ["3"] and m[2:3] != ["DRAW"]), None)
        if move:
            yield from self._move(move[1], move[2].upper(), move[3:], answers)

    def unsaid(self, answers: Answers, scores: list[Any]) -> Iterator[list[str]]:
        """The end of a match whose judge's last word is not there: who claimed a win, or that nobody did."""
        if self._over or len(scores) != 4:
            return
        claims = [str((self._last + n) % 4) for n in range(4)]
        claims = [player for player in claims if _answer(answers, player)[:1] == ["HU"]]
        if claims:
            yield ["Player", claims[0], "Hu", self._tile]
        else:
            yield ["Huang"]
        yield ["Score", *(str(n) for n in scores)]

    def _move(self, player: str, verb: str, tiles: list[str], answers: Answers) -> Iterator[list[str]]:
        match verb:
            case "PLAY":
                self._tile, self._drawn, self._last = tiles[0], False, int(player)
                yield ["Player", player, "Play", tiles[0]]
            case "PENG" | "CHI":
                yield ["Player", player, verb, self._tile if verb == "PENG" else tiles[0], *_ignored(player, answers)]
                self._tile, self._drawn = tiles[-1], False
                yield ["Player", player, "Play", tiles[-1]]
            case "GANG" | "ANGANG":
                concealed = self._drawn
                tile = _answer(answers, player)[1:2] if concealed else [self._tile]
                yield ["Player", player, "AnGang" if concealed else "Gang", *(tile or tiles or [self._tile])]
            case "BUGANG":
                self._tile, self._drawn = tiles[0], False
                yield ["Player", player, "BuGang", tiles[0]]
            case "HU":
                self._over = True
                yield ["Player", player, "Hu", self._tile]
            case _:
                raise ValueError(f"unknown request {verb!r}")

    def _end(
        self, action: str, content: dict[str, Any], answers: Answers, display: dict[str, Any]
    ) -> Iterator[list[str]]:
        if action == "HUANG":
            yield ["Huang"]
        else:
            player = str(display["player"])
            yield ["Player", player, "Hu", self._tile, *_ignored(player, answers)]
            fan = "+".join(f"{one['name']}*{one.get('cnt', 1)}" for one in display.get("fan") or [])
            yield ["Fan", str(display.get("fanCnt", 0)), fan]
        scores = display.get("score") or [content.get(player, 0) for player in "0123"]
        yield ["Score", *(str(n) for n in scores)]


def _answer(answers: Answers, player: str) -> list[str]:
    answer = answers.get(player)
    return str(answer.get("response") or "").split() if isinstance(answer, dict) else []


def _ignored(player: str, answers: Answers) -> list[str]:
    """Claims of others that lost precedence, as Botzone's text tells them."""
    words = []
    for other in "0123":
        answer = _answer(answers, other)
        if other != player and answer and answer[0].upper() in ("PENG", "CHI", "GANG", "HU"):
            words += ["Ignore", "Player", other, *answer[:2]]
    return words
