"""Where the called tile of a set came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from table_engine.fusion.picture import Face
from table_engine.fusion.view import View
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, kind

_CARRIED_MS: Final = 5_000
"""How long a called tile may be on its way from the pond to its set."""
_TURNED_FROM: Final = {0: 3, 1: 2}
"""Index of the tile lying sideways → how many seats on from the caller its giver sits (otherwise the next seat)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a called tile came from. `index` -1: its discard was never seen."""

    seat: Seat
    index: int
    believed: Tile
    gone: bool
    """Seen or counted to have left the pond."""
    at_ms: int
    proofs: tuple[str, ...]
    laid_ms: int | None = None
    """When the controller counted a discard that nobody saw."""


def source_of(view: View, seat: Seat, group: Sequence[Face]) -> Source | None:
    """Whose tile completes a set: one that vanished from a pond, else the last discard while it may be called, else the
    discard nobody saw of the seat that was to discard."""
    offer = view.state.turn.offer
    kinds = {kind(f.code) for f in group if is_face(f.code)}
    wild = any(f.code == UNKNOWN for f in group)
    found: list[tuple[int, Source]] = []
    for giver in SEATS:
        if giver == seat:
            continue
        player = view.state.players[giver]
        open_places = [n for n, p in enumerate(player.pond) if p.taken is None]
        offered = offer is not None and offer.seat == giver and not offer.robbing
        less = view.zone_delta[giver]
        for index in view.ponds[giver].lost:
            fits = kind(player.pond[index].tile) in kinds or wild or player.pond[index].tile == UNKNOWN
            last = index == len(player.pond) - 1
            rank = (0 if offered and last else 2) + (0 if fits else 1)
            found.append((rank, from_pond(view, giver, index, gone=True)))
        if offered and open_places and open_places[-1] == len(player.pond) - 1:
            index = open_places[-1]
            gone = less is not None and less < 0
            fits = kind(player.pond[index].tile) in kinds or wild or player.pond[index].tile == UNKNOWN
            if not view.ponds[giver].lost and (fits or gone):
                found.append((1 if gone else 4, from_pond(view, giver, index, gone=gone)))
    if found:
        return min(found, key=lambda item: item[0])[1]
    return _unseen(view, seat, group)


def from_pond(view: View, giver: Seat, index: int, *, gone: bool) -> Source:
    """A discard as the source of a call; `index` among all discards of the giver, `gone` if it was seen to leave."""
    pond, reading = view.picture.ponds[giver], view.picture.discard_counts[giver]
    times, proofs = [], []
    if index in view.ponds[giver].lost:
        times.append(pond.at_ms)
        proofs.append(pond.proof)
    less = view.zone_delta[giver]
    if less is not None and less < 0:
        times.append(reading.at_ms)
        proofs.append(reading.proof)
    at = min(times, default=view.now_ms)
    return Source(giver, index, view.state.players[giver].pond[index].tile, gone, at, tuple(proofs))


def _unseen(view: View, seat: Seat, group: Sequence[Face]) -> Source | None:
    """A discard that was called before anybody saw it: its owner was to discard and its hand is one tile smaller."""
    turn = view.state.turn
    giver = turn.actor
    if turn.phase != "discard" or giver == seat:
        return None
    turned = next((n for n, f in enumerate(group) if f.sideways), None)
    if turned is not None and seat.step(_TURNED_FROM.get(turned, 1)) != giver:
        return None
    zone = view.picture.melds[seat]
    for passage in view.fusion.passages:
        if passage.seat == giver and zone.at_ms - _CARRIED_MS <= passage.gone_ms <= zone.at_ms:
            return Source(giver, -1, UNKNOWN, True, passage.gone_ms, passage.proofs, passage.laid_ms)
    if (view.rack_delta[giver] or 0) >= 0:
        return None
    return Source(giver, -1, UNKNOWN, gone=True, at_ms=zone.at_ms, proofs=())
