"""Called without the right to: the rules, the order of events or a standing penalty forbid it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_engine import ask
from table_engine.effects import effects, has
from table_engine.fouls.foul import (
    READ_OTHERWISE,
    Foul,
    FoulRule,
    Moment,
    a_call,
    foul,
    hold_ms,
    reread,
    told_back,
    who,
)
from table_engine.fouls.swap_call import just_called, other_end
from table_engine.said import owes_set
from table_engine.state import State
from table_engine.wire.actions import Called, Konged, TileCorrected
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import is_face, kind

CODE = "call_right"
_Bar = tuple[str, Phrase, tuple[Phrase, ...]]
"""Kind, what is wrong, and what is missing to rule on it."""


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a call or kong."""
    match moment.action:
        case Called() if moment.before.running:
            return _found(moment, moment.action, _called(moment, moment.action))
        case Konged() if moment.before.running:
            return _found(moment, moment.action, _konged(moment, moment.action))
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if reread(moment, raised) or _earlier_read(moment, raised):
        return READ_OTHERWISE
    return "the call was taken back at once" if told_back(moment, raised, told, "call") else None


def _earlier_read(moment: Moment, raised: Foul) -> bool:
    """The earlier discard of the kind, which makes the call wrong, was another tile."""
    match moment.action:
        case TileCorrected(zone="pond", was=was, tile=tile) if raised.kind in ("pung_passed", "chow_back"):
            return kind(was) in raised.tiles and kind(tile) != kind(was)
        case _:
            return False


def _found(moment: Moment, action: Called | Konged, bars: Iterable[_Bar]) -> Iterator[Foul]:
    seat = action.seat
    for sort, says, missing in bars:
        key = f"{sort}-{len(moment.before.players[seat].melds)}-{moment.before.discards}"
        hold = hold_ms(moment, CODE, sort, moment.rules.judging.settle_ms)
        yield from foul(
            moment, CODE, sort, seat, says, key=key, hold_ms=hold, missing=missing, tiles=(kind(action.tile),)
        )


def _called(moment: Moment, action: Called) -> Iterator[_Bar]:
    before, rules, seat, tile = moment.before, moment.rules, action.seat, action.tile
    player, calls, known = before.players[seat], moment.rules.calls, is_face(tile)
    me, call = who(moment, seat), a_call(action.call)
    if has(player, "dead_hand", "no_win_no_call", "draw_discard_only"):
        yield "effect", phrase("{seat} makes {call} although a standing penalty forbids calls.", seat=me, call=call), ()
    if player.ready:
        yield "ready", phrase("{seat} makes {call} after declaring ready.", seat=me, call=call), ()
    if action.call == "kong" and not calls.kong_of_upper and action.source == seat.upper:
        yield "kong_of_upper", phrase("{seat} kongs {tile} of the upper player.", seat=me, tile=tile), ()
    if action.call == "kong" and _fifth(before, moment):
        yield "fifth_kong", phrase("{seat} makes a fifth kong.", seat=me), ()
    if calls.exposed_barred and player.exposed and known:
        if kind(tile) in {kind(one) for one in player.exposed}:
            says = phrase(
                "{seat} makes {call} with {tile}, of which an own copy was seen.", seat=me, call=call, tile=tile
            )
            yield "exposed", says, ()
        elif kind(tile) in ask.awaited_by_exposed(player):
            says = phrase(
                "{seat} makes {call} with {tile}, for which a pair of own tiles waits that was seen.",
                seat=me,
                call=call,
                tile=tile,
            )
            yield "neighbours", says, ()
    if known and any(kind(tile) == kind(one) for effect in effects(player, "barred") for one in effect.tiles):
        says = phrase("{seat} makes {call} with {tile}, which the referee has barred.", seat=me, call=call, tile=tile)
        yield "barred", says, ()
    if action.source == seat.upper and has(player, "touched_wall"):
        says = phrase("{seat} makes {call} of the upper player's discard after touching the wall.", seat=me, call=call)
        yield "touched", says, ()
    if calls.reach_gives_up and before.turn.phase == "draw" and before.turn.actor == seat and not before.turn.offer:
        yield "reached", phrase("{seat} makes {call} after reaching for the wall.", seat=me, call=call), ()
    if action.call == "chow" and not calls.chow_back_own_discard and player.pond and known:
        if kind(player.pond[-1].tile) == kind(tile):
            says = phrase("{seat} chows {tile}, the kind discarded last by the same player.", seat=me, tile=tile)
            yield "chow_back", says, ()
        elif not calls.chow_back_other_end and kind(player.pond[-1].tile) == other_end(
            moment.after.players[seat].melds[-1]
        ):
            says = phrase("{seat} chows {tile} at the other end of what was discarded last.", seat=me, tile=tile)
            yield "chow_back", says, ()
    if action.call == "pung" and not rules.calls.pung_passed and known and _passed(before, seat, action):
        says = phrase("{seat} pungs {tile} after letting one pass in the same go-round.", seat=me, tile=tile)
        yield "pung_passed", says, ()
    if calls.late_pung_barred and action.call != "chow":
        yield from _late(moment, seat, action)


