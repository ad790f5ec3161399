"""How a hand begins and ends: walls built, tiles dealt; everything pushed into the machine."""

from __future__ import annotations

from typing import Final

from table_engine.fusion.belief import Fusion
from table_engine.fusion.picture import Picture
from table_engine.fusion.wall import Course, broken_at, broken_by_counts
from table_engine.rules import RuleSet
from table_engine.wire.actions import HandStarted
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat

_MANY: Final = 4
_MISSED: Final = 2


def watch_wall(fusion: Fusion, old: Picture, rules: RuleSet) -> Fusion:
    """Before a hand: notices complete walls, the side that is broken first, and where; the first replacements move the
    end of the wall before the end of the deal need have been noticed."""
    picture, undealt = fusion.picture, rules.set.tiles - 4 * rules.set.hand - 1
    seen, counted = _seen(fusion), _counted(fusion)
    if picture.walls is not old.walls and seen is not None and seen >= undealt:
        fusion = replace(fusion, gap=_gap(fusion, rules))
    if picture.wall_counts is not old.wall_counts and counted == undealt:
        fusion = replace(fusion, counted_gap=_counted_gap(fusion, rules))
    counts = [reading.value for reading in picture.wall_counts]
    if all(reading.known for reading in picture.wall_counts):
        if min(counts) == max(counts) > 0:
            return replace(fusion, full=True, broke_first=None, counted_gap=None)
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
    whole = [n == rules.set.tiles - dealt for n in left]
    if all(n is None for n in racks):
        if not all(whole) or not left:
            return None
        if picture.dealer is not None:
            return _start(fusion, rules, picture.dealer, 0.9)
        return _start(fusion, rules, _dealer_by_dice(fusion, rules), 0.5)
    extra = [s for s in SEATS if racks[s] == size + 1]
    counted = len(extra) == 1 and sum(n or 0 for n in racks) == dealt
    if counted and (any(whole) or not left):
        return _start(fusion, rules, extra[0], 0.98 if all(whole) else 0.9)
    came = [r.came_ms for r in (*picture.wall_counts, picture.complete)]
    came += [r.came_ms for r in picture.racks] + [w.came_ms for w in picture.walls]
    waited = fusion.now_ms - max(came)
    nearly = counted or any(whole) or all(n is not None and abs(n - size) <= 1 for n in racks)
    begun = any(zone.faces and zone.at_ms > fusion.clearing_ms for zone in (*picture.ponds, *picture.melds))
    sure = all(whole) and len(whole) > 1
    patience = fusion.patience
    if (
        (nearly and (begun or waited >= patience.deal))
        or (sure and waited >= patience.corroborate)
        or (begun and waited >= patience.deal)
    ):
        lamp = extra[0] if len(extra) == 1 and picture.dealer is None else picture.dealer
        return _start(fusion, rules, _dealer_by_dice(fusion, rules) if lamp is None else lamp, 0.6)
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
    """Where the wall was broken. Three witnesses: the gap the camera sees, the controller's counts, and the dice. Two that
    agree are believed, else the one that is there alone; witnesses that contradict each other say nothing."""
    said = [c for c in (_by_gap(fusion, rules), _by_counts(fusion, rules), _by_dice(fusion, rules)) if c]
    for course in said:
        if said.count(course) > 1:
            return course
    return said[0] if len(said) == 1 else None


def _by_gap(fusion: Fusion, rules: RuleSet) -> Course | None:
    return (fusion.gap or _gap(fusion, rules)) if fusion.alive("camera") else None


def _gap(fusion: Fusion, rules: RuleSet) -> Course | None:
    walls = fusion.picture.walls
    if not all(side.known for side in walls):
        return None
    course = broken_at([[height == 0 for height in side.heights] for side in walls])
    return course if course and course.stacks == rules.set.tiles // 8 else None


def _by_counts(fusion: Fusion, rules: RuleSet) -> Course | None:
    return fusion.counted_gap or _counted_gap(fusion, rules)


def _counted_gap(fusion: Fusion, rules: RuleSet) -> Course | None:
    if fusion.broke_first is None or fusion.picture.wall_counted() is None:
        return None
    counts = [r.value for r in fusion.picture.wall_counts]
    return broken_by_counts(rules.set.tiles // 4, counts, fusion.broke_first)


def _by_dice(fusion: Fusion, rules: RuleSet) -> Course | None:
    """One roll: its sum counts seats from the dealer and stacks from that seat's right. Two rolls: the first names the
    seat, the sum of both counts the stacks (TW-S2, RI-S1, CO-S1)."""
    rolls, stacks = fusion.picture.dice, rules.set.tiles // 8
    if fusion.picture.dealer is None or tuple(map(len, rolls)) != rules.deal.rolls:
        return None
    past, stack = divmod(sum(map(sum, rolls)), stacks)
    return Course(fusion.picture.dealer.step(sum(rolls[0]) - 1 - past), stack, stacks)


def _dealer_by_dice(fusion: Fusion, rules: RuleSet) -> Seat:
    """The dealer the dice and the broken side point at."""
    course = _by_gap(fusion, rules) or _by_counts(fusion, rules)
    if course is None or not fusion.picture.dice:
        return Seat.S0
    rolls = fusion.picture.dice[-len(rules.deal.rolls) :]
    side = course.side if sum(sum(r) for r in rolls) < course.stacks else course.side.step(1)
    return side.step(1 - sum(rolls[0]))


def cleared(fusion: Fusion, rules: RuleSet) -> bool:
    """Nothing lies on the table any more, as far as the sensors that are well can tell; at the latest when the machine has
    built the walls anew."""
    picture = fusion.picture
    rebuilt = picture.complete.at_ms > fusion.clearing_ms or rules.set.tiles in (_counted(fusion), _seen(fusion))
    if rebuilt or not (fusion.alive("camera") and any(rack.known for rack in picture.racks)):
        return rebuilt or picture.wall_counted() == 0
    lying = sum(bool(zone.faces) for zone in (*picture.ponds, *picture.melds, *picture.flowers))
    standing = sum(bool(r.count) for r in picture.racks)
    if not lying and not standing:
        return True
    # One zone whose emptying was not told does not keep the hand alive once the machine has swallowed the walls.
    closed = not picture.bay.value and picture.bay.at_ms > fusion.clearing_ms
    return picture.wall_counted() == 0 and closed and standing + lying <= _MISSED


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
