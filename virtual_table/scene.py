"""A hand written down in words (`moves`), played with things: the wall is laid so that everybody holds and draws what the
words say, and the players do as told, whether or not the rules allow it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from table_engine.apply import apply
from table_engine.ask import wall_left
from table_engine.records.model import HandRecord
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandShown,
    HandStarted,
    Konged,
    TileReturned,
    TilesExposed,
    WinShown,
)
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import KINDS, UNKNOWN, Tile, is_flower, kind
from virtual_table.customs import Customs
from virtual_table.deal import WallPlace, arranged, roll, wall_order
from virtual_table.deed import Deed, Manner, Setting
from virtual_table.moves import Asked, Covered, Line, Recorded, Step, Turns, Wait, hand
from virtual_table.position import Position
from virtual_table.script import Foul

_TAIL = 24
"""So many tiles at the end of the wall are left where they are: replacements and indicators."""
_BEFORE_MS = 1000
"""Moves that come later than this after the one before are waited for."""


@dataclass(slots=True)
class Scene:
    """Moves as written, one after the other. `recorded` is what the referee records, and after how many moves."""

    moves: list[Step]
    waits: dict[int, int]
    """How long to wait before a move, ms, by its number."""
    recorded: tuple[tuple[int, Recorded | Asked], ...] = ()
    fouls: list[Foul] = field(default_factory=list)
    committed: list[Foul] = field(default_factory=list)
    _done: int = 0
    _won: bool = False
    _hurried: Deed | None = None

    def next(self, position: Position) -> Deed | None:  # noqa: ARG002 - what is written does not depend on it
        """The next deed. A draw before the upper discard is made while that discard hovers."""
        if self._hurried:
            deed, self._hurried = self._hurried, None
            return deed
        if self._done >= len(self.moves):
            self.committed += self.fouls
            self.fouls.clear()
            return Deed(HandEnded(won=self._won))
        number, step = self._done, self.moves[self._done]
        self._done += 1
        wait = self.waits.get(number, 0)
        self._won |= isinstance(step.action, WinShown)
        after = self.moves[self._done].action if self._done < len(self.moves) else None
        match step.action, after:
            case Drew(seat=seat, end="head"), Discarded(seat=upper) if upper == seat.upper and self._ahead(
                number, upper
            ):
                self._done += 1
                self._hurried = Deed(step.action, Manner.HURRIED)
                return Deed(self.moves[number + 1].action, Manner.LINGER, wait_ms=wait)
            case action, _:
                return Deed(action, wait_ms=wait, tiles=step.tiles)

    def _ahead(self, number: int, upper: Seat) -> bool:
        """The upper player holds the extra tile when the next one draws."""
        before = self.moves[number - 1].action if number else None
        return isinstance(before, Drew | Called | Konged | FlowersShown) and before.seat == upper


def setting(customs: Customs, words: str, rng: Random, title: str = "") -> Setting:
    """A hand in words, ready to be played. Raises SettingsError for words that are no hand, RecordError where the set or
    the wall has not the tiles for it."""
    lines = hand(words)
    start = HandStarted(dealer=Seat.S0)
    if isinstance(lines[0], Step) and isinstance(lines[0].action, HandStarted):
        start, lines = lines[0].action, lines[1:]
    steps, waits, recorded = _expanded(customs, start, lines)
    steps = _kongs_known(steps)
    tiles = _Tiles(customs, start.dealer, rng)
    steps = tiles.given(steps)
    dice = roll(customs, rng, start.dice)
    reds = tuple(sorted({t for t in tiles.named if t[0] == "0"}))
    record = HandRecord(
        customs.ruleset, start.dealer, tiles.hands, tuple(tiles.from_wall(steps)), dice=dice, title=title
    )
    wall = arranged(record, customs, reds, rng)
    broken = None if start.break_side is None or start.break_stack is None else (start.break_side, start.break_stack)
    broke = broken or customs.break_at(start.dealer, dice)
    for step in steps:
        if isinstance(step.action, TilesExposed) and step.action.where == "wall":
            wall = _lying_at(wall, step.action, wall_order(customs, *broke), len(tiles.named) + 4)
    covered = frozenset(line.seat for line in lines if isinstance(line, Covered))
    return Setting(start.dealer, dice, wall, Scene(steps, waits, recorded), title, broken, covered)


def _lying_at(
    wall: tuple[Tile, ...], move: TilesExposed, places: tuple[WallPlace, ...], first: int
) -> tuple[Tile, ...]:
    """The wall with the tile that is turned up on the side where it shall lie, among tiles nobody takes in the hand. One
    that is drawn later stays where it is."""
    (face,) = move.tiles
    free = range(first, len(wall) - _TAIL)
    there = [n for n in free if places[n].side == move.seat]
    have = [n for n in range(first, len(wall)) if wall[n] == face]
    if not have or not there or any(n in there for n in have):
        return wall
    tiles = list(wall)
    tiles[there[0]], tiles[have[0]] = tiles[have[0]], tiles[there[0]]
    return tuple(tiles)


def _expanded(
    customs: Customs, start: HandStarted, lines: list[Line]
) -> tuple[list[Step], dict[int, int], tuple[tuple[int, Recorded | Asked], ...]]:
    """The moves one by one: turns written out, waits by the number of the move after them."""
    rules = customs.rules
    state = apply(State(), start, rules)
    steps: list[Step] = []
    waits: dict[int, int] = {}
    recorded: list[tuple[int, Recorded | Asked]] = []

    def do(step: Step) -> None:
        nonlocal state
        if step.after_ms > _BEFORE_MS:
            waits[len(steps)] = waits.get(len(steps), 0) + step.after_ms - _BEFORE_MS
        state = apply(state, step.action, rules)
        steps.append(step)

    if rules.set.dora and not any(isinstance(line, Step) and isinstance(line.action, DoraShown) for line in lines):
        do(Step(DoraShown(tile=UNKNOWN)))
    for line in lines:
        match line:
            case Step(action=HandEnded()):
                break
            case Step():
                do(line)
            case Wait(ms=ms):
                waits[len(steps)] = waits.get(len(steps), 0) + ms
            case Covered():
                pass
            case Recorded() | Asked():
                recorded.append((len(steps), line))
            case Turns(count=count, until=left):
                while wall_left(state, rules) > left if left is not None else count > 0:
                    seat = state.turn.actor
                    do(Step(Drew(seat=seat)))
                    do(Step(Discarded(seat=seat, tile=UNKNOWN, drawn=True)))
                    count -= 1
    return steps, waits, tuple(recorded)


def _kongs_known(steps: list[Step]) -> list[Step]:
    """The steps with a kind nobody names for every concealed kong that is not named."""
    named = {tile for step in steps for tile in _tiles(step.action)}
    free = (tile for tile in reversed(KINDS) if tile not in named)
    return [
        replace(step, action=replace(step.action, tile=next(free)))
        if isinstance(step.action, Konged) and step.action.tile == UNKNOWN
        else step
        for step in steps
    ]


def _tiles(action: Action) -> Iterator[Tile]:
    """The kinds an action names."""
    match action:
        case Called(tiles=tiles) | FlowersShown(tiles=tiles) | TilesExposed(tiles=tiles) | HandShown(hand=tiles):
            yield from map(kind, tiles)
        case WinShown(hand=tiles, tile=tile):
            yield from map(kind, (*tiles, tile))
        case Drew(tile=tile) | Discarded(tile=tile) | Konged(tile=tile) | DoraShown(tile=tile) if tile != UNKNOWN:
            yield kind(tile)
        case _:
            pass


class _Tiles:
    """Finds for every seat the tiles it must be dealt and draw so that it has what it shows."""

    def __init__(self, customs: Customs, dealer: Seat, rng: Random) -> None:
        self._customs, self._rng = customs, rng
        self.named: tuple[Tile, ...] = ()
        """Tiles the words name, or ask for."""
        self._dealt: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        self._room = {seat: customs.hand + (seat == dealer) for seat in SEATS}
        self._drawn: dict[int, Tile] = {}
        """Tiles of draws, by the number of the move."""
        self._loose: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        """Tiles drawn or taken back that nothing has been done with yet."""
        self._open: dict[Seat, list[int]] = {seat: [] for seat in SEATS}
        """Draws of which nobody has said the tile."""
        self._same: dict[int, int] = {}
        """Draws of a tile that had been put back: the number of the draw before."""

    @property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        return tuple(tuple(self._dealt[seat]) for seat in SEATS)

    def given(self, steps: list[Step]) -> list[Step]:
        """The steps with every tile known. Fills what is left with other tiles of the set, no flower among them."""
        for number, step in enumerate(steps):
            self._take(number, step, steps)
        self.named = tuple(t for tiles in self._dealt.values() for t in tiles) + tuple(self._drawn.values())
        rest = Counter(self._customs.faces(tuple(sorted({t for t in self.named if t[0] == "0"}))))
        rest.subtract(t for tiles in self._dealt.values() for t in tiles)
        rest.subtract(self._drawn.values())
        rest.subtract(s.action.tile for s in steps if isinstance(s.action, DoraShown) and s.action.tile != UNKNOWN)
        rest.subtract(self._turned(steps))
        if over := [tile for tile, count in rest.items() if count < 0]:
            raise SettingsError(f"the hand needs more of {', '.join(sorted(over))} than a set has")
        left = [t for t in sorted(rest.elements()) if not is_flower(t) and t[0] != "0"]
        self._rng.shuffle(left)
        for seat in SEATS:
            while len(self._dealt[seat]) < self._room[seat]:
                self._dealt[seat].append(left.pop())
            for number in self._open[seat]:
                self._drawn[number] = left.pop()
        dora = [n for n, step in enumerate(steps) if isinstance(step.action, DoraShown) and step.action.tile == UNKNOWN]
        self._drawn |= {n: left.pop() for n in dora}
        for number, before in self._same.items():
            self._drawn[number] = self._drawn[before]
        return [self._named(number, step, steps) for number, step in enumerate(steps)]

    def _turned(self, steps: list[Step]) -> tuple[Tile, ...]:
        """Tiles turned up in the wall that nobody draws."""
        shown = (s.action for s in steps if isinstance(s.action, TilesExposed) and s.action.where == "wall")
        return tuple(t for action in shown for t in action.tiles if t not in self._drawn.values())

    def from_wall(self, steps: list[Step]) -> Iterator[Action]:
        """The moves by which tiles leave the wall for good, in order."""
        for number, step in enumerate(steps):
            if isinstance(step.action, DoraShown) or (
                isinstance(step.action, Drew) and number not in self._same.values()
            ):
                yield step.action

    def _take(self, number: int, step: Step, steps: list[Step]) -> None:
        match step.action:
            case Drew(seat=seat, end=end, tile=tile):
                back = self._put_back(number, steps) if end == "head" else None
                if back is not None:
                    self._same[number] = back
                elif tile != UNKNOWN:
                    self._drawn[number] = tile
                    self._loose[seat].append(tile)
                else:
                    self._open[seat].append(number)
            case Discarded(seat=seat, tile=tile) if tile != UNKNOWN:
                self._need(seat, (tile,), number)
            case Called(seat=seat, tile=tile, tiles=tiles):
                own = list(tiles)
                own.remove(tile)
                self._need(seat, own, number)
            case Konged(seat=seat, kong="concealed", tile=tile):
                self._need(seat, step.tiles or (tile,) * 4, number)
            case Konged(seat=seat, tile=tile):
                self._need(seat, (tile,), number)
            case FlowersShown(seat=seat, tiles=tiles):
                self._need(seat, tiles, number)
            case WinShown(seat=seat, hand=tiles, tile=tile, source=source):
                self._need(seat, tiles if source is not None else (*tiles, tile), number)
            case HandShown(seat=seat, hand=tiles):
                self._need(seat, tiles, number)
            case TilesExposed(seat=seat, tiles=tiles, where="hand"):
                self._need(seat, tiles, number)
                self._loose[seat] += tiles
            case TileReturned(seat=seat, what="discard", tile=tile):
                self._loose[seat].append(tile)
            case TileReturned(seat=seat, what="call"):
                called = next(s.action for s in reversed(steps[:number]) if isinstance(s.action, Called))
                own = list(called.tiles)
                own.remove(called.tile)
                self._loose[seat] += own
            case _:
                pass

    def _need(self, seat: Seat, tiles: tuple[Tile, ...] | list[Tile], number: int) -> None:
        """The seat has these tiles now: drawn, dealt, or drawn without anybody having said so."""
        for tile in tiles:
            if tile in self._loose[seat]:
                self._loose[seat].remove(tile)
            elif len(self._dealt[seat]) < self._room[seat]:
                self._dealt[seat].append(tile)
            elif free := [n for n in self._open[seat] if n < number]:
                self._open[seat].remove(free[0])
                self._drawn[free[0]] = tile
            else:
                raise SettingsError(f"move {number + 1}: seat {seat + 1} cannot have {tile} as well")

    def _put_back(self, number: int, steps: list[Step]) -> int | None:
        """The draw of a tile that lies at the head of the wall again."""
        for n in range(number - 1, -1, -1):
            action = steps[n].action
            if isinstance(action, TileReturned) and action.what == "draw":
                return next(
                    m
                    for m in range(n - 1, -1, -1)
                    if isinstance(mine := steps[m].action, Drew) and mine.seat == action.seat
                )
            if isinstance(action, Drew) and action.end == "head":
                return None
        return None

    def _named(self, number: int, step: Step, steps: list[Step]) -> Step:
        match step.action:
            case Drew() | DoraShown():
                tile = self._drawn.get(number, step.action.tile)
                return replace(step, action=replace(step.action, tile=tile))
            case Discarded(seat=seat, tile="?"):
                mine = (n for n in range(number - 1, -1, -1) if n in self._drawn and _draws(steps[n].action, seat))
                return replace(step, action=replace(step.action, tile=self._drawn[next(mine)]))
            case _:
                return step


def _draws(action: Action, seat: Seat) -> bool:
    return isinstance(action, Drew) and action.seat == seat
