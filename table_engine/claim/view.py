"""A verdict as screens draw it."""

from __future__ import annotations

from table_engine.claim.verdict import Verdict
from table_engine.scoring import Score
from table_engine.state import Meld
from table_engine.wire.scores import ItemView, WinPhrases, WinView
from table_engine.wire.tiles import order
from table_engine.wire.view import MeldView


def view(verdict: Verdict) -> WinView:
    """The win with its items and payments; a hand that scores is shown with what it would be worth even where it does not
    stand, payments only where it does."""
    hand, outcome = verdict.hand, verdict.outcome
    concealed = sorted(hand.concealed, key=order)
    scored = outcome if isinstance(outcome, Score) else None
    return WinView(
        seat=verdict.seat,
        source=verdict.context.source,
        tile=hand.win,
        concealed=tuple(concealed),
        melds=tuple(_meld(meld) for meld in hand.melds),
        flowers=hand.flowers,
        valid=verdict.valid,
        paid=verdict.paid,
        says=str(verdict.says),
        objections=tuple(str(objection.says) for objection in verdict.objections),
        phrases=WinPhrases(says=verdict.says, objections=tuple(one.says for one in verdict.objections)),
        items=tuple(ItemView(name=i.name, english=i.english, value=i.value) for i in scored.items) if scored else (),
        unit=scored.unit if scored else None,
        total=scored.total if scored else None,
        fu=scored.fu if scored else 0,
        limit=scored.limit if scored else "",
        points=scored.points if scored else None,
        payments=verdict.score.payments if verdict.score else (),
        waits=verdict.waits,
    )


def _meld(meld: Meld) -> MeldView:
    kind = "added" if meld.added is not None else meld.call
    return MeldView(kind=kind, tiles=meld.tiles, turned=None, source=meld.source)
