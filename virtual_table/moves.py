"""A hand in words, one move a line: what somebody writes down to have it played, or judged.

    deal 1 dice 3 4 5 broken at 4/12     (first line, optional: who deals, the dice, and wall side/stack the deal began at)
    1 discards 3m                        5m sideways | from hand | as drawn
    2 draws                              the tile may be named: 2 draws 5p; 2 draws from the tail
    2 chows 3m of 1 with 45m             pungs | kongs; the set may be wrong; "laid 0" is the called tile's place in it
    2 kongs 9s                           four of the own hand, face down; 2 kongs 1234s is no kong
    2 adds 9s                            the fourth tile to a pung
    2 shows 1f 2f                        flowers
    2 announces pung                     a button, a voice: chow, pung, kong, win, ready
    2 wins on 5m of 1 with 123m…         2 wins by 5m with 123m…: the concealed tiles without the winning one
    2 lays open 123m…                    the hand, not as a win
    2 exposes 5m                         tiles of the own hand; "wall 2 exposes 5m": of the wall before seat 2
    2 takes back the discard             the call, the draw
    2 is counted 12                      standing tiles, at rest
    dora 5m                              an indicator is turned up
    1 pond 0 3m is 4m                    a tile is read otherwise: pond, meld, flower of a seat, by its index
    clock turn of 2 begun 4 run out 15   a clock ran out (seconds; "3 times": that many periods)
    referee TW-F23 names against 2       a person records a row; "with 5m" names tiles
    referee counts against 2             the five-second count begins
    referee holds 2                      who is asked not to draw in the free time after the deal
    2 keeps kongs covered                concealed kongs are not turned up when the hand is over
    wait 1500                            nothing happens for so many ms
    turns 4                              so many draws and discards of whoever is to play
    until 20                             turns until so many tiles are in the wall
    end                                  the hand is over; "end won"

Seats are chairs, 1 to 4. Moves come a second apart; "+300 2 draws" comes 300 ms after the one before. "2 draws ~0.6" is seen
with that confidence. Tiles of one suit may be written together: 123m55z. Everything after `#` is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    ClockRan,
    CountSeen,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TilesExposed,
    WinShown,
)
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile, order, parse

_TILES = r"(?:[0-9]+[mpszf]\s*|\?\s*)+"
_SEAT = r"([1-4])"


@dataclass(frozen=True, slots=True)
class Step:
    """One move and how long after the one before it comes."""

    action: Action
    after_ms: int = 1000
    tiles: tuple[Tile, ...] = ()
    """The tiles of a kong that is none."""


@dataclass(frozen=True, slots=True)
class Wait:
    ms: int


@dataclass(frozen=True, slots=True)
class Turns:
    """So many turns of whoever is to play, or (`until`) turns until so many tiles are left in the wall."""

    count: int = 0
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the referee records."""

    row: str
    kind: str
    seat: Seat
    tiles: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the referee is asked for: a count of five seconds against a seat, or to hold its draw."""

    what: Literal["count", "hold"]
    seat: Seat


@dataclass(frozen=True, slots=True)
class Covered:
    """Whose concealed kongs stay face down when the hand is over."""

    seat: Seat


Line = Step | Wait | Turns | Recorded | Asked | Covered


def hand(text: str) -> list[Line]:
    """The lines of a hand. Raises SettingsError naming the line that is none."""
    lines: list[Line] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        words = raw.split("#")[0].strip()
        if not words:
            continue
        try:
            lines.append(line(words))
        except (ValueError, IndexError) as error:
            reason = f" ({error})" if str(error) else ""
            raise SettingsError(f"line {number}: {words!r} is no move{reason}; see virtual_table/moves.py") from error
    return lines


def line(words: str) -> Line:
    """One line. Raises ValueError where it is none."""
    if found := re.fullmatch(r"wait (\d+)", words):
        return Wait(int(found[1]))
    if found := re.fullmatch(r"turns (\d+)", words):
        return Turns(count=int(found[1]))
    if found := re.fullmatch(r"until (\d+)", words):
        return Turns(until=int(found[1]))
    if found := re.fullmatch(rf"referee ([A-Z]{{2}}-\w+)(?: ([\w.]+))? against {_SEAT}(?: with ({_TILES}))?", words):
        return Recorded(found[1], found[2] or "", _seat(found[3]), tiles(found[4] or ""))
    if found := re.fullmatch(rf"referee (counts against|holds) {_SEAT}", words):
        return Asked("count" if found[1] == "counts against" else "hold", _seat(found[2]))
    if found := re.fullmatch(rf"{_SEAT} keeps kongs covered", words):
        return Covered(_seat(found[1]))
    after, sure = 1000, 1.0
    if found := re.match(r"\+(\d+) ", words):
        after, words = int(found[1]), words[found.end() :]
    if found := re.search(r" ~(\d(?:\.\d+)?)$", words):
        sure, words = float(found[1]), words[: found.start()]
    laid: tuple[Tile, ...] = ()
    if found := re.fullmatch(rf"{_SEAT} kongs ({_TILES})", words):
        four = tiles(found[2])
        words, laid = f"{found[1]} kongs {four[0]}", four if len(four) > 1 else ()
    action = _whole(words) if not words[0].isdigit() else _of_seat(_seat(words[0]), words[2:])
    return Step(replace(action, confidence=sure) if sure < 1 else action, after, laid)


def tiles(text: str) -> tuple[Tile, ...]:
    """Tiles written together by suits, e.g. `123m 5z ?`. Raises ValueError for anything else."""
    found = []
    for digits, suit in re.findall(r"([0-9]+)([mpszf])", text):
        found += [parse(f"{digit}{suit}") for digit in digits]
    found += [parse("?")] * text.count("?")
    if re.sub(r"[0-9]+[mpszf]|\?|\s", "", text):
        raise ValueError(f"{text!r} are no tiles")
    return tuple(found)


def _seat(number: str) -> Seat:
    return Seat(int(number) - 1)


def _one(text: str) -> Tile:
    (tile,) = tiles(text)
    return tile


def _whole(words: str) -> Action:
    """What is nobody's move."""
    if found := re.fullmatch(rf"deal {_SEAT}(?: dice ([1-6 ]+?))?(?: broken at {_SEAT}/(\d+))?", words):
        dice = tuple(int(n) for n in (found[2] or "").split())
        side, stack = (_seat(found[3]), int(found[4]) - 1) if found[3] else (None, None)
        return HandStarted(dealer=_seat(found[1]), dice=dice, break_side=side, break_stack=stack)
    if found := re.fullmatch(rf"dora ({_TILES})", words):
        return DoraShown(tile=_one(found[1]))
    if found := re.fullmatch(rf"wall {_SEAT} exposes ({_TILES})", words):
        return TilesExposed(seat=_seat(found[1]), tiles=tiles(found[2]), where="wall")
    clock = rf"clock (first_discard|turn|hand|count) of {_SEAT} begun (\d+) run out (\d+)(?: (\d+) times)?"
    if found := re.fullmatch(clock, words):
        limit = int(found[4]) * 1000
        return ClockRan(
            seat=_seat(found[2]),
            clock=found[1],  # type: ignore[arg-type] # one of the words of the pattern
            since_ms=int(found[3]) * 1000,
            spent_ms=limit,
            limit_ms=limit,
            periods=int(found[5] or 1),
        )
    if words in ("end", "end won"):
        return HandEnded(won=words == "end won")
    raise ValueError


