"""Plays a recorded hand: the record says every move, the wall is laid so that the draws come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from table_engine.records.model import HandRecord
from virtual_table.customs import customs_of
from virtual_table.deal import arranged, reds_of, roll
from virtual_table.director import Deed, Setting
from virtual_table.position import Position


@dataclass(slots=True)
class Script:
    """Moves as recorded, one after the other."""

    record: HandRecord
    done: int = field(default=0)

    def next(self, position: Position) -> Deed | None:  # noqa: ARG002 - a record does not look at the table
        if self.done == len(self.record.moves):
            return None
        self.done += 1
        return Deed(self.record.moves[self.done - 1])


def settings_of(records: Sequence[HandRecord], seed: int) -> Iterator[Setting]:
    """The hands of a record as settings. Raises RecordError for a hand that no set of tiles can yield."""
    reds = reds_of(records)
    for number, record in enumerate(records):
        customs = customs_of(record.ruleset)
        rng = Random(f"{seed}:wall:{number}")
        wall = arranged(record, customs, reds, rng)
        yield Setting(record.dealer, roll(customs, rng, record.dice), wall, Script(record), record.title)
