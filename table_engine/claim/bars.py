"""What stands against a win besides its score: the wrong tile, a standing penalty, a winning tile let go, tiles that were
seen, a replacement that may not win."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from table_engine import ask, scoring
from table_engine.claim.circumstances import turn
from table_engine.effects import effects, has
from table_engine.rules import RuleSet
from table_engine.state import Offer, State
from table_engine.wire.actions import WinShown
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.tiles import is_face, is_outer, is_sound, kind

Kind = Literal[
    "wrong_tile",
    "no_draw",
    "effect",
    "passed",
    "exposed",
    "turned_up",
    "replacement",
    "not_valid",
    "one_short",
    "more_short",
]


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that is wrong with a win. `missing`: what would still have to be known to be sure of it."""

    kind: Kind
    says: Phrase
    missing: tuple[Phrase, ...] = ()


def bars(before: State, win: WinShown, rules: RuleSet) -> Iterator[Objection]:
    """Everything against a win but its shape and its worth."""
    player = before.players[win.seat]
    if has(player, "dead_hand", "no_win", "no_win_no_call", "draw_discard_only"):
        yield Objection("effect", phrase("a standing penalty forbids a win"))
    yield from _tile(before, win, rules)
    yield from _let_go(before, win, rules)
    for meld in player.melds:
        if not is_sound("kong" if meld.added else meld.call, meld.tiles):
            says = phrase("{tiles} in front of the hand is no set", tiles=meld.tiles)
            yield Objection("not_valid", says, (phrase("a look at the set"),))
    if rules.calls.exposed_barred and win.source is not None:
        seen = {kind(tile) for tile in player.exposed} | ask.awaited_by_exposed(player)
        seen |= {kind(tile) for effect in effects(player, "barred") for tile in effect.tiles}
        if kind(win.tile) in seen:
            says = phrase("{tile} is what own tiles that were seen show or wait for", tile=win.tile)
            yield Objection("exposed", says)
    if rules.calls.exposed_barred and win.source is None and kind(win.tile) in {kind(t) for t in before.turned_up}:
        yield Objection("turned_up", phrase("{tile} was a tile of the wall that had been seen", tile=win.tile))
    if rules.wins.exposed_kong_passes and win.source is None and player.replaced and player.konged == "exposed":
        says = phrase("the replacement of a kong made from a discard may not be won on")
        yield Objection("replacement", says)


def _tile(before: State, win: WinShown, rules: RuleSet) -> Iterator[Objection]:
    """The tile must lie open from that player, or have been drawn."""
    now = turn(before)
    if win.source is not None:
        offer = now.offer
        if offer is None or offer.seat != win.source:
            source = ask.who(before, win.source, rules)
            yield Objection("wrong_tile", phrase("no tile of {other} lies open", other=source))
        elif is_face(win.tile) and is_face(offer.tile) and kind(offer.tile) != kind(win.tile):
            says = phrase("{lies} lies open, not {tile}", lies=offer.tile, tile=win.tile)
            yield Objection("wrong_tile", says)
        elif offer.robbing and not _may_rob(before, win, offer, rules):
            yield Objection("wrong_tile", phrase("a concealed kong cannot be robbed"))
        return
    opening = before.discards == 0 and win.seat == before.dealer
    if now.phase != "discard" or now.actor != win.seat:
        yield Objection("no_draw", phrase("it is not this player's turn to draw"))
    elif before.players[win.seat].drawn_from is None and not opening:
        yield Objection("no_draw", phrase("no tile was drawn: a self-draw begins with a draw"))


def _may_rob(before: State, win: WinShown, offer: Offer, rules: RuleSet) -> bool:
    """A tile added to a pung may be won; one of a concealed kong only for thirteen orphans in the Japanese game."""
    sets = before.players[offer.seat].melds
    if any(meld.added is not None and kind(meld.added) == kind(offer.tile) for meld in sets):
        return True
    orphans = all(map(is_outer, win.hand))
    return rules.scoring.by == "riichi" and orphans and not before.players[win.seat].melds


def _let_go(before: State, win: WinShown, rules: RuleSet) -> Iterator[Objection]:
    """A winning tile in the own pond, or let go and not yet released from (RI-S5, TW-P10)."""
    hand, wins = [kind(tile) for tile in win.hand], rules.wins
    if wins.passed == "none" or (win.source is None and wins.passed != "own_discard") or not all(map(is_face, hand)):
        return
    player = before.players[win.seat]
    try:
        waits = scoring.waits(hand, player.melds, rules)
    except scoring.TooManyError:
        return
    if wins.own_pond:
        mine = next((one.tile for one in player.pond if kind(one.tile) in waits), None)
        if mine is not None:
            yield Objection("passed", phrase("{tile} of the same wait lies in the own pond", tile=mine))
            return
    locked = before.passed.locked(win.seat, waits)
    if locked is not None:
        says = phrase("{tile} was let go and the player is not released yet", tile=locked)
        yield Objection("passed", says)
