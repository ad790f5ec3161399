"""A call that only counters told of is a check; the set that is read later proves it."""

from __future__ import annotations

from table_engine.apply import apply
from table_engine.fouls import Moment
from table_engine.judge import judge
from table_engine.referee import Docket
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.actions import Action, Called, Discarded, Drew, HandStarted, TileCorrected
from table_engine.wire.alerts import Alert
from table_engine.wire.frozen import replace
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import UNKNOWN, Tile

RULES = load_ruleset("taiwan16")
AWAY = (Phrase("camera says nothing"),)
PLAIN = (Tile("1z"), Tile("2z"), Tile("3z"), Tile("4z"), Tile("1p"), Tile("9p"))


class _Table:
    def __init__(self) -> None:
        self.state, self.docket, self.told = State(), Docket("t1"), dict[str, Alert]()
        self.move(HandStarted(dealer=Seat.S0))

    def move(self, action: Action, degraded: tuple[Phrase, ...] = ()) -> None:
        action = replace(action, at_ms=self.state.at_ms + 1000)
        before, self.state = self.state, apply(self.state, action, RULES)
        self.docket, changes = judge(self.docket, Moment(before, action, self.state, RULES), degraded)
        self.told |= {change.after.code: change.after for change in changes}

    def called_unseen(self, left: int) -> Seat:
        """Plays until so many tiles are left in the wall; then a discard nobody saw is called by the next seat."""
        self.move(Discarded(seat=Seat.S0, tile=Tile("5z")))
        while True:
            seat = self.state.turn.actor
            self.move(Drew(seat=seat))
            if RULES.set.tiles - self.state.head - self.state.tail == left:
                break
            self.move(Discarded(seat=seat, tile=PLAIN[self.state.discards % len(PLAIN)]))
        self.move(Discarded(seat=seat, tile=UNKNOWN, confidence=0.6), AWAY)
        blind = Called(seat=seat.next, call="chow", tile=UNKNOWN, source=seat, tiles=(UNKNOWN,) * 3, confidence=0.6)
        self.move(blind, AWAY)
        return seat.next

    def read(self, seat: Seat, index: int, tile: str) -> None:
        self.move(TileCorrected(seat=seat, zone="meld", index=index, was=UNKNOWN, tile=Tile(tile), confidence=0.98))


def test_a_late_call_rises_once_its_set_is_read_and_what_follows_from_it_too():
    table = _Table()
    caller = table.called_unseen(left=20)
    assert {code: a.severity for code, a in table.told.items()} == {"call_ban": "check", "dead_hand": "check"}
    table.read(caller, 0, "3p")
    table.read(caller, 1, "1p")
    assert table.told["call_ban"].severity == "check", "a third tile is still unknown"
    table.read(caller, 2, "2p")
    assert {code: a.severity for code, a in table.told.items()} == {"call_ban": "foul", "dead_hand": "foul"}
    assert table.told["call_ban"].missing == ()
    assert table.told["call_ban"].confidence == 0.98


def test_a_set_of_another_player_proves_nothing():
    table = _Table()
    caller = table.called_unseen(left=20)
    for index, tile in enumerate(("3p", "1p", "2p")):
        table.read(caller.next, index, tile)
    assert table.told["call_ban"].severity == "check"


def test_a_call_in_time_is_nothing_when_its_set_is_read():
    table = _Table()
    caller = table.called_unseen(left=21)
    for index, tile in enumerate(("3p", "1p", "2p")):
        table.read(caller, index, tile)
    assert table.told == {}
