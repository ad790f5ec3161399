"""Which recorded hands really do what their rule text forbids: read off the records alone, without the engine.

    python -m tests.conformance.forbidden [--formats taiwan-jsonl,…]

Numbers are those of the rule texts: TW 規定(12) no calls with 20 tiles or fewer in the wall, 流局 at 16; riichi 14 tiles of
dead wall (no call of the last discard, no kong when nothing is left to draw). What is marked * is judged by the engine
today; the rest is listed for the fouls to come.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from table_engine.records.model import HandRecord
from table_engine.wire.actions import Action, Called, Discarded, Drew, FlowersShown, Konged
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_flower, kind
from tests.conformance.records import FORMATS, games_of, paths_of

TILES = {"taiwan16": 144, "riichi": 136, "chinese_official": 136}
DEALT = {"taiwan16": 65, "riichi": 53, "chinese_official": 53}
CALL_BAN = {"taiwan16": 20, "riichi": 14}
KONG_BAN = {"taiwan16": 16, "riichi": 14}


def forbidden(record: HandRecord) -> Iterator[str]:
    """Every forbidden thing of a hand, in words. `*`: what the engine judges today."""
    rules, left = record.ruleset, TILES[record.ruleset] - DEALT[record.ruleset]
    held = [len(hand) for hand in record.hands]
    owed, sets = [0] * 4, [0] * 4
    to_draw: Seat | None = None
    before: Action | None = None
    for number, move in enumerate(record.moves, start=1):
        where = f"move {number}"
        match move:
            case Drew(seat=seat, end=end):
                left -= 1
                held[seat] += 1
                if owed[seat]:
                    owed[seat] -= 1
                    if end != "tail":
                        yield f"* {where}: seat {int(seat)} takes a replacement from the head"
                elif to_draw != seat:
                    yield f"* {where}: seat {int(seat)} draws out of turn"
                elif end != "head":
                    yield f"* {where}: seat {int(seat)} draws from the tail"
                to_draw = None
            case Discarded(seat=seat, tile=tile):
                held[seat] -= 1
                right = DEALT[rules] // 4 - 3 * sets[seat]
                if held[seat] != right:
                    yield f"* {where}: seat {int(seat)} holds {held[seat]} tiles after its discard, {right} are right"
                yield from _swap(rules, where, before, seat, tile)
                if is_flower(tile):
                    yield f"{where}: seat {int(seat)} discards a flower"
                to_draw = seat.next
            case Called(seat=seat, call=call, source=source):
                held[seat] -= len(move.tiles) - 1
                sets[seat] += 1
                owed[seat] += call == "kong"
                to_draw = None
                if left <= CALL_BAN.get(rules, -1):
                    yield f"* {where}: seat {int(seat)} calls a {call} with {left} tiles in the wall"
                if rules == "taiwan16" and call == "kong" and source == seat.upper:
                    yield f"{where}: seat {int(seat)} makes a kong of the upper seat's discard (TW-P2)"
            case Konged(seat=seat, kong=kong):
                held[seat] -= 4 if kong == "concealed" else 1
                sets[seat] += kong == "concealed"
                owed[seat] += 1
                if left <= KONG_BAN.get(rules, -1):
                    yield f"* {where}: seat {int(seat)} makes an own kong with {left} tiles in the wall"
                if rules == "taiwan16" and isinstance(before, Called) and before.call != "kong":
                    yield f"{where}: seat {int(seat)} makes a kong directly after a {before.call} (TW-P4)"
            case FlowersShown(seat=seat, tiles=tiles):
                held[seat] -= len(tiles)
                owed[seat] += len(tiles)
            case _:
                pass
        before = move
    yield from _laps(record)


def _swap(rules: str, where: str, before: Action | None, seat: Seat, tile: Tile) -> Iterator[str]:
    """TW-F7, TW-F8; riichi RI-S10."""
    if rules == "chinese_official" or not isinstance(before, Called) or before.seat != seat or before.call == "kong":
        return
    if kind(tile) == kind(before.tile):
        yield f"{where}: seat {int(seat)} discards the kind it has just called"
        return
    rest = list(before.tiles)
    rest.remove(before.tile)
    if before.call == "chow" and kind(tile)[-1] == kind(before.tile)[-1]:
        low, high = sorted(int(kind(t)[0]) for t in rest)
        called, thrown = int(kind(before.tile)[0]), int(kind(tile)[0])
        if high == low + 1 and {called, thrown} == {low - 1, high + 1}:
            yield f"{where}: seat {int(seat)} discards the other end of the chow it has just called"


def _laps(record: HandRecord) -> Iterator[str]:
    """TW-S5: all flowers of a seat at once, from the dealer on, lap by lap. The replacements come from the tail in one
    order whoever takes them, so what should have been shown can be played out."""
    if record.ruleset != "taiwan16":
        return
    shown, tail = list[tuple[Seat, frozenset[Tile]]](), list[Tile]()
    for move in record.moves:
        match move:
            case FlowersShown(seat=seat, tiles=tiles):
                shown.append((seat, frozenset(tiles)))
            case Drew(tile=tile):
                tail.append(tile)
            case Discarded():
                break
    hands = [list(hand) for hand in record.hands]
    right = list[tuple[Seat, frozenset[Tile]]]()
    again = True
    while again:
        again = False
        for seat in (record.dealer.step(n) for n in range(4)):
            flowers = [t for t in hands[seat] if is_flower(t)]
            if flowers:
                again = True
                right.append((seat, frozenset(flowers)))
                hands[seat] = [t for t in hands[seat] if not is_flower(t)] + tail[: len(flowers)]
                del tail[: len(flowers)]
    if shown != right:
        yield "the opening flowers are replaced seat by seat, not in laps (TW-S5)"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--formats", default=",".join(FORMATS))
    options = parser.parse_args()
    for form in options.formats.split(","):
        hands, kinds = 0, Counter[str]()
        lines = []
        for game in games_of(options.paths or paths_of(form)):
            for number, record in enumerate(game.hands, start=1):
                hands += 1
                found = list(forbidden(record))
                kinds.update({" ".join(w for w in text.split() if not any(c.isdigit() for c in w)) for text in found})
                lines += [f"  {game.source} hand {number}: {text}" for text in found]
        print(f"{form}: {hands} hands; {sum(line.count(': *') for line in lines)} things the engine judges today")
        for words, count in kinds.most_common():
            print(f"  {count} hands: {words}")
        print(*[line for line in lines if ": *" in line], sep="\n")
        if options.paths:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
