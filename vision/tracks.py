"""Identity: a tile that is lifted here and laid down there keeps its number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from table_engine.wire.tiles import BACK, UNKNOWN
from vision.sighting import Sighting, unlifted

_REMEMBERED_MS = 8_000
"""How long a tile that was lifted is looked for elsewhere."""


@dataclass(slots=True)
class Tracks:
    """Gives numbers to sightings. `scale` is the layout's."""

    scale: float = 1.0
    _next: int = 1
    _lifted: list[tuple[int, Sighting]] = field(default_factory=list)

    def follow(self, old: Iterable[Sighting], new: Iterable[Sighting], at_ms: int) -> tuple[Sighting, ...]:
        """The new sightings of a region numbered after the old ones of the same region; of what is gone the number waits to
        be found again elsewhere."""
        gone = list(old)
        numbered, fresh = [], []
        for sighting in new:
            match = next((o for o in gone if o.what == sighting.what and unlifted(o, sighting, self.scale)), None)
            if match is None:
                fresh.append(sighting)
            else:
                gone.remove(match)
                numbered.append(replace(sighting, track=match.track))
        self._lifted = [(since, s) for since, s in self._lifted if at_ms - since < _REMEMBERED_MS]
        numbered += [replace(s, track=self._found(s)) for s in fresh]
        self._lifted += [(at_ms, s) for s in gone if s.code not in (BACK, UNKNOWN)]
        return tuple(numbered)

    def _found(self, sighting: Sighting) -> int:
        for pair in reversed(self._lifted):
            if pair[1].code == sighting.code:
                self._lifted.remove(pair)
                return pair[1].track
        self._next += 1
        return self._next - 1
