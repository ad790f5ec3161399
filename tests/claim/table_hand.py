"""A hand at a table played as far as a win: seat 0 deals, everybody draws and discards what the test says."""

from __future__ import annotations

from dataclasses import replace

from table_engine import claim
from table_engine.apply import apply
from table_engine.claim import Verdict
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring.notation import tiles, written
from table_engine.state import State
from table_engine.wire.actions import Called, Discarded, DoraShown, Drew, HandStarted, Konged, WinShown
from table_engine.wire.effects import Effect
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = SEATS


class TableHand:
    """Moves one after the other, a second apart."""

    def __init__(self, rules: str | RuleSet, *, dora: str = "") -> None:
        self.rules = load_ruleset(rules) if isinstance(rules, str) else rules
        self.state = State()
        self.do(HandStarted(dealer=S0, dice=(1,)))
        if dora:
            self.do(DoraShown(tile=Tile(dora)))

    def do(self, action) -> TableHand:
        self.state = apply(self.state, replace(action, at_ms=self.state.at_ms + 1000), self.rules)
        return self

    def turn(self, seat: Seat, tile: str, *, ready: bool = False) -> TableHand:
        """A draw (not for the dealer's first tile) and a discard."""
        if not (seat == S0 and self.state.discards == 0) and not self._called(seat):
            self.draw(seat)
        return self.do(Discarded(seat=seat, tile=Tile(tile), sideways=ready))

    def draw(self, seat: Seat, end: str = "head") -> TableHand:
        return self.do(Drew(seat=seat, end=end))

    def pung(self, seat: Seat, tile: str, source: Seat) -> TableHand:
        return self.do(Called(seat=seat, call="pung", tile=Tile(tile), source=source, tiles=(Tile(tile),) * 3))

    def kong(self, seat: Seat, tile: str, source: Seat) -> TableHand:
        return self.do(Called(seat=seat, call="kong", tile=Tile(tile), source=source, tiles=(Tile(tile),) * 4))

    def konged(self, seat: Seat, tile: str, kong: str = "concealed") -> TableHand:
        return self.do(Konged(seat=seat, kong=kong, tile=Tile(tile)))

    def effect(self, seat: Seat, kind: str) -> TableHand:
        players = list(self.state.players)
        players[seat] = replace(players[seat], effects=(Effect(kind=kind, cause="test"),))
        self.state = replace(self.state, players=tuple(players))
        return self

    def exposed(self, seat: Seat, text: str) -> TableHand:
        players = list(self.state.players)
        players[seat] = replace(players[seat], exposed=tiles(text))
        self.state = replace(self.state, players=tuple(players))
        return self

    def win(self, seat: Seat, source: Seat | None, tile: str, hand: str, **more: object) -> Verdict:
        return claim.check(self.state, shown(seat, source, tile, hand), self.rules, **more)

    def _called(self, seat: Seat) -> bool:
        turn = self.state.turn
        return turn.phase == "discard" and turn.actor == seat


def shown(seat: Seat, source: Seat | None, tile: str, hand: str) -> WinShown:
    return WinShown(seat=seat, source=source, tile=Tile(tile), hand=written(hand).tiles)
