"""What may be said of a hand's waits: only of a whole one, whatever the rule set's size and the sets shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_engine.hands import hands
from table_engine.rules import RULESETS, load_ruleset
from table_engine.state import Meld, State
from table_engine.wire.hands import HandView
from table_engine.wire.observations import HandFaces
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

READY = tuple(
    map(Tile, ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "1p", "1p", "2s", "2s", "2s", "3s"])
)
"""Five sets and a lone 3s: cut from the left by three tiles it is ready at any size, waiting for 3s and 1s or 4s."""
CHOW = Meld("chow", tuple(map(Tile, ("7p", "8p", "9p"))), Tile("8p"), Seat.S1)


def look(tiles: tuple[str, ...], ruleset: str = "riichi", melds: int = 0, drawn: str | None = None) -> HandView:
    state = State()
    players = list(state.players)
    players[Seat.S0] = replace(players[Seat.S0], melds=(CHOW,) * melds)
    seen = {Seat.S0: HandFaces(seat=Seat.S0, tiles=tiles, drawn=drawn)}
    return hands(seen, replace(state, players=tuple(players)), load_ruleset(ruleset)).seats[0]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_hand_that_is_being_dealt_has_neither_waits_nor_distance(ruleset: str) -> None:
    size = load_ruleset(ruleset).set.hand
    ready = (*READY[len(READY) - size :], *map(Tile, ("5z", "6z", "7z")))
    for count in range(len(ready) + 1):
        view = look(ready[:count], ruleset)
        assert len(view.tiles) == count
        assert (view.distance is not None) == (count in (size, size + 1)), count
        assert bool(view.waits) == (count == size), count


@pytest.mark.parametrize("melds", range(5))
def test_every_set_shown_takes_three_tiles_off_the_hand(melds: int) -> None:
    whole = 13 - 3 * melds
    assert [wait.tile for wait in look(READY[-whole:], melds=melds).waits]
    for other in {1, 4, 7, 10, 13} - {whole}:
        view = look(READY[-other:], melds=melds)
        assert (view.waits, view.distance) == ((), None), other


def test_what_is_waited_for_stands_beside_a_drawn_tile_too() -> None:
    ready = READY[-13:]
    assert look(ready, drawn="9s").waits == look(ready).waits
    won = look(ready, drawn="3s")
    assert (won.waits, won.distance) == ((), -1)


def test_a_flower_is_no_tile_of_the_hand_and_an_unread_one_leaves_it_open() -> None:
    ready = READY[-16:]
    assert look((*ready, "3f"), "taiwan16").waits == look(ready, "taiwan16").waits
    assert look((*ready[1:], "3f"), "taiwan16").distance is None  # its replacement is not there yet
    assert look(ready, "taiwan16", drawn="3f").distance == 0
    assert look((*ready[1:], "?"), "taiwan16").distance is None
    assert look(("1m",) * 5 + READY[-8:]).distance is None  # a fifth copy: somebody's face was misread
