"""Hands of one game put together: what one hand leaves open, the next one's scores tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_engine.records.model import GameRecord, HandRecord


def game_of_hands(
    source: str,
    hands: Sequence[HandRecord],
    *,
    names: tuple[str, ...] = ("", "", "", ""),
    final: tuple[int, ...] | None = None,
    notes: Sequence[str] = (),
) -> GameRecord:
    """A game of these hands. Changes of score that a hand does not tell are taken from the scores after it. Raises
    IndexError without hands."""
    after = [*(hand.scores for hand in hands[1:]), final]
    told = [_with_deltas(hand, scores) for hand, scores in zip(hands, after, strict=True)]
    if len({hand.overrides for hand in told}) > 1:  # one set of tiles for a whole game
        overrides = tuple(sorted({one for hand in told for one in hand.overrides}, key=str))
        told = [replace(hand, overrides=overrides) for hand in told]
    return GameRecord(source, hands[0].ruleset, tuple(told), names, final, tuple(notes))


def _with_deltas(hand: HandRecord, after: tuple[int, ...] | None) -> HandRecord:
    if hand.deltas is not None or hand.scores is None or after is None:
        return hand
    return replace(hand, deltas=tuple(b - a for a, b in zip(hand.scores, after, strict=True)))
