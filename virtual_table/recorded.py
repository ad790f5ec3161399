"""Plays a recorded hand: the record says every move, the wall is laid so that the draws come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from table_engine.records.model import HandRecord
from table_engine.wire.actions import Action, Called, Discarded, Drew, HandEnded, Konged, WinShown
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import kind
from virtual_table.customs import customs_of
from virtual_table.deal import arranged, reds_of, roll
from virtual_table.deed import Deed, Manner, Setting
from virtual_table.games import check_fouls
from virtual_table.players import Begin, Players
from virtual_table.position import Position
from virtual_table.script import Foul
from virtual_table.showing import at_the_end

LATE_TILES = 30
"""So many tiles before the call ban players take over from a record that is to see a late call."""


@dataclass(slots=True)
class Script:
    """Moves as recorded, one after the other, until a scripted foul makes the record impossible, or the record ends while
    one is still due: then players go on."""

    record: HandRecord
    rng: Random
    fouls: list[Foul] = field(default_factory=list)
    committed: list[Foul] = field(default_factory=list)
    turns: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    _done: int = 0
    _shown: list[Deed] | None = None
    """Hands still to be laid open before the record's end; None: not there yet."""
    _early: Foul | None = None
    _players: Players | None = None

    def next(self, position: Position) -> Deed | None:
        if self._players is None:
            deed = self._recorded(position)
            if self._players is None:
                return deed
        return self._players.next(position)

    def _recorded(self, position: Position) -> Deed | None:
        """The record's next move; none and `_players` set when they take over."""
        if self._done == len(self.record.moves):
            return None
        move = self.record.moves[self._done]
        manner = Manner.PLAIN
        if self.fouls or self._early:
            begin = self._takes_over(position, move)
            if begin is not None:
                self._hand_over(begin)
                return None
            manner = self._manner(move)
        if isinstance(move, HandEnded) and not move.won:
            if self._shown is None:
                shown = at_the_end(position, self.record.ending, self.record.shown)
                self._shown = [Deed(one) for one in shown] if not self._won else []
            if self._shown:
                return self._shown.pop(0)
        self._done += 1
        if isinstance(move, Drew) and move.end == "head":
            self.turns[move.seat] += 1
        return Deed(move, manner)

    @property
    def _won(self) -> bool:
        return any(isinstance(move, WinShown) for move in self.record.moves)

    def _takes_over(self, position: Position, move: Action) -> Begin | None:
        """Whether a foul changes the tiles from here on, and where players go on then."""
        last = self.record.moves[self._done - 1] if self._done else None
        for foul in self.fouls:
            turns = self.turns[foul.seat]
            match foul.what, move, last:
                case ("too_many" | "too_few" | "draw_wrong_end", Drew(end="head", seat=seat), _):
                    if seat == foul.seat and turns + 1 >= foul.turn:
                        return Begin(seat, "draw")
                case "draw_out_of_turn", Drew(end="head", seat=seat), _:
                    if seat != foul.seat and turns >= foul.turn:
                        return Begin(seat, "draw")
                case "late_call", Drew(end="head", seat=seat), _:
                    ban = position.customs.rules.call_ban.discards or 0
                    if position.left <= ban + LATE_TILES:
                        return Begin(seat, "draw")
                case "kong_no_replacement", Drew(end="tail", seat=seat), Konged() | Called(call="kong"):
                    if seat == foul.seat and turns >= foul.turn:
                        self.fouls.remove(foul)
                        self.committed.append(foul)
                        return Begin(seat, "discard")
                case _, WinShown() | HandEnded(), Discarded(seat=seat):
                    return Begin(seat, "claim")
                case _, WinShown() | HandEnded(), Drew(seat=seat):
                    return Begin(seat, "discard")
                case _:
                    pass
        return None

    def _manner(self, move: Action) -> Manner:
        """A discard hovers when the next seat's draw is scripted to come too early."""
        if self._early and isinstance(move, Drew):
            self.committed.append(self._early)
            self._early = None
            return Manner.HURRIED
        follows = next(iter(self.record.moves[self._done + 1 :]), None)
        if isinstance(move, Discarded) and isinstance(follows, Drew) and follows.end == "head":
            for foul in self.fouls:
                due = foul.what == "draw_early" and foul.seat == follows.seat
                if due and self.turns[foul.seat] + 1 >= foul.turn:
                    self.fouls.remove(foul)
                    self._early = foul
                    return Manner.LINGER
        return Manner.PLAIN

    def _hand_over(self, begin: Begin) -> None:
        customs = customs_of(self.record.rules())
        players = Players(customs, self.rng, self.fouls, begin, self.turns, committed=self.committed)
        for move in self.record.moves[: self._done]:
            if isinstance(move, Discarded):
                players.policy.memory[move.seat].discards.append(kind(move.tile))
        for foul in self.committed:
            players.policy.memory[foul.seat].dead = True
        self._players = players


def settings_of(records: Sequence[HandRecord], seed: int, fouls: Sequence[Foul] = ()) -> Iterator[Setting]:
    """The hands of a record as settings. Raises RecordError for a hand that no set of tiles can yield."""
    if any(f.what == "scene" for f in fouls):
        raise SettingsError("a scene is played by own players, not within a recorded game: leave the record away")
    reds = reds_of(records)
    for number, record in enumerate(records):
        customs = customs_of(record.rules())
        check_fouls(customs, fouls)
        rng = Random(f"{seed}:wall:{number}")
        wall = arranged(record, customs, reds, rng)
        script = Script(record, rng, [f for f in fouls if f.hand == number + 1])
        yield Setting(record.dealer, roll(customs, rng, record.dice), wall, script, record.title)
