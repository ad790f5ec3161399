"""Is it a win, what does it wait for, how far is it from ready: for hands of any number of sets, by the shapes of the rules.

All functions take standing tiles without flowers, and the sets shown. A tile of which the player holds all four is nothing
to wait for. Raises what `tally` raises: TooManyError at a fifth copy, KeyError at a tile without a face.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_engine.scoring.specials import SPECIALS
from table_engine.scoring.standard import standard, standard_need, standard_waits
from table_engine.scoring.tally import COUNTS, NIBBLE, NUMBER, tally
from table_engine.state import Meld
from table_engine.tariff import Shape
from table_engine.wire.tiles import KINDS, Tile, kind


def complete(tiles: Sequence[Tile], sets: int = 0, shapes: Sequence[Shape] = ()) -> bool:
    """Whether standing tiles, the winning one among them, are a winning hand beside `sets` sets shown."""
    total, count = tally(tiles), len(tiles)
    return standard(total, count) or any(SPECIALS[shape].need(total, count, sets, 1) == 0 for shape in shapes)


def waits(concealed: Sequence[Tile], melds: Sequence[Meld] = (), shapes: Sequence[Shape] = ()) -> tuple[Tile, ...]:
    """The kinds that complete a hand, in the order of tiles; none where it is not ready. `concealed`: 3n+1 tiles."""
    total, count = tally(concealed), len(concealed)
    found = standard_waits(total)
    for shape in shapes:
        found |= SPECIALS[shape].waits(total, count, len(melds))
    if not found:
        return ()
    held = total >> COUNTS
    for meld in melds:
        for tile in meld.tiles:
            number = NUMBER.get(kind(tile))
            if number is not None:
                held += NIBBLE[number] >> COUNTS
    return tuple(KINDS[n] for n in _bits(found) if held >> (4 * n) & 15 < 4)


def distance(concealed: Sequence[Tile], melds: Sequence[Meld] = (), shapes: Sequence[Shape] = ()) -> int:
    """How many tiles have to be exchanged until a hand is ready: 0 ready, -1 complete. `concealed`: 3n+1 or 3n+2 tiles."""
    total, count = tally(concealed), len(concealed)
    need = standard_need(total, count // 3)
    for shape in shapes:
        need = min(need, SPECIALS[shape].need(total, count, len(melds), need))
    if need == 1 and melds and count % 3 == 1 and not waits(concealed, melds, shapes):
        return 1
    return need - 1


def _bits(found: int) -> list[int]:
    numbers = []
    while found:
        low = found & -found
        numbers.append(low.bit_length() - 1)
        found ^= low
    return numbers
