"""What a format keeps of a hand: the hand with everything taken out that the format has no word for."""

from __future__ import annotations

from dataclasses import replace

from table_engine.records.fan_words import name_of, number_of
from table_engine.records.model import BREAKS_OFF, HandRecord, WinRecord
from table_engine.wire.actions import Action, Called, Discarded, DoraShown, WinShown
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, order

FORMS = {
    "riichi": ("mjai", "tenhou6", "jantaku"),
    "chinese_official": ("botzone", "pmn", "jantaku"),
    "taiwan16": ("jantaku",),
}
START = (25_000,) * 4


def kept(hand: HandRecord, form: str) -> HandRecord:
    if form == "jantaku":
        return hand
    hand = replace(
        hand,
        moves=tuple(replace(move, at_ms=0, evidence=(), confidence=1.0) for move in hand.moves),
        dice=(),
        wall=None,
        notes=tuple(note for note in hand.notes if note == BREAKS_OFF),
        scores=hand.scores or START,
    )
    match form:
        case "mjai":
            return replace(hand, wins=tuple(_of_mjai(win) for win in hand.wins))
        case "tenhou6":
            return _of_tenhou6(hand)
        case _:
            return _chinese(hand, form)


def _of_mjai(win: WinRecord) -> WinRecord:
    """Limits and shares follow from the rest; who answers for a hand is not told."""
    return replace(win, payments=(), limit="", liable=None, yakuman=0, deltas=None)


def _of_tenhou6(hand: HandRecord) -> HandRecord:
    """Not told: the order of the deal, when indicators were turned, hands shown, fu and han of a limit hand. A hand that
    breaks off reads as a draw."""
    if BREAKS_OFF in hand.notes:
        hand = replace(hand, notes=(), title=f"{hand.title}, exhaustive draw", ending="exhaustive draw")
        hand = replace(hand, deltas=hand.deltas or (0, 0, 0, 0))
    moves = [_unshown(move, hand) for move in hand.moves if not isinstance(move, DoraShown)]
    dora = [move for move in hand.moves if isinstance(move, DoraShown)]
    wins = tuple(
        replace(win, fu=None, han=None, yakuman=0, payments=(), points=None, limit="", items=(), deltas=None)
        if not win.points
        else replace(win, fu=None if win.limit else win.fu, deltas=None)
        for win in hand.wins
    )
    return replace(hand, hands=_sorted(hand), moves=(*moves, *dora), shown=(), wins=wins)


def _unshown(move: Action, hand: HandRecord) -> Action:
    """The hand of a win, where it does not follow from the deal."""
    hidden = isinstance(move, WinShown) and UNKNOWN in hand.hands[move.seat]
    return replace(move, hand=()) if hidden else move


def _sorted(hand: HandRecord) -> tuple[tuple[Tile, ...], ...]:
    """The deal without its order; the dealer's extra tile stays last."""
    return tuple((*sorted(tiles[:13], key=order), *tiles[13:]) for tiles in hand.hands)


def _chinese(hand: HandRecord, form: str) -> HandRecord:
    """Both formats count players from the dealer on and call hands otherwise."""
    hand = _turned(replace(hand, title="", honba=0, deltas=hand.deltas or (0, 0, 0, 0)))
    if form == "pmn":
        scores = (0, 0, 0, 0) if hand.scores == START else hand.scores
        wins = tuple(replace(win, deltas=None, fan=None, items=tuple(map(_named, win.items))) for win in hand.wins)
        return replace(hand, hands=_sorted(hand), scores=scores, wins=wins)
    moves = tuple(replace(move, drawn=None) if isinstance(move, Discarded) else move for move in hand.moves)
    wins = tuple(replace(win, deltas=None, items=tuple((name, None) for name, _ in win.items)) for win in hand.wins)
    return replace(hand, moves=moves, scores=None, wins=wins)


def _named(item: tuple[str, int | None]) -> tuple[str, int | None]:
    number = number_of(item[0])
    return (name_of(number) if number else item[0], item[1])


def _turned(hand: HandRecord) -> HandRecord:
    """Seats counted from the dealer on."""
    by = -int(hand.dealer)

    def seat(one: Seat) -> Seat:
        return one.step(by)

    def four(values: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return None if values is None else tuple(values[hand.dealer.step(n)] for n in range(4))

    moves: list[Action] = []
    for move in hand.moves:
        match move:
            case Called(source=source):
                moves.append(replace(move, seat=seat(move.seat), source=seat(source)))
            case WinShown(source=source):
                moves.append(replace(move, seat=seat(move.seat), source=None if source is None else seat(source)))
            case _ if hasattr(move, "seat"):
                moves.append(replace(move, seat=seat(move.seat)))
            case _:
                moves.append(move)
    wins = tuple(
        replace(w, seat=seat(w.seat), source=None if w.source is None else seat(w.source), deltas=four(w.deltas))
        for w in hand.wins
    )
    return replace(
        hand,
        dealer=SEATS[0],
        hands=tuple(hand.hands[hand.dealer.step(n)] for n in range(4)),
        moves=tuple(moves),
        deltas=four(hand.deltas),
        scores=four(hand.scores),
        wins=wins,
    )
