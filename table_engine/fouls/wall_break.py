"""Broke the wall at another place than the dice say."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, stands, who
from table_engine.rules import RuleSet
from table_engine.wire.actions import HandStarted
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat

CODE = "wall_break"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a deal whose dice and broken wall were both seen."""
    match moment.action:
        case HandStarted(dealer=dealer, dice=dice, break_side=side, break_stack=stack) if side is not None:
            place = break_place(dealer, dice, moment.rules)
        case _:
            return ()
    if place is None or stack is None or (side, stack) == place:
        return ()
    should, number = place
    says = phrase(
        "{seat} breaks the wall at stack {stack} of {side}; the dice ({dice}) say stack {number} of {should}.",
        seat=who(moment, dealer),
        stack=stack + 1,
        side=who(moment, side),
        dice=tuple(map(str, dice)),
        number=number + 1,
        should=who(moment, should),
    )
    return foul(moment, CODE, "place", dealer, says)


def break_place(dealer: Seat, dice: tuple[int, ...], rules: RuleSet) -> tuple[Seat, int] | None:
    """The side, and the stack counted from 0 from its player's right, at which the first tile is to be taken. One roll
    counts seats from the dealer and stacks on that seat's wall; of two rolls the first counts seats, the sum of both stacks
    (TW-S2, RI-S1, CO-S1). None where not all dice are known."""
    if len(dice) != sum(rules.deal.rolls):
        return None
    stacks = rules.set.tiles // 8
    past, stack = divmod(sum(dice), stacks)
    return dealer.step(sum(dice[: rules.deal.rolls[0]]) - 1 - past), stack


RULE = FoulRule(CODE, ("place",), (HandStarted,), judge, stands)
