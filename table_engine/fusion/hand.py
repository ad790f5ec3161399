"""How a hand begins and ends: walls built, tiles dealt; everything pushed into the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from table_engine.fusion.belief import Fusion
from table_engine.fusion.picture import Picture
from table_engine.fusion.wall import Course, broken_at, broken_by_counts
from table_engine.rules import RuleSet
from table_engine.wire.actions import HandStarted
from table_engine.wire.seats import SEATS, Seat

_MANY: Final = 4


def watch_wall(fusion: Fusion, old: Picture) -> Fusion:
    """Before a hand: notices complete walls, and the side that is broken first."""
    picture = fusion.picture
    counts = [reading.value for reading in picture.wall_counts]
    if all(reading.known for reading in picture.wall_counts):
        if min(counts) == max(counts) > 0:
            return replace(fusion, full=True, broke_first=None)
        if fusion.full and fusion.broke_first is None:
            for side in SEATS:
                if counts[side] < old.wall_counts[side].value:
                    return replace(fusion, broke_first=side)
    return fusion


def begin(fusion: Fusion, rules: RuleSet) -> HandStarted | None:
    """The start of a hand, once the deal is finished."""
    if not (fusion.alive("camera") or fusion.alive("bridge")):
        return None
    picture, size = fusion.picture, rules.set.hand
    dealt = 4 * size + 1
    left = [n for n in (_counted(fusion), _seen(fusion)) if n is not None]
    racks = [r.count if r.known and fusion.alive("camera") else None for r in picture.racks]
    complete = not left or all(n == rules.set.tiles - dealt for n in left)
    begun = any(p.faces for p in picture.ponds) or any(p.faces for p in picture.melds)
    if all(n is None for n in racks):
        if not left or not complete:
            return None
        dealer = picture.dealer if picture.dealer is not None else _by_dice(fusion, rules)
        return _start(fusion, rules, dealer, 0.9 if picture.dealer is not None else 0.5)
    if None in racks:
        return None
    extra = [s for s in SEATS if racks[s] == size + 1]
    if complete and len(extra) == 1 and sum(n for n in racks if n) == dealt:
        return _start(fusion, rules, extra[0], 0.98)
    quiet = max((r.came_ms for r in picture.racks), default=0)
    nearly = all(n is not None and abs(n - size) <= 1 for n in racks)
    if nearly and (begun or fusion.now_ms - quiet >= fusion.patience.deal):
        dealer = picture.dealer if picture.dealer is not None else extra[0] if extra else _by_dice(fusion, rules)
        return _start(fusion, rules, dealer, 0.6)
    return None


def _counted(fusion: Fusion) -> int | None:
    return fusion.picture.wall_counted() if fusion.alive("bridge") else None


def _seen(fusion: Fusion) -> int | None:
    return fusion.picture.wall_seen() if fusion.alive("camera") else None


def _start(fusion: Fusion, rules: RuleSet, dealer: Seat, confidence: float) -> HandStarted:
    picture = fusion.picture
    course = broken(fusion, rules)
    proofs = tuple(r.proof for r in picture.racks if r.known) + tuple(
        r.proof for r in picture.wall_counts if r.known and r.proof
    )
    rolls = len(rules.deal.rolls)
    return HandStarted(
        at_ms=fusion.now_ms,
        evidence=proofs,
        confidence=confidence,
        dealer=dealer,
        dice=tuple(pips for roll in picture.dice[-rolls:] for pips in roll),
        break_side=course.side if course else None,
        break_stack=course.stack if course else None,
    )


def broken(fusion: Fusion, rules: RuleSet) -> Course | None:
    """Where the wall was broken: as seen, else as counted."""
    picture, stacks = fusion.picture, rules.set.tiles // 8
    if fusion.alive("camera") and all(side.known for side in picture.walls):
        course = broken_at([[height == 0 for height in side.heights] for side in picture.walls])
        if course and course.stacks == stacks:
            return course
    if fusion.broke_first is not None and picture.wall_counted() is not None:
        return broken_by_counts(2 * stacks, [r.value for r in picture.wall_counts], fusion.broke_first)
    return None


def _by_dice(fusion: Fusion, rules: RuleSet) -> Seat:
    """The dealer the dice and the broken side point at, where one roll counts seats from the dealer."""
    course = broken(fusion, rules)
    if course is None or not fusion.picture.dice:
        return Seat.S0
    rolls = fusion.picture.dice[-len(rules.deal.rolls) :]
    side = course.side if sum(sum(r) for r in rolls) < course.stacks else course.side.step(1)
    return side.step(1 - sum(rolls[0]))


def cleared(fusion: Fusion) -> bool:
    """Nothing lies on the table any more, as far as the sensors that are well can tell."""
    picture = fusion.picture
    if fusion.alive("camera") and any(rack.known for rack in picture.racks):
        return not any(r.count for r in picture.racks if r.known) and not any(
            zone.faces for zone in (*picture.ponds, *picture.melds, *picture.flowers)
        )
    return picture.wall_counted() == 0 or picture.complete.at_ms > fusion.clearing_ms


def sweeping(fusion: Fusion, old: Picture) -> bool:
    """The tiles have begun to go: the bay has opened, or a whole hand or pond has vanished at once."""
    picture = fusion.picture
    if picture.bay.value and picture.bay is not old.bay:
        return True
    if not fusion.alive("camera"):
        return False
    return any(
        (old.racks[s].count >= _MANY and picture.racks[s].count == 0)
        or (len(old.ponds[s].faces) >= _MANY and not picture.ponds[s].faces)
        for s in SEATS
    )


def resumed(fusion: Fusion) -> bool:
    """What seemed to be cleared away lies there again: something had covered it. A camera that has not looked again yet is
    no witness against a wall counter that reads nothing."""
    picture = fusion.picture
    if picture.bay.value or picture.wall_counted() == 0:
        return False
    return all(r.known and r.count for r in picture.racks)
