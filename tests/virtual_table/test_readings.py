"""The controller's readings come from the things alone, and say in passing nothing that is not so."""

from __future__ import annotations

from functools import cache

import pytest
from virtual_hands import RULES

from table_engine.wire.observations import Bay, Dealer, Dice, DiscardZone, HandZone, ReadyStick, SetComplete, WallCount
from table_engine.wire.seats import SEATS, Seat
from virtual_table.customs import customs_of
from virtual_table.perfect import observe_players
from virtual_table.simulation import Simulation


class Log:
    """A controller that writes down what it is told."""

    def __init__(self) -> None:
        self.now = 0
        self.said: list[tuple[int, object]] = []
        self.pumped = 0

    def tick(self, now_ms: int) -> None:
        assert now_ms >= self.now or now_ms >= self.now - 20
        self.now = max(self.now, now_ms)

    def pump(self, now_ms: int) -> None:
        assert now_ms == self.now
        self.pumped += 1

    def dice(self, dice):
        self.said.append((self.now, Dice(dice=tuple(dice))))

    def dealer(self, seat):
        self.said.append((self.now, Dealer(seat=seat)))

    def wall(self, side, count, slot=-1):
        self.said.append((self.now, WallCount(side=side, count=count, slot=slot)))

    def hand_zone(self, side, present):
        self.said.append((self.now, HandZone(side=side, present=present)))

    def discard_zone(self, seat, count, touched=False):
        self.said.append((self.now, DiscardZone(seat=seat, count=count, touched=touched)))

    def set_complete(self, tiles):
        self.said.append((self.now, SetComplete(tiles=tiles)))

    def bay(self, open):  # noqa: A002 - the controller's word
        self.said.append((self.now, Bay(open=open)))

    def ready_stick(self, seat, present):
        self.said.append((self.now, ReadyStick(seat=seat, present=present)))


@cache
def _told(ruleset: str, seed: int) -> Log:
    log = Log()
    simulation = Simulation.of_players(customs_of(ruleset), hands=1, seed=seed, controller=log)
    while not simulation.finished:
        simulation.step(100)
    return log


def _counts(said, kind: type, key: str) -> dict[Seat, list[int]]:
    """The counts of each side or seat, each once as it changed, up to the bay's opening."""
    counts: dict[Seat, list[int]] = {s: [] for s in SEATS}
    for _, seen in said:
        if isinstance(seen, Bay) and seen.open:
            break
        if isinstance(seen, kind):
            mine = counts[getattr(seen, key)]
            if not mine or mine[-1] != seen.count:
                mine.append(seen.count)
    return counts


@pytest.mark.parametrize("ruleset", RULES)
def test_the_sensors_tell_what_perfect_sensors_tell(ruleset):
    """Twenty milliseconds by twenty from moving things, or from change to change: the same counts in the same order."""
    log = _told(ruleset, seed=12)
    perfect = [(t, s) for _, t, s in observe_players(ruleset, 1, sensors=("serial",), seed=12)]
    ponds = _counts(log.said, DiscardZone, "seat")
    assert ponds == _counts(perfect, DiscardZone, "seat")
    walls, wanted = _counts(log.said, WallCount, "side"), _counts(perfect, WallCount, "side")
    for seat in SEATS:
        assert _falling(walls[seat]) == walls[seat][1:], "a wall never grows in play"
        assert walls[seat][-1] == wanted[seat][-1]
        assert set(wanted[seat]) <= set(walls[seat])
    machine = (Dice, Dealer, SetComplete, Bay, ReadyStick)
    assert [s for _, s in log.said if isinstance(s, machine)] == [s for _, s in perfect if isinstance(s, machine)]


def _falling(counts: list[int]) -> list[int]:
    """Without the first (an empty table), as they must fall; the walls' rising, level by level, comes first."""
    top = counts.index(max(counts))
    return counts[1:top] + sorted(counts[top:], reverse=True)


@pytest.mark.parametrize("ruleset", RULES)
def test_walls_tell_the_stack_a_tile_left(ruleset):
    log = _told(ruleset, seed=12)
    perfect = [s for _, _, s in observe_players(ruleset, 1, sensors=("serial",), seed=12)]
    perfect = perfect[: next(i for i, s in enumerate(perfect) if isinstance(s, Bay))]
    turns = [s for s in perfect if isinstance(s, WallCount) and s.slot >= 0]
    play = log.said[: next(i for i, (_, s) in enumerate(log.said) if isinstance(s, Bay))]
    told = {(s.side, s.count): s.slot for _, s in play if isinstance(s, WallCount)}
    wrong = [s for s in turns if told.get((s.side, s.count), s.slot) != s.slot and s.count]
    assert len(turns) > 30
    assert not wrong


def test_hands_are_sensed_in_the_wall_zone_of_the_side_they_draw_from():
    log = _told("world_series", seed=12)
    present: set[Seat] = set()
    drawn = 0
    for _, seen in log.said:
        match seen:
            case HandZone(side=side, present=True):
                present.add(side)
            case HandZone(side=side):
                present.discard(side)
            case Bay():
                break
            case WallCount(side=side, slot=slot) if slot >= 0:
                drawn += 1
                assert side in present
    assert drawn > 40
    assert log.pumped > 1000
