"""Let tiles be seen: of the own hand, or of the wall; or keeps one that had to be discarded."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.effects import effects
from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, hold_ms, reread, told_back, who
from table_engine.wire.actions import CallAnnounced, Discarded, TilesExposed
from table_engine.wire.effects import Effect
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face, kind

CODE = "exposed_tile"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at tiles that lie open, and at the discard of somebody who has to discard one of them."""
    before, key = moment.before, f"{moment.before.discards}"
    match moment.action:
        case TilesExposed(seat=seat, tiles=tiles, where="hand") if before.running:
            says = phrase("{seat} exposes {tiles} of the own hand.", seat=who(moment, seat), tiles=tiles)
            hold = hold_ms(moment, CODE, "own", moment.rules.judging.settle_ms)
            key = f"own-{key}-{' '.join(tiles)}"
            missing: tuple[Phrase, ...] = ()
            if _may_declare(moment, seat, tiles):
                if any(claim.seat == seat and claim.call == "ready" for claim in before.claims):
                    return ()
                missing = (phrase("whether ready was declared with it"),)
            return foul(moment, CODE, "own", seat, says, key=key, hold_ms=hold, tiles=tiles, missing=missing)
        case TilesExposed(seat=seat, tiles=tiles, where="wall") if before.running:
            says = phrase("{tiles} of the wall before {seat} lies open.", tiles=tiles, seat=who(moment, seat))
            missing = (phrase("who turned it up"),)
            hold = hold_ms(moment, CODE, "wall", moment.rules.judging.settle_ms)
            return foul(moment, CODE, "wall", seat, says, key=f"wall-{key}", hold_ms=hold, tiles=tiles, missing=missing)
        case Discarded(seat=seat, tile=tile) if before.running and before.turn.actor == seat and is_face(tile):
            owed = must_go(effects(before.players[seat], "forced_discard", "penalty_tile"))
            if not owed or kind(tile) in {kind(one) for one in owed}:
                return ()
            says = phrase(
                "{seat} discards {tile} and keeps {tiles}, which must go first.",
                seat=who(moment, seat),
                tile=tile,
                tiles=owed,
            )
            return foul(
                moment,
                CODE,
                "kept",
                seat,
                says,
                key=f"kept-{key}",
                hold_ms=moment.rules.judging.settle_ms,
                tiles=(tile,),
            )
        case _:
            return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if reread(moment, raised):
        return READ_OTHERWISE
    match moment.action:
        case CallAnnounced(seat=raised.seat, call="ready") if raised.kind == "own" and _may_declare(
            moment, raised.seat, raised.tiles
        ):
            return "ready was declared with it"
        case _:
            pass
    if raised.kind == "kept" and told_back(moment, raised, told, "discard"):
        return "the tile was taken back at once"
    return None


def _may_declare(moment: Moment, seat: Seat, tiles: tuple[Tile, ...]) -> bool:
    """One tile on the own turn, where the text lets ready be declared so (CO-S10)."""
    turn = moment.before.turn
    return moment.rules.calls.ready_tile_open and len(tiles) == 1 and (turn.phase, turn.actor) == ("discard", seat)


def must_go(standing: tuple[Effect, ...]) -> tuple[Tile, ...]:
    """Tiles one of which has to be discarded now: those forced, and live penalty tiles that may not be kept."""
    return tuple(tile for effect in standing if effect.kind == "forced_discard" for tile in effect.tiles)


RULE = FoulRule(CODE, ("own", "wall", "kept"), (TilesExposed, Discarded), judge, lifts)
