"""Game records and engine journals → the files that players' own tools read.

A journal knows what was seen at the table: hands are unknown there and draws are known only as draws, so the export has
`?` (mjai) or 0 (tenhou.net/6) where nobody saw a face. Formats that have no word for that, or for a rule set, say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from table_engine.records import botzone_write, jantaku_record, mjai, pmn_write, tenhou6
from table_engine.records.model import GameRecord
from table_engine.records.tally import tallied
from table_engine.wire.errors import RecordError


class Export(NamedTuple):
    """A format: how it is written, and the rule sets it can tell (none: all)."""

    write: Callable[[GameRecord], str]
    rulesets: tuple[str, ...] = ()


EXPORTS = {
    "mjai": Export(
        lambda game: "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in mjai.events(game)), ("riichi",)
    ),
    "tenhou6": Export(lambda game: json.dumps(tenhou6.log(game), ensure_ascii=False) + "\n", ("riichi",)),
    "botzone": Export(botzone_write.text, ("chinese_official",)),
    "pmn": Export(pmn_write.text, ("chinese_official",)),
    "jantaku": Export(lambda game: "".join(jantaku_record.lines(game))),
}


def export(game: GameRecord, form: str) -> str:
    """A game as the text of one file. Raises RecordError for a form nobody knows and for games it cannot tell."""
    if form not in EXPORTS:
        raise RecordError(f"no export {form!r}; there are {', '.join(EXPORTS)}")
    able = EXPORTS[form].rulesets
    if able and game.ruleset not in able:
        raise RecordError(f"{game.source}: {form} can tell {', '.join(able)} games only, this one is {game.ruleset}")
    if not game.hands:
        raise RecordError(f"{game.source}: no hand was played, there is nothing to export")
    return EXPORTS[form].write(tallied(game) if form in ("mjai", "tenhou6") else game)
