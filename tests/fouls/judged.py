"""A hand in words, judged on the bare moves."""

from __future__ import annotations

from dataclasses import replace

from sheets import Trial

from table_engine import effects
from table_engine.apply import apply
from table_engine.fouls import Moment
from table_engine.judge import judge
from table_engine.penalties import Circumstances, penalty
from table_engine.referee import Docket, settle
from table_engine.state import State
from table_engine.wire.actions import Action, Discarded, DrawHeld, Drew, HandStarted
from table_engine.wire.alerts import Alert
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import KINDS
from virtual_table.moves import Asked, Covered, Recorded, Step, Turns, Wait


class Judged:
    """A hand judged move by move."""

    def __init__(self, trial: Trial) -> None:
        self.rules = trial.rules
        self.state, self.docket, self.now_ms = State(), Docket("t1"), 1000
        self.told: dict[str, Alert] = {}
        self.withdrawn: list[str] = []
        self.all: list[Alert] = []
        """Every alert as it was told, also when it was taken back."""
        lines = trial.lines
        if not (isinstance(lines[0], Step) and isinstance(lines[0].action, HandStarted)):
            self.move(HandStarted(dealer=Seat.S0), 0)
        for line in lines:
            match line:
                case Step(action=action, after_ms=after_ms):
                    self.move(action, after_ms)
                case Wait(ms=ms):
                    self.now_ms += ms
                    self._note(*settle(self.docket, self.now_ms, self.rules))
                case Turns(count=count, until=None):
                    for _ in range(count):
                        self.turn()
                case Turns(until=left):
                    while self.rules.set.tiles - self.state.head - self.state.tail > left:
                        self.turn()
                case Recorded():
                    self.record(line)
                case Asked(what="hold", seat=seat):
                    self.move(DrawHeld(seat=seat), 100)
                case Asked() | Covered():
                    pass
        self.now_ms += 10_000
        self._note(*settle(self.docket, self.now_ms, self.rules))

    def move(self, action: Action, after_ms: int = 1000) -> None:
        self.now_ms += after_ms
        action = replace(action, at_ms=self.now_ms)
        before, self.state = self.state, apply(self.state, action, self.rules)
        self._note(*judge(self.docket, Moment(before, action, self.state, self.rules), ()))

    def turn(self) -> None:
        seat = self.state.turn.actor
        self.move(Drew(seat=seat))
        self.move(Discarded(seat=seat, tile=KINDS[(7 * self.state.discards) % len(KINDS)]))

    def record(self, line: Recorded) -> None:
        ruling = self.rules.recorded(line.row, line.kind)
        assert ruling is not None, line
        follows = penalty(ruling, self.rules, Circumstances(line.seat, tiles=line.tiles), "act")
        self.state = effects.put(self.state, line.seat, follows.effects)

    def _note(self, docket: Docket, changes: tuple) -> None:
        self.docket = docket
        for change in changes:
            self.all.append(change.after)
            if change.type == "end":
                self.told.pop(change.after.id)
                self.withdrawn.append(f"{change.after.code}")
            else:
                self.told[change.after.id] = change.after

    @property
    def standing(self) -> list[tuple[str, str, int]]:
        return sorted((a.rule, a.severity, int(a.seat)) for a in self.told.values())
