"""The engine's state → what is counted of a table for screens and sheets."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from table_engine import claim, deal, ledger
from table_engine import clocks as running
from table_engine.amend import undone
from table_engine.ask import moment_after, paused
from table_engine.engine import Engine
from table_engine.history import moves as counting_moves
from table_engine.ledger import Booking
from table_engine.penalties import total
from table_engine.portrait import public
from table_engine.rules import RuleSet
from table_engine.state import FOREVER
from table_engine.wire.actions import Clock, CountSeen
from table_engine.wire.acts import RefereeAct
from table_engine.wire.ledger import (
    ActLine,
    BookingLine,
    ClocksView,
    HandLine,
    LedgerView,
    MoveLine,
    Moves,
    Result,
    Rulings,
    StandingLine,
    TimeOutLine,
    WinLine,
)
from table_engine.words import words

MOVES_SHOWN: Final = 40
_MINUTE_MS = 60_000


def clocks_view(engine: Engine, rules: RuleSet) -> ClocksView:
    """All clocks as they stand at the table's own time; in a pause, as they would go on if it ended now."""
    clocks, state, limits = engine.match.clocks, engine.game, rules.clocks
    now = max(engine.now_ms, state.at_ms, 0)
    stopped = paused(state)
    if stopped:
        state = replace(state, pauses=(*state.pauses[:-1], (state.pauses[-1][0], now)))
    match_limit = running.match_limit_ms(clocks, rules)
    ends = None
    if match_limit and clocks.match_ms is not None:
        ends = moment_after(state, clocks.match_ms, match_limit)
    turn_ends = running.turn_ends_ms(clocks, state, rules) if state.running else None
    free = state.hand_ms + limits.free_after_deal_s * 1000 if state.hand and limits.free_after_deal_s else None
    out: list[Clock] = []
    if clocks.turn_told:
        out.append("first_discard" if clocks.first and limits.first_discard_s else "turn")
    if clocks.seat is not None and clocks.hand_told[clocks.seat]:
        out.append("hand")
    if clocks.match_told:
        out.append("match")
    offer, claim_ends = state.turn.offer, None
    if limits.pung_claim_s and offer is not None and not offer.robbing and state.turn.phase == "draw":
        claim_ends = moment_after(state, offer.at_ms, limits.pung_claim_s * 1000)
    count_ends = moment_after(state, clocks.count[1], (limits.count_s or 5) * 1000) if clocks.count else None
    return ClocksView(
        now_ms=now,
        paused=stopped,
        match_began_ms=clocks.match_ms,
        match_ends_ms=_known(ends),
        extra_ms=clocks.extra_ms,
        turn=clocks.seat if state.running else None,
        turn_began_ms=clocks.since_ms if clocks.seat is not None and state.running else None,
        turn_ends_ms=_known(turn_ends),
        hand_used_ms=running.hand_used(clocks, state, now, rules),
        hand_limit_ms=limits.hand_s * 1000 if limits.hand_s else None,
        counted=clocks.count[0] if clocks.count else None,
        count_ends_ms=_known(count_ends),
        claim_ends_ms=_known(claim_ends),
        free_until_ms=free,
        ran_out=tuple(out),
    )


def ledger_view(engine: Engine, rules: RuleSet, match: int | None = None) -> LedgerView:
    """One match, the running one where none is named."""
    book, state = engine.match.ledger, engine.game
    number = state.match if match is None else match
    bookings = engine.match.bookings
    lines = tuple(_hand(line, bookings) for line in book.of_match(number))
    standings = tuple(
        StandingLine(
            seat=one.seat,
            name=one.name,
            points=one.points,
            hands=one.hands,
            penalties=one.penalties,
            foul_points=one.foul_points,
            time_outs=sum(out.seat == one.seat for line in lines for out in line.time_outs),
            rank=one.rank,
            rank_points=one.rank_points,
            placement=_tenths(one.placement_tenths),
            table_points=_tenths(one.table_points_tenths),
            ranked=one.ranked,
            disqualified=one.disqualified,
        )
        for one in ledger.standings(book, bookings, number, rules)
    )
    over = number < state.match or deal.match_ended(state, rules)
    minutes = rules.clocks.appeal_minutes
    until = book.ended_ms + minutes * _MINUTE_MS if minutes and book.ended_ms is not None else None
    return LedgerView(
        table=engine.docket.table,
        ruleset=rules.id,
        match=number,
        hands=lines,
        standings=standings,
        over=over,
        ended=book.ended,
        ended_ms=book.ended_ms,
        appeals_until_ms=until,
    )


