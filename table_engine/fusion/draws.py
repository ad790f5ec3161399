"""Tiles that left the wall → draws: at which end, and who took them.

Who: the hand that has grown, the arm that was over the wall, and whose turn it is. A tile taken by the seat whose turn it
is needs one such sign; anybody else needs a grown hand or time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from table_engine.fusion.deed import Deed
from table_engine.fusion.view import ARM_NEAR_MS, View
from table_engine.fusion.wall import End, Taking
from table_engine.wire.actions import Action, Drew, TileReturned
from table_engine.wire.seats import SEATS, Seat

NEVER_MS: Final = 2**62
HIDDEN_MS: Final = 5_000
"""How long a discard may lie where nobody can see it before it is told without its face."""


@dataclass(frozen=True, slots=True)
class _Who:
    seat: Seat
    sure: float
    ripe: bool
    wait_ms: int


def draws(view: View, leaving: Sequence[int]) -> Iterator[Deed]:
    """The oldest tile that left the wall, as a draw. `leaving`: tiles of each seat that other deeds, not told yet,
    account for having left its hand."""
    if not view.takings or (not view.camera and view.state.turn.phase == "discard" and not _due_at(view, None)):
        return
    taking = view.takings[0]
    known = [w for w in (view.counted, view.seen) if w is not None]
    agreed = all(known)
    end = view.end_of(taking)
    grown = [_grown(view, s, taking, leaving[s]) for s in SEATS]
    arm = view.arm_at_wall(taking)
    hidden = view.fusion.away("camera").hid(taking.at_ms)
    who = _who(view, taking, grown, arm.seat if arm else None, agreed=agreed, hidden=hidden)
    at = arm.since_ms if arm and taking.late else taking.at_ms
    lo = at if arm or not taking.late else at - 1_000
    if taking.since_ms is not None:
        lo = taking.since_ms
    if who is None:
        due = taking.came_ms + view.patience.unexplained
        yield Deed((), -NEVER_MS, NEVER_MS, regular=False, ripe=False, due_ms=due)
        return
    regular = who.seat in _due_at(view, end)
    if not regular and view.counted == ():
        # A counter that works outweighs looks at a stack: equipment in doubt accuses nobody.
        due = taking.came_ms + view.patience.unexplained
        yield Deed((), -NEVER_MS, NEVER_MS, regular=False, ripe=False, due_ms=due)
        return
    known_end = end or ("tail" if view.state.players[who.seat].owed else "head")
    sure = who.sure if agreed or regular else who.sure * 0.9
    drew = Drew(at_ms=at, evidence=(taking.proof,), confidence=round(sure, 3), seat=who.seat, end=known_end)
    later = len(view.takings) > 1 or any((delta or 0) > 0 for delta in view.zone_delta)
    due = taking.came_ms + who.wait_ms
    if not regular:
        due = max(due, view.settled(view.rack_quiet(who.seat)))
    if not regular and known_end == "tail" and view.camera and view.state.turn.phase == "discard":
        due = max(due, taking.came_ms + view.patience.unexplained)  # the flower or kong it replaces is still to be seen
    if not regular and _laid_unseen(view):
        due = max(due, taking.came_ms + HIDDEN_MS)
    ripe = regular and (who.ripe or (later and not view.camera))
    yield Deed((drew,), lo, at, regular=regular, ripe=ripe, due_ms=due)


def _laid_unseen(view: View) -> bool:
    """A tile has left the hand of the seat that is to discard, and the counter that would tell of its pond is away."""
    turn = view.state.turn
    gone = turn.phase == "discard" and (view.rack_delta[turn.actor] or 0) < 0
    return gone and view.fusion.has("bridge") and not view.bridge and not view.ponds[turn.actor].gained


def _grown(view: View, seat: Seat, taking: Taking, left: int) -> int | None:
    """By how many tiles a hand has grown since a tile left the wall."""
    delta, rack = view.rack_delta[seat], view.picture.racks[seat]
    if delta is None or (
        not taking.late
        and not left
        and rack.at_ms < (taking.at_ms if taking.since_ms is None else taking.since_ms) - ARM_NEAR_MS
    ):
        return None
    return delta + left


def _due_at(view: View, end: End | None) -> tuple[Seat, ...]:
    """The seats for which the rules provide a draw from this end now (None: from either)."""
    owing = tuple(s for s in SEATS if view.state.players[s].owed)
    turn = view.state.turn
    drawing = (turn.actor,) if turn.phase == "draw" else ()
    match end:
        case "tail":
            return owing
        case "head":
            return drawing
        case None:
            return owing or drawing


def _who(
    view: View, taking: Taking, grown: Sequence[int | None], arm: Seat | None, *, agreed: bool, hidden: bool
) -> _Who | None:
    """`agreed`: every sensor that watches the wall saw the tile leave. `hidden`: it left while no camera was looking, which
    sees only now, of all hands at once, that they have grown; a hand nobody has looked at since may hold it."""
    end = view.end_of(taking)
    provided = _due_at(view, end)
    patience = view.patience
    if arm in provided:
        return _Who(arm, 0.97, ripe=True, wait_ms=0)
    took = sorted((s for s in SEATS if (grown[s] or 0) > 0), key=lambda s: view.picture.racks[s].at_ms)
    if hidden:
        took.sort(key=lambda s: s not in provided)
    if arm is not None and arm in took:
        return _Who(arm, 0.92, ripe=False, wait_ms=patience.irregular)
    if took and took[0] in provided:
        return _Who(took[0], 0.95, ripe=True, wait_ms=0)
    if took:
        return _Who(took[0], 0.85, ripe=False, wait_ms=patience.irregular)
    unseen = [s for s in SEATS if view.picture.racks[s].at_ms < taking.at_ms] if view.camera and hidden else []
    if len(unseen) == 1:
        return _Who(unseen[0], 0.8, ripe=unseen[0] in provided, wait_ms=patience.irregular)
    if view.camera and (not agreed or _recount(view)):
        return None
    if arm is not None and view.camera:
        return _Who(arm, 0.7, ripe=False, wait_ms=2 * patience.irregular)
    laid = [s for s in SEATS if (view.zone_delta[s] or 0) > 0]
    if laid and provided and laid[0] not in provided and not view.camera and end != "tail":
        return _Who(laid[0], 0.4, ripe=False, wait_ms=patience.irregular)
    if provided:
        return _Who(provided[0], 0.6 if view.camera else 0.7, ripe=False, wait_ms=patience.who)
    either = _due_at(view, None)
    if either and not view.camera:
        return _Who(either[0], 0.5, ripe=False, wait_ms=patience.who)
    return None


def _recount(view: View) -> bool:
    """Several tiles at once while no hand has grown: a sensor that corrects itself, not draws."""
    return sum(t.proof == view.takings[0].proof for t in view.takings) > 1


def returned(view: View) -> Iterator[Deed]:
    """A drawn tile put back: every sensor that watches the wall counts one more than the game, and the hand that drew last
    is one short."""
    tallies = [t for t, alive in ((view.fusion.counted, view.bridge), (view.fusion.seen, view.camera)) if alive]
    beyond = [n for t in tallies if (n := t.beyond(view.wall_expected)) is not None]
    short = [s for s in SEATS if view.rack_delta[s] == -1 and view.state.players[s].drawn_from]
    if not beyond or any(n >= 0 for n in beyond) or len(short) != 1:
        return
    rack = view.picture.racks[short[0]]
    back = TileReturned(at_ms=rack.at_ms, evidence=(rack.proof,), confidence=0.85, seat=short[0], what="draw")
    due = view.settled(rack.came_ms, *(r.came_ms for r in view.picture.wall_counts))
    yield Deed((back,), rack.at_ms, rack.at_ms, regular=False, ripe=False, due_ms=due)


def implied(view: View, seat: Seat, at_ms: int) -> tuple[Action, ...]:
    """The draw that must have come before a discard although no wall sensor noticed it: the seat was to draw, and its
    hand is as large as before although a tile left it, or nothing can tell."""
    turn = view.state.turn
    if turn.phase != "draw" or turn.actor != seat or any(t.at_ms <= at_ms for t in view.takings):
        return ()
    hand = view.rack_delta[seat]
    blind = view.counted is None and view.seen is None
    # One reading lost is likelier than a discard without a draw; if it was one, the hand will show it.
    away = view.fusion.has("camera") and not view.camera
    if (hand is None and (blind or away)) or hand == 0:
        return (Drew(at_ms=at_ms, confidence=0.5, seat=seat, end="head"),)
    return ()
