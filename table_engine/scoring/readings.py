"""A winning hand read in every way, with every place its winning tile may have."""

from __future__ import annotations

from typing import NamedTuple

from table_engine.scoring.groups import Reading, readings
from table_engine.scoring.model import Hand
from table_engine.scoring.tally import NUMBER
from table_engine.wire.tiles import kind

PAIR = -1


class Seen(NamedTuple):
    """A reading and where the winning tile stands in it: the index of a set, or PAIR."""

    reading: Reading
    place: int


def seen(hand: Hand) -> tuple[Seen, ...]:
    """Every reading with every place the winning tile may have among the standing tiles."""
    number = NUMBER[kind(hand.win)]
    found = []
    for reading in readings((*hand.concealed, hand.win), hand.melds):
        if reading.pair == number:
            found.append(Seen(reading, PAIR))
        found += [
            Seen(reading, place)
            for place, group in enumerate(reading.groups)
            if not group.shown and group.holds(number)
        ]
    return tuple(found)
