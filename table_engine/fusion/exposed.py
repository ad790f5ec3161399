"""Tiles that lie open although they belong to nobody's set, pond or win → tiles exposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from table_engine.fusion.deed import Deed
from table_engine.fusion.picture import Face
from table_engine.fusion.shown import indicator_place
from table_engine.fusion.view import View
from table_engine.fusion.wins import LAID_OPEN
from table_engine.wire.actions import TilesExposed
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import Tile, is_face, kind

_SURE: Final = 0.9


def exposed(view: View) -> Iterator[Deed]:
    """Tiles of hands and of the wall that lie open and were not told yet."""
    for seat in SEATS:
        rack, player = view.picture.racks[seat], view.state.players[seat]
        if rack.known and 0 < len(rack.open) < LAID_OPEN <= rack.standing and player.open is None:
            new = _new(rack.open, player.exposed)
            if new:
                shown = TilesExposed(at_ms=rack.at_ms, evidence=(rack.proof,), confidence=_SURE, seat=seat, tiles=new)
                due = rack.came_ms + view.patience.irregular
                yield Deed((shown,), rack.at_ms, rack.at_ms, regular=False, ripe=False, due_ms=due)
    course = view.fusion.course
    if view.rules.set.dora and course is None:
        return
    for side in SEATS:
        wall = view.picture.walls[side]
        faces = [
            f for f in wall.open if course is None or not (view.rules.set.dora and indicator_place(course, side, f))
        ]
        new = _new(faces, view.state.turned_up)
        if new:
            shown = TilesExposed(
                at_ms=wall.at_ms, evidence=(wall.proof,), confidence=_SURE, seat=side, tiles=new, where="wall"
            )
            due = wall.came_ms + view.patience.irregular
            yield Deed((shown,), wall.at_ms, wall.at_ms, regular=False, ripe=False, due_ms=due)


def _new(faces: Sequence[Face], told: Sequence[Tile]) -> tuple[Tile, ...]:
    """The tiles read for certain that were not told before."""
    left = Counter(kind(tile) for tile in told)
    found = []
    for face in faces:
        if not is_face(face.code) or face.confidence < _SURE:
            continue
        if left[kind(face.code)] > 0:
            left[kind(face.code)] -= 1
        else:
            found.append(face.code)
    return tuple(found)
