"""What an engine told → a game record: moves as they stand in the end, what was seen besides, fouls, and the ledger's points.

Seats are renumbered so that the first dealer is player 0, as the formats have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from table_engine.apply import apply
from table_engine.records.model import GameRecord, HandRecord
from table_engine.records.settled import settled
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    WinShown,
)
from table_engine.wire.alerts import Alert
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile

_MOVES = (Drew, Discarded, Called, Konged, FlowersShown, DoraShown, WinShown, HandEnded)
BROKEN_OFF = "the journal breaks off inside this hand"


@dataclass(frozen=True, slots=True)
class Account:
    """What the ledger says of one hand, by chair: points before it, what it moved (None: nobody can say) and the sticks
    that lay on the table when it began."""

    scores: tuple[int, ...] | None = None
    deltas: tuple[int, ...] | None = None
    sticks: int = 0


@dataclass(slots=True)
class _Hand:
    """One hand while it is put together."""

    record: HandRecord
    moves: list[Action] = field(default_factory=list)
    asides: list[Action] = field(default_factory=list)
    shown: list[tuple[Tile, ...] | None] = field(default_factory=lambda: [None] * 4)

    @property
    def over(self) -> bool:
        return bool(self.moves) and isinstance(self.moves[-1], HandEnded)

    def finish(self) -> HandRecord:
        shown = tuple(self.shown) if any(self.shown) else ()
        record = replace(self.record, asides=tuple(self.asides), shown=shown)
        if self.over:
            return replace(record, moves=tuple(self.moves))
        return replace(record, moves=(*self.moves, HandEnded(won=False)), notes=(BROKEN_OFF,))


def game_of(
    actions: Iterable[Action],
    rules: RuleSet,
    source: str,
    names: tuple[str, ...] = ("",) * 4,
    *,
    accounts: Mapping[int, Account] | None = None,
    alerts: Sequence[Alert] = (),
    overrides: Mapping[str, object] | None = None,
) -> GameRecord:
    """The game of these actions. A hand that has not ended is ended there, with a note. `accounts` by the number of the hand
    since the engine began; `alerts` as they stood in the end."""
    told = list(actions)
    state = State()
    hands: list[_Hand] = []
    for move in settled(told):
        state = apply(state, move, rules)
        first = state.first_dealer
        if isinstance(move, HandStarted):
            account = (accounts or {}).get(state.hand, Account())
            here = [_turned(alert, first) for alert in alerts if alert.hand == state.hand]
            hands.append(_Hand(_begun(state, move, rules, account, here, overrides or {})))
        elif hands and isinstance(move, _MOVES) and not hands[-1].over:
            hands[-1].moves.append(_renumbered(move, first))
    _besides(told, hands, state.first_dealer)
    turned = tuple(names[seat.step(state.first_dealer)] for seat in SEATS)
    return GameRecord(source=source, ruleset=rules.id, hands=tuple(hand.finish() for hand in hands), names=turned)


def _besides(told: Sequence[Action], hands: Sequence[_Hand], first: Seat) -> None:
    """What was told of each hand and is no move, in order; hands shown at a draw by seat."""
    number = -1
    for action in told:
        if isinstance(action, HandStarted):
            number += 1
        elif number >= 0 and not isinstance(action, _MOVES):
            aside = _renumbered(action, first)
            hands[number].asides.append(aside)
            if isinstance(aside, HandShown):
                hands[number].shown[aside.seat] = aside.hand


def _begun(
    state: State,
    start: HandStarted,
    rules: RuleSet,
    account: Account,
    alerts: Sequence[Alert],
    overrides: Mapping[str, object],
) -> HandRecord:
    first = state.first_dealer
    dealer = state.dealer.step(-first)
    return HandRecord(
        ruleset=rules.id,
        dealer=dealer,
        hands=tuple((UNKNOWN,) * (rules.set.hand + (seat == dealer)) for seat in SEATS),
        moves=(),
        round_wind=state.rotations // 4,
        honba=state.honba,
        sticks=account.sticks,
        scores=_four(account.scores, first),
        deltas=_four(account.deltas, first),
        dice=state.dice,
        title=f"hand {state.hand}",
        overrides=tuple(sorted(overrides.items())),
        alerts=tuple(alerts),
        began_ms=start.at_ms,
        break_side=None if start.break_side is None else start.break_side.step(-first),
        break_stack=start.break_stack,
    )


def _four(values: tuple[int, ...] | None, first: Seat) -> tuple[int, ...] | None:
    return None if values is None else tuple(values[seat.step(first)] for seat in SEATS)


def _turned(alert: Alert, first: Seat) -> Alert:
    other = None if alert.other is None else alert.other.step(-first)
    points = _four(alert.points, first)
    return alert.model_copy(update={"seat": alert.seat.step(-first), "other": other, "points": points})


def _renumbered(move: Action, first: Seat) -> Action:
    match move:
        case Called(seat=seat, source=source):
            return replace(move, seat=seat.step(-first), source=source.step(-first))
        case WinShown(seat=seat, source=source):
            return replace(move, seat=seat.step(-first), source=None if source is None else source.step(-first))
        case HandEnded() | DoraShown():
            return move
        case HandStarted(dealer=dealer):
            return replace(move, dealer=dealer.step(-first))
        case _:
            return replace(move, seat=move.seat.step(-first))
