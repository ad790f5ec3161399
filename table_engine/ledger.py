"""The match ledger: hand by hand who dealt, how it ended and what it paid; from it and the penalties booked, where every
player stands. Pure: a fold over the same moves and acts as everything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from table_engine import ask, claim, deal
from table_engine.penalties import NOTHING, Points, total
from table_engine.rules import RuleSet
from table_engine.state import Ending, State
from table_engine.wire.actions import Clock, ClockRan, WinShown
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import SEATS, Seat, Wind
from table_engine.wire.tiles import UNKNOWN, Tile, is_face

Names = tuple[str, str, str, str]
_NOBODY: Names = ("", "", "", "")
_UNREAD = "who was ready could not be read"


@dataclass(frozen=True, slots=True)
class Win:
    """A win that was shown. `points` what it pays (None: nobody has said and the engine cannot tell)."""

    seat: Seat
    source: Seat | None
    tile: Tile = UNKNOWN
    points: Points | None = None
    says: Phrase | None = None
    confirmed: bool = False
    shown: WinShown | None = None
    """The win as it was shown, and what the engine found it to be."""
    verdict: claim.Verdict | None = None


@dataclass(frozen=True, slots=True)
class TimeOut:
    """A clock a seat ran past: which, when it began, how long it ran in all, how many periods beyond its limit."""

    seat: Seat
    clock: Clock
    since_ms: int
    spent_ms: int
    periods: int


@dataclass(frozen=True, slots=True)
class HandLine:
    """One hand. `number` counts hands since the engine began, `hand` those of the match. `points` what the hand itself
    moved, penalties not counted; None while nobody can say."""

    number: int
    match: int
    hand: int
    dealer: Seat
    round_wind: Wind
    winds: tuple[Wind | None, Wind | None, Wind | None, Wind | None]
    honba: int = 0
    sticks: int = 0
    began_ms: int = 0
    ended_ms: int | None = None
    how: Ending | None = None
    wins: tuple[Win, ...] = ()
    tenpai: tuple[Seat, ...] = ()
    bets: tuple[Seat, ...] = ()
    time_outs: tuple[TimeOut, ...] = ()
    points: Points | None = None
    said: bool = False
    """A person said what the hand pays, or confirmed it."""
    note: str = ""
    """What is odd about it: another dealer than the rules provide for."""


@dataclass(frozen=True, slots=True)
class Booking:
    """A penalty booked on the ledger."""

    alert: str
    row: str
    seat: Seat
    number: int
    points: Points = NOTHING
    foul_points: int = 0
    warning: bool = False
    disqualifies: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything of a table's matches that is counted."""

    names: Names = _NOBODY
    substitutes: tuple[Seat, ...] = ()
    """They play without rank (CO-S11)."""
    start_points: int | None = None
    lines: tuple[HandLine, ...] = ()
    """Of all matches, the running hand last."""
    ended: str = ""
    """Why the match was ended, where a person did so."""
    ended_ms: int | None = None
    """When the match was over: appeals are open for a while from then."""

    @property
    def running(self) -> HandLine | None:
        """The line of the hand that is being played or was played last."""
        return self.lines[-1] if self.lines else None

    def of_match(self, match: int) -> tuple[HandLine, ...]:
        return tuple(line for line in self.lines if line.match == match)

    def with_last(self, line: HandLine) -> Ledger:
        """The ledger with another last line."""
        return replace(self, lines=(*self.lines[:-1], line))


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one seat stands in a match. `rank` from 1 (equal points share a rank); `placement` is what the placement points
    of the final score come to in tenths, None where the rule set has none."""

    seat: Seat
    name: str
    points: int
    hands: int
    """Points of the hands alone."""
    penalties: int
    foul_points: int
    rank: int
    rank_points: int
    """What passes from the last to the first by the final order; part of the final score, not of `points`."""
    placement_tenths: int | None
    table_points_tenths: int | None
    ranked: bool
    disqualified: bool


def opened(ledger: Ledger, before: State, state: State, rules: RuleSet) -> Ledger:
    """The line of a hand that has just been dealt after the one that left `before`."""
    a, b, c, d = (ask.wind(state, seat, rules) for seat in SEATS)
    line = HandLine(
        number=state.hand,
        match=state.match,
        hand=state.match_hand,
        dealer=state.dealer,
        round_wind=ask.round_wind(state),
        winds=(a, b, c, d),
        honba=state.honba,
        sticks=state.sticks,
        began_ms=state.hand_ms,
        note=_odd_dealer(before, state, rules),
    )
    new = ledger.running is not None and ledger.running.match != state.match
    if new:
        ledger = replace(ledger, ended="", ended_ms=None)
    return replace(ledger, lines=(*ledger.lines, line))


def _odd_dealer(before: State, state: State, rules: RuleSet) -> str:
    """The deal went elsewhere than the rules say (TW-S1, TW-S8, RI-S6, RI-S7); hands that ended for no known reason say
    nothing."""
    if before.match != state.match or before.ended in (None, "unknown", "ruling"):
        return ""
    due = deal.next_dealer(before, rules)
    return "" if due == state.dealer else f"dealt by seat {state.dealer + 1}; the deal was seat {due + 1}'s"


def won(ledger: Ledger, before: State, shown: WinShown, rules: RuleSet) -> Ledger:
    """A win was shown: what it and those shown with it pay. A second one of the same seat takes the place of the first."""
    line = ledger.running
    if line is None:
        return ledger
    old = {win.seat: win for win in line.wins}
    all_shown = [*(win.shown for win in line.wins if win.shown and win.seat != shown.seat), shown]
    wins = []
    for verdict, one in zip(claim.several(before, all_shown, rules), all_shown, strict=True):
        known = old.get(one.seat)
        if known is not None and known.confirmed:
            wins.append(known)
            continue
        score = verdict.score
        points = score.payments if score else NOTHING if verdict.valid and not verdict.paid else None
        wins.append(Win(one.seat, one.source, one.tile, points, verdict.says, shown=one, verdict=verdict))
    return ledger.with_last(replace(line, wins=tuple(wins)))


def timed_out(ledger: Ledger, ran: ClockRan) -> Ledger:
    """A clock ran out; a further period of the same one takes the place of the last."""
    line = ledger.running
    if line is None:
        return ledger
    if ran.clock == "match":
        return replace(ledger, ended_ms=ran.at_ms) if ledger.ended_ms is None else ledger
    new = TimeOut(ran.seat, ran.clock, ran.since_ms, ran.spent_ms, ran.periods)
    same = (new.seat, new.clock, new.since_ms)
    others = tuple(one for one in line.time_outs if (one.seat, one.clock, one.since_ms) != same)
    return ledger.with_last(replace(line, time_outs=(*others, new)))


def closed(ledger: Ledger, state: State, rules: RuleSet, *, told: bool = False) -> Ledger:
    """The hand has ended: how, and what it pays as far as the rules and what was seen say. `told`: a person says who was
    ready."""
    line = ledger.running
    if line is None or state.ended is None:
        return ledger
    ended_ms = line.ended_ms if line.ended_ms is not None else state.at_ms
    line = replace(line, how=state.ended, tenpai=state.tenpai, bets=deal.bets(state), ended_ms=ended_ms)
    if not line.said:
        unknown = not told and line.how == "exhaustive" and rules.match.noten_points > 0 and _unread(state)
        line = replace(line, points=None if unknown else _points(line, rules))
        line = replace(line, note=line.note or _UNREAD) if unknown else line
    if deal.match_ended(state, rules) and ledger.ended_ms is None:
        ledger = replace(ledger, ended_ms=ended_ms)
    return ledger.with_last(line)


def said(ledger: Ledger, points: Points) -> Ledger:
    """A person says what the hand pays."""
    line = ledger.running
    return ledger if line is None else ledger.with_last(replace(line, points=points, said=True))


def unsaid(ledger: Ledger) -> Ledger:
    """The wins of the hand do not stand: it goes on, or is ended by a ruling."""
    line = ledger.running
    if line is None:
        return ledger
    return ledger.with_last(replace(line, wins=(), points=None, said=False, how=None, ended_ms=None))


def _points(line: HandLine, rules: RuleSet) -> Points | None:
    """What the hand pays: wins, ready bets, and those short of ready at an exhaustive draw (RI-S7)."""
    paid = [NOTHING] if not line.bets else [_bets(line.bets, rules.match.bet)]
    if line.how == "won":
        if not line.wins or any(win.points is None for win in line.wins):
            return None
        paid += [win.points for win in line.wins if win.points is not None]
    elif line.how == "exhaustive" and rules.match.noten_points:
        paid.append(noten(line.tenpai, rules.match.noten_points))
    return total(tuple(paid))


def _unread(state: State) -> bool:
    """Nobody can say from what was seen who was ready: a hand laid open could not be read, or no sensor reads faces."""
    shown = [player.open for player in state.players if player.open is not None]
    if any(UNKNOWN in hand for hand in shown):
        return True
    return not shown and not any(is_face(one.tile) for player in state.players for one in player.pond)


def _bets(seats: tuple[Seat, ...], bet: int) -> Points:
    a, b, c, d = (-bet if seat in seats else 0 for seat in SEATS)
    return a, b, c, d


def noten(ready: tuple[Seat, ...], pot: int) -> Points:
    """Those short of ready share what the ready ones share."""
    short = len(SEATS) - len(ready)
    if not ready or not short:
        return NOTHING
    a, b, c, d = (pot // len(ready) if seat in ready else -pot // short for seat in SEATS)
    return a, b, c, d


def standings(ledger: Ledger, bookings: tuple[Booking, ...], match: int, rules: RuleSet) -> tuple[Standing, ...]:
    """Where all seats stand in one match, by seat. Foul points cost placement points, not points (错行为)."""
    lines = ledger.of_match(match)
    numbers = {line.number for line in lines}
    booked = tuple(one for one in bookings if one.number in numbers)
    start = rules.match.start_points if ledger.start_points is None else ledger.start_points
    hands = total(tuple(line.points for line in lines if line.points is not None))
    fines = total(tuple(one.points for one in booked))
    points = [start + hands[seat] + fines[seat] for seat in SEATS]
    ranks = [1 + sum(other > points[seat] for other in points) for seat in SEATS]
    passed = _passed(points, rules.match.last_to_first)
    return tuple(
        Standing(
            seat=seat,
            name=ledger.names[seat],
            points=points[seat],
            hands=hands[seat],
            penalties=fines[seat],
            foul_points=(fouls := sum(one.foul_points for one in booked if one.seat == seat)),
            rank=ranks[seat],
            rank_points=passed[seat],
            placement_tenths=_placement(points[seat] + passed[seat], ranks, ranks[seat], fouls, rules),
            table_points_tenths=_shared(rules.match.table_points, ranks, ranks[seat]),
            ranked=seat not in ledger.substitutes,
            disqualified=any(one.disqualifies for one in booked if one.seat == seat),
        )
        for seat in SEATS
    )


def _passed(points: list[int], worth: int) -> Points:
    """Points from the last to the first (半庄顺位点); equal ones share, what cannot be shared goes by seat. Nothing where all are
    equal."""
    firsts, lasts = ([seat for seat in SEATS if points[seat] == most] for most in (max(points), min(points)))
    if not worth or firsts == lasts:
        return NOTHING
    won, lost = _shares(worth, len(firsts)), _shares(worth, len(lasts))
    gains = dict(zip(firsts, won, strict=True)) | {seat: -share for seat, share in zip(lasts, lost, strict=True)}
    a, b, c, d = (gains.get(seat, 0) for seat in SEATS)
    return a, b, c, d


def _shares(worth: int, count: int) -> list[int]:
    """Whole hundreds for each, the odd ones to those before the others."""
    hundreds = worth // 100
    return [100 * (hundreds // count + (n < hundreds % count)) for n in range(count)]


def _placement(points: int, ranks: list[int], rank: int, foul_points: int, rules: RuleSet) -> int | None:
    """Thousands over the return points, and the uma, in tenths."""
    uma = _shared(rules.match.uma, ranks, rank)
    if uma is None:
        return None
    return (points - rules.match.return_points) // 100 + uma - 10 * foul_points * rules.match.foul_point_costs


def _shared(by_rank: tuple[int, ...], ranks: list[int], rank: int) -> int | None:
    """Points by rank in tenths; equal ranks share theirs."""
    if not by_rank:
        return None
    equal = ranks.count(rank)
    return 10 * sum(by_rank[rank - 1 : rank - 1 + equal]) // equal
