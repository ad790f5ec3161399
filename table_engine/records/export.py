"""Game records and engine journals → the files that players' own tools read.

A journal knows what was seen at the table: hands are unknown there and draws are known only as draws, so the export has
`?` (mjai) or 0 (tenhou.net/6) where nobody saw a face. Formats that have no word for that, or for a rule set, say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from table_engine.apply import apply
from table_engine.records import botzone_write, jantaku_record, mjai, pmn_write, tenhou6
from table_engine.records.model import GameRecord, HandRecord
from table_engine.records.settled import settled
from table_engine.records.tally import tallied
from table_engine.rules import RuleSet
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    Drew,
    FlowersShown,
    HandEnded,
    HandStarted,
    Konged,
    WinShown,
)
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN


class Export(NamedTuple):
    """A format: how it is written, and the rule sets it can tell (none: all)."""

    write: Callable[[GameRecord], str]
    rulesets: tuple[str, ...] = ()


EXPORTS = {
    "mjai": Export(
        lambda game: "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in mjai.events(game)), ("riichi",)
    ),
    "tenhou6": Export(lambda game: json.dumps(tenhou6.log(game), ensure_ascii=False) + "\n", ("riichi",)),
    "botzone": Export(botzone_write.text, ("chinese_official",)),
    "pmn": Export(pmn_write.text, ("chinese_official",)),
    "jantaku": Export(lambda game: "".join(jantaku_record.lines(game))),
}


def export(game: GameRecord, form: str) -> str:
    """A game as the text of one file. Raises RecordError for a form nobody knows and for games it cannot tell."""
    if form not in EXPORTS:
        raise RecordError(f"no export {form!r}; there are {', '.join(EXPORTS)}")
    able = EXPORTS[form].rulesets
    if able and game.ruleset not in able:
        raise RecordError(f"{game.source}: {form} can tell {', '.join(able)} games only, this one is {game.ruleset}")
    if not game.hands:
        raise RecordError(f"{game.source}: no hand was played, there is nothing to export")
    return EXPORTS[form].write(tallied(game) if form in ("mjai", "tenhou6") else game)


def game_of(actions: Iterable[Action], rules: RuleSet, source: str, names: tuple[str, ...] = ("",) * 4) -> GameRecord:
    """What an engine told → a game record. A hand that has not ended is ended there, with a note. Seats are renumbered
    so that the first dealer is player 0, as the formats have it."""
    state, hands = State(), list[HandRecord]()
    moves: list[Action] = []
    for move in settled(actions):
        state = apply(state, move, rules)
        if isinstance(move, HandStarted):
            if hands:
                hands[-1] = _ended(hands[-1], moves)
            moves = []
            hands.append(_begun(state, rules))
        elif hands and not (moves and isinstance(moves[-1], HandEnded)):
            moves.append(_renumbered(move, state.first_dealer))
    if hands:
        hands[-1] = _ended(hands[-1], moves)
    turned = tuple(names[seat.step(state.first_dealer)] for seat in SEATS)
    return GameRecord(source=source, ruleset=rules.id, hands=tuple(hands), names=turned)


def _begun(state: State, rules: RuleSet) -> HandRecord:
    dealer = state.dealer.step(-state.first_dealer)
    return HandRecord(
        ruleset=rules.id,
        dealer=dealer,
        hands=tuple((UNKNOWN,) * (rules.set.hand + (seat == dealer)) for seat in SEATS),
        moves=(),
        round_wind=state.rotations // 4,
        honba=state.honba,
        dice=state.dice,
        title=f"hand {state.hand}",
    )


def _ended(hand: HandRecord, moves: list[Action]) -> HandRecord:
    if moves and isinstance(moves[-1], HandEnded):
        return replace(hand, moves=tuple(moves))
    note = "the journal breaks off inside this hand"
    return replace(hand, moves=(*moves, HandEnded(won=False)), notes=(note,))


def _renumbered(move: Action, first: Seat) -> Action:
    match move:
        case Called(seat=seat, source=source):
            return replace(move, seat=seat.step(-first), source=source.step(-first))
        case WinShown(seat=seat, source=source):
            return replace(move, seat=seat.step(-first), source=None if source is None else source.step(-first))
        case Drew(seat=seat) | Discarded(seat=seat) | Konged(seat=seat) | FlowersShown(seat=seat):
            return replace(move, seat=seat.step(-first))
        case _:
            return move
