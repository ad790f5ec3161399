"""Holds too many or too few tiles: off turn concealed and exposed tiles must add up to the hand, a kong counting as three."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_engine import ask
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.said import owes_set
from table_engine.state import State
from table_engine.wire.actions import Called, CountSeen, Discarded, Drew, TileReturned
from table_engine.wire.phrases import Blank, Phrase, phrase
from table_engine.wire.seats import SEATS, Seat

CODE = "tile_count"
_AT_ONCE = 2


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a hand that has come to rest, or was counted."""
    match moment.action:
        case Discarded(seat=seat) if moment.before.running and moment.before.turn.actor == seat:
            return _count(moment, seat)
        case CountSeen(seat=seat) if moment.before.running:
            return _count(moment, seat)
        case Drew(seat=seat) if moment.after.players[seat].surplus > moment.before.players[seat].surplus:
            return (found for found in _count(moment, seat) if found.key == "many")
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    seat = raised.seat
    if ask.deviation(moment.after, seat, moment.rules):
        return None
    if isinstance(moment.action, Called) and moment.action.seat == seat and not told:
        return "it was the discard after a call whose set was shown later"
    ruling = moment.rules.ruling(CODE, raised.kind)
    match moment.action:
        case Drew(seat=raised.seat) if raised.key == "few" and not moment.before.discards:
            return "the dealer's last tile was taken"
        case CountSeen(seat=raised.seat) if ask.deviation(moment.before, seat, moment.rules):
            return "the hand was counted again and is complete"
        case TileReturned(seat=raised.seat) if not told or (ruling and ruling.returned_cures):
            return "the tile was put back at once"
        case _:
            return None


def _count(moment: Moment, seat: Seat) -> Iterable[Foul]:
    after, rules = moment.after, moment.rules
    wrong = ask.deviation(after, seat, rules) - _known(after, seat, moment)
    if wrong == 0 or after.players[seat].ahead_ms is not None or owes_set(after, seat):
        return ()
    should = ask.expected(after, seat, rules)
    kind = "many" if wrong > 0 else "few"
    says = _says(after, seat, {"seat": who(moment, seat), "held": should + wrong, "right": should})
    missing = tuple(_doubts(after, seat, wrong))
    sort = f"{kind}_open" if after.players[seat].melds and rules.ruling(CODE, f"{kind}_open") else kind
    return foul(moment, CODE, sort, seat, says, key=kind, hold_ms=rules.judging.settle_ms, missing=missing)


def _doubts(state: State, seat: Seat, wrong: int) -> Iterator[Phrase]:
    """What would rather be a mistake of the sensors than of a player."""
    if abs(wrong) > _AT_ONCE:
        yield phrase("a look at the hand: so many tiles rarely go astray at once")
    if wrong < 0 and any(state.players[other].surplus for other in SEATS if other != seat):
        yield phrase("who drew: the tile missing here may be the one another player seems to have drawn out of turn")


def _known(state: State, seat: Seat, moment: Moment) -> int:
    """Tiles too many that are already known as drawn out of turn, where that is a foul of its own."""
    return state.players[seat].surplus if moment.rules.ruling("draw_order", "turn") else 0


def _says(state: State, seat: Seat, held: dict[str, Blank]) -> Phrase:
    melds = state.players[seat].melds
    sets, kongs = len(melds), sum(meld.is_kong for meld in melds)
    if kongs:
        return phrase(
            "{seat} holds {held} standing tiles where {right} are right beside the sets laid down "
            "(sets: {sets}; kongs among them, counting as three: {kongs}).",
            **held,
            sets=sets,
            kongs=kongs,
        )
    if sets:
        return phrase(
            "{seat} holds {held} standing tiles where {right} are right beside the sets laid down (sets: {sets}).",
            **held,
            sets=sets,
        )
    return phrase("{seat} holds {held} standing tiles where {right} are right.", **held)


RULE = FoulRule(CODE, ("many", "few", "many_open", "few_open"), (Discarded, CountSeen, Drew), judge, lifts)
