"""Discarded what had just been called: the same kind, or the other end of a two-sided chow."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.fouls.foul import READ_OTHERWISE, Foul, FoulRule, Moment, foul, reread, told_back, who
from table_engine.state import Meld, State
from table_engine.wire.actions import Discarded
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face, is_run, kind

CODE = "swap_call"


def judge(moment: Moment) -> Iterable[Foul]:
    """Looks at the discard that follows a call directly."""
    match moment.action:
        case Discarded(seat=seat, tile=tile) if is_face(tile):
            meld = just_called(moment.before, seat)
        case _:
            return ()
    if meld is None or meld.called is None:
        return ()
    key, hold = f"{moment.before.discards}", moment.rules.judging.settle_ms
    if kind(tile) == kind(meld.called) and not moment.rules.calls.swap_same:
        says = phrase("{seat} discards {tile}, the kind just called.", seat=who(moment, seat), tile=tile)
        return foul(moment, CODE, "same", seat, says, key=key, hold_ms=hold, tiles=(tile,))
    if kind(tile) == other_end(meld) and not moment.rules.calls.swap_other_end:
        says = phrase(
            "{seat} has chowed {called} and discards {tile}, the other end of the same pair.",
            seat=who(moment, seat),
            called=meld.called,
            tile=tile,
        )
        return foul(moment, CODE, "other_end", seat, says, key=key, hold_ms=hold, tiles=(tile,))
    return ()


def lifts(moment: Moment, raised: Foul, told: bool) -> str | None:
    """Why a foul of this sort no longer holds, if so."""
    if reread(moment, raised):
        return READ_OTHERWISE
    return "the tile was taken back at once" if told_back(moment, raised, told, "discard") else None


def just_called(state: State, seat: Seat) -> Meld | None:
    """The chow or pung a seat has come to its turn with; None where it has drawn since, or made a kong."""
    player, turn = state.players[seat], state.turn
    if turn.phase != "discard" or turn.actor != seat or player.drawn_from is not None or player.konged:
        return None
    meld = player.melds[-1] if player.melds else None
    return meld if meld and meld.call in ("chow", "pung") and meld.source is not None and not meld.added else None


def other_end(meld: Meld) -> Tile | None:
    """What the pair laid down for a chow waited for besides the tile called; None where it waited for that alone."""
    if meld.call != "chow" or meld.called is None or not is_run(meld.tiles):
        return None
    suit, called = meld.called[-1], int(kind(meld.called)[0])
    ranks = sorted(int(kind(tile)[0]) for tile in meld.tiles)
    end = ranks[2] + 1 if called == ranks[0] else ranks[0] - 1 if called == ranks[2] else 0
    return Tile(f"{end}{suit}") if 1 <= end <= 9 else None


RULE = FoulRule(CODE, ("same", "other_end"), (Discarded,), judge, lifts)
