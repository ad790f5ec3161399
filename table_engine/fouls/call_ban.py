"""Called although the wall is down to its last tiles: the call does not count."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine import ask
from table_engine.fouls.foul import Foul, FoulRule, Moment, a_call, foul, who
from table_engine.wire.actions import Called, Konged, TileCorrected, TileReturned
from table_engine.wire.phrases import phrase
from table_engine.wire.tiles import UNKNOWN

CODE = "call_ban"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a call or kong by the tiles left in the wall."""
    before, rules, ban = moment.before, moment.rules, moment.rules.call_ban
    left = ask.wall_left(before, rules)
    match moment.action:
        case Called(seat=seat, call=call) if ban.discards is not None and ask.call_banned(before, call, rules):
            says = phrase(
                "{seat} calls {call} with {left} tiles in the wall; none may be called from {limit} on.",
                seat=who(moment, seat),
                call=a_call(call),
                left=left,
                limit=ban.discards,
            )
            return foul(moment, CODE, "discard", seat, says, key=_key(moment))
        case Konged(seat=seat, kong=kong) if ban.own_kongs is not None and ask.call_banned(before, "own_kong", rules):
            says = phrase(
                "{seat} makes {call} with {left} tiles in the wall; none may be made from {limit} on.",
                seat=who(moment, seat),
                call=a_call(kong),
                left=left,
                limit=ban.own_kongs,
            )
            return foul(moment, CODE, "own_kong", seat, says, key=_key(moment))
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
