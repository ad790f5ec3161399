"""Scores for the formats that cannot do without: where a game's record or journal tells none, our own scoring counts them."""

from __future__ import annotations

from dataclasses import replace

from table_engine.records.model import GameRecord, HandRecord
from table_engine.records.worth import worths
from table_engine.wire.actions import Discarded, WinShown
from table_engine.wire.seats import SEATS

START = 25_000


def tallied(game: GameRecord) -> GameRecord:
    """The game with scores in every hand; itself when it has them. What nobody can score moves no points."""
    if all(hand.scores is not None for hand in game.hands):
        return game
    hands: list[HandRecord] = []
    scores: tuple[int, ...] = (START,) * 4
    for hand in game.hands:
        scores = hand.scores or scores
        deltas = hand.deltas if hand.deltas is not None else _deltas(hand)
        hands.append(replace(hand, scores=scores, deltas=deltas))
        scores = tuple(a + b for a, b in zip(scores, deltas or (0,) * 4, strict=True))
    return replace(game, hands=tuple(hands))


def _deltas(hand: HandRecord) -> tuple[int, ...] | None:
    """What a hand that was won moved; None where it was not or cannot be scored."""
    won = worths(hand) if any(isinstance(move, WinShown) for move in hand.moves) else []
    if not won or any(win.deltas is None for win in won):
        return None
    total = [sum((win.deltas or (0,) * 4)[seat] for win in won) for seat in SEATS]
    discards = [move for move in hand.moves if isinstance(move, Discarded)]
    robbed = discards[-1] if won[0].source is not None and isinstance(hand.moves[-2 - len(won)], Discarded) else None
    for move in discards:
        if move.sideways and move is not robbed:
            total[move.seat] -= 1000
    return tuple(total)
