"""Several sources' envelopes → one stream in the order things happened. Pure: no clock, only what the envelopes say.

Each source speaks in its own order and promises by `Watermark` up to which moment it has nothing more to say. What is
older than the lowest promise of all live sources is complete and is released, sorted by `at_ms`; the rest waits. A promise
that all others have reached is released with it, ahead of what else was said of its moment: time runs up to it. A source
is live while it is online and its promise is no more than `silence_ms` behind the furthest one; a dead source is not
waited for, and what it says later about the past is released at once, late. Where comings and goings are `told`
(`presence`), a source that is online is waited for however far it is behind: it has much to catch up with.

A clock is never set back while a source runs (`SystemClock`). One that starts anew with a clock set back goes on where
the others are, with a fault.

Within a source the numbers `(boot, seq)` put things right: what was had before is dropped, what comes too early waits
for what is missing. A number that is still missing when its source has gone on for `hole_ms` is given up with a fault;
should it come after all, it is taken late.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from table_engine.wire.alerts import Fault
from table_engine.wire.frozen import replace
from table_engine.wire.observations import Envelope, Watermark
from table_engine.wire.phrases import phrase

NEVER: Final = -(2**62)
_SKIPS_KEPT: Final = 256
_SET_BACK_MS: Final = 60_000
"""A source that starts anew this far before what it promised has had its clock set back; a device says again what it
had not been heard to say, which is less old."""


Waiting = tuple[int, bool, str, int, int, Envelope]
"""(at_ms, whether it says more than a promise, src, boot, seq, envelope)."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of one source's stream."""

    boot: int
    seq: int = 0
    """Last number had without a hole."""
    promised_ms: int = NEVER
    """Nothing more will be said about any moment before this."""
    online: bool = True
    spoken: bool = True
    """False while the source is only known to be there."""
    early: tuple[Envelope, ...] = ()
    """Came before a number that is still missing; by seq."""
    skipped: frozenset[int] = frozenset()
    """Numbers given up."""
    shift_ms: int = 0
    """What this boot's times lack: its clock was set back before it began."""


