"""A table that is not there, in simulated time: things move, the controller senses them, a camera may look at any moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from table_engine.records.model import HandRecord
from table_engine.wire.errors import RecordError
from table_engine.wire.layout import Layout, TileSize
from virtual_table.customs import Customs, customs_of
from virtual_table.deed import Setting
from virtual_table.director import Director, Performed
from virtual_table.games import check_fouls, own_hands
from virtual_table.motion import BRISK, Batch, Motion, Pace
from virtual_table.places import Places
from virtual_table.position import Position
from virtual_table.readings import Readings, Sensors
from virtual_table.recorded import settings_of
from virtual_table.script import Foul
from virtual_table.stage import Agenda, Reach, Stage
from virtual_table.table import TableSnapshot

STEP_MS = 20
"""Sensors are read this often in simulated time."""


class Clock(Protocol):
    """The simulated time's place, `wire.clock.SharedClock` for one."""

    def set_ms(self, value: int) -> None: ...


class Controller(Sensors, Protocol):
    """The table's controller: `virtual_table.controller.Controller` for one."""

    def tick(self, now_ms: int) -> None: ...
    def pump(self, now_ms: int) -> None: ...


class Simulation:
    """One table at work. Time moves only by `step`. `tags`: readers under the racks tell the controller what stands there."""

    def __init__(
        self,
        customs: Customs,
        settings: Iterator[Setting],
        *,
        layout: Layout | None = None,
        seed: int = 1,
        pace: Pace = BRISK,
        jitter: float = 1.0,
        controller: Controller | None = None,
        clock: Clock | None = None,
        start_ms: int = 0,
        requests: list[Foul] | None = None,
        tags: bool = False,
    ) -> None:
        self.customs = customs
        self.layout = layout or Layout(TileSize(), customs.stacks)
        self.at_ms = start_ms
        self._requests = requests
        self._controller = controller
        self._clock = clock
        self._director = Director(customs, self.layout, pace, seed, jitter=jitter, start_ms=start_ms + 1000)
        self._batches: Iterator[Batch] = self._director.play(settings)
        self._planned_ms = start_ms
        self._stage = Stage(Places(self.layout, jitter))
        self._agenda = Agenda()
        self._readings = Readings(self.layout, controller, tags=tags) if controller else None
        self._exhausted = False

    @classmethod
    def of_records(
        cls,
        records: Sequence[HandRecord],
        *,
        fouls: Sequence[Foul] = (),
        seed: int = 1,
        tile_width_mm: float = 26.0,
        pace: Pace = BRISK,
        jitter: float = 1.0,
        controller: Controller | None = None,
        clock: Clock | None = None,
        start_ms: int = 0,
        tags: bool = False,
    ) -> Simulation:
        """Plays recorded hands. Raises RecordError when there is none or they are of several rule sets."""
        rulesets = {r.ruleset for r in records}
        if len(rulesets) != 1:
            raise RecordError(f"a table plays one rule set, these hands are of {', '.join(sorted(rulesets)) or 'none'}")
        customs = customs_of(records[0].rules())
        check_fouls(customs, fouls)
        return cls(
            customs,
            settings_of(records, seed, fouls),
            layout=Layout(TileSize.of_width(tile_width_mm), customs.stacks),
            seed=seed,
            pace=pace,
            jitter=jitter,
            controller=controller,
            clock=clock,
            start_ms=start_ms,
            tags=tags,
        )

    @classmethod
    def of_players(
        cls,
        customs: Customs,
        *,
        hands: int | None = None,
        fouls: Sequence[Foul] = (),
        seed: int = 1,
        tile_width_mm: float = 26.0,
        pace: Pace = BRISK,
        jitter: float = 1.0,
        controller: Controller | None = None,
        clock: Clock | None = None,
        start_ms: int = 0,
        tags: bool = False,
    ) -> Simulation:
        """Own players, `hands` of them or for ever."""
        requests: list[Foul] = []
        return cls(
            customs,
            own_hands(customs, seed, fouls, hands, requests),
            layout=Layout(TileSize.of_width(tile_width_mm), customs.stacks),
            seed=seed,
            pace=pace,
            jitter=jitter,
            controller=controller,
            clock=clock,
            start_ms=start_ms,
            requests=requests,
            tags=tags,
        )

    @property
    def finished(self) -> bool:
        """All hands are played and everything has come to rest."""
        return self._exhausted and self._agenda.next_ms() is None

    @property
    def performed(self) -> list[Performed]:
        """What was really played so far (planned a little ahead of what is seen), hand by hand."""
        return self._director.performed

    @property
    def position(self) -> Position | None:
        """The hand in progress as its players know it."""
        return self._director.position

    def request(self, foul: Foul) -> None:
        """Has a player break a rule as soon as it can: its next turn; a kong without replacement in the next hand, which
        is dealt so that it can. Raises SettingsError for a foul this rule set does not know."""
        check_fouls(self.customs, (foul,))
        mover = self._director.mover
        if self._requests is not None and (mover is None or foul.what == "kong_no_replacement"):
            self._requests.append(foul)
        elif mover is not None:
            mover.fouls.append(foul)

    def step(self, dt_ms: int) -> None:
        """Lets `dt_ms` of simulated time go by."""
        end = self.at_ms + dt_ms
        while self.at_ms < end:
            self.at_ms = min(end, self.at_ms + STEP_MS)
            self._advance(self.at_ms)
            if self._clock:
                self._clock.set_ms(self.at_ms)
            if self._controller and self._readings:
                self._controller.tick(self.at_ms)
                self._readings.read(self._stage.snapshot(self.at_ms))
                self._controller.pump(self.at_ms)

    def snapshot(self) -> TableSnapshot:
        """Everything on the table now."""
        return self._stage.snapshot(self.at_ms)

    def _advance(self, end_ms: int) -> None:
        while not self._exhausted and self._planned_ms <= end_ms:
            batch = next(self._batches, None)
            if batch is None:
                self._exhausted = True
                break
            self._planned_ms = batch.until_ms
            for happening in batch.happenings:
                self._agenda.add(happening)
        while (next_ms := self._agenda.next_ms()) is not None and next_ms <= end_ms:
            at_ms, what = self._agenda.pop()
            match what:
                case int() as number:
                    self._stage.end(number)
                case Motion() as motion:
                    self._agenda.add_end(motion.end_ms, self._stage.begin(motion))
                case Reach():
                    pass
                case sudden:
                    self._stage.happen(sudden)
                    if self._controller and self._readings:
                        self._controller.tick(at_ms)
                        self._readings.happened(sudden)
