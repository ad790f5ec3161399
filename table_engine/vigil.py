"""Whom not to wait for: sources that have fallen silent, or whose clock is behind for good. Fed with the engine's own
seconds, since a source that says nothing says no times either.

Who could not be heard, because our connection was down or the broker stood still, may have much to tell, from before as
well: it is waited for longer, whatever its last will says, until it speaks. So is one that was born anew and says in its
birth that it has yet to tell what it saw in an earlier boot (`first`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from table_engine.fusion.order import NEVER, Source
from table_engine.wire.messages import NodeInfo

SILENT_S = 3.0
SILENT_SIMULATED_S = 30.0
"""A simulation waits for its sensors, however slow the machine is; only a hung one is not waited for."""
RETURN_S = 15.0
"""As long as a process that was killed may take to be back and speak."""
BEHIND_MS = 3_000
BEHIND_S = 10.0
_CATCHING_UP = 0.9
"""Who has less than this share of the lag left after `BEHIND_S` is catching up."""


class Vigil:
    """Watches the sources of one table."""

    def __init__(self, silent_s: float = SILENT_S) -> None:
        self._silent_s = silent_s
        self._return_s = max(silent_s, RETURN_S)
        self._heard: dict[str, float] = {}
        self._behind: dict[str, tuple[float, int]] = {}
        self._awaited: set[str] = set()
        """Who has not spoken since it could not be heard."""
        self._born: dict[str, NodeInfo] = {}

    def hear(self, src: str, now_s: float, *, spoke: bool = True) -> None:
        """A source has spoken; not `spoke`: only its coming or going was told."""
        if len(self._heard) > 1 and now_s - max(self._heard.values()) > SILENT_S:
            self.forgive(now_s)
        self._heard[src] = now_s
        if spoke:
            self._awaited.discard(src)

    def born(self, info: NodeInfo) -> None:
        """A source said who it is and from where on it can tell."""
        self._born[info.node] = info

    def forgive(self, now_s: float, known: Iterable[str] = ()) -> None:
        """Nobody could be heard until now, of those that are `known` besides."""
        self._heard = dict.fromkeys((*self._heard, *known), now_s)
        self._awaited.update(self._heard)
        self._behind.clear()

    def awaits(self, src: str) -> bool:
        """Its last will is older than what it may have to tell."""
        return src in self._awaited

    def gone(self, sources: Mapping[str, Source], now_s: float) -> Iterator[tuple[str, str]]:
        """Sources not to be waited for any longer, with why in words."""
        online = [name for name, source in sources.items() if source.online]
        furthest = max((sources[name].promised_ms for name in online), default=NEVER)
        silent = {name for name in online if now_s - self._heard.setdefault(name, now_s) > self._silent_s}
        stuck = len(online) > 1 and len(silent) == len(online)
        for name, source in sources.items():
            if not source.online:
                self._behind.pop(name, None)
                continue
            awaited = stuck or name in self._awaited or self._owes(name, source)
            if name in silent:
                if not awaited or now_s - self._heard[name] > self._return_s:
                    self._awaited.discard(name)
                    yield name, "says nothing"
            elif source.spoken and not awaited and self._lags(name, furthest - source.promised_ms, now_s):
                lag_s = (furthest - source.promised_ms) / 1000
                yield name, f"is {lag_s:.0f} s behind the others and does not catch up; check its clock"

    def _owes(self, name: str, source: Source) -> bool:
        """It has been born anew, and what has come of it is from before."""
        info = self._born.get(name)
        return info is not None and info.first.boot < info.boot and source.boot < info.boot

    def _lags(self, name: str, lag_ms: int, now_s: float) -> bool:
        if lag_ms <= BEHIND_MS:
            self._behind.pop(name, None)
            return False
        since_s, was_ms = self._behind.setdefault(name, (now_s, lag_ms))
        if now_s - since_s <= BEHIND_S:
            return False
        del self._behind[name]
        return lag_ms > was_ms * _CATCHING_UP
