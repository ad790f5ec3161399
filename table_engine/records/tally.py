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
        scores = tuple(a + b for a, b in zip(scores, deltas, strict=True))
    return replace(game, hands=tuple(hands))


def _deltas(hand: HandRecord) -> tuple[int, ...]:
    """What a hand moved: its wins as far as they can be scored, and the sticks laid in it. Who was ready at a draw nobody
    told."""
    won = worths(hand) if any(isinstance(move, WinShown) for move in hand.moves) else []
    total = [sum((win.deltas or (0,) * 4)[seat] for win in won) for seat in SEATS]
    discards = [move for move in hand.moves if isinstance(move, Discarded)]
    ron = bool(won) and won[0].source is not None
    robbed = discards[-1] if ron and isinstance(hand.moves[-2 - len(won)], Discarded) else None
    for move in discards:
        if move.sideways and move is not robbed:
            total[move.seat] -= 1000
    return tuple(total)
