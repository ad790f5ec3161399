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
    whole = (*tiles, *((drawn,) if drawn else ()))
    distance = _distance(whole, melds, rules)
    waits = _waits(tiles, melds, state, rules) if distance == 0 and len(tiles) % 3 == 1 else ()
    return HandView(tiles=tiles, drawn=drawn, waits=waits, distance=distance)


def _distance(tiles: tuple[Tile, ...], melds: tuple[Meld, ...], rules: RuleSet) -> int | None:
    standing = [tile for tile in tiles if not is_flower(tile)]
    if not standing or not all(is_face(tile) for tile in standing) or len(standing) % 3 == 0:
        return None
    try:
        return scoring.distance(standing, melds, rules)
    except ValueError:  # a fifth copy: somebody's face was misread
        return None


def _waits(tiles: tuple[Tile, ...], melds: tuple[Meld, ...], state: State, rules: RuleSet) -> tuple[WaitView, ...]:
    """`left` counts what neither lies open nor stands in this hand."""
    try:
        kinds = scoring.waits(tiles, melds, rules)
    except ValueError:
        return ()
    own = [tile for tile in tiles if is_face(tile)]
    return tuple(
        WaitView(tile=tile, left=max(0, ask.unseen(state, tile) - sum(kind(one) == tile for one in own)))
        for tile in kinds
    )
