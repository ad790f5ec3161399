"""Runs the case sheets end to end: the hand is played with things on a table, perfect sensors see it, the engine follows it
from what they say, and must tell the same as on the actions themselves."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from sheets import Trial, trials

from table_engine.engine import begin, finish, step
from table_engine.events import Event
from table_engine.wire.acts import Count, Did, HoldDraw, RecordRow, RefereeAct
from table_engine.wire.alerts import Alert
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.observations import Envelope
from virtual_table.customs import Customs
from virtual_table.director import Director
from virtual_table.motion import BRISK
from virtual_table.moves import Asked, Recorded
from virtual_table.perfect import sense
from virtual_table.scene import Scene, setting

TRIALS = [trial for trial in trials() if trial.case.observed is True]


def events(trial: Trial) -> Iterator[Event]:
    """What sensors say of the hand, and what the referee records on the way, by time."""
    customs = Customs(trial.rules)
    played = setting(customs, trial.case.moves, Random(1), trial.case.name)
    layout = Layout(TileSize(), customs.stacks)
    director = Director(customs, layout, BRISK, 1)
    sightings = list(sense(director.play(iter([played])), layout))
    assert isinstance(played.mover, Scene)
    acts: list[RefereeAct] = []
    times = [move.at_ms for move in director.performed[0].moves]
    for n, (after, line) in enumerate(played.mover.recorded):
        match line:
            case Recorded():
                did: Did = RecordRow(row=line.row, kind=line.kind, seat=line.seat, tiles=line.tiles)
            case Asked(what="count"):
                did = Count(seat=line.seat)
            case Asked():
                did = HoldDraw(seat=line.seat, asked_by=line.seat.next)
        at_ms = (times[after - 1] if after else director.performed[0].start.at_ms) + 10
        acts.append(RefereeAct(id=f"act{n}", at_ms=at_ms, did=did))
    seqs = {"serial": 0, "camera": 0}
    for source, at_ms, data in sightings:
        while acts and acts[0].at_ms + 600 < at_ms:
            yield acts.pop(0)
        seqs[source] += 1
        yield Envelope.of(source, 1, seqs[source], at_ms, at_ms, data)


@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_from_observations(trial: Trial) -> None:
    engine, told = begin("t1"), {}
    rules = trial.rules

    def note(changes: tuple) -> None:
        for change in changes:
            told[change.after.id] = change.after

    for event in events(trial):
        engine, outputs = step(engine, event, rules)
        assert not outputs.stumbles
        note(outputs.changes)
    engine, outputs = finish(engine, rules)
    note(outputs.changes)
    standing: list[Alert] = [a for a in told.values() if a.state in ("open", "acknowledged")]
    assert sorted((a.rule, a.severity, int(a.seat)) for a in standing) == trial.expected, [a.says for a in standing]
