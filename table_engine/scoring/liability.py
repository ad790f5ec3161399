"""Who pays for a limit hand because its discard made it certain (pao, 包則)."""

from __future__ import annotations

from table_engine.scoring.model import Context, Hand
from table_engine.scoring.yaku import FOUR_CONSECUTIVE
from table_engine.state import Meld
from table_engine.tariff import RiichiTariff
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, kind

_NAMES = {
    "big_three_dragons": ("大三元",),
    "big_four_winds": ("大四喜",),
    "four_kongs": ("四槓子",),
    "four_consecutive_triplets": (FOUR_CONSECUTIVE[0],),
}


def liable_for(hand: Hand, context: Context, tariff: RiichiTariff) -> tuple[Seat | None, frozenset[str]]:
    """The seat that is liable and the names of the limit hands it is liable for. Sets count in the order they were shown:
    the discard that completed the last set which makes the limit hand certain; a concealed kong makes nobody liable."""
    names: set[str] = set()
    liable = context.liable
    for what in tariff.liability:
        last = _last(what, hand.melds)
        if last is not None and last.source is not None:
            seat = context.liable if context.liable is not None else last.source
            if liable is None or liable == seat:
                liable = seat
                names.update(_NAMES[what])
    if context.liable is not None and not names:
        names.update(name for what in tariff.liability for name in _NAMES[what])
    return liable, frozenset(names)


def _last(what: str, melds: tuple[Meld, ...]) -> Meld | None:
    """The set that made it certain, None where the sets shown do not make it certain."""
    sets = [meld for meld in melds if meld.call != "chow"]
    match what:
        case "big_three_dragons":
            sets = [meld for meld in sets if meld.tiles[0] in ("5z", "6z", "7z")]
            return sets[-1] if len(sets) == 3 else None
        case "big_four_winds":
            sets = [meld for meld in sets if meld.tiles[0] in ("1z", "2z", "3z", "4z")]
            return sets[-1] if len(sets) == 4 else None
        case "four_kongs":
            last = melds[-1] if len(melds) == 4 and all(meld.is_kong for meld in melds) else None
            return last if last is not None and last.added is None else None
        case _:
            return sets[-1] if len(sets) == 4 and _consecutive([kind(meld.tiles[0]) for meld in sets]) else None


def _consecutive(kinds: list[Tile]) -> bool:
    suits, ranks = {tile[1] for tile in kinds}, sorted(int(tile[0]) for tile in kinds)
    return len(suits) == 1 and "z" not in suits and ranks == list(range(ranks[0], ranks[0] + 4))
