"""Chinese official wins: 81 fan by PyMahjongGB, minimum and payments by the rule text.

PyMahjongGB is compiled when it is installed. Where it is missing, everything works but the counting of fan: shapes, waits
and distances are our own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from table_engine.rules import RuleSet
from table_engine.scoring.model import Context, Hand, Item, NoWin, Outcome, Score
from table_engine.scoring.payments import paid_by
from table_engine.scoring.refusal import refusal
from table_engine.scoring.specials import KNITTED_LAYS
from table_engine.state import Meld
from table_engine.tariff import ChineseTariff
from table_engine.wire.errors import SettingsError
from table_engine.wire.phrases import phrase
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.tiles import KINDS, Tile, kind

_LETTERS = {"m": "W", "p": "B", "s": "T"}
_DRAGONS = {"5z": "J3", "6z": "J2", "7z": "J1"}
_NAMES: dict[Tile, str] = {
    tile: _DRAGONS.get(tile) or (f"F{tile[0]}" if tile[1] == "z" else _LETTERS[tile[1]] + tile[0]) for tile in KINDS
}
"""Tiles as the library (and Botzone) writes them."""

_OWN = {"独听・边张": "边张", "独听・嵌张": "坎张", "独听・单钓": "单钓将"}
_SINGLE_WAITS = frozenset(_OWN.values())
KNITTED_STRAIGHT = "组合龙"
FLOWERS = "花牌"


class MissingFanError(SettingsError):
    """PyMahjongGB is not installed, so fan cannot be counted."""


@cache
def fan_counter() -> Any:  # noqa: ANN401 - a compiled function without types
    """The library's counting function. Raises MissingFanError where it is not installed."""
    try:
        from MahjongGB import MahjongFanCalculator
    except ImportError as error:
        raise MissingFanError(
            "fan of the Chinese official rules are counted by PyMahjongGB, which is not installed; "
            "say pip install 'jantaku[chinese]' (it needs a C++ compiler, e.g. apt install g++ python3-dev)"
        ) from error
    return MahjongFanCalculator


def score(hand: Hand, context: Context, rules: RuleSet) -> Outcome:
    """The fan of a hand and who pays them. Raises MissingFanError where the library is missing."""
    tariff = rules.scoring
    assert isinstance(tariff, ChineseTariff)  # noqa: S101 - the table of scorers is keyed by it
    no_win = refusal(hand, rules)
    if no_win:
        return no_win
    items = _items(hand, context, tariff)
    total = sum(item.value for item in items)
    counted = total - sum(item.value for item in items if item.name == FLOWERS)
    if counted < tariff.minimum:
        return NoWin(
            "minimum", phrase("the hand has {n} fan; at least {least} are asked", n=counted, least=tariff.minimum), 0
        )
    table = tariff.table_points

    def share(seat: Seat) -> int:
        if context.self_drawn or seat == context.source or not tariff.discarder_alone:
            return table + total
        return table

    payments = paid_by(context.winner, share)
    return Score(context.winner, "fan", items, total, payments[context.winner], payments)


def _items(hand: Hand, context: Context, tariff: ChineseTariff) -> tuple[Item, ...]:
    found = fan_counter()(
        pack=tuple(_pack(meld, context) for meld in hand.melds),
        hand=tuple(_NAMES[kind(t)] for t in hand.concealed),
        winTile=_NAMES[kind(hand.win)],
        flowerCount=len(hand.flowers) if tariff.flowers else 0,
        isSelfDrawn=context.self_drawn,
        is4thTile=context.last_copy,
        isAboutKong=context.robbing or context.replacement,
        isWallLast=context.last_tile,
        seatWind=WINDS.index(context.seat_wind),
        prevalentWind=WINDS.index(context.round_wind),
        verbose=True,
    )
    items = tuple(Item(_OWN.get(name, name), english, points * count) for points, count, name, english in found)
    if not tariff.knitted_single_wait and _wait_in_knitted(hand, items):
        return tuple(item for item in items if item.name not in _SINGLE_WAITS)
    return items


def _wait_in_knitted(hand: Hand, items: tuple[Item, ...]) -> bool:
    """Whether the winning tile may be seen as completing the knitted straight."""
    if not any(item.name == KNITTED_STRAIGHT for item in items):
        return False
    kinds = {kind(t) for t in (*hand.concealed, hand.win)}
    return any(kind(hand.win) in lay and lay <= kinds for lay in KNITTED_LAYS)


def _pack(meld: Meld, context: Context) -> tuple[str, str, int]:
    """A set in the library's words: a chow by its middle tile and which tile was called, others by whom it came from."""
    kinds = sorted(kind(t) for t in meld.tiles)
    if meld.call == "chow":
        called = kinds.index(kind(meld.called)) + 1 if meld.called is not None and kind(meld.called) in kinds else 1
        return "CHI", _NAMES[kinds[1]], called
    name = "GANG" if meld.is_kong else "PENG"
    if meld.call == "concealed":
        return name, _NAMES[kinds[0]], 0
    steps = (meld.source - context.winner) % 4 if meld.source is not None else 1
    return name, _NAMES[kinds[0]], {3: 1, 2: 2, 1: 3}.get(steps, 1)
