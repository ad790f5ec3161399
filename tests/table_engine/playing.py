"""Plays actions through reducer and judge, as tests need it: one second between moves, a docket of alerts beside it."""

from __future__ import annotations

from dataclasses import replace

from table_engine.apply import apply
from table_engine.fouls import Moment
from table_engine.judge import judge
from table_engine.referee import Docket, settle
from table_engine.rules import RuleSet, load_ruleset
from table_engine.state import State
from table_engine.wire.actions import Action, Called, Discarded, Drew, HandStarted, Konged
from table_engine.wire.alerts import AlertChange
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import KINDS, Tile

S0, S1, S2, S3 = Seat


class Play:
    """A hand that begins with seat 0 dealing. Moves happen a second apart unless `at_ms` is given."""

    def __init__(self, rules: RuleSet | str, *, degraded: tuple[Phrase, ...] = ()) -> None:
        self.rules = load_ruleset(rules) if isinstance(rules, str) else rules
        self.state = State()
        self.docket = Docket("t1")
        self.changes: list[AlertChange] = []
        self.degraded = degraded
        self.now_ms = 0
        self.do(HandStarted(dealer=S0))

    def do(self, action: Action, *, after_ms: int = 1000) -> Play:
        self.now_ms += after_ms
        if not action.at_ms:
            action = replace(action, at_ms=self.now_ms)
        before, self.state = self.state, apply(self.state, action, self.rules)
        moment = Moment(before, action, self.state, self.rules)
        self.docket, changes = judge(self.docket, moment, self.degraded)
        self.changes += changes
        return self

    def wait(self, ms: int) -> Play:
        self.now_ms += ms
        self.docket, changes = settle(self.docket, self.now_ms, self.rules)
        self.changes += changes
        return self

    def draw(self, seat: Seat, end: str = "head", *, after_ms: int = 1000, confidence: float = 1.0) -> Play:
        return self.do(Drew(seat=seat, end=end, confidence=confidence), after_ms=after_ms)

    def discard(self, seat: Seat, tile: str | None = None, *, after_ms: int = 1000) -> Play:
        """Without a tile the next kind that nobody has discarded lately."""
        face = Tile(tile) if tile else KINDS[(7 * self.state.discards) % len(KINDS)]
        return self.do(Discarded(seat=seat, tile=face), after_ms=after_ms)

    def pung(self, seat: Seat) -> Play:
        tile, source = self._offer()
        return self.do(Called(seat=seat, call="pung", tile=tile, source=source, tiles=(tile,) * 3))

    def kong(self, seat: Seat) -> Play:
        tile, source = self._offer()
        return self.do(Called(seat=seat, call="kong", tile=tile, source=source, tiles=(tile,) * 4))

    def concealed_kong(self, seat: Seat, tile: str = "9s") -> Play:
        return self.do(Konged(seat=seat, kong="concealed", tile=Tile(tile)))

    def turns(self, count: int) -> Play:
        """Draws and discards of `count` turns from the seat whose turn it is on."""
        for _ in range(count):
            seat = self.state.turn.actor
            self.draw(seat).discard(seat)
        return self

    def until_wall(self, left: int) -> Play:
        """Plays on until `left` tiles are in the wall and a discard lies open."""
        while self.rules.set.tiles - self.state.head - self.state.tail > left:
            self.turns(1)
        return self

    def _offer(self) -> tuple[Tile, Seat]:
        assert self.state.turn.offer is not None
        return self.state.turn.offer.tile, self.state.turn.offer.seat

    @property
    def raised(self) -> list[tuple[str, str, int]]:
        """(rule, severity, seat) of every alert raised so far."""
        return [(c.after.rule, c.after.severity, int(c.after.seat)) for c in self.changes if c.type == "new"]

    @property
    def open(self) -> list[str]:
        return [alert.rule for alert in self.docket.open]
