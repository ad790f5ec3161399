"""Counts that stay apart from the game's although nothing is left to explain: the sensor is in doubt, never the player.

A count is only held against the game once it was taken anew after the last move it should show; an older one has missed a
message and is healed by the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from table_engine.fusion.belief import Fusion
from table_engine.fusion.deed import Deed
from table_engine.fusion.view import View
from table_engine.fusion.wall import Tally
from table_engine.wire.alerts import Fault
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, Seat

DIFFERS: Final = "differs_"
"""How the codes of these faults begin; they are over with the hand."""

_SAME_DRAW_MS: Final = 500
"""A counter tells of a draw within so long of the arm the camera saw."""
_STEADY: Final = 3
"""After so many draws the same difference is the sensor's own."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """`tiles` more (negative: fewer) than the game adds up to have left or come; known since `since_ms`."""

    fixed: Fusion
    code: str
    says: Phrase
    since_ms: int


def settle(view: View, deeds: Sequence[Deed]) -> tuple[Fusion, int | None]:
    """After explaining. A count that has differed for long is taken as it is from then on and said to be in doubt.
    → belief, when to look again."""
    fusion = view.fusion
    if any(d.actions for d in deeds):
        return fusion, None
    fusion = _noted(view)
    if fusion is not view.fusion:
        view = View(fusion, view.state, view.rules)
    later: list[int] = [d.due_ms for d in deeds if d.due_ms > fusion.now_ms]
    for difference in _differences(view):
        due_ms = difference.since_ms + view.patience.unexplained
        if due_ms > fusion.now_ms:
            later.append(due_ms)
            continue
        fault = Fault.told("fusion", difference.code, difference.says, fusion.now_ms)
        fixed = difference.fixed
        # One at a time: the next one is looked at anew.
        return replace(fixed, faults={**fixed.faults, (fault.source, fault.code): fault}), fusion.now_ms + 1
    return fusion, min(later, default=None)


def _differences(view: View) -> Iterator[_Difference]:
    fusion, picture = view.fusion, view.picture
    if view.bridge:
        came = max(r.came_ms for r in picture.wall_counts)
        for fixed, beyond in _wall(view, fusion.counted, came):
            words = _apart(phrase("the table's wall counter"), beyond)
            yield _Difference(replace(fusion, counted=fixed), f"{DIFFERS}wall_counter", words, _since(view, came))
    if view.camera:
        came = max(s.came_ms for s in picture.walls)
        for fixed, beyond in _wall(view, fusion.seen, came):
            words = _apart(phrase("the camera's count of the wall"), beyond)
            yield _Difference(replace(fusion, seen=fixed), f"{DIFFERS}wall_seen", words, _since(view, came))
    for seat in SEATS if view.camera else ():
        yield from _zone(view, seat)


def _wall(view: View, tally: Tally, came_ms: int) -> Iterator[tuple[Tally, int]]:
    beyond = tally.beyond(view.wall_expected)
    if beyond and came_ms > view.fusion.drawn_ms:
        yield replace(tally, off=tally.off - beyond, odd=()), beyond


def _noted(view: View) -> Fusion:
    """Notes how wall counts differ after a draw. One that differs by as much after several draws will not heal."""
    fusion, picture = view.fusion, view.picture
    counted, seen = fusion.counted, fusion.seen
    if view.bridge:
        at_ms = max(r.at_ms for r in picture.wall_counts)
        if at_ms <= fusion.drawn_ms + _SAME_DRAW_MS:  # not already that of a draw still to be told
            counted = _odd(view, counted, at_ms)
    if view.camera:
        seen = _odd(view, seen, max(s.at_ms for s in picture.walls))
    if counted is fusion.counted and seen is fusion.seen:
        return fusion
    return replace(fusion, counted=counted, seen=seen)


def _odd(view: View, tally: Tally, at_ms: int) -> Tally:
    beyond, drawn_ms = tally.beyond(view.wall_expected), view.fusion.drawn_ms
    if not beyond:
        return replace(tally, odd=()) if tally.odd else tally
    if at_ms < drawn_ms or (tally.odd and tally.odd[-1][1] == drawn_ms):
        return tally
    odd = (*(o for o in tally.odd if o[0] == beyond), (beyond, drawn_ms))
    if len(odd) < _STEADY:
        return replace(tally, odd=odd)
    return replace(tally, off=tally.off - beyond, odd=())


def _zone(view: View, seat: Seat) -> Iterator[_Difference]:
    delta, reading = view.zone_delta[seat], view.picture.discard_counts[seat]
    if not delta or reading.at_ms <= view.fusion.laid_ms[seat]:
        return
    off = list(view.fusion.zones_off)
    off[seat] += delta
    fixed = replace(view.fusion, zones_off=(off[0], off[1], off[2], off[3]))
    words = _apart(phrase("the discard zone of seat {n}", n=seat + 1), -delta)
    yield _Difference(fixed, f"{DIFFERS}discard_zone_{int(seat)}", words, _since(view, reading.came_ms))


def _since(view: View, came_ms: int) -> int:
    return max(came_ms, view.state.at_ms)


def _apart(what: Phrase, tiles: int) -> Phrase:
    if tiles > 0:
        return phrase(
            "{what} shows {tiles} fewer than the game adds up to; check the sensor or count the tiles",
            what=what,
            tiles=tiles,
        )
    return phrase(
        "{what} shows {tiles} more than the game adds up to; check the sensor or count the tiles",
        what=what,
        tiles=-tiles,
    )
