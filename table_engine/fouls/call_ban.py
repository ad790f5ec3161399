"""Called although the wall is down to its last tiles: the call does not count."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine import ask
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.wire.actions import Called, Konged, TileCorrected, TileReturned
from table_engine.wire.tiles import UNKNOWN

CODE = "call_ban"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a call or kong by the tiles left in the wall."""
    before, rules = moment.before, moment.rules
    match moment.action:
        case Called(seat=seat, call=call) if ask.call_banned(before, call, rules):
            left, limit = ask.wall_left(before, rules), rules.call_ban.discards
            says = (
                f"{who(moment, seat)} calls a {call} with {left} tiles in the wall; none may be called from {limit} on."
            )
            return foul(moment, CODE, "discard", seat, says, key=_key(moment))
        case Konged(seat=seat, kong=kong) if ask.call_banned(before, "own_kong", rules):
            left, limit = ask.wall_left(before, rules), rules.call_ban.own_kongs
            says = f"{who(moment, seat)} makes an {kong} kong with {left} tiles in the wall; none may be made from {limit} on."
            return foul(moment, CODE, "own_kong", seat, says.replace("an concealed", "a concealed"), key=_key(moment))
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    ruling = moment.rules.ruling(CODE, raised.kind)
    match moment.action:
        case TileReturned(seat=raised.seat, what="call") if not told or (ruling and ruling.returned_cures):
            return "the call was taken back at once"
        case _:
            return None


def rises(moment: Moment, raised: Foul) -> bool:
    """The set of a call that nobody had looked at can be read now, all of it."""
    match moment.action:
        case TileCorrected(seat=raised.seat, zone="meld"):
            old, new = (state.players[raised.seat].melds for state in (moment.before, moment.after))
            return bool(old and new) and UNKNOWN in old[-1].tiles and UNKNOWN not in new[-1].tiles
        case _:
            return False


def _key(moment: Moment) -> str:
    """Calls of one hand are told apart by the discards and replacements before them."""
    return f"{moment.before.discards}+{moment.before.tail}"


RULE = FoulRule(CODE, ("discard", "own_kong"), (Called, Konged), judge, lifts, rises=rises)
