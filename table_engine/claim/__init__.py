"""A win as it is claimed: whether it stands by shape, score, history and standing penalties, what it is worth, and one line
for the referee that says so.

    check(before, win, rules) -> Verdict          before: the state at the moment the hand is laid down
    several(before, wins, rules) -> tuple[Verdict, ...]   all winners on one tile, by the rules on several winners
    betting(before) -> seats                      whose ready bets of this hand lie on the table
    circumstances(before, win, rules) -> Context  what the table knows of a win, for `scoring`
    shown(before, win, rules) -> Hand
    view(verdict) -> WinView                      the same for screens
"""

from __future__ import annotations

from table_engine.claim.bars import Objection, bars
from table_engine.claim.circumstances import betting, circumstances, shown
from table_engine.claim.verdict import Verdict, check, rescored, several
from table_engine.claim.view import view

__all__ = [
    "Objection",
    "Verdict",
    "bars",
    "betting",
    "check",
    "circumstances",
    "rescored",
    "several",
    "shown",
    "view",
]
