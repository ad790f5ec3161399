"""Laid the hand down as a win that it is not, or that a standing rule forbids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_engine import scoring
from table_engine.effects import effects, has
from table_engine.fouls.call_right import neighbours
from table_engine.fouls.foul import Foul, FoulRule, Moment, foul, who
from table_engine.wire.actions import WinShown
from table_engine.wire.tiles import is_face, kind

CODE = "false_win"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a hand laid down as a win."""
    match moment.action:
        case WinShown() if moment.before.hand and moment.action.seat not in moment.before.winners:
            for sort, why, missing in _bars(moment, moment.action):
                says = f"{who(moment, moment.action.seat)} {why}."
                yield from foul(
                    moment,
                    CODE,
                    sort,
                    moment.action.seat,
                    says,
                    hold_ms=moment.rules.judging.settle_ms,
                    missing=missing,
                    tiles=moment.action.hand,
                    other=moment.action.source,
                )
        case _:
            return


def lifts(_moment: Moment, _raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    return None


def _bars(moment: Moment, win: WinShown) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Kind, what is wrong in words, and what is missing to rule on it."""
    before, rules = moment.before, moment.rules
    player = before.players[win.seat]
    if has(player, "dead_hand", "no_win", "no_win_no_call", "draw_discard_only"):
        yield "effect", "lays the hand down although a standing penalty forbids a win", ()
        return
    graded = _graded(moment, win)
    if graded is not None:
        yield graded
        return
    yield from _passed(moment, win)
    if rules.calls.exposed_barred:
        seen = {kind(tile) for tile in player.exposed} | neighbours(player)
        seen |= {kind(tile) for effect in effects(player, "barred") for tile in effect.tiles}
        if kind(win.tile) in seen and win.source is not None:
            yield "exposed", f"wins on {win.tile}, which tiles of the own hand that were seen wait for", ()
    if rules.calls.exposed_barred and win.source is None and kind(win.tile) in {kind(t) for t in before.turned_up}:
        yield "turned_up", f"wins by self-draw on {win.tile}, a tile of the wall that was seen", ()
    if rules.wins.exposed_kong_passes and win.source is None and player.replaced and player.konged == "exposed":
        yield "replacement", "wins by self-draw on the replacement of a kong made from a discard", ()


def _passed(moment: Moment, win: WinShown) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """A winning tile was let go and the player is not released yet, or one lies in the own pond (RI-S5, TW-P10)."""
    before, wins = moment.before, moment.rules.wins
    hand = [kind(tile) for tile in win.hand]
    if wins.passed == "none" or (win.source is None and wins.passed != "own_discard") or not all(map(is_face, hand)):
        return
    player = before.players[win.seat]
    waits = scoring.waits(hand, player.melds, moment.rules)
    mine = next((one.tile for one in player.pond if kind(one.tile) in waits), None) if wins.own_pond else None
    if mine is not None:
        yield "passed", f"wins on a discard while {mine} of the same wait lies in the own pond", ()
        return
    locked = before.passed.locked(win.seat, waits)
    if locked is not None:
        yield "passed", f"wins after letting {locked} go, and has not been released since", ()


def _graded(moment: Moment, win: WinShown) -> tuple[str, str, tuple[str, ...]] | None:
    """How far a hand is from the win it is laid down for; None where it is one, or its faces are not known."""
    rules, melds = moment.rules, moment.before.players[win.seat].melds
    hand = [kind(tile) for tile in win.hand]
    if not all(map(is_face, (*hand, win.tile))):
        return None
    short = rules.set.hand - 3 * len(melds) - len(hand)
    if short:
        return (
            "more_short",
            f"lays down a hand of {len(hand) + 1} tiles where {rules.set.hand - 3 * len(melds) + 1} are right",
            (),
        )
    try:
        away = scoring.distance(hand, melds, rules)
        complete = kind(win.tile) in scoring.waits(hand, melds, rules)
    except ValueError:
        return "more_short", "lays down more tiles of a kind than a set holds", ("a look at the hand",)
    if complete:
        return None
    match away:
        case 0:
            return "not_valid", f"is ready, but {win.tile} does not complete the hand", ()
        case 1:
            return "one_short", "lays down a hand that is one tile short of ready", ()
        case _:
            return "more_short", f"lays down a hand that is {away} tiles short of ready", ()


RULE = FoulRule(
    CODE,
    (
        "not_valid",
        "one_short",
        "more_short",
        "effect",
        "passed",
        "exposed",
        "replacement",
        "turned_up",
        "not_taken",
    ),
    (WinShown,),
    judge,
    lifts,
)
