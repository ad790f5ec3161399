"""A set that has gone again, its tiles back in the hand and the called one back in the pond → a call taken back."""

from __future__ import annotations

from collections.abc import Iterator

from table_engine.fusion.deed import Deed
from table_engine.fusion.picture import Face
from table_engine.fusion.view import View
from table_engine.state import Meld
from table_engine.wire.actions import TileReturned
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, kind


def uncalled(view: View) -> Iterator[Deed]:
    """The last set of a seat that was called and is gone, while the hand has grown by its own tiles."""
    for seat in SEATS:
        meld, zone = _gone(view, seat), view.picture.melds[seat]
        if meld is None or view.rack_delta[seat] != len(meld.tiles) - 1:
            continue
        back = TileReturned(
            at_ms=zone.at_ms,
            evidence=(zone.proof, view.picture.racks[seat].proof),
            confidence=0.85,
            seat=seat,
            what="call",
            tile=meld.called or UNKNOWN,
        )
        due = view.settled(zone.came_ms, view.rack_quiet(seat))
        yield Deed((back,), zone.at_ms, zone.at_ms, regular=False, ripe=False, due_ms=due)


def put_back(view: View, giver: Seat, face: Face) -> bool:
    """A tile in a pond that is no discard: it was called and lies there again."""
    for seat in SEATS:
        meld = _gone(view, seat)
        if meld and meld.source == giver and meld.called and kind(meld.called) == kind(face.code):
            return True
    return False


def _gone(view: View, seat: Seat) -> Meld | None:
    melds = view.state.players[seat].melds
    last = len(melds) - 1
    return melds[last] if last in view.sets[seat].missing and melds[last].source is not None else None
