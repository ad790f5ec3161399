"""The verdict on a claimed win: does it stand, what is it worth, what is wrong with it, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from table_engine import ask, scoring
from table_engine.claim.bars import Kind, Objection, bars
from table_engine.claim.circumstances import circumstances, named, shown
from table_engine.rules import RuleSet
from table_engine.scoring import Context, Hand, NoWin, Outcome, Score
from table_engine.scoring.chinese import MissingFanError
from table_engine.state import State
from table_engine.wire.actions import WinShown
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face


@dataclass(frozen=True, slots=True)
class Verdict:
    """`valid`: the win stands (None: tiles or means to tell are missing, see `says`). `outcome` is the score by the tiles
    alone, whatever else stands against the win. `objections` what is wrong, worst first. `paid`: among several winners
    this one is paid."""

    seat: Seat
    valid: bool | None
    says: str
    hand: Hand
    context: Context
    outcome: Outcome | None = None
    objections: tuple[Objection, ...] = ()
    waits: tuple[Tile, ...] = ()
    paid: bool = True

    @property
    def score(self) -> Score | None:
        """The score of a win that stands and is paid."""
        return self.outcome if self.valid and self.paid and isinstance(self.outcome, Score) else None


def check(
    before: State,
    win: WinShown,
    rules: RuleSet,
    *,
    ura: tuple[Tile, ...] = (),
    sticks: int | None = None,
) -> Verdict:
    """One claimed win. `before` is the state as it was when the hand was laid down."""
    win = named(before, win)
    hand = shown(before, win, rules)
    context = circumstances(before, win, rules, ura=ura, sticks=sticks)
    return _judged(before, win.seat, hand, context, tuple(bars(before, win, rules)), rules)


def rescored(before: State, verdict: Verdict, rules: RuleSet, hand: Hand, context: Context | None = None) -> Verdict:
    """The same claim with a hand or circumstances entered or put right by a person."""
    told = context or verdict.context
    win = WinShown(seat=verdict.seat, source=told.source, tile=hand.win, hand=hand.concealed)
    return _judged(before, verdict.seat, hand, told, tuple(bars(before, win, rules)), rules)


def several(
    before: State,
    wins: Sequence[WinShown],
    rules: RuleSet,
    *,
    ura: tuple[Tile, ...] = (),
    sticks: int | None = None,
) -> tuple[Verdict, ...]:
    """All who win on one tile, in the order given: who of them is paid, and counters and sticks to the nearest."""
    verdicts = [check(before, win, rules, ura=ura, sticks=sticks) for win in wins]
    standing = [verdict for verdict in verdicts if verdict.valid]
    paid = {verdict.seat for verdict in _paid(standing, rules)}
    outcomes = iter(
        scoring.settle([(v.hand, v.context) for v in verdicts if v.valid and v.seat in paid], rules) if paid else ()
    )
    found = []
    for verdict in verdicts:
        if not verdict.valid:
            found.append(verdict)
        elif verdict.seat in paid:
            outcome = next(outcomes)
            found.append(replace(verdict, outcome=outcome, says=_valid(before, verdict, outcome, rules)))
        else:
            why = (
                "three winners draw the hand"
                if len(standing) == 3 and rules.wins.three == "draw"
                else "a nearer player wins"
            )
            found.append(replace(verdict, paid=False, says=f"{verdict.says} Not paid: {why}."))
    return tuple(found)


def _paid(standing: Sequence[Verdict], rules: RuleSet) -> Sequence[Verdict]:
    """Who of several winners on one tile is paid (`rules.wins`)."""
    near = sorted(standing, key=lambda verdict: _steps(verdict.context))
    if len(near) < 3:
        return near[: rules.wins.several]
    return {"draw": (), "all": near, "nearest": near[:1]}[rules.wins.three]


def _steps(context: Context) -> int:
    return 0 if context.source is None else (context.winner - context.source) % 4


def _judged(
    before: State, seat: Seat, hand: Hand, context: Context, found: tuple[Objection, ...], rules: RuleSet
) -> Verdict:
    who = _who(before, seat, rules)
    verdict = Verdict(seat, None, "", hand, context, None, found)
    unknown = [t for t in (*hand.concealed, hand.win, *(t for m in hand.melds for t in m.tiles)) if not is_face(t)]
    if unknown or not hand.concealed:
        says = f"{who}: {len(unknown) or 'all'} tiles of the hand are not known; enter them to check the win."
        return replace(verdict, valid=False if found else None, says=_with(says, found))
    waits: tuple[Tile, ...] = ()
    try:
        waits = scoring.waits(hand.concealed, hand.melds, rules)
        outcome = scoring.score(hand, context, rules)
    except scoring.TooManyError as error:
        return replace(verdict, says=f"{who}: the hand holds {error}; look at it again.")
    except MissingFanError as error:
        complete = scoring.complete((*hand.concealed, hand.win), len(hand.melds), rules)
        if complete:
            return replace(verdict, waits=waits, says=_with(f"{who}: a winning shape; {error}.", found))
        outcome = NoWin("shape", phrase("not a winning shape"), scoring.distance(hand.concealed, hand.melds, rules))
    verdict = replace(verdict, outcome=outcome, waits=waits)
    if isinstance(outcome, NoWin):
        verdict = replace(verdict, objections=(*found, Objection(grade(outcome), outcome.says)))
    if verdict.objections:
        return replace(
            verdict, valid=False, says=f"{who}: no win, {'; '.join(str(o.says) for o in verdict.objections)}."
        )
    return replace(verdict, valid=True, says=_valid(before, verdict, outcome, rules))


def grade(outcome: NoWin) -> Kind:
    """How far a false win is from a right one: ready but not valid (错和), one tile short of ready (诈和), or more."""
    match outcome.distance:
        case None | 0 | -1:
            return "not_valid" if outcome.why != "tiles" else "more_short"
        case 1:
            return "one_short"
        case _:
            return "more_short"


def _valid(before: State, verdict: Verdict, outcome: Outcome, rules: RuleSet) -> str:
    who, win, source = _who(before, verdict.seat, rules), verdict.hand.win, verdict.context.source
    how = "by self-draw" if source is None else f"from {_who(before, source, rules)}"
    if not isinstance(outcome, Score):
        return f"{who} wins on {win} {how}."
    fu = f" {outcome.fu} fu" if outcome.unit == "han" and outcome.fu else ""
    limit = f" ({outcome.limit})" if outcome.limit else ""
    points = "" if outcome.unit == "point" and not fu else f", {outcome.points} points"
    plural = "s" if outcome.unit == "point" and outcome.total != 1 else ""
    return f"{who} wins on {win} {how}: {outcome.total} {outcome.unit}{plural}{fu}{limit}{points}."


def _with(says: str, found: tuple[Objection, ...]) -> str:
    return f"{says} Against it: {'; '.join(str(o.says) for o in found)}." if found else says


def _who(before: State, seat: Seat, rules: RuleSet) -> str:
    return str(ask.who(before, seat, rules))
