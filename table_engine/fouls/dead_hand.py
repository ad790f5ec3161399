"""Has a dead hand by a foul, and then breaks another rule that makes one, or did it with the wall almost played out."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine import ask, effects
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, stands, who
from table_engine.wire.phrases import phrase

CODE = "dead_hand"


def judge(_moment: Moment) -> Iterable[Foul]:
    """Follows from other fouls only."""
    return ()


def follows(moment: Moment, new: Foul, others: tuple[Foul, ...]) -> Iterable[Foul]:
    """What a foul that makes a dead hand means beyond itself."""
    if new.code == CODE or not _kills(moment, new):
        return
    if any((one.seat, one.code, one.key) == (new.seat, new.code, new.key) for one in others):
        return  # seen before: it made the hand dead when it was first seen
    key = f"{new.code}-{new.key}"
    dead = effects.has(moment.before.players[new.seat], "dead_hand")
    earlier = [one for one in others if one.seat == new.seat and one.code != CODE and _kills(moment, one)]
    earlier = [one for one in earlier if one.turn < new.turn and not one.missing]
    if dead or earlier:
        says = phrase("{seat} breaks a second rule that makes a dead hand.", seat=who(moment, new.seat))
        missing = new.missing if dead else (*new.missing, phrase("the referee's word on the first one"))
        yield from foul(moment, CODE, "again", new.seat, says, key=f"again-{key}", hold_ms=new.hold_ms, missing=missing)
    limit, left = moment.rules.wins.late_tiles, ask.wall_left(moment.before, moment.rules)
    if limit is not None and left <= limit and moment.before.running:
        says = phrase(
            "{seat} has made the own hand dead with {left} tiles in the wall; it costs more from {limit} on.",
            seat=who(moment, new.seat),
            left=left,
            limit=limit,
        )
        yield from foul(
            moment, CODE, "late", new.seat, says, key=f"late-{key}", hold_ms=new.hold_ms, missing=new.missing
        )


def _kills(moment: Moment, one: Foul) -> bool:
    ruling = moment.rules.ruling(one.code, one.kind)
    return ruling is not None and ruling.effect == "dead_hand"


RULE = FoulRule(CODE, ("again", "late"), (), judge, stands, follows=follows)
