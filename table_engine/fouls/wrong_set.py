"""Laid down a set that is none, or took another tile for it than the one on offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

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
from table_engine.state import Meld, State
from table_engine.wire.actions import Called, Drew, Konged, TileCorrected, TileReturned
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, is_sound, kind

CODE = "wrong_set"
LOOK_AGAIN_MS: Final = 2_500
"""A tile of a set that was read wrongly is read again within so much time."""


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at sets laid down, at the moment from which they can no longer be put right."""
    for seat, number, meld in _standing(moment):
        says = _wrong(moment, seat, meld)
        if says:
            yield from _raise(moment, meld.call, seat, says, f"{number}", meld.tiles, meld.source)
    match moment.action:
        case Called(seat=seat, tile=tile, source=source, tiles=tiles) if _another(moment.before, tile, source):
            offer = moment.before.turn.offer
            lies = offer.tile if offer else tile
            says = phrase(
                "{seat} takes {tile} of {other} into a set although {lies} lies open.",
                seat=who(moment, seat),
                tile=tile,
                other=who(moment, source),
                lies=lies,
            )
            number = len(moment.before.players[seat].melds)
            yield from _raise(moment, "tile", seat, says, f"tile-{number}", tiles, source)
        case Called(seat=seat) if moment.before.players[seat].exposed != moment.after.players[seat].exposed:
            yield from _exposed(moment, seat, moment.after.players[seat].exposed)
        case TileReturned(seat=seat, what="call"):
            yield from _corrected(moment, seat)
        case _:
            pass


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if reread(moment, raised):
        return READ_OTHERWISE
    if raised.kind != "corrected":
        return "the set was taken back at once" if told_back(moment, raised, told, "call") else None
    match moment.action:
        case Called(seat=raised.seat, tiles=tiles) if not told and any(tile in tiles for tile in raised.tiles):
            return "what of the tiles shown belongs to a set now is not exposed"
        case _:
            return None


def _raise(
    moment: Moment, sort: str, seat: Seat, says: Phrase, key: str, tiles: tuple[Tile, ...], other: Seat | None
) -> Iterable[Foul]:
    hold = hold_ms(moment, CODE, sort, LOOK_AGAIN_MS)
    return foul(moment, CODE, sort, seat, says, key=key, hold_ms=hold, tiles=tiles, other=other)


def _standing(moment: Moment) -> Iterator[tuple[Seat, int, Meld]]:
    """Called sets that stand from this moment on, with their numbers."""
    before, action = moment.before, moment.action
    match moment.rules.calls.wrong_set_until, action:
        case "at_once", Called(seat=seat):
            yield from _last(moment.after, seat)
        case "at_once", TileCorrected(seat=seat, zone="meld"):
            yield from _called(moment.after, seat)
        case "own_move", Drew(seat=seat) | Called(seat=seat) | Konged(seat=seat) if not before.players[seat].owed:
            yield from _called(before, seat)
        case "next_move", Drew(seat=seat):
            owners = (seat,) if before.players[seat].owed else tuple(one for one in SEATS if one != seat)
            for owner in owners:
                yield from _last(before, owner)
        case "next_move", Called(seat=seat):
            for owner in SEATS:
                if owner != seat:
                    yield from _last(before, owner)
        case _:
            return


def _last(state: State, seat: Seat) -> Iterator[tuple[Seat, int, Meld]]:
    melds = state.players[seat].melds
    if melds and melds[-1].source is not None:
        yield seat, len(melds) - 1, melds[-1]


def _called(state: State, seat: Seat) -> Iterator[tuple[Seat, int, Meld]]:
    for number, meld in enumerate(state.players[seat].melds):
        if meld.source is not None:
            yield seat, number, meld


def _wrong(moment: Moment, seat: Seat, meld: Meld) -> Phrase | None:
    """What is wrong with a set."""
    if not is_sound(meld.call, meld.tiles[:-1] if meld.added else meld.tiles):
        return phrase(
            "{seat} has called {call} and shows {tiles}, which is none.",
            seat=who(moment, seat),
            call=a_call(meld.call),
            tiles=meld.tiles,
        )
    if meld.call == "chow" and meld.source is not None and meld.source != seat.upper:
        return phrase(
            "{seat} chows {tile} of {other}, who is not the upper player.",
            seat=who(moment, seat),
            tile=meld.called or UNKNOWN,
            other=who(moment, meld.source),
        )
    return None


def _another(before: State, tile: Tile, source: Seat) -> bool:
    """Another tile is taken than the one that lies open for it."""
    offer = before.turn.offer
    if offer is None or offer.robbing or not (is_face(offer.tile) and is_face(tile)):
        return False
    return offer.seat == source and kind(offer.tile) != kind(tile)


def _corrected(moment: Moment, seat: Seat) -> Iterable[Foul]:
    """A wrong set was taken back at once: its own tiles have been seen."""
    melds = moment.before.players[seat].melds
    if not melds or not _wrong(moment, seat, melds[-1]):
        return
    own = list(melds[-1].tiles)
    if melds[-1].called in own:
        own.remove(melds[-1].called)
    yield from _exposed(moment, seat, tuple(own))


def _exposed(moment: Moment, seat: Seat, tiles: tuple[Tile, ...]) -> Iterable[Foul]:
    if not tiles:
        return ()
    says = phrase("{seat} puts a wrong set right and has exposed {tiles}.", seat=who(moment, seat), tiles=tiles)
    hold = hold_ms(moment, CODE, "corrected", moment.rules.judging.settle_ms)
    key = f"corrected-{moment.before.discards}-{' '.join(tiles)}"
    return foul(moment, CODE, "corrected", seat, says, key=key, hold_ms=hold, tiles=tiles)


RULE = FoulRule(
    CODE,
    ("chow", "pung", "kong", "tile", "corrected"),
    (Called, Drew, Konged, TileCorrected, TileReturned),
    judge,
    lifts,
)
