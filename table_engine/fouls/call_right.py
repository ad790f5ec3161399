"""Called without the right to: the rules, the order of events or a standing penalty forbid it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_engine import ask
from table_engine.effects import effects, has
from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, hold_ms, reread, told_back, who
from table_engine.fouls.swap_call import just_called, other_end
from table_engine.said import owes_set
from table_engine.state import State
from table_engine.wire.actions import Called, Konged, TileCorrected
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import is_face, kind

CODE = "call_right"


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


def _found(moment: Moment, action: Called | Konged, bars: Iterable[tuple[str, str, tuple[str, ...]]]) -> Iterator[Foul]:
    seat = action.seat
    for sort, why, missing in bars:
        says = f"{who(moment, seat)} {why}."
        key = f"{sort}-{len(moment.before.players[seat].melds)}-{moment.before.discards}"
        hold = hold_ms(moment, CODE, sort, moment.rules.judging.settle_ms)
        yield from foul(
            moment, CODE, sort, seat, says, key=key, hold_ms=hold, missing=missing, tiles=(kind(action.tile),)
        )


def _called(moment: Moment, action: Called) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Kind, what is wrong in words, and what is missing to rule on it."""
    before, rules, seat, tile = moment.before, moment.rules, action.seat, action.tile
    player, calls, known = before.players[seat], moment.rules.calls, is_face(tile)
    name = f"a {action.call}"
    if has(player, "dead_hand", "no_win_no_call", "draw_discard_only"):
        yield "effect", f"makes {name} although a standing penalty forbids calls", ()
    if player.ready:
        yield "ready", f"makes {name} after declaring ready", ()
    if action.call == "kong" and not calls.kong_of_upper and action.source == seat.upper:
        yield "kong_of_upper", f"kongs {tile} of the upper player", ()
    if action.call == "kong" and _fifth(before, moment):
        yield "fifth_kong", "makes a fifth kong", ()
    if calls.exposed_barred and player.exposed and known:
        if kind(tile) in {kind(one) for one in player.exposed}:
            yield "exposed", f"makes {name} with {tile}, of which an own copy was seen", ()
        elif kind(tile) in ask.awaited_by_exposed(player):
            yield "neighbours", f"makes {name} with {tile}, for which a pair of own tiles waits that was seen", ()
    if known and any(kind(tile) == kind(one) for effect in effects(player, "barred") for one in effect.tiles):
        yield "barred", f"makes {name} with {tile}, which the referee has barred", ()
    if action.source == seat.upper and has(player, "touched_wall"):
        yield "touched", f"makes {name} of the upper player's discard after touching the wall", ()
    if calls.reach_gives_up and before.turn.phase == "draw" and before.turn.actor == seat and not before.turn.offer:
        yield "reached", f"makes {name} after reaching for the wall", ()
    if action.call == "chow" and not calls.chow_back_own_discard and player.pond and known:
        if kind(player.pond[-1].tile) == kind(tile):
            yield "chow_back", f"chows {tile}, the kind discarded last by the same player", ()
        elif not calls.chow_back_other_end and kind(player.pond[-1].tile) == other_end(
            moment.after.players[seat].melds[-1]
        ):
            yield "chow_back", f"chows {tile} at the other end of what was discarded last", ()
    if action.call == "pung" and not rules.calls.pung_passed and known and _passed(before, seat, action):
        yield "pung_passed", f"pungs {tile} after letting one pass in the same go-round", ()
    if calls.late_pung_barred and action.call != "chow":
        yield from _late(before, seat, action)


def _konged(moment: Moment, action: Konged) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    before, seat, calls = moment.before, action.seat, moment.rules.calls
    player = before.players[seat]
    if has(player, "no_win_no_call", "draw_discard_only"):
        yield "effect", "makes a kong although a standing penalty forbids it", ()
    if _fifth(before, moment):
        yield "fifth_kong", "makes a fifth kong", ()
    called = just_called(before, seat)
    if called and not (calls.kong_after_chow if called.call == "chow" else calls.kong_after_pung):
        yield "kong_after_call", f"makes a kong directly after a {called.call}", ()


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


def _late(before: State, seat: Seat, action: Called) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The next player has drawn, or called and discarded, before the pung."""
    turn, offer = before.turn, before.turn.offer
    if owes_set(before, seat):
        return
    if turn.phase == "draw" and offer is not None and not offer.robbing and offer.seat != action.source:
        yield "outrun", f"{action.call}s {action.tile} of seat {action.source + 1} after a further discard", ()
        return
    if turn.phase != "discard" or turn.actor == seat:
        return
    announced = [claim for claim in before.claims if claim.seat == seat and claim.discards == before.discards]
    if announced or before.players[turn.actor].drawn_from is None:
        return
    missing = ("whether the tile drawn by the next player had been racked",)
    yield "late", f"{action.call}s {action.tile} after the next player has drawn", missing


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