def moves_view(engine: Engine, rules: RuleSet) -> Moves:
    """The last moves of the running hand that count, as everybody may know them."""
    last = list(counting_moves(engine.history, last_only=True))[-MOVES_SHOWN:]
    return Moves(
        moves=tuple(
            MoveLine(
                move=number,
                at_ms=action.at_ms,
                says=words(action, engine.game, rules),
                action=public(action, rules),
            )
            for number, action in last
            if not isinstance(action, CountSeen)
        )
    )


def result_view(engine: Engine, _rules: RuleSet) -> Result:
    """The wins shown in the running hand."""
    line = engine.match.ledger.running
    if line is None:
        return Result()
    return Result(hand=line.hand, wins=tuple(claim.view(win.verdict) for win in line.wins if win.verdict))


def rulings(engine: Engine, rules: RuleSet) -> Rulings:
    """Everything a referee decided, and what it was decided about."""
    entries = engine.history.acts
    gone = undone(entries)
    acts = tuple(
        ActLine(
            id=act.id,
            by=act.by,
            role=act.role,
            at_ms=act.at_ms,
            move=entry.number,
            act=act.did.act,
            undone=act.id in gone,
            did=act.did.model_dump(mode="json"),
        )
        for entry in entries
        if isinstance(act := entry.what, RefereeAct)
    )
    hands = {line.number: line.hand for line in engine.match.ledger.lines}
    return Rulings(
        table=engine.docket.table,
        ruleset=rules.id,
        alerts=engine.docket.told,
        retracted=engine.retracted,
        acts=acts,
        bookings=tuple(_booked(one, hands.get(one.number, one.number)) for one in engine.match.bookings),
    )


def _hand(line: ledger.HandLine, bookings: tuple[Booking, ...]) -> HandLine:
    own = tuple(one for one in bookings if one.number == line.number)
    fines = tuple(one.points for one in own)
    return HandLine(
        hand=line.hand,
        number=line.number,
        dealer=line.dealer,
        round_wind=line.round_wind,
        winds=line.winds,
        honba=line.honba,
        sticks=line.sticks,
        began_ms=line.began_ms,
        ended_ms=line.ended_ms,
        how=line.how or "",
        wins=tuple(
            WinLine(
                seat=win.seat,
                source=win.source,
                tile=win.tile,
                points=win.points,
                says=str(win.says or ""),
                phrase=win.says,
                confirmed=win.confirmed,
            )
            for win in line.wins
        ),
        tenpai=line.tenpai,
        bets=line.bets,
        time_outs=tuple(
            TimeOutLine(seat=one.seat, clock=one.clock, spent_ms=one.spent_ms, periods=one.periods)
            for one in line.time_outs
        ),
        points=line.points,
        total=None if line.points is None else total((line.points, *fines)),
        said=line.said,
        note=line.note,
        bookings=tuple(_booked(one, line.hand) for one in own),
    )


def _booked(one: Booking, hand: int) -> BookingLine:
    return BookingLine(
        alert=one.alert,
        row=one.row,
        seat=one.seat,
        hand=hand,
        points=one.points,
        foul_points=one.foul_points,
        warning=one.warning,
        disqualifies=one.disqualifies,
    )


def _tenths(value: int | None) -> float | None:
    return None if value is None else value / 10


def _known(at_ms: int | None) -> int | None:
    """A moment that will come while no pause lasts."""
    return None if at_ms is None or at_ms >= FOREVER else at_ms
