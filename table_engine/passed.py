"""What each player let go, and what declaring ready came to: the history a win is judged by, folded move by move.

A tile lies open for a win from its discard (or its adding to a pung) until the next move; then everybody who did not win
on it has let it go. Whether that matters is asked only at a win, when the hand and so its waits are known.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from table_engine.rules import RuleSet
from table_engine.wire.actions import Action, Called, Discarded, Drew, HandStarted, Konged, TileReturned
from table_engine.wire.frozen import replace
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, is_face, kind


@dataclass(frozen=True, slots=True)
class LetGo:
    """One tile that lay open for a win, or an own discard after which a player may be free again (`own`)."""

    tile: Tile
    own: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """One seat. `let_go` since it was last released; `first` while it has neither discarded nor called; `double` if it
    declared ready with its first discard and before any call; `one_round` within a go-round of declaring it."""

    let_go: tuple[LetGo, ...] = ()
    first: bool = True
    ready: bool = False
    double: bool = False
    one_round: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """`open` is the tile that lies open for a win now and who gave it, `robbed` if it is one added to a pung; `called` whether
    anybody has called in this hand."""

    seats: tuple[Watch, Watch, Watch, Watch] = (Watch(), Watch(), Watch(), Watch())
    open: tuple[Seat, Tile] | None = None
    robbed: bool = False
    called: bool = False

    def first_turn(self, seat: Seat) -> bool:
        """Whether a win of this seat now is one of the first go-round, before anybody has called."""
        return self.seats[seat].first and not self.called

    def locked(self, seat: Seat, waits: Collection[Tile]) -> Tile | None:
        """The winning tile this seat has let go and is not released from, None if there is none."""
        locked: Tile | None = None
        for one in self.seats[seat].let_go:
            if kind(one.tile) in waits:
                locked = locked if one.own else one.tile
            elif one.own:
                locked = None
        return locked


def note(passed: Passed, action: Action, rules: RuleSet) -> Passed:
    """The history after one move. The same object where nothing changes."""
    match action:
        case HandStarted():
            return Passed()
        case Drew(seat=seat):
            passed = _settled(passed, rules)
            if rules.wins.passed == "own_draw" and passed.seats[seat].let_go and not passed.seats[seat].ready:
                return _put(passed, seat, replace(passed.seats[seat], let_go=()))
            return passed
        case Discarded(seat=seat, tile=tile, sideways=sideways):
            return _discarded(_settled(passed, rules), seat, tile, rules, sideways=sideways)
        case Called(seat=seat):
            passed = _settled(passed, rules)
            return _interrupted(_put(passed, seat, replace(passed.seats[seat], let_go=(), first=False)))
        case Konged(seat=seat, kong=kong, tile=tile):
            passed = _settled(passed, rules)
            watch = passed.seats[seat]
            let_go = watch.let_go if watch.ready else ()
            passed = _put(passed, seat, replace(watch, let_go=let_go))
            return replace(passed, open=(seat, tile), robbed=True) if kong == "added" else _interrupted(passed)
        case TileReturned(what="discard"):
            return replace(passed, open=None) if passed.open else passed
        case _:
            return passed


def _discarded(passed: Passed, seat: Seat, tile: Tile, rules: RuleSet, *, sideways: bool) -> Passed:
    watch = passed.seats[seat]
    let_go = (
        (*watch.let_go, LetGo(tile, own=True)) if rules.wins.passed == "own_discard" and watch.let_go else watch.let_go
    )
    declares = sideways and not watch.ready
    passed = _put(
        passed,
        seat,
        Watch(
            let_go=let_go,
            first=False,
            ready=watch.ready or declares,
            double=watch.double or (declares and watch.first and not passed.called),
            one_round=declares,
        ),
    )
    return replace(passed, open=(seat, tile))


def _settled(passed: Passed, rules: RuleSet) -> Passed:
    """The tile that lay open is let go by everybody but its owner. A kong that was not robbed counts as a call from here."""
    if passed.open is None:
        return passed
    owner, tile = passed.open
    passed = replace(_interrupted(passed) if passed.robbed else passed, open=None, robbed=False)
    if rules.wins.passed == "none" or not is_face(tile):
        return passed
    for seat in SEATS:
        if seat != owner:
            watch = passed.seats[seat]
            passed = _put(passed, seat, replace(watch, let_go=(*watch.let_go, LetGo(tile))))
    return passed


def _interrupted(passed: Passed) -> Passed:
    """Any call ends the first go-round and every go-round after a ready."""
    seats = tuple(replace(watch, one_round=False) if watch.one_round else watch for watch in passed.seats)
    return replace(passed, seats=(seats[0], seats[1], seats[2], seats[3]), called=True)


def _put(passed: Passed, seat: Seat, watch: Watch) -> Passed:
    if passed.seats[seat] == watch:
        return passed
    seats = [*passed.seats]
    seats[seat] = watch
    return replace(passed, seats=(seats[0], seats[1], seats[2], seats[3]))
