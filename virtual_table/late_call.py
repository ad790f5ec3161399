"""How players bring a scripted late call about: somebody must discard, once calls are over, what the offender can call.

The easiest to call is the upper player's discard, so calls near the end of the hand shift the turns until it is the
offender's upper player who discards last.
"""

from __future__ import annotations

from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, kind
from virtual_table.policy import Policy
from virtual_table.position import Position

STEERED_DRAWS = 16
"""Turns are steered from so many draws before the end."""


def caller_wanted(position: Position, source: Seat, offender: Seat) -> Seat | None:
    """Who should call what `source` has just discarded, so that the offender's upper player discards last. None: nobody
    need, or nobody who may."""
    draws = position.left - position.customs.unplayed
    if not 0 < draws <= STEERED_DRAWS or source.next.step(draws - 1) == offender.upper:
        return None
    caller = offender.upper.step(-draws)
    return None if caller in (source, offender, offender.upper) else caller


def bait(policy: Policy, position: Position, seat: Seat, offender: Seat, forbidden: frozenset[Tile]) -> Tile | None:
    """What `seat` should discard: for the offender once calls are over, before for whoever should shift the turns."""
    wanted = offender if policy.banned(position) else caller_wanted(position, seat, offender)
    if wanted is None or wanted == seat:
        return None
    tiles = position.tiles(seat)
    for tile in sorted(set(tiles), key=lambda t: (tiles.count(t), t)):
        calls = policy.possible(position, wanted, seat, tile)
        fits = any(wanted == offender or policy.allowed(position, c) for c in calls if c.call != "kong")
        if fits and kind(tile) not in forbidden:
            return tile
    return None