def _of_seat(seat: Seat, words: str) -> Action:
    for action in _readings(seat, words):
        return action
    raise ValueError


def _readings(seat: Seat, words: str) -> Iterator[Action]:
    """What the words may mean; one of them does not."""
    if found := re.fullmatch(rf"draws(?: from the (tail))?(?: ({_TILES}))?", words):
        yield Drew(seat=seat, end="tail" if found[1] else "head", tile=_one(found[2] or "?"))
    if found := re.fullmatch(rf"discards ({_TILES}?)(sideways)?(?: ?(from hand|as drawn))?", words):
        drawn = None if found[3] is None else found[3] == "as drawn"
        yield Discarded(seat=seat, tile=_one(found[1]), sideways=bool(found[2]), drawn=drawn)
    if found := re.fullmatch(
        rf"(chow|pung|kong)s ({_TILES}?) ?of {_SEAT}(?: with ({_TILES}?))?(?: ?laid (\d))?", words
    ):
        called, call = _one(found[2]), found[1]
        own = tiles(found[4]) if found[4] else (called,) * (3 if call == "kong" else 2)
        yield Called(
            seat=seat,
            call=call,  # type: ignore[arg-type] # one of the words of the pattern
            tile=called,
            source=_seat(found[3]),
            tiles=tuple(sorted((called, *own), key=order)),
            place=int(found[5]) if found[5] else None,
        )
    if found := re.fullmatch(rf"kongs ({_TILES})", words):
        yield Konged(seat=seat, kong="concealed", tile=_one(found[1]))
    if found := re.fullmatch(rf"adds ({_TILES})", words):
        yield Konged(seat=seat, kong="added", tile=_one(found[1]))
    if found := re.fullmatch(rf"shows ({_TILES})", words):
        yield FlowersShown(seat=seat, tiles=tiles(found[1]))
    if found := re.fullmatch(r"announces (chow|pung|kong|win|ready)", words):
        yield CallAnnounced(seat=seat, call=found[1])  # type: ignore[arg-type] # one of the words of the pattern
    if found := re.fullmatch(rf"wins on ({_TILES}?) ?of {_SEAT} with ({_TILES})", words):
        yield WinShown(seat=seat, source=_seat(found[2]), tile=_one(found[1]), hand=tiles(found[3]))
    if found := re.fullmatch(rf"wins by ({_TILES}?) ?with ({_TILES})", words):
        yield WinShown(seat=seat, tile=_one(found[1]), hand=tiles(found[2]))
    if found := re.fullmatch(rf"lays open ({_TILES})", words):
        yield HandShown(seat=seat, hand=tiles(found[1]))
    if found := re.fullmatch(rf"exposes ({_TILES})", words):
        yield TilesExposed(seat=seat, tiles=tiles(found[1]))
    if found := re.fullmatch(rf"takes back the (discard|call|draw)(?: ({_TILES}))?", words):
        yield TileReturned(seat=seat, what=found[1], tile=_one(found[2] or "?"))  # type: ignore[arg-type] # the pattern's
    if found := re.fullmatch(r"is counted (\d+)", words):
        yield CountSeen(seat=seat, concealed=int(found[1]))
    if found := re.fullmatch(rf"(pond|meld|flower) (\d+) ({_TILES}?) ?is ({_TILES})", words):
        yield TileCorrected(
            seat=seat,
            zone=found[1],  # type: ignore[arg-type] # one of the words of the pattern
            index=int(found[2]),
            was=_one(found[3]),
            tile=_one(found[4]),
        )
