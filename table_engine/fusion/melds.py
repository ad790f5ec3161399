"""Sets that came to lie in front of a seat → calls and kongs.

A set is complete when it holds one tile more than left its owner's hand: the called one. Until the hand has been seen that
small, three of a kind may still become four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from table_engine.fusion.compare import alike
from table_engine.fusion.deed import Deed
from table_engine.fusion.leaving import short_by
from table_engine.fusion.picture import Face, Lying
from table_engine.fusion.repair import SURE, as_set
from table_engine.fusion.source import Source, from_pond, source_of
from table_engine.fusion.view import View
from table_engine.wire.actions import Action, Called, Discarded, Konged, TileCorrected
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, UNKNOWN, Tile, is_face, is_run, is_same, kind, order


def melds(view: View) -> Iterator[Deed]:
    """The next set of each seat that was laid or has grown."""
    for seat in SEATS:
        change, zone = view.sets[seat], view.picture.melds[seat]
        for number, face in change.grown:
            meld = view.state.players[seat].melds[number]
            if meld.call == "pung" and any(alike(kind(face.code), kind(t)) for t in meld.tiles):
                yield _kong(view, seat, "added", face.code, zone)
            elif meld.call == "pung" and meld.added is None and _out_of_hand(view, seat, face):
                laid = _kong(view, seat, "added", face.code, zone)
                yield replace(laid, ripe=False, due_ms=laid.due_ms + view.patience.irregular)
        group = next((g for g in change.new if len(g) >= 3), None)
        if group is None:
            continue
        deed = _laid(view, seat, as_set(group), zone)
        if deed:
            yield deed


def _out_of_hand(view: View, seat: Seat, face: Face) -> bool:
    """A tile laid to a pung of another kind: surely read, on the own turn, and the one tile that left the hand."""
    turn = view.state.turn
    own = turn.phase == "discard" and turn.actor == seat
    return own and is_face(face.code) and face.confidence >= SURE and view.rack_delta[seat] == -1


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
    found = from_pond(view, source, last, gone=True)
    # The replacement for the fourth tile of a kong stands in the hand already.
    replaced = any(view.end_of(t) == "tail" for t in view.seen or () if t.at_ms >= found.at_ms)
    short = {s: less + replaced for s in SEATS if s != source and (less := short_by(view, s)) in (2, 3)}
    if len(short) != 1:
        return
    ((caller, less),) = short.items()
    less = min(less, 3)
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
    if view.ponds[caller].gained:
        due = view.settled(view.picture.ponds[caller].came_ms)  # the call is carried out
    else:
        due = view.settled(view.rack_quiet(caller)) + view.patience.corroborate
    yield Deed((called,), found.at_ms, found.at_ms, regular=False, ripe=False, due_ms=due)


def _kong(view: View, seat: Seat, kong: Literal["concealed", "added"], tile: Tile, zone: Lying) -> Deed:
    turn, player = view.state.turn, view.state.players[seat]
    delta = view.rack_delta[seat]
    regular = turn.phase == "discard" and turn.actor == seat and not player.owed
    at_ms = view.before_replacement(zone.at_ms) if regular else zone.at_ms
    action = Konged(
        at_ms=at_ms,
        evidence=(zone.proof,),
        confidence=0.97,
        seat=seat,
        kong=kong,
        tile=tile if is_face(tile) else UNKNOWN,
    )
    left = delta is not None and delta <= (-4 if kong == "concealed" else -1)
    due = view.settled(zone.came_ms, view.rack_quiet(seat))
    return Deed((action,), at_ms, at_ms, regular=regular, ripe=regular and left, due_ms=due)


def _laid(view: View, seat: Seat, group: Sequence[Face], zone: Lying) -> Deed | None:
    hidden = sum(f.code == BACK for f in group)
    less = short_by(view, seat)
    faces = [f.code for f in group if is_face(f.code)]
    source = source_of(view, seat, group)
    if len(group) == 4 and (hidden >= 2 or (less == 4 and not (source and source.gone))):
        return _kong(view, seat, "concealed", kind(faces[0]) if faces else UNKNOWN, zone)
    if hidden or source is None:
        return None
    if len(group) == 3 and is_same(faces) and less == 3:
        return None
    return _called(view, seat, group, zone, source)


def _called(view: View, seat: Seat, group: Sequence[Face], zone: Lying, source: Source) -> Deed:
    tile = _called_tile(view, group, source)
    tiles = tuple(sorted((f.code for f in group), key=order))
    call = _call(tiles, tile)
    turn, offer = view.state.turn, view.state.turn.offer
    regular = turn.phase == "draw" and offer is not None and offer.seat == source.seat and source.index >= 0
    less = short_by(view, seat)
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
        at_ms=at,
        evidence=proofs,
        confidence=sure,
        seat=seat,
        call=call,
        tile=tile,
        source=source.seat,
        tiles=tiles,
        place=_place(view, group, tile),
    )
    return Deed((*before, called), at, at, regular=regular, ripe=ripe, due_ms=due)


def _place(view: View, group: Sequence[Face], tile: Tile) -> int | None:
    """Where the called tile lies in its set, from the left, if that can be told."""
    row = sorted(group, key=lambda face: face.u_mm)
    if view.rules.calls.called_chow_place == "middle":
        mine = [n for n, face in enumerate(row) if kind(face.code) == kind(tile)]
    else:
        mine = [n for n, face in enumerate(row) if face.sideways]
    return mine[0] if len(mine) == 1 else None


def _call(tiles: tuple[Tile, ...], tile: Tile) -> Literal["chow", "pung", "kong"]:
    if len(tiles) >= 4:
        return "kong"
    return "pung" if sum(kind(t) == kind(tile) for t in tiles) >= 2 else "chow"


def _called_tile(view: View, group: Sequence[Face], source: Source) -> Tile:
    """Which tile of the set is the called one: the one lying sideways, as discarded unless no such tile lies in the set
    or the discard was read in doubt; then where sets are laid with the called tile in the middle, that one."""
    believed = source.believed
    codes = [f.code for f in group]
    turned = next((f.code for f in group if f.sideways and is_face(f.code)), None)
    if (source.seat, source.index) in view.fusion.doubted and all(f.confidence >= SURE for f in group):
        if turned is not None:
            return turned
        if view.rules.calls.called_chow_place == "middle" and len(codes) == 3:
            return codes[1]
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
