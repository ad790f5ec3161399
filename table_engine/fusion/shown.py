"""Tiles turned up where they lie: dora indicators in the wall, concealed kongs at the end, faces read better than before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from table_engine.ask import kongs
from table_engine.fusion.belief import Fusion
from table_engine.fusion.compare import Reread
from table_engine.fusion.deed import Deed
from table_engine.fusion.discards import credible
from table_engine.fusion.picture import LONG_AGO, Face, Lying
from table_engine.fusion.repair import SURE
from table_engine.fusion.view import View
from table_engine.fusion.wall import Course
from table_engine.wire.actions import DoraShown, TileCorrected
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, is_face

_DEAD_WALL: Final = range(3, 8)
"""Where indicators lie, in stacks before the break."""


def dora(view: View) -> Iterator[Deed]:
    """The next indicator turned up, the first one included."""
    found = _unseen(view.fusion) if view.rules.set.dora else None
    if found is None:
        return
    side, face = found
    seen = view.picture.walls[side]
    sure = min(0.98, face.confidence)
    shown = DoraShown(at_ms=seen.at_ms, evidence=(seen.proof,), confidence=sure, tile=credible(view, face))
    regular = len(view.state.dora) <= kongs(view.state)
    due = view.settled(seen.came_ms)
    when_ms = seen.at_ms if view.state.dora else LONG_AGO  # the first one belongs to the deal, however late it is seen
    yield Deed((shown,), when_ms, when_ms, regular=regular, ripe=regular, due_ms=due)


def awaited(view: View) -> bool:
    """The first indicator is still to be seen, and there is hope: arms over the dead wall hide it for a moment."""
    hope = view.camera and view.now_ms < view.fusion.dora_due_ms
    return hope and not view.state.dora and _unseen(view.fusion) is None


def remember(fusion: Fusion) -> Fusion:
    """Notes where the indicator just told lies."""
    found = _unseen(fusion)
    return replace(fusion, indicators=(*fusion.indicators, (found[0], found[1].group))) if found else fusion


def _unseen(fusion: Fusion) -> tuple[Seat, Face] | None:
    """A face up in the dead wall that was not told yet."""
    for side in SEATS:
        for face in fusion.picture.walls[side].open:
            if (side, face.group) in fusion.indicators or not is_face(face.code):
                continue
            if fusion.course is None or indicator_place(fusion.course, side, face):
                return side, face
    return None


def indicator_place(course: Course, side: Seat, face: Face) -> bool:
    """Whether a face up in the wall lies where indicators are turned up."""
    return course.from_break(side, face.group) in _DEAD_WALL


def rereads(view: View) -> Iterator[Deed]:
    """Tiles of sets and flowers that were unknown or face down and can be read now, or read otherwise than before."""
    for seat in SEATS:
        picture = view.picture
        for other in view.sets[seat].reread:
            yield from _better(view, seat, "meld", other, picture.melds[seat], _discard_of(view, seat, other.index))
        for other in view.compared[seat].flowers[1]:
            yield from _better(view, seat, "flower", other, picture.flowers[seat])


def _discard_of(view: View, seat: Seat, index: int) -> tuple[Seat, int] | None:
    """The discard that was called into the set of which this is a tile, if neither of them could be read: whose, and its
    place in the pond. The called tile of a set is read first."""
    for meld in view.state.players[seat].melds:
        if index < len(meld.tiles):
            if meld.called != UNKNOWN or meld.source is None or any(is_face(t) for t in meld.tiles):
                return None
            pond = view.state.players[meld.source].pond
            mine = [n for n, p in enumerate(pond) if p.taken == seat and p.tile == UNKNOWN]
            return (meld.source, mine[-1]) if mine else None
        index -= len(meld.tiles)
    return None


def _better(
    view: View,
    seat: Seat,
    zone: Literal["meld", "flower"],
    other: Reread,
    lying: Lying,
    discard: tuple[Seat, int] | None = None,
) -> Iterator[Deed]:
    if not is_face(other.face.code) or (other.was != UNKNOWN and other.face.confidence < SURE):
        return
    tile = credible(view, other.face, instead=other.was)
    if tile in (UNKNOWN, other.was):
        return
    better = TileCorrected(
        at_ms=lying.at_ms,
        evidence=(lying.proof,),
        confidence=other.face.confidence,
        seat=seat,
        zone=zone,
        index=other.index,
        was=other.was,
        tile=tile,
    )
    both = (better,) if discard is None else (better, replace(better, seat=discard[0], zone="pond", index=discard[1]))
    due = lying.came_ms + view.patience.reread
    yield Deed(both, lying.at_ms, lying.at_ms, regular=True, ripe=other.was == UNKNOWN, due_ms=due)
