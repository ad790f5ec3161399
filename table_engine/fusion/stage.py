"""What is remembered from one hand to the next, and what a new hand begins with."""

from __future__ import annotations

from table_engine.fusion.belief import Fusion
from table_engine.fusion.doubt import DIFFERS
from table_engine.fusion.picture import LONG_AGO, Lying, Reading
from table_engine.fusion.wall import Course, Tally
from table_engine.rules import RuleSet
from table_engine.wire.actions import HandStarted
from table_engine.wire.frozen import replace


def begun(fusion: Fusion, started: HandStarted, rules: RuleSet) -> Fusion:
    """The belief with which a hand begins."""
    course = None
    if started.break_side is not None and started.break_stack is not None:
        course = Course(started.break_side, started.break_stack, rules.set.tiles // 8)
    picture, left = fusion.picture, rules.set.tiles - 4 * rules.set.hand - 1
    already = _drawn_already(fusion)
    return replace(
        fusion,
        stage="playing",
        dora_due_ms=fusion.now_ms + fusion.patience.dora if rules.set.dora else LONG_AGO,
        picture=replace(
            picture,
            ponds=_fresh(picture.ponds, fusion.clearing_ms),
            melds=_fresh(picture.melds, fusion.clearing_ms),
            flowers=_fresh(picture.flowers, fusion.clearing_ms),
            discard_counts=tuple(
                r if r.value == 0 or r.at_ms > fusion.clearing_ms else Reading() for r in picture.discard_counts
            ),
        ),
        course=course,
        counted=_agreed(fusion.counted, left, already),
        seen=_agreed(fusion.seen, left, already),
        zones_off=(0, 0, 0, 0),
        indicators=(),
        passages=(),
        doubted=frozenset(),
        laid_ms=(LONG_AGO,) * 4,
        handled_ms=(LONG_AGO,) * 4,
        drawn_ms=LONG_AGO,
    )


def _drawn_already(fusion: Fusion) -> int:
    """Tiles taken since the deal, where its end was noticed late: one for each flower laid out, one for each discard but
    the dealer's first."""
    zones = fusion.picture.flowers, fusion.picture.ponds
    shown, laid = (sum(len(zone.faces) for zone in those if zone.at_ms > fusion.clearing_ms) for those in zones)
    return shown + max(0, laid - 1)


def _agreed(tally: Tally, dealt: int, already: int) -> Tally:
    """A wall count at the start of a hand, `dealt` tiles being left after the deal and `already` taken since. One that is
    too low misses tiles of the walls as they were built; one that is too high has not seen all of the deal and will."""
    if tally.left is None:
        return Tally()
    off = min(0, tally.left - (dealt - already))
    pending = max(0, dealt + off - tally.left)
    return Tally(tally.left, tally.takings[-pending:] if pending else (), off)


def _fresh(zones: tuple[Lying, ...], cleared_ms: int) -> tuple[Lying, ...]:
    """Zones at the start of a hand: what lay there before the table was cleared is gone, though that was never told."""
    return tuple(Lying() if zone.faces and zone.at_ms <= cleared_ms else zone for zone in zones)


def between(fusion: Fusion) -> Fusion:
    """After a hand: nothing of it is remembered but what the sensors say."""
    picture = replace(fusion.picture, dice=(), buttons=())
    faults = {key: fault for key, fault in fusion.faults.items() if not fault.code.startswith(DIFFERS)}
    return replace(
        fusion,
        picture=picture,
        faults=faults,
        stage="idle",
        course=None,
        full=False,
        broke_first=None,
        gap=None,
        counted_gap=None,
    )
