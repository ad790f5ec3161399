"""Sets and flowers that came to lie in front of a seat → calls, kongs, flowers shown.

A set is complete when it holds one tile more than left its owner's hand: the called one. Until the hand has been seen that
small, three of a kind may still become four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from table_engine.fusion.compare import alike
from table_engine.fusion.deed import Deed
from table_engine.fusion.discards import credible
from table_engine.fusion.picture import Face, Lying
from table_engine.fusion.repair import as_set
from table_engine.fusion.view import View
from table_engine.wire.actions import Action, Called, Discarded, FlowersShown, Konged, TileCorrected
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, UNKNOWN, Tile, is_face, is_run, is_same, kind, order

_CARRIED_MS: Final = 5_000
"""How long a called tile may be on its way from the pond to its set."""
_TURNED_FROM: Final = {0: 3, 1: 2}
"""Index of the tile lying sideways → how many seats on from the caller its giver sits (otherwise the next seat)."""


@dataclass(frozen=True, slots=True)
class _Source:
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


def melds(view: View) -> Iterator[Deed]:
    """The next set of each seat that was laid or has grown."""
    for seat in SEATS:
        change, zone = view.sets[seat], view.picture.melds[seat]
        for number, face in change.grown:
            meld = view.state.players[seat].melds[number]
            if meld.call == "pung" and any(alike(kind(face.code), kind(t)) for t in meld.tiles):
                yield _kong(view, seat, "added", face.code, zone)
        group = next((g for g in change.new if len(g) >= 3), None)
        if group is None:
            continue
        deed = _laid(view, seat, as_set(group), zone)
        if deed:
            yield deed


def unseen_call(view: View) -> Iterator[Deed]:
    """A call whose set nobody has looked at: the last discard is gone, and one other hand is smaller by the tiles that make
    a set of it."""
    turn, offer = view.state.turn, view.state.turn.offer
    if turn.phase != "draw" or offer is None or offer.robbing or not view.camera:
        return
    source, last = offer.seat, len(view.state.players[offer.seat].pond) - 1
    gone = last in view.ponds[source].lost or (view.zone_delta[source] or 0) < 0
    if not gone or any(len(group) >= 3 for change in view.sets for group in change.new):
        return
    callers = [s for s in SEATS if s != source and _less(view, s) in (2, 3)]
    if len(callers) != 1:
        return
    caller, less = callers[0], _less(view, callers[0]) or 2
    found = _from_pond(view, source, last, gone=True)
    call: Literal["chow", "pung", "kong"] = "kong" if less == 3 else "chow" if caller == source.next else "pung"
    called = Called(
        at_ms=found.at_ms,
        evidence=(*found.proofs, view.picture.racks[caller].proof),
        confidence=0.6,
        seat=caller,
        call=call,
        tile=found.believed,
        source=source,
        tiles=(found.believed, *(UNKNOWN,) * less),
    )
    due = view.settled(view.rack_quiet(caller)) + view.patience.corroborate
    yield Deed((called,), found.at_ms, found.at_ms, regular=False, ripe=False, due_ms=due)


def leaving(view: View) -> list[int]:
    """Tiles of each seat that lie in a zone now without a move having been told: they left its hand."""
    out = [_loose(view, seat) for seat in SEATS]
    for seat in SEATS:
        for group in view.sets[seat].new:
            hidden = sum(f.code == BACK for f in group) >= 2
            out[seat] += len(group) if hidden or len(group) < 3 else len(group) - 1
    return out


def _loose(view: View, seat: Seat) -> int:
    """Those of them that are no new set."""
    pond, delta = view.ponds[seat], view.zone_delta[seat]
    laid = len(pond.gained) if view.camera else max(0, delta or 0)
    return laid + len(view.flowers[seat]) + len(view.sets[seat].grown)


def _less(view: View, seat: Seat) -> int | None:
    """By how many tiles a hand is smaller than it should be, beyond those that left it for elsewhere than a new set."""
    delta = view.rack_delta[seat]
    return None if delta is None else -delta - _loose(view, seat)


def _kong(view: View, seat: Seat, kong: Literal["concealed", "added"], tile: Tile, zone: Lying) -> Deed:
    turn, player = view.state.turn, view.state.players[seat]
    delta = view.rack_delta[seat]
    regular = turn.phase == "discard" and turn.actor == seat and not player.owed
    action = Konged(
        at_ms=zone.at_ms,
        evidence=(zone.proof,),
        confidence=0.97,
        seat=seat,
        kong=kong,
        tile=tile if is_face(tile) else UNKNOWN,
    )
    left = delta is not None and delta <= (-4 if kong == "concealed" else -1)
    due = view.settled(zone.came_ms, view.rack_quiet(seat))
    return Deed((action,), zone.at_ms, zone.at_ms, regular=regular, ripe=regular and left, due_ms=due)


def _laid(view: View, seat: Seat, group: Sequence[Face], zone: Lying) -> Deed | None:
    hidden = sum(f.code == BACK for f in group)
    less = _less(view, seat)
    faces = [f.code for f in group if is_face(f.code)]
    source = _source(view, seat, group)
    if len(group) == 4 and (hidden >= 2 or (less == 4 and not (source and source.gone))):
        return _kong(view, seat, "concealed", kind(faces[0]) if faces else UNKNOWN, zone)
    if hidden or source is None:
        return None
    if len(group) == 3 and is_same(faces) and less == 3:
        return None
    return _called(view, seat, group, zone, source)


def _called(view: View, seat: Seat, group: Sequence[Face], zone: Lying, source: _Source) -> Deed:
    tile = _called_tile(group, source.believed)
    tiles = tuple(sorted((f.code for f in group), key=order))
    call = _call(tiles, tile)
    turn, offer = view.state.turn, view.state.turn.offer
    regular = turn.phase == "draw" and offer is not None and offer.seat == source.seat and source.index >= 0
    less = _less(view, seat)
    complete = less is None or less == len(group) - 1
    ripe = regular and source.gone and (complete or (call == "chow" and is_run(tiles)))
    due = view.settled(zone.came_ms) if complete else view.settled(zone.came_ms, view.rack_quiet(seat))
    proofs = (zone.proof, *source.proofs)
    at = min(source.at_ms, zone.at_ms)
    before: tuple[Action, ...] = ()
    if source.index < 0:
        counted = source.laid_ms is not None
        laid_ms = at if source.laid_ms is None else source.laid_ms
        sure = 0.85 if counted else 0.6
        before = (Discarded(at_ms=laid_ms, evidence=proofs, confidence=sure, seat=source.seat, tile=tile),)
        ripe = ripe or (counted and complete)
        due += view.patience.irregular
    elif tile != source.believed:
        before = (
            TileCorrected(
                at_ms=at,
                evidence=proofs,
                confidence=0.9,
                seat=source.seat,
                zone="pond",
                index=source.index,
                was=source.believed,
                tile=tile,
            ),
        )
    sure = 0.98 if ripe else 0.85
    called = Called(
        at_ms=at, evidence=proofs, confidence=sure, seat=seat, call=call, tile=tile, source=source.seat, tiles=tiles
    )
    return Deed((*before, called), at, at, regular=regular, ripe=ripe, due_ms=due)


def _call(tiles: tuple[Tile, ...], tile: Tile) -> Literal["chow", "pung", "kong"]:
    if len(tiles) >= 4:
        return "kong"
    return "pung" if sum(kind(t) == kind(tile) for t in tiles) >= 2 else "chow"


def _called_tile(group: Sequence[Face], believed: Tile) -> Tile:
    """Which tile of the set is the called one: the one lying sideways, as discarded unless no such tile lies in the set."""
    codes = [f.code for f in group]
    turned = next((f.code for f in group if f.sideways and is_face(f.code)), None)
    if believed in codes and (turned is None or kind(turned) == kind(believed)):
        return believed
    alike_kind = [c for c in codes if is_face(c) and kind(c) == kind(believed)]
    if turned is not None and (not alike_kind or turned in alike_kind):
        return turned
    if alike_kind:
        return alike_kind[0]
    if UNKNOWN in codes and is_face(believed):
        return believed
    faces = [c for c in codes if is_face(c)]
    if not faces:
        return believed
    return faces[0] if is_same(faces) else codes[1] if is_face(codes[1]) else faces[0]


def _source(view: View, seat: Seat, group: Sequence[Face]) -> _Source | None:
    """Whose tile completes a set: one that vanished from a pond, else the last discard while it may be called, else the
    discard nobody saw of the seat that was to discard."""
    offer = view.state.turn.offer
    kinds = {kind(f.code) for f in group if is_face(f.code)}
    wild = any(f.code == UNKNOWN for f in group)
    found: list[tuple[int, _Source]] = []
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
            found.append((rank, _from_pond(view, giver, index, gone=True)))
        if offered and open_places and open_places[-1] == len(player.pond) - 1:
            index = open_places[-1]
            gone = less is not None and less < 0
            fits = kind(player.pond[index].tile) in kinds or wild or player.pond[index].tile == UNKNOWN
            if not view.ponds[giver].lost and (fits or gone):
                found.append((1 if gone else 4, _from_pond(view, giver, index, gone=gone)))
    if found:
        return min(found, key=lambda item: item[0])[1]
    return _unseen(view, seat, group)


def _from_pond(view: View, giver: Seat, index: int, *, gone: bool) -> _Source:
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
    return _Source(giver, index, view.state.players[giver].pond[index].tile, gone, at, tuple(proofs))


def _unseen(view: View, seat: Seat, group: Sequence[Face]) -> _Source | None:
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
            return _Source(giver, -1, UNKNOWN, True, passage.gone_ms, passage.proofs, passage.laid_ms)
    if (view.rack_delta[giver] or 0) >= 0:
        return None
    return _Source(giver, -1, UNKNOWN, gone=True, at_ms=zone.at_ms, proofs=())


def flowers(view: View) -> Iterator[Deed]:
    """Flowers newly shown by a seat: those laid one after the other are one showing, until something else happens."""
    for seat in SEATS:
        faces = view.flowers[seat]
        if not faces or not view.rules.set.flowers:
            continue
        zone, turn = view.picture.flowers[seat], view.state.turn
        player = view.state.players[seat]
        first_lap = view.state.discards == 0
        holds = turn.phase == "discard" and turn.actor == seat
        regular = (holds or first_lap) and not player.owed
        done = any(t.came_ms >= zone.came_ms for t in view.takings)
        tiles = tuple(credible(view, f) for f in faces)
        shown = FlowersShown(at_ms=zone.at_ms, evidence=(zone.proof,), confidence=0.97, seat=seat, tiles=tiles)
        due = zone.came_ms + view.patience.flowers
        yield Deed((shown,), zone.at_ms, zone.at_ms, regular=regular, ripe=regular and done, due_ms=due)
