"""Discarded a flower: it is shown and replaced, never thrown away."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, told_back, who
from table_engine.wire.actions import Discarded, TileCorrected
from table_engine.wire.phrases import phrase
from table_engine.wire.tiles import Tile, is_flower

CODE = "flower_discard"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at a discard, and at one that is read for a flower later."""
    match moment.action:
        case Discarded(seat=seat, tile=tile) if is_flower(tile) and moment.before.running:
            at = len(moment.before.players[seat].pond)
        case TileCorrected(seat=seat, zone="pond", tile=tile, index=at) if is_flower(tile) and moment.before.running:
            pass
        case _:
            return ()
    says = phrase(
        "{seat} discards the flower {tile}; a flower is shown and replaced.", seat=who(moment, seat), tile=tile
    )
    hold = moment.rules.judging.settle_ms
    return foul(moment, CODE, "discard", seat, says, key=f"{at}", hold_ms=hold, tiles=(Tile(tile),))


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if reread(moment, raised):
        return READ_OTHERWISE
    return "the tile was taken back at once" if told_back(moment, raised, told, "discard") else None


RULE = FoulRule(CODE, ("discard",), (Discarded, TileCorrected), judge, lifts)
