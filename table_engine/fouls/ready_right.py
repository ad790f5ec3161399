"""Declared ready without the right to, or did afterwards what a ready player may not do."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine import ask, deal, scoring
from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, told_back, who
from table_engine.state import Player
from table_engine.wire.actions import Discarded, HandEnded, HandShown
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import Tile, is_face, kind

CODE = "ready_right"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at the discard that declares ready, at every later one, and at the hands shown in the end."""
    before, key = moment.before, f"{moment.before.discards}"
    match moment.action:
        case Discarded(seat=seat, sideways=True) if before.running and not before.players[seat].ready:
            return _declared(moment, seat, key)
        case Discarded(seat=seat, drawn=False) if before.running and before.players[seat].ready:
            return _other_tile(moment, seat, key)
        case HandShown(seat=seat, hand=hand) if (
            before.players[seat].ready and ask.draws_left(before, moment.rules) == 0
        ):
            return _shown(moment, seat, hand)
        case HandEnded(won=False) if deal.ending(before, moment.rules) == "exhaustive":
            return [one for seat in SEATS for one in _not_shown(moment, seat)]
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if raised.tiles and reread(moment, raised):
        return READ_OTHERWISE
    if raised.kind in ("few_tiles", "open_hand", "other_tile") and told_back(moment, raised, told, "discard"):
        return "the tile was taken back at once"
    return None


def _declared(moment: Moment, seat: Seat, key: str) -> Iterable[Foul]:
    rules, player = moment.rules, moment.before.players[seat]
    hold = rules.judging.settle_ms
    left = ask.draws_left(moment.before, rules)
    if left < rules.calls.ready_min_tiles:
        says = phrase(
            "{seat} declares ready with {left} tiles left to draw; {needed} are needed.",
            seat=who(moment, seat),
            left=left,
            needed=rules.calls.ready_min_tiles,
        )
        yield from foul(moment, CODE, "few_tiles", seat, says, key=f"few-{key}", hold_ms=hold)
    if any(meld.source is not None for meld in player.melds):
        says = phrase("{seat} declares ready with an open set.", seat=who(moment, seat))
        yield from foul(moment, CODE, "open_hand", seat, says, key=f"open-{key}", hold_ms=hold)


def _other_tile(moment: Moment, seat: Seat, key: str) -> Iterable[Foul]:
    before, after = moment.before.players[seat], moment.after.players[seat]
    says = phrase("{seat} is ready and discards another tile than the one drawn.", seat=who(moment, seat))
    was, now = _waits(moment, before, drawn=True), _waits(moment, after, drawn=False)
    missing: tuple[Phrase, ...] = ()
    if was is None or now is None:
        missing = (phrase("whether the wait has changed: the hand is not known"),)
    elif was == now:
        missing = (phrase("nothing: the wait is the same as before"),)
    hold = moment.rules.judging.settle_ms
    return foul(moment, CODE, "other_tile", seat, says, key=f"other-{key}", hold_ms=hold, missing=missing)


def _waits(moment: Moment, player: Player, *, drawn: bool) -> frozenset[Tile] | None:
    """What a hand waits for, where all its faces are known; `drawn`: without the tile drawn last."""
    known = player.known[:-1] if drawn else player.known
    if len(player.known) != player.concealed or not all(map(is_face, known)):
        return None
    return frozenset(scoring.waits([kind(tile) for tile in known], player.melds, moment.rules))


def _shown(moment: Moment, seat: Seat, hand: tuple[Tile, ...]) -> Iterable[Foul]:
    """A ready player's hand, laid open at the exhaustive draw."""
    if len(hand) % 3 != 1 or not all(map(is_face, hand)):
        return ()
    melds = moment.before.players[seat].melds
    away = scoring.distance([kind(tile) for tile in hand], melds, moment.rules)
    if away <= 0:
        return ()
    says = phrase("{seat} has declared ready and shows a hand {away} from it.", seat=who(moment, seat), away=away)
    return foul(moment, CODE, "not_ready", seat, says, key="shown", tiles=hand)


def _not_shown(moment: Moment, seat: Seat) -> Iterable[Foul]:
    player = moment.before.players[seat]
    if not player.ready or player.open is not None:
        return ()
    says = phrase(
        "{seat} has declared ready and does not show the hand at the exhaustive draw.", seat=who(moment, seat)
    )
    missing = (phrase("a look at the hand"),)
    return foul(moment, CODE, "not_shown", seat, says, key="not-shown", missing=missing)


RULE = FoulRule(
    CODE,
    ("few_tiles", "open_hand", "other_tile", "not_ready", "not_shown"),
    (Discarded, HandShown, HandEnded),
    judge,
    lifts,
)
