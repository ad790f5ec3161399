"""Games of our own players: hand after hand, each with a shuffled wall, dice and whatever fouls are scripted for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.customs import Customs
from virtual_table.deal import roll, shuffled, takes
from virtual_table.deed import Setting
from virtual_table.players import Players
from virtual_table.scene import setting
from virtual_table.script import Foul


def rigged(wall: Sequence[Tile], takes: Sequence[tuple[Seat, tuple[int, ...]]], seat: Seat) -> tuple[Tile, ...]:
    """A wall in which `seat` is dealt four equal tiles, so that it can kong."""
    tiles = list(wall)
    mine = [i for s, indices in takes if s == seat for i in indices][:4]
    face = Tile("1z")
    wanted = [i for i in mine if tiles[i] != face]
    for want, have in zip(wanted, [i for i, t in enumerate(tiles) if t == face and i not in mine], strict=True):
        tiles[want], tiles[have] = tiles[have], tiles[want]
    return tuple(tiles)


def check_fouls(customs: Customs, fouls: Sequence[Foul]) -> None:
    """Raises SettingsError for a foul that cannot be committed under this rule set."""
    if customs.rules.call_ban.discards is None and any(f.what == "late_call" for f in fouls):
        raise SettingsError(f"{customs.ruleset} never forbids calls: take late_call out of the foul script")


def own_hands(
    customs: Customs,
    seed: int,
    fouls: Sequence[Foul] = (),
    hands: int | None = None,
    requests: list[Foul] | None = None,
) -> Iterator[Setting]:
    """Hands of our own players, the deal passing every hand; `hands` = None goes on for ever. Fouls put into `requests`
    on the way are committed in the next hand dealt."""
    check_fouls(customs, fouls)
    for number in count() if hands is None else range(hands):
        rng = Random(f"{seed}:hand:{number}")
        dealer = Seat(number % 4)
        due = [f for f in fouls if f.hand == number + 1]
        while requests:
            due.append(requests.pop(0))
        if scene := next((f for f in due if f.what == "scene"), None):
            written = setting(customs, scene.moves, rng, f"hand {number + 1}")
            written.mover.fouls.append(scene)
            yield written
            continue
        wall = shuffled(customs, rng)
        for foul in due:
            if foul.what == "kong_no_replacement":
                wall = rigged(wall, takes(customs, dealer), foul.seat)
        yield Setting(dealer, roll(customs, rng), wall, Players(customs, rng, due), f"hand {number + 1}")
