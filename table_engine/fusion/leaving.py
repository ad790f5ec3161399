"""Tiles that have left a hand for a zone without a move having been told yet."""

from __future__ import annotations

from table_engine.fusion.view import View
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK


def leaving(view: View) -> list[int]:
    """Tiles of each seat that lie in a zone now without a move having been told: they left its hand."""
    out = [_loose(view, seat) for seat in SEATS]
    for seat in SEATS:
        told = bool(view.sets[seat].missing)
        for group in view.sets[seat].new:
            if told and len(group) < 3:
                continue  # part of a set that was told before it could be seen whole
            hidden = sum(f.code == BACK for f in group) >= 2
            out[seat] += len(group) if hidden or len(group) < 3 else len(group) - 1
    return out


def _loose(view: View, seat: Seat) -> int:
    """Those of them that are no new set."""
    pond, delta = view.ponds[seat], view.zone_delta[seat]
    laid = len(pond.gained) if view.camera else max(0, delta or 0)
    return laid + len(view.flowers[seat]) + len(view.sets[seat].grown)


def short_by(view: View, seat: Seat) -> int | None:
    """By how many tiles a hand is smaller than it should be, beyond those that left it for elsewhere than a new set."""
    delta = view.rack_delta[seat]
    return None if delta is None else -delta - _loose(view, seat)