@dataclass(frozen=True, slots=True)
class Merge:
    """The merger between two envelopes. Start with `Merge()`; sources join when they first speak."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()
    """Sorted."""
    released_ms: int = NEVER
    silence_ms: int = 3_000
    hole_ms: int = 2_000
    told: bool = False
    """Comings and goings are told by `presence`, silence included."""

    @property
    def live(self) -> tuple[str, ...]:
        """Sources that are waited for."""
        return _live(self.sources, None if self.told else self.silence_ms)


@dataclass(frozen=True, slots=True)
class Merged:
    """What an input led to: the merger, the envelopes released in order, and faults of sources."""

    merge: Merge
    released: tuple[Envelope, ...] = ()
    faults: tuple[Fault, ...] = ()


def offer(merge: Merge, envelope: Envelope) -> Merged:
    """Takes one envelope as it came from the wire."""
    told: tuple[Fault, ...] = ()
    old = merge.sources.get(envelope.src)
    if old is None or not old.spoken:
        old = Source(envelope.boot, envelope.seq - 1)
    elif envelope.boot > old.boot:
        back = old.promised_ms - envelope.at_ms > _SET_BACK_MS
        old = Source(
            envelope.boot, 0, old.promised_ms, shift_ms=_furthest(merge.sources) - envelope.at_ms if back else 0
        )
        told = (_set_back(envelope, old.shift_ms),) if back else ()
    elif envelope.boot < old.boot or _had(old, envelope):
        return Merged(merge)
    if old.shift_ms:
        envelope = envelope.model_copy(update={"at_ms": envelope.at_ms + old.shift_ms})
    source, came, faults = _take(old, envelope, merge.hole_ms)
    waiting = list(merge.waiting)
    for one in came:
        insort(waiting, _waits(one))
        if isinstance(one.data, Watermark):
            source = replace(source, promised_ms=max(source.promised_ms, one.at_ms))
    if not source.online and source.promised_ms >= _furthest(merge.sources) - merge.silence_ms:
        source = replace(source, online=True)
    return _release(merge, envelope.src, source, waiting, (*told, *faults))


def presence(merge: Merge, src: str, *, boot: int, online: bool) -> Merged:
    """Takes what is known of a source's coming and going. An `offline` of an older boot means nothing. One that is not
    online counts again once it has caught up."""
    old = merge.sources.get(src)
    if old is None and online and merge.told:
        return _release(merge, src, Source(boot, spoken=False), list(merge.waiting), ())
    if old is None or boot < old.boot or old.online == online:
        return Merged(merge)
    return _release(merge, src, replace(old, online=online), list(merge.waiting), ())


def drain(merge: Merge) -> Merged:
    """Everything that waits, in order: the end of a journal or of a record that is played."""
    waiting = list(merge.waiting)
    for source in merge.sources.values():
        for one in source.early:
            insort(waiting, _waits(one))
    sources = {
        name: replace(s, early=(), seq=s.early[-1].seq if s.early else s.seq) for name, s in merge.sources.items()
    }
    released = max([merge.released_ms, *(item[0] for item in waiting)])
    after = replace(merge, sources=sources, waiting=(), released_ms=released)
    return Merged(after, tuple(item[-1] for item in waiting))


def _waits(envelope: Envelope) -> Waiting:
    says = not isinstance(envelope.data, Watermark)
    return envelope.at_ms, says, envelope.src, envelope.boot, envelope.seq, envelope


def _had(source: Source, envelope: Envelope) -> bool:
    if envelope.seq <= source.seq:
        return envelope.seq not in source.skipped
    return any(e.seq == envelope.seq for e in source.early)


def _take(source: Source, envelope: Envelope, hole_ms: int) -> tuple[Source, list[Envelope], tuple[Fault, ...]]:
    """The source after one new envelope, what of it may go on, and a fault when a hole is given up."""
    if envelope.seq <= source.seq:
        return replace(source, skipped=source.skipped - {envelope.seq}), [envelope], ()
    if not source.early and envelope.seq == source.seq + 1:
        return replace(source, seq=envelope.seq), [envelope], ()
    early = sorted((*source.early, envelope), key=lambda e: e.seq)
    faults: tuple[Fault, ...] = ()
    seq, skipped = source.seq, source.skipped
    if early[0].seq != seq + 1 and max(e.at_ms for e in early) - early[0].at_ms > hole_ms:
        missing = range(seq + 1, early[0].seq)
        faults = (_hole(envelope, missing),)
        skipped = frozenset(sorted(skipped.union(missing[-_SKIPS_KEPT:]))[-_SKIPS_KEPT:])
        seq = early[0].seq - 1
    came = []
    while early and early[0].seq == seq + 1:
        came.append(early.pop(0))
        seq += 1
    return replace(source, seq=seq, early=tuple(early), skipped=skipped), came, faults


def _set_back(envelope: Envelope, shift_ms: int) -> Fault:
    says = phrase(
        "the clock of {source} was set back by some {shift} s; its times are taken to go on; set its clock",
        source=envelope.src,
        shift=round(shift_ms / 1000),
    )
    return Fault.told(envelope.src, "clock", says, envelope.at_ms + shift_ms)


def _hole(envelope: Envelope, missing: range) -> Fault:
    first, last, source = missing[0], missing[-1], envelope.src
    if first == last:
        says = phrase(
            "message {n} of {source} never came; the next whole picture puts it right", n=first, source=source
        )
    else:
        says = phrase(
            "messages {n} to {last} of {source} never came; the next whole picture puts it right",
            n=first,
            last=last,
            source=source,
        )
    return Fault.told(source, "messages_lost", says, envelope.at_ms)


def _release(
    merge: Merge,
    src: str,
    source: Source,
    waiting: list[Waiting],
    faults: Iterable[Fault],
) -> Merged:
    sources = {**merge.sources, src: source}
    live = _live(sources, None if merge.told else merge.silence_ms)
    complete = max(min((sources[name].promised_ms for name in live), default=NEVER), merge.released_ms)
    count = 0
    while count < len(waiting) and waiting[count][:2] < (complete, True):
        count += 1
    out = tuple(item[-1] for item in waiting[:count])
    after = replace(merge, sources=sources, waiting=tuple(waiting[count:]), released_ms=complete)
    return Merged(after, out, tuple(faults))


def _furthest(sources: Mapping[str, Source]) -> int:
    return max((s.promised_ms for s in sources.values()), default=NEVER)


def _live(sources: Mapping[str, Source], silence_ms: int | None) -> tuple[str, ...]:
    if silence_ms is None:
        return tuple(name for name, s in sources.items() if s.online)
    furthest = _furthest(sources)
    return tuple(name for name, s in sources.items() if s.online and s.promised_ms >= furthest - silence_ms)
