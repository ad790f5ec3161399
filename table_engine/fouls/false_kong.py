"""Made a kong that is none: four tiles that are not alike, or a fourth tile on no pung of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, who
from table_engine.fouls.wrong_set import LOOK_AGAIN_MS
from table_engine.state import Meld
from table_engine.wire.actions import HandEnded, Konged, TileCorrected
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, is_face, is_sound, kind

CODE = "false_kong"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a kong as it is made, at its faces as they are seen later, and at the end of the hand."""
    match moment.action:
        case Konged(seat=seat, kong="added", tile=tile) if moment.before.running:
            player = moment.after.players[seat]
            if not any(meld.added == tile and _alike(meld) for meld in player.melds):
                says = phrase(
                    "{seat} adds {tile} to a pung that is none of its kind.", seat=who(moment, seat), tile=tile
                )
                yield from _raise(moment, "added", seat, says, len(player.melds), added=(tile,))
        case Konged(seat=seat, kong="concealed") | TileCorrected(seat=seat, zone="meld"):
            for number, meld in _concealed(moment, seat):
                if not is_sound("concealed", meld.tiles):
                    says = phrase(
                        "{seat} has laid {tiles} as a concealed kong.", seat=who(moment, seat), tiles=meld.tiles
                    )
                    yield from _raise(moment, "concealed", seat, says, number, meld)
        case HandEnded():
            for seat in SEATS:
                for number, meld in _concealed(moment, seat):
                    if UNKNOWN in meld.tiles:
                        says = phrase(
                            "{seat} does not show the concealed kong at the end of the hand.", seat=who(moment, seat)
                        )
                        missing = (phrase("a look at the four tiles"),)
                        yield from foul(moment, CODE, "not_shown", seat, says, key=f"shown-{number}", missing=missing)
        case _:
            return


def lifts(moment: Moment, raised: Foul, _told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    return READ_OTHERWISE if raised.kind != "not_shown" and reread(moment, raised) else None


def _concealed(moment: Moment, seat: Seat) -> Iterator[tuple[int, Meld]]:
    for number, meld in enumerate(moment.after.players[seat].melds):
        if meld.call == "concealed":
            yield number, meld


def _alike(meld: Meld) -> bool:
    return len({kind(tile) for tile in meld.tiles if is_face(tile)}) <= 1


def _raise(
    moment: Moment,
    sort: str,
    seat: Seat,
    says: Phrase,
    number: int,
    meld: Meld | None = None,
    added: tuple[Tile, ...] = (),
) -> Iterable[Foul]:
    hold = max(moment.rules.judging.settle_ms, LOOK_AGAIN_MS)
    tiles = tuple(dict.fromkeys(kind(tile) for tile in meld.tiles)) if meld else added
    return foul(moment, CODE, sort, seat, says, key=f"{sort}-{number}", hold_ms=hold, tiles=tiles)


RULE = FoulRule(CODE, ("concealed", "added", "not_shown"), (Konged, TileCorrected, HandEnded), judge, lifts)
