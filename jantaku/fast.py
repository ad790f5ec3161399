"""A recorded game straight from things on the table into the engine's fold: perfect sensors, or
such as are faulty on purpose; no bytes, pixels or broker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from jantaku.games import Game
from jantaku.hands import raised
from jantaku.played import Played, played
from table_engine.records.model import GameRecord
from table_engine.replay import follow
from table_engine.rules import RuleSet
from table_engine.wire.actions import Action
from table_engine.wire.acts import RefereeAct, StartMatch
from table_engine.wire.alerts import AlertChange
from table_engine.wire.observations import Envelope
from virtual_table.faults import Faults, faulty
from virtual_table.motion import PACES
from virtual_table.perfect import Source, observe, observe_players
from virtual_table.script import Foul


@dataclass(frozen=True, slots=True)
class Fast:
    """How to play: which sensors there are, who commits which foul, how people move."""

    rules: RuleSet
    sensors: tuple[Source, ...] = ("serial", "camera")
    fouls: tuple[Foul, ...] = ()
    faults: Faults = field(default_factory=Faults)
    seed: int = 1
    pace: str = "brisk"


@dataclass(slots=True)
class _Numbers:
    """Sequence numbers of the sources."""

    last: dict[str, int] = field(default_factory=dict)

    def next(self, source: str) -> int:
        self.last[source] = self.last.get(source, 0) + 1
        return self.last[source]


def envelopes(game: Game, fast: Fast) -> Iterator[Envelope]:
    """The whole game as its sensors say it. Raises RecordError for a hand that cannot be played."""
    numbers = _Numbers()
    hands, pace = game.record.hands, PACES[fast.pace]
    if game.own:
        sightings = observe_players(
            game.record.ruleset, len(hands), sensors=fast.sensors, fouls=fast.fouls, seed=fast.seed, pace=pace
        )
    else:
        sightings = observe(hands, sensors=fast.sensors, fouls=fast.fouls, seed=fast.seed, pace=pace)
    for source, at_ms, data in faulty(sightings, fast.faults, fast.seed):
        seq = numbers.next(source)
        # Made by ourselves of models already checked: checking each again would take as long as judging it.
        yield Envelope.model_construct(
            v=1, id=f"{source}:1:{seq}", src=source, boot=1, seq=seq, at_ms=at_ms, recorded_ms=at_ms, data=data
        )


def opening(record: GameRecord) -> Iterator[RefereeAct]:
    """What a referee says before a game of which the first hands were played elsewhere: the round and whose deal it is."""
    first = record.hands[0]
    if rotations := first.round_wind % 4 * 4 + int(first.dealer):
        yield RefereeAct(id="opening", by="record", at_ms=0, did=StartMatch(rotations=rotations))


def play_fast(game: Game, fast: Fast) -> Played:
    """Plays one game through the engine. Raises RecordError for a hand that cannot be played."""
    began = time.perf_counter()
    actions: list[Action] = []
    changes: list[AlertChange] = []
    for _, outputs in follow("table-1", chain(opening(game.record), envelopes(game, fast)), fast.rules):
        actions += (action for _, action in outputs.actions)
        changes += outputs.changes
    seconds, blind = time.perf_counter() - began, "camera" not in fast.sensors
    return played(game.record, fast.rules.id, actions, raised(changes), seconds, blind=blind)