def _konged(moment: Moment, action: Konged) -> Iterator[_Bar]:
    before, seat, calls = moment.before, action.seat, moment.rules.calls
    player, me = before.players[seat], who(moment, seat)
    if has(player, "no_win_no_call", "draw_discard_only"):
        yield "effect", phrase("{seat} makes a kong although a standing penalty forbids it.", seat=me), ()
    if _fifth(before, moment):
        yield "fifth_kong", phrase("{seat} makes a fifth kong.", seat=me), ()
    called = just_called(before, seat)
    if called and not (calls.kong_after_chow if called.call == "chow" else calls.kong_after_pung):
        says = phrase("{seat} makes a kong directly after {call}.", seat=me, call=a_call(called.call))
        yield "kong_after_call", says, ()


def _fifth(before: State, moment: Moment) -> bool:
    return "four_kongs" in moment.rules.match.abortive_draws and ask.kongs(before) >= len(SEATS)


def _passed(before: State, seat: Seat, action: Called) -> bool:
    """Another tile of the kind was discarded by somebody else since the own last discard."""
    pond = before.players[seat].pond
    since = pond[-1].at_ms if pond else before.hand_ms
    for other in SEATS:
        laid = before.players[other].pond
        earlier = laid[:-1] if other == action.source else laid
        if other != seat and any(one.at_ms > since and kind(one.tile) == kind(action.tile) for one in earlier):
            return True
    return False


def _late(moment: Moment, seat: Seat, action: Called) -> Iterator[_Bar]:
    """The next player has drawn, or called and discarded, before the pung."""
    before, me, call = moment.before, who(moment, seat), a_call(action.call)
    turn, offer = before.turn, before.turn.offer
    if owes_set(before, seat):
        return
    if turn.phase == "draw" and offer is not None and not offer.robbing and offer.seat != action.source:
        says = phrase(
            "{seat} takes {tile} of {other} for {call} after a further discard.",
            seat=me,
            tile=action.tile,
            other=who(moment, action.source),
            call=call,
        )
        yield "outrun", says, ()
        return
    if turn.phase != "discard" or turn.actor == seat:
        return
    announced = [claim for claim in before.claims if claim.seat == seat and claim.discards == before.discards]
    if announced or before.players[turn.actor].drawn_from is None:
        return
    says = phrase(
        "{seat} takes {tile} for {call} after the next player has drawn.", seat=me, tile=action.tile, call=call
    )
    yield "late", says, (phrase("whether the tile drawn by the next player had been racked"),)


RULE = FoulRule(
    CODE,
    (
        "effect",
        "ready",
        "kong_of_upper",
        "kong_after_call",
        "fifth_kong",
        "exposed",
        "neighbours",
        "barred",
        "touched",
        "reached",
        "chow_back",
        "pung_passed",
        "late",
        "outrun",
    ),
    (Called, Konged),
    judge,
    lifts,
)
