"""What a table controller says, as words for people."""

from __future__ import annotations

from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Honba,
    Jam,
    Observation,
    ReadyStick,
    ScoreTray,
    SetComplete,
    TagSeen,
    TileMissing,
    WallCount,
)


def words(observation: Observation) -> str:
    """One line."""
    match observation:
        case Dice(dice=dice):
            return f"dice {' + '.join(map(str, dice))} = {sum(dice)}"
        case Dealer(seat=seat):
            return f"dealer is seat {int(seat)}"
        case WallCount(side=side, count=count, slot=slot):
            return f"wall {int(side)}: {count} left" + (f", last from stack {slot}" if slot >= 0 else "")
        case HandZone(side=side, present=present):
            return f"wall {int(side)}: {'a hand' if present else 'free'}"
        case DiscardZone(seat=seat, count=count, touched=touched):
            return f"seat {int(seat)}: {count} discards{', touched' if touched else ''}"
        case SetComplete(tiles=tiles):
            return f"set complete, {tiles} tiles"
        case Bay(open=is_open):
            return f"bay {'open' if is_open else 'closed'}"
        case Button(seat=seat, call=call):
            return f"seat {int(seat)} presses {call.upper()}"
        case ReadyStick(seat=seat, present=present):
            return f"seat {int(seat)}: riichi stick {'laid' if present else 'gone'}"
        case Honba(count=count):
            return f"honba {count}"
        case Jam(place=place, present=present):
            return f"jam in the {place}" if present else f"no jam in the {place}"
        case TileMissing(expected=expected, counted=counted):
            return f"{counted} of {expected} tiles counted"
        case ScoreTray(seat=seat, points=points):
            return f"seat {int(seat)}: {points:,} points in the tray"
        case TagSeen(reader=reader, slot=slot, tag=tag):
            return f"reader {reader}, place {slot}: {f'tag {tag}' if tag else 'no tag'}"
        case _:
            return observation.type
