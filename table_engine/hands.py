"""What the hands look like to those who may see them: faces as rack cameras or tag readers tell them, with waits."""

from __future__ import annotations

from collections.abc import Mapping

from table_engine import ask, scoring
from table_engine.rules import RuleSet
from table_engine.state import Meld, State
from table_engine.wire.hands import HandsView, HandView, WaitView
from table_engine.wire.observations import HandFaces
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, is_face, is_flower, kind, order


def hands(faces: Mapping[Seat, HandFaces], state: State, rules: RuleSet) -> HandsView:
    """All four seats; one whose faces nobody has told is empty."""
    a, b, c, d = (_hand(faces.get(seat), state, seat, rules) for seat in SEATS)
    return HandsView(seats=(a, b, c, d))


def _hand(seen: HandFaces | None, state: State, seat: Seat, rules: RuleSet) -> HandView:
    if seen is None:
        return HandView()
    tiles = tuple(sorted((Tile(code) for code in seen.tiles), key=order))
    drawn = Tile(seen.drawn) if seen.drawn else None
    melds = state.players[seat].melds
    rest = tuple(tile for tile in tiles if not is_flower(tile))
    standing = rest if drawn is None or is_flower(drawn) else (*rest, drawn)
    owed = rules.set.hand - 3 * len(melds)
    if len(standing) not in (owed, owed + 1) or not all(map(is_face, standing)):
        return HandView(tiles=tiles, drawn=drawn)  # dealt in part, a tile too many, a flower not yet replaced
    distance = _distance(standing, melds, rules)
    waits = _waits(rest, melds, state, rules) if distance == 0 and len(rest) == owed else ()
    return HandView(tiles=tiles, drawn=drawn, waits=waits, distance=distance)


def _distance(standing: tuple[Tile, ...], melds: tuple[Meld, ...], rules: RuleSet) -> int | None:
    try:
        return scoring.distance(standing, melds, rules)
    except ValueError:  # a fifth copy: somebody's face was misread
        return None


def _waits(rest: tuple[Tile, ...], melds: tuple[Meld, ...], state: State, rules: RuleSet) -> tuple[WaitView, ...]:
    """`left` counts what neither lies open nor stands in this hand."""
    try:
        kinds = scoring.waits(rest, melds, rules)
    except ValueError:
        return ()
    return tuple(
        WaitView(tile=tile, left=max(0, ask.unseen(state, tile) - sum(kind(one) == tile for one in rest)))
        for tile in kinds
    )
