"""Which scorer a rule set uses, and several wins on one tile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from table_engine.rules import RuleSet
from table_engine.scoring import chinese, riichi, taiwan, zung_jung
from table_engine.scoring.model import Context, Hand, Outcome
from table_engine.wire.seats import Seat

SCORERS: dict[str, Callable[[Hand, Context, RuleSet], Outcome]] = {
    "riichi": riichi.score,
    "chinese": chinese.score,
    "taiwan": taiwan.score,
    "zung_jung": zung_jung.score,
}
"""By `by` of the rule set's tariff."""


def score(hand: Hand, context: Context, rules: RuleSet) -> Outcome:
    """A win's worth with items and payments, or why it is none."""
    return SCORERS[rules.scoring.by](hand, context, rules)


def settle(wins: Sequence[tuple[Hand, Context]], rules: RuleSet) -> tuple[Outcome, ...]:
    """The worth of several wins on one discard, in the order given: counters and sticks go to the nearest winner after
    the discarder. Who of them may win at all is not asked here (`rules.wins`)."""
    first = min((context.winner for _, context in wins), key=lambda seat: _steps(seat, wins), default=None)
    shared = []
    for hand, context in wins:
        if context.winner == first or len(wins) == 1:
            shared.append((hand, context))
            continue
        honba = context.honba if getattr(rules.scoring, "double_win", "nearest") == "each" else 0
        shared.append((hand, replace(context, honba=honba, sticks=0)))
    return tuple(score(hand, context, rules) for hand, context in shared)


def _steps(seat: Seat, wins: Sequence[tuple[Hand, Context]]) -> int:
    source = wins[0][1].source
    return (seat - (seat if source is None else source)) % 4
