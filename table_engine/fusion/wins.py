"""Hands laid open → wins. A hand that is merely shown (ready at the end, given up after another's win) is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from table_engine import claim
from table_engine.ask import draws_left, held
from table_engine.deal import NINE_TERMINALS
from table_engine.fusion.deed import Deed
from table_engine.fusion.discards import credible
from table_engine.fusion.draws import NEVER_MS
from table_engine.fusion.picture import Face, Rack
from table_engine.fusion.repair import SURE, as_win
from table_engine.fusion.shape import complete
from table_engine.fusion.view import View
from table_engine.state import Offer, State
from table_engine.wire.actions import HandShown, TileCorrected, WinShown
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, UNKNOWN, Tile, is_face, is_outer, kind

LAID_OPEN: Final = 4
"""From so many open tiles on a hand is being laid down and not just a tile knocked over."""


_DEDUCED: Final = 0.8
"""How sure a tile is that was not seen but is the only one that fits."""


@dataclass(frozen=True, slots=True)
class _Shown:
    source: Seat | None
    tile: Tile
    hand: tuple[Tile, ...]


def wins(view: View) -> Iterator[Deed]:
    for seat in SEATS:
        rack, player = view.picture.racks[seat], view.state.players[seat]
        if not rack.known or player.open is not None:
            continue
        if len(rack.open) < min(LAID_OPEN, max(1, held(player))) or len(rack.open) <= rack.standing:
            continue
        shown = _shown(view, seat, rack)
        if _could_be_shown_only(view, seat) and (
            shown is None or not _is_complete(shown) or _ready_only(view, seat, shown)
        ):
            if rack.standing == 0:
                yield _only_shown(view, seat, rack)
            continue
        if shown is None:
            continue
        regular = _regular(view, seat, shown)
        whole = rack.standing == 0 and len(rack.open) in (held(player), held(player) + (shown.source is not None))
        won = WinShown(
            at_ms=rack.at_ms,
            evidence=(rack.proof,),
            confidence=min(0.97 if whole else 0.8, _read(view, rack, shown)),
            seat=seat,
            source=shown.source,
            tile=shown.tile,
            hand=shown.hand,
        )
        before = _mistaken(view, shown)
        if before:
            won = replace(won, tile=before[0].tile)
        due = rack.came_ms + view.patience.corroborate
        # What was done before the hand was opened is told before it: nothing is held back behind a win.
        yield Deed((*before, won), rack.at_ms, NEVER_MS, regular=regular, ripe=whole and regular, due_ms=due)


def _mistaken(view: View, shown: _Shown) -> tuple[TileCorrected, ...]:
    """The discard was read in doubt, and with another of its candidates the hand has won; or nobody could read it, and
    there is one tile only with which the hand has won."""
    if shown.source is None or _is_complete(shown):
        return ()
    pond, player = view.picture.ponds[shown.source], view.state.players[shown.source]
    lying = [n for n, p in enumerate(player.pond) if p.taken is None]
    if not lying:
        return ()
    face = pond.faces[-1] if len(pond.faces) == len(lying) else Face(UNKNOWN, confidence=0.0)
    if face.confidence >= SURE:
        return ()
    candidates = sorted(face.candidates, key=lambda c: -c[1])
    found = [(code, chance) for code, chance in candidates if code != shown.tile and _wins(view, shown, code)]
    if not found and shown.tile == UNKNOWN:
        only = [code for code in KINDS if _wins(view, shown, code)]
        found = [(code, _DEDUCED) for code in only] if len(only) == 1 else []
    if not found:
        return ()
    code, chance = found[0]
    better = TileCorrected(
        at_ms=pond.at_ms,
        evidence=(pond.proof,),
        confidence=chance,
        seat=shown.source,
        zone="pond",
        index=lying[-1],
        was=player.pond[lying[-1]].tile,
        tile=code,
    )
    return (better,)


def _wins(view: View, shown: _Shown, code: Tile) -> bool:
    """There may be such a tile, and the hand has won with it."""
    return credible(view, Face(code)) == code and complete((*shown.hand, code))


def _only_shown(view: View, seat: Seat, rack: Rack) -> Deed:
    """A hand laid open that is no win, and need not be one."""
    faces = tuple(face.code for face in rack.open)
    whole = len(faces) == held(view.state.players[seat])
    shown = HandShown(
        at_ms=rack.at_ms, evidence=(rack.proof,), confidence=0.97 if whole else 0.7, seat=seat, hand=faces
    )
    due = rack.came_ms + 2 * view.patience.corroborate
    return Deed((shown,), rack.at_ms, NEVER_MS, regular=True, ripe=False, due_ms=due)


def _read(view: View, rack: Rack, shown: _Shown) -> float:
    """How surely the tiles of a hand that is not complete are read, the discard it takes among them."""
    if _is_complete(shown):
        return 1.0
    last = -1 if shown.source is None else len(view.state.players[shown.source].pond) - 1
    doubted = shown.source is not None and (shown.source, last) in view.fusion.doubted
    return min([f.confidence for f in rack.open] + ([0.6] if doubted else []))


def _is_complete(shown: _Shown) -> bool:
    return is_face(shown.tile) and complete((*shown.hand, shown.tile))


def _regular(view: View, seat: Seat, shown: _Shown) -> bool:
    turn = view.state.turn
    if shown.source is not None:
        return turn.offer is not None and turn.offer.seat == shown.source
    return turn.phase == "discard" and turn.actor == seat and not view.state.players[seat].owed


def _could_be_shown_only(view: View, seat: Seat) -> bool:
    """Hands are shown without a win: after somebody's win, when the wall is played out, and where ready is declared
    (riichi) when all four have done so, or with nine terminals before the own first discard."""
    state = view.state
    if state.winners or (draws_left(state, view.rules) == 0 and state.turn.phase == "draw"):
        return True
    if not view.rules.calls.ready_declared:
        return False
    return _nine_terminals(view, seat) or all(p.ready for p in state.players)


def _ready_only(view: View, seat: Seat, shown: _Shown) -> bool:
    """Where ready hands are shown at the exhaustive draw (RI-S7), one that waits for the last discard but may not win by it,
    its own pond holding the tile or no yaku in it, is shown for being ready, unless the win was announced."""
    state, rules = view.state, view.rules
    if not rules.match.noten_points or draws_left(state, rules) > 0 or state.winners or shown.source is None:
        return False
    if any(one.seat == seat and one.call == "win" for one in state.claims):
        return False
    win = WinShown(seat=seat, source=shown.source, tile=shown.tile, hand=shown.hand)
    return claim.check(state, win, rules).valid is False


def _nine_terminals(view: View, seat: Seat) -> bool:
    """Before the own first discard and any call the player who has drawn shows nine kinds of terminals and honours."""
    state, turn = view.state, view.state.turn
    if state.players[seat].pond or any(p.melds for p in state.players):
        return False
    if turn.phase != "discard" or turn.actor != seat:
        return False
    shown = {kind(face.code) for face in view.picture.racks[seat].open if is_face(face.code)}
    return sum(map(is_outer, shown)) >= NINE_TERMINALS


def _shown(view: View, seat: Seat, rack: Rack) -> _Shown | None:
    """Whose tile a hand wins on, which, and the rest of the hand."""
    offer, turn = view.state.turn.offer, view.state.turn
    drawn = (len(rack.open) + rack.standing) % 3 == 2
    if offer is None and not drawn:
        offer = _last_discard(view.state)
    own = (turn.phase == "discard" and turn.actor == seat and drawn) or offer is None or offer.seat == seat
    if own or offer is None:
        if not drawn:
            return None
        faces = as_win(rack.open, ())
        at = _apart(faces)
        return _Shown(None, faces[at].code, tuple(f.code for n, f in enumerate(faces) if n != at))
    tile = offer.tile if is_face(offer.tile) else UNKNOWN
    faces = as_win(rack.open, () if drawn else (tile,))
    hand = [f.code for f in faces]
    if drawn:
        # The winning tile was taken up and lies with the hand.
        same = [n for n, code in enumerate(hand) if kind(code) == kind(offer.tile)]
        at = _apart(faces)
        hand.pop(at if at in same or not same else same[-1])
    return _Shown(offer.seat, tile, tuple(hand))


def _last_discard(state: State) -> Offer | None:
    """The discard a hand without a tile of its own is laid open for, though it does not lie open any more."""
    lying = [(player.pond[-1].at_ms, seat) for seat, player in zip(SEATS, state.players, strict=True) if player.pond]
    if not lying:
        return None
    at_ms, seat = max(lying)
    return Offer(seat, state.players[seat].pond[-1].tile, at_ms)


def _apart(faces: Sequence[Face]) -> int:
    """The index of the tile that lies apart at the right end; else of the rightmost tile."""
    right = sorted(range(len(faces)), key=lambda n: (faces[n].u_mm, n))
    return right[-1]
