"""Tiles that came into a pond or went out of it → discards, and discards taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table_engine.ask import seen
from table_engine.fusion.deed import Deed
from table_engine.fusion.draws import HIDDEN_MS, implied
from table_engine.fusion.picture import LONG_AGO, Face
from table_engine.fusion.repair import SURE
from table_engine.fusion.uncalled import put_back
from table_engine.fusion.view import View
from table_engine.wire.actions import Action, Discarded, TileCorrected, TileReturned
from table_engine.wire.frozen import replace
from table_engine.wire.layout import Zone
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import FLOWERS, REDS, UNKNOWN, Tile, copies, is_face, kind

ARM_BEFORE_MS: Final = 3_000
_LATE_LOOK_MS: Final = 2_000
"""From hand to pond a tile does not take longer."""


def discards(view: View) -> Iterator[Deed]:
    """The next discard of each seat, where one came to lie in its pond."""
    for seat in SEATS:
        face = view.ponds[seat].gained[0] if view.ponds[seat].gained else None
        delta = view.zone_delta[seat]
        lost = len(view.ponds[seat].lost)
        counted = delta is not None and delta > -lost
        if face is None and (delta is None or delta <= 0):
            continue
        if face and put_back(view, seat, face):
            continue
        if face is None and _unseen(view, seat) and not _gone_on(view, seat):
            continue
        yield _discard(view, seat, face, counted=counted)


def _discard(view: View, seat: Seat, face: Face | None, *, counted: bool) -> Deed:
    picture, patience = view.picture, view.patience
    pond, reading = picture.ponds[seat], picture.discard_counts[seat]
    came = max(pond.came_ms if face else LONG_AGO, reading.came_ms if counted else LONG_AGO)
    both = face is not None and counted
    alone = not (view.bridge and view.zone_delta[seat] is not None) if face else not view.camera
    arm = view.arm(Zone.POND, seat, pond.at_ms if face else reading.at_ms, ARM_BEFORE_MS)
    if counted:
        lo = hi = reading.at_ms
    else:
        lo, hi = (arm.since_ms if arm and arm.seat == seat else pond.at_ms), pond.at_ms
        left_ms = picture.racks[seat].count_ms
        if (view.rack_delta[seat] or 0) < 0 and hi - left_ms > _LATE_LOOK_MS:
            lo = min(lo, left_ms)  # the tile had left the hand long before anybody looked at the pond
    turn, player = view.state.turn, view.state.players[seat]
    holds = turn.phase == "discard" and turn.actor == seat and not player.owed
    due = came + (patience.corroborate if face is None else patience.corroborate // 2)
    if face is None and arm is not None and arm.until_ms is None:
        due = max(due, came + HIDDEN_MS)
    ripe = both or alone
    before: tuple[Action, ...] = ()
    if not holds:
        before = implied(view, seat, hi)
        due = max(due, view.settled(came, view.rack_quiet(seat)))
        ripe = False
    sure = 0.99 if both else 0.9 if face else 0.7 if alone else 0.5
    tile = credible(view, face) if face else UNKNOWN
    if face and tile == UNKNOWN and (doubted := _mistaken(view, face)):
        before, tile = (*before, doubted), face.code
    proofs = ((pond.proof,) if face else ()) + ((reading.proof,) if counted else ())
    action = Discarded(
        at_ms=hi,
        evidence=proofs,
        confidence=min(sure, face.confidence) if face and is_face(tile) else sure,
        seat=seat,
        tile=tile,
        sideways=_declares(view, seat, face),
        drawn=_drawn(view, seat),
    )
    return Deed((*before, action), lo, hi, regular=holds, ripe=ripe, due_ms=due)


def _drawn(view: View, seat: Seat) -> bool | None:
    """False where the tile drawn still stands apart after the discard. That it was the one discarded nobody can see for
    sure: it may have been racked before."""
    rack, player = view.picture.racks[seat], view.state.players[seat]
    left = rack.known and not rack.open and rack.standing == player.concealed - 1
    return False if left and rack.apart and player.drawn_from is not None else None


def _unseen(view: View, seat: Seat) -> bool:
    """The camera sees that nothing came into a pond: no arm is over it, and the hand is as large as it was."""
    covered = any(a.until_ms is None and a.zone == Zone.POND and a.owner == seat for a in view.picture.arms)
    return view.picture.ponds[seat].known and not covered and view.rack_delta[seat] == 0


def _gone_on(view: View, seat: Seat) -> bool:
    """Somebody has drawn since the controller counted a discard."""
    return any(t.at_ms > view.picture.discard_counts[seat].at_ms for t in view.takings)


def _declares(view: View, seat: Seat, face: Face | None) -> bool:
    """Only the first sideways discard declares ready: when it is called away, the next one lies sideways in its stead."""
    return bool(face and face.sideways and view.rules.calls.ready_declared and not view.state.players[seat].ready)


def credible(view: View, face: Face, instead: Tile = UNKNOWN, share: float = 0.5) -> Tile:
    """The face as read, if the set can still hold it: otherwise the likeliest of its candidates that is possible and has
    at least this share of what is possible, or unknown. `instead`: what the tile was believed to be so far."""
    counts = seen(view.state)
    counts[kind(instead)] -= 1

    def possible(tile: Tile) -> bool:
        return is_face(tile) and _in_set(view, tile) and counts[kind(tile)] < copies(tile)

    def plain(code: Tile) -> Tile:
        return kind(code) if code in REDS and not view.rules.set.red_fives else code

    if possible(plain(face.code)):
        return plain(face.code)
    others = [(chance, plain(code)) for code, chance in face.candidates if possible(plain(code))]
    left = 1.0 - sum(chance for code, chance in face.candidates if is_face(code) and not possible(plain(code)))
    best = max(others, default=(0.0, UNKNOWN))
    return best[1] if best[0] > 0 and best[0] >= share * max(left, best[0]) else UNKNOWN


def _in_set(view: View, tile: Tile) -> bool:
    return tile not in FLOWERS or view.rules.set.flowers > 0


def _mistaken(view: View, face: Face) -> TileCorrected | None:
    """Where a fifth copy is read for certain, an earlier one that was read in doubt was something else."""
    if not is_face(face.code) or face.confidence < SURE or not _in_set(view, face.code):
        return None
    for seat in SEATS:
        pond, player = view.picture.ponds[seat], view.state.players[seat]
        lying = [n for n, p in enumerate(player.pond) if p.taken is None]
        for index, old in zip(lying, pond.faces, strict=False):
            was = player.pond[index].tile
            if old.code != was or kind(was) != kind(face.code) or old.confidence >= SURE:
                continue
            other = credible(view, replace(old, code=UNKNOWN, candidates=_without(old, was)), share=0.0)
            if other != UNKNOWN:
                return TileCorrected(
                    at_ms=pond.at_ms,
                    evidence=(pond.proof,),
                    confidence=1 - old.confidence,
                    seat=seat,
                    zone="pond",
                    index=index,
                    was=was,
                    tile=other,
                )
    return None


def _without(face: Face, tile: Tile) -> tuple[tuple[Tile, float], ...]:
    return tuple((code, share) for code, share in face.candidates if kind(code) != kind(tile))


def returns(view: View) -> Iterator[Deed]:
    """A discard that left its pond while its owner's hand grew, and nobody laid a set: it was taken back."""
    for seat in SEATS:
        player = view.state.players[seat]
        last = len(player.pond) - 1
        gone = view.ponds[seat].lost
        if not gone or gone[-1] != last or view.state.players[seat].pond[last].taken is not None:
            continue
        pond = view.picture.ponds[seat]
        if any(change.new for change in view.sets):
            continue
        due = view.settled(pond.came_ms)
        if view.zone_delta[seat] != -1:
            due += view.patience.irregular  # no counter has noticed
        tile = player.pond[last].tile
        if view.rack_delta[seat] == 1:
            back = TileReturned(
                at_ms=pond.at_ms, evidence=(pond.proof,), confidence=0.85, seat=seat, what="discard", tile=tile
            )
            yield Deed((back,), pond.at_ms, pond.at_ms, regular=False, ripe=False, due_ms=due)


def rereads(view: View) -> Iterator[Deed]:
    """Discards that read otherwise than they did, or can be read at last."""
    for seat in SEATS:
        pond = view.picture.ponds[seat]
        for other in view.ponds[seat].reread:
            unknown = other.was == UNKNOWN
            if not unknown and (pond.at_ms <= view.fusion.laid_ms[seat] or other.face.confidence < SURE):
                continue
            tile = credible(view, other.face, instead=other.was)
            if tile in (UNKNOWN, other.was):
                continue
            better = TileCorrected(
                at_ms=pond.at_ms,
                evidence=(pond.proof,),
                confidence=other.face.confidence,
                seat=seat,
                zone="pond",
                index=other.index,
                was=other.was,
                tile=tile,
                sideways=unknown and _declares(view, seat, other.face),
            )
            due = pond.came_ms + view.patience.reread
            yield Deed((better,), pond.at_ms, pond.at_ms, regular=True, ripe=unknown, due_ms=due)
