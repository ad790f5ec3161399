"""What a confirmed foul costs: a ruling and its circumstances → points by seat, foul points, standing effects."""

from __future__ import annotations

from dataclasses import dataclass

from table_engine.rules import Fine, RuleSet, Ruling
from table_engine.wire.effects import Effect, EffectKind
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

Points = tuple[int, int, int, int]
NOTHING: Points = (0, 0, 0, 0)
_MANGAN_BASIC = 2_000


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the price of a foul depends on. `nth`: the how-manieth of its row by this seat in this hand, from 1. `other`: the
    discarder or the player harmed. `units`: begun periods over a clock's limit. `chosen`: points the referee set."""

    seat: Seat
    dealer: Seat = Seat.S0
    nth: int = 1
    other: Seat | None = None
    units: int = 1
    tiles: tuple[Tile, ...] = ()
    own_tai: int | None = None
    """Tai of the hand shown with a false win, where it could be counted."""
    chosen: int | None = None


@dataclass(frozen=True, slots=True)
class Penalty:
    """What follows. `points` by seat, negative for who pays; `warning`: the first time is free."""

    points: Points = NOTHING
    foul_points: int = 0
    warning: bool = False
    ends_hand: bool = False
    disqualifies: bool = False
    effects: tuple[Effect, ...] = ()


def penalty(ruling: Ruling, rules: RuleSet, of: Circumstances, cause: str = "") -> Penalty:
    """The penalty of one foul. `cause` names the alert in the effects, so that they can be lifted again."""
    fine = ruling.fine
    points, warning = _points(fine, rules, of) if fine else (NOTHING, False)
    return Penalty(
        points=points,
        foul_points=fine.foul_points if fine else 0,
        warning=warning,
        ends_hand=ruling.ends_hand,
        disqualifies=ruling.disqualifies,
        effects=ruled_effects(ruling, of, cause),
    )


def total(penalties: tuple[Points, ...]) -> Points:
    """Seat by seat."""
    a, b, c, d = (sum(points[seat] for points in penalties) for seat in SEATS)
    return a, b, c, d


def _points(fine: Fine, rules: RuleSet, of: Circumstances) -> tuple[Points, bool]:
    if of.chosen is None and fine.hand == "mangan":
        return _mangan(of.seat, of.dealer), False
    amount = _amount(fine, rules, of) if of.chosen is None else of.chosen
    warned = bool(fine.schedule) and amount == 0
    match fine.to:
        case "nobody":
            return _paid(of.seat, amount, ()), warned
        case "each":
            return _paid(of.seat, amount, tuple(seat for seat in SEATS if seat != of.seat)), warned
        case "discarder" | "victim":
            return _paid(of.seat, amount, () if of.other is None else (of.other,)), warned


def _amount(fine: Fine, rules: RuleSet, of: Circumstances) -> int:
    if fine.schedule:
        over = of.nth - len(fine.schedule)
        return fine.schedule[of.nth - 1] if over <= 0 else int(fine.schedule[-1] * 2**over)
    if fine.choices:
        return fine.choices[0]
    pays = rules.wins.false_win_pays
    if pays == "points" and fine.bases and fine.to == "each":
        return rules.wins.false_win_points
    own = pays == "own_hand" and fine.hand == "own"
    tai = of.own_tai if own and of.own_tai is not None else fine.tai
    amount = fine.points + fine.bases * rules.scoring.base + tai * rules.scoring.unit
    return amount * of.units if fine.per_s else amount


def _paid(payer: Seat, amount: int, to: tuple[Seat, ...]) -> Points:
    """The payer gives the amount to each of these; where there are none it is taken off."""
    points = [0, 0, 0, 0]
    points[payer] = -amount * max(1, len(to))
    for seat in to:
        points[seat] += amount
    a, b, c, d = points
    return a, b, c, d


def _mangan(seat: Seat, dealer: Seat) -> Points:
    """A mangan paid backwards: by the dealer double to all, by others double to the dealer."""
    points = [0, 0, 0, 0]
    for other in SEATS:
        if other != seat:
            share = _MANGAN_BASIC * (2 if dealer in (seat, other) else 1)
            points[other] += share
            points[seat] -= share
    a, b, c, d = points
    return a, b, c, d


def ruled_effects(ruling: Ruling, of: Circumstances, cause: str) -> tuple[Effect, ...]:
    """The standing effects a ruling puts on a player."""
    made: list[Effect] = []
    if ruling.effect:
        takes_tiles = ruling.effect in ("barred", "penalty_tile", "forced_discard")
        made.append(Effect(ruling.effect, of.tiles if takes_tiles else (), row=ruling.row, cause=cause))
    if ruling.tiles and of.tiles:
        kind: EffectKind = "forced_discard" if ruling.tiles == "forced" else "penalty_tile"
        made.append(Effect(kind, of.tiles, live=ruling.tiles == "live", row=ruling.row, cause=cause))
    return tuple(made)
