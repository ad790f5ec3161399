"""Hands that tests describe move by move: begun, played by a line, and what is told of them."""

from __future__ import annotations

from following import Told, tell
from table_script import Script

from table_engine.wire.actions import Action, Discarded, Drew
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = SEATS
BOTH = {"camera": True, "bridge": True}
ALONE = {"camera": True, "bridge": False}
T = Tile


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(T(t) for t in text.split())


def started(ruleset: str = "riichi", **sensors: bool) -> Script:
    script = Script(ruleset, **sensors)
    script.build(S0)
    script.deal(S0)
    if ruleset == "riichi":
        script.dora(T("3z"))
    return script


def turn(script: Script, seat: Seat, tile: str) -> None:
    script.draw(seat)
    script.discard(seat, tile)


def told(script: Script, wait_ms: int = 6_000) -> Told:
    script.wait(wait_ms)
    return tell(script.stream(), script.ruleset)


def turns(*moves: tuple[Seat, str]) -> list[Action]:
    return [m for seat, tile in moves for m in (Drew(seat=seat), Discarded(seat=seat, tile=T(tile)))]
