"""What recorded hands pay when they are played with things and followed from what perfect sensors see, against the record.

Hidden indicators under the dora are no sensor's: hands won with them are compared with what they are worth without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from jantaku.fast import Fast, envelopes, opening
from jantaku.games import Game
from table_engine.engine import Engine
from table_engine.ledger import HandLine
from table_engine.records.complete import completed
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord
from table_engine.replay import follow
from table_engine.rules import RuleSet
from tests.conformance.settlement_play import played

NO_RULE = "all terminals discarded"
"""Sites pay it like a mangan; the text has no such rule."""


def lines(game: GameRecord, rules: RuleSet) -> tuple[HandLine, ...]:
    """The ledger after a whole game was seen."""
    whole = completed(game)
    stream = chain(opening(whole), envelopes(Game(Path(game.source), 0, whole), Fast(rules)))
    engine: Engine | None = None
    for engine, _ in follow("table-1", stream, rules):  # noqa: B007 - the last one is wanted
        pass
    return engine.match.ledger.lines if engine else ()


def compared(game: GameRecord, rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Hand by hand its title and how the ledger differs from the record: empty where it does not. Hands whose record tells
    no points, shows a win that is none, or pays by a rule the text does not have, are passed over, and so are games that begin
    with counters or sticks nobody could see."""
    if game.hands[0].honba or game.hands[0].sticks:
        return
    seen = lines(game, rules)
    for number, record in enumerate(game.hands):
        if record.deltas is None or BREAKS_OFF in record.notes or record.ending == NO_RULE:
            continue
        if any(verdict.valid is False for verdict in played(record, rules).verdicts):
            continue
        line = seen[number] if number < len(seen) else None
        if line is None:
            yield record.title, "never began"
        elif (line.honba, line.sticks) != (record.honba, record.sticks):
            yield (
                record.title,
                f"{line.honba} counters and {line.sticks} sticks, {record.honba} and {record.sticks} there",
            )
        elif line.points != (due := _due(record, rules)):
            yield (
                record.title,
                f"{line.points and list(line.points)} here, {list(due)} there ({line.how}, {line.tenpai})",
            )
        else:
            yield record.title, ""


def _due(record: HandRecord, rules: RuleSet) -> tuple[int, ...]:
    if record.ura:
        return played(replace(record, ura=()), rules).deltas
    return tuple(record.deltas or ())
