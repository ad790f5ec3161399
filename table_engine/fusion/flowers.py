"""Flowers that came to lie in front of a seat → flowers shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table_engine.fusion.deed import Deed
from table_engine.fusion.discards import credible
from table_engine.fusion.view import View
from table_engine.wire.actions import FlowersShown
from table_engine.wire.seats import SEATS

_LAYING_MS: Final = 100
"""Between laying a flower out and taking its replacement."""


def flowers(view: View) -> Iterator[Deed]:
    """Flowers newly shown by a seat: those laid one after the other are one showing, until something else happens."""
    laid = [s for s in SEATS if view.flowers[s]]
    laid.sort(key=lambda s: (view.picture.flowers[s].at_ms, (s - view.state.dealer) % 4))
    first = laid[0] if laid else None
    for seat in laid:
        faces = view.flowers[seat]
        if not view.rules.set.flowers:
            continue
        zone, turn = view.picture.flowers[seat], view.state.turn
        player = view.state.players[seat]
        first_lap = view.state.discards == 0
        holds = turn.phase == "discard" and turn.actor == seat
        regular = (holds or first_lap) and not player.owed
        done = any(t.came_ms >= zone.came_ms for t in view.takings)
        tiles = tuple(credible(view, f) for f in faces)
        owed = any(p.owed for p in view.state.players)
        at_ms = view.before_replacement(zone.at_ms) if seat == first and not owed else zone.at_ms
        shown = FlowersShown(at_ms=at_ms, evidence=(zone.proof,), confidence=0.97, seat=seat, tiles=tiles)
        due = zone.came_ms + view.patience.flowers
        yield Deed((shown,), at_ms - _LAYING_MS, at_ms, regular=regular, ripe=regular and done, due_ms=due)
