"""When things move: every zone lies still long enough to be seen, an arm does one thing at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from table_engine.wire.seats import Seat
from virtual_table.motion import Happening, Motion, Pace
from virtual_table.places import Places
from virtual_table.sensing import Spot
from virtual_table.table import Place


@dataclass(slots=True)
class Timeline:
    """Makes motions with times. `where` is where every tile will be once all motions made so far have ended."""

    pace: Pace
    places: Places
    rng: Random
    now: int
    """Nothing made from here on starts before this moment."""
    where: dict[int, Place] = field(default_factory=dict)
    made: list[Happening] = field(default_factory=list)
    _quiet: dict[Spot, int] = field(default_factory=dict)
    _free: dict[Seat, int] = field(default_factory=dict)
    _touched: dict[Seat, set[Spot]] = field(default_factory=dict)

    def vary(self, ms: int) -> int:
        """A duration as people keep it."""
        spread = self.pace.spread
        return round(ms * (1 + spread * (2 * self.rng.random() - 1))) if spread else ms

    def wait(self, ms: int) -> None:
        self.now += self.vary(ms)

    def carry(
        self,
        arm: Seat,
        tiles: Sequence[tuple[int, Place]],
        zones: Sequence[Spot],
        *,
        rise: float = 90.0,
        slow: float = 1.0,
        rested: bool = True,
    ) -> tuple[int, int]:
        """An arm reaches for tiles and carries them to their new places. → (lifted at, at rest at). With `rested` it
        waits until the zones it comes into have lain still long enough."""
        reach, carry = self.vary(self.pace.reach), round(self.vary(self.pace.carry) * slow)
        start = max(self.now, self._free.get(arm, 0))
        if rested:
            mine = self._touched.get(arm, set())
            still = max((self._quiet.get(z, 0) for z in zones if z not in mine), default=-self.pace.rest)
            start = max(start, still + self.pace.rest - reach // 2)
        lift = start + reach
        self.made.append(Motion(start, lift, arm, _middle([self.where[t] for t, _ in tiles])))
        end = lift + carry
        self.made.append(Motion(lift, end, arm, _middle([p for _, p in tiles]), tuple(tiles), rise))
        self.where.update(tiles)
        self._free[arm] = end
        self._touched.setdefault(arm, set()).update(zones)
        return lift, end

    def withdraw(self, arm: Seat) -> int:
        """The arm leaves the picture. → when it has gone."""
        start = self._free.get(arm, self.now)
        end = start + self.vary(self.pace.withdraw)
        self.made.append(Motion(start, end, arm))
        self._free[arm] = end
        for zone in self._touched.pop(arm, ()):
            self._quiet[zone] = end
        return end

    def machine(self, start: int, end: int, tiles: Sequence[tuple[int, Place]]) -> None:
        """The machine lifts tiles."""
        self.made.append(Motion(start, end, None, None, tuple(tiles)))
        self.where.update(tiles)

    def taken(self) -> tuple[Happening, ...]:
        """What was made since last asked, by time."""
        made = sorted(self.made, key=lambda h: h.start_ms if isinstance(h, Motion) else h.at_ms)
        self.made = []
        return tuple(made)


def _middle(places: Sequence[Place]) -> tuple[float, float]:
    return sum(p.x for p in places) / len(places), sum(p.y for p in places) / len(places)
