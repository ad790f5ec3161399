"""What a foul is to the engine: a pure look at one action, with the states before and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from table_engine import ask
from table_engine.rules import RuleSet, Ruling
from table_engine.state import State
from table_engine.wire.actions import Action, Moved, TileCorrected, TileReturned
from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, is_face, kind


@dataclass(frozen=True, slots=True)
class Moment:
    """One action with the states around it."""

    before: State
    action: Action
    after: State
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Foul:
    """A breach seen at one moment. `key` tells incidents of one kind in one hand apart. It is told once `hold_ms` of the
    table's time have passed without it having been lifted: a late accusation is better than a false one.

    `confidence` is how sure it is that it happened (0..1), `missing` what would still have to be known to rule on it.
    `tiles` are those it exposed, `other` is whom it wronged, `units` multiplies a fine per unit, `because` is the identity
    of the foul this one follows from.
    """

    code: str
    kind: str
    seat: Seat
    at_ms: int
    says: Phrase
    key: str = ""
    confidence: float = 1.0
    missing: tuple[Phrase, ...] = ()
    evidence: tuple[str, ...] = ()
    hold_ms: int = 0
    hand: int = 0
    turn: int = 0
    tiles: tuple[Tile, ...] = ()
    other: Seat | None = None
    units: int = 1
    because: str = ""
    worth: int | None = None
    """Value of the hand shown, in the rule set's unit, where the fine goes by it."""

    def follows_from(self, base: Foul) -> bool:
        """It is there only because of the other."""
        return bool(base.key) and self.because == base.key and self.seat == base.seat


class FoulRule(NamedTuple):
    """One foul. `kinds` are all the sorts of it there are. `watches` names the actions at which `judge` has to look; `lifts`
    says why a foul no longer holds after an action (None: it does), `told` whether it has been told already. `follows`
    looks at each foul newly seen of any code, with the others of its hand that were not dismissed, and says what comes of it.
    `rises` tells whether an action shows for certain what was only inferred when the foul was seen."""

    code: str
    kinds: tuple[str, ...]
    watches: tuple[type[Moved], ...]
    judge: Callable[[Moment], Iterable[Foul]]
    lifts: Callable[[Moment, Foul, bool], str | None]
    follows: Callable[[Moment, Foul, tuple[Foul, ...]], Iterable[Foul]] | None = None
    rises: Callable[[Moment, Foul], bool] | None = None


def stands(_moment: Moment, _raised: Foul, _told: bool) -> str | None:
    """What was done stays done."""
    return None


def told_back(moment: Moment, raised: Foul, told: bool, what: str) -> bool:
    """The player takes back what was wrong before anybody was told, or where the text lets that cure it."""
    ruling = moment.rules.ruling(raised.code, raised.kind)
    match moment.action:
        case TileReturned(seat=raised.seat, what=back) if back == what:
            return not told or bool(ruling and ruling.returned_cures)
        case _:
            return False


def reread(moment: Moment, raised: Foul) -> bool:
    """One of the tiles the foul is about turns out to be another kind."""
    match moment.action:
        case TileCorrected(seat=seat, was=was, tile=tile):
            mine = seat in (raised.seat, raised.other) and is_face(was) and kind(tile) != kind(was)
            return mine and any(kind(was) == kind(one) for one in raised.tiles)
        case _:
            return False


READ_OTHERWISE = "a tile is read otherwise now"


def hold_ms(moment: Moment, code: str, sort: str, least_ms: int = 0) -> int:
    """How long a foul of this kind is held back: the ruling's own time, the settling time where it can be cured, or what
    the sensors need at least."""
    ruling = moment.rules.ruling(code, sort)
    if ruling is None:
        return least_ms
    if ruling.hold_ms is not None:
        return max(least_ms, ruling.hold_ms)
    return max(least_ms, moment.rules.judging.settle_ms if ruling.returned_cures else 0)


def who(moment: Moment, seat: Seat) -> Phrase:
    """A seat in a referee's words: its wind, or its number while winds are unknown."""
    return ask.who(moment.after, seat, moment.rules)


def a_call(name: str) -> Phrase:
    """A call, a kong or a win in the middle of a sentence."""
    return _CALLS[name]


_CALLS: Final = {
    "chow": phrase("a chow"),
    "pung": phrase("a pung"),
    "kong": phrase("a kong"),
    "own_kong": phrase("an own kong"),
    "added": phrase("an added kong"),
    "concealed": phrase("a concealed kong"),
    "ready": phrase("ready"),
    "win": phrase("a win"),
}


def asked(ruling: Ruling) -> tuple[Phrase, ...]:
    """What a ruling always leaves for people to find out."""
    return (Phrase(ruling.asks),) if ruling.asks else ()


def foul(
    moment: Moment,
    code: str,
    sort: str,
    seat: Seat,
    says: Phrase,
    *,
    key: str = "",
    hold_ms: int = 0,
    missing: tuple[Phrase, ...] = (),
    tiles: tuple[Tile, ...] = (),
    other: Seat | None = None,
    units: int = 1,
    worth: int | None = None,
    confidence: float | None = None,
) -> Iterable[Foul]:
    """One foul by the action of this moment, or none where the rule set has no ruling on it."""
    ruling = moment.rules.ruling(code, sort)
    if ruling is None:
        return
    action = moment.action
    yield Foul(
        code=code,
        kind=sort,
        seat=seat,
        at_ms=action.at_ms,
        says=says,
        key=key or sort,
        confidence=action.confidence if confidence is None else confidence,
        missing=(*missing, *asked(ruling)),
        evidence=action.evidence,
        hold_ms=hold_ms,
        hand=moment.after.hand,
        turn=moment.before.discards + 1,
        tiles=tiles,
        other=other,
        units=units,
        worth=worth,
    )
