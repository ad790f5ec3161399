"""One thing that led to a match: a move or an act."""

from __future__ import annotations

from dataclasses import dataclass

from table_engine.wire.actions import Action
from table_engine.wire.acts import RefereeAct
from table_engine.wire.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Entry:
    """`number` names it for ever. `time_ms`: how far the table's time had run when it came, `degraded` what was not known
    of the table then. `target` and `offset`: the move, and which of its tiles, that a correction of a tile means."""

    number: int
    what: Action | RefereeAct
    time_ms: int
    degraded: tuple[Phrase, ...] = ()
    target: int | None = None
    offset: int = 0
