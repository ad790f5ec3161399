"""Botzone's official text of Chinese Standard games → game records, one record per match (which is one hand).

`Match id / Wind n / Player n Deal 13 tiles` and then one move per line. W characters, B dots, T bamboo, F1-F4 winds,
J1-J3 red, green, white. `Chi` names the middle tile. `Ignore Player n X` tells of claims that lost precedence: no tile
moved for them, so they are no moves. Text after `#` is a remark and is kept as a note. Format: README-en of the data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from table_engine.records.build import HandBuilder, ImpossibleMoveError
from table_engine.records.fan_words import counted, value_of
from table_engine.records.model import BREAKS_OFF, GameRecord, WinRecord
from table_engine.records.tenhou_words import EXHAUSTIVE
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.tiles import Tile

RULESET = "chinese_official"
SUITS = {"W": "m", "B": "p", "T": "s"}
DRAGONS = {"1": "7z", "2": "6z", "3": "5z"}


def recognises(head: str) -> bool:
    return any(line.startswith("Match ") for line in head.splitlines())


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every match of a file. A last line without its end may be cut. Raises RecordError naming file and line."""
    match: Match | None = None
    before: GameRecord | None = None
    lines = text.splitlines()
    number = 0
    for number, line in enumerate(lines, start=1):
        move, _, remark = line.partition("#")
        words = move.split()
        try:
            if words[:1] == ["Match"] and words[1:]:
                if match:
                    if before is not None:
                        yield before
                    before = match.finish(source)
                match = Match(words[1])
            elif match:
                if remark.strip():
                    match.notes.append(remark.strip())
                if words:
                    match.feed(words)
            elif words:
                raise ValueError(f"{words[0]!r} before the first 'Match'")
        except (ImpossibleMoveError, ValueError, IndexError) as error:
            if number == len(lines) and match and match.begun and not text.endswith("\n"):
                break
            raise RecordError(f"{source}, line {number}: {error} in {line.strip()!r:.80}") from error
    if before is not None and match and not match.begun:
        yield replace(before, notes=("the file breaks off before the first move of the next match",))
        return
    if before is not None:
        yield before
    try:
        if match:
            yield match.finish(source)
    except ValueError as error:
        raise RecordError(f"{source}, line {number}: {error}") from error


class Match:
    """One match while its lines are read."""

    def __init__(self, ident: str) -> None:
        self.ident = ident
        self.wind = 0
        self.notes: list[str] = []
        self.deltas: tuple[int, ...] | None = None
        self._deal: list[list[Tile]] = [[], [], [], []]
        self._build: HandBuilder | None = None
        self._over = False
        self._ending = ""
        self._fan: WinRecord | None = None

    @property
    def winner(self) -> int | None:
        """Who declared a win, if anybody."""
        wins = self._build.wins if self._build else []
        return int(wins[0].seat) if wins else None

    @property
    def begun(self) -> bool:
        """A tile has moved."""
        return self._build is not None

    def feed(self, words: list[str]) -> None:
        """Takes the words of one line. Raises ValueError for what is no line or no move."""
        match words:
            case ["Wind", wind]:
                self.wind = int(wind)
                if self.wind not in range(4):
                    raise ValueError("wind is not in 0..3")
            case ["Player", seat, "Deal", *tiles]:
                self._deal[_seat(seat)] = [_tile(code) for code in tiles]
            case ["Player", seat, verb, code, *ignored]:
                if ignored and ignored[0] != "Ignore":
                    raise ValueError(f"{ignored[0]!r} after the move")
                self._move(_seat(seat), verb.lower(), _tile(code))
            case ["Score", *scores]:
                if len(scores) != len(SEATS):
                    raise ValueError(f"{len(scores)} scores instead of 4")
                self.deltas = tuple(int(n) for n in scores)
                self._over = True
            case ["Huang", *_]:
                self._over = True
                self._ending = EXHAUSTIVE
            case ["Fan", total, *names]:
                self._fan = _fan(int(total), " ".join(names))
            case _:
                raise ValueError(f"unknown line {words[0]!r}")

    def _move(self, seat: Seat, verb: str, tile: Tile) -> None:
        build = self._build or self._begin(seat)
        match verb:
            case "draw":
                build.draw(seat, tile)
            case "play":
                build.discard(seat, tile)
            case "chi":
                build.call(seat, "chow", build.chowed_with(tile))
            case "peng":
                build.call_alike(seat, "pung")
            case "gang" if build.offer:
                build.call_alike(seat, "kong")
            case "angang" | "gang":
                build.kong(seat, "concealed", tile)
            case "bugang":
                build.kong(seat, "added", tile)
            case "hu":
                source = build.offer[0] if build.offer and build.offer[0] != seat else None
                build.win(seat, source, tile, worth=WinRecord(seat, source))
            case _:
                raise ValueError(f"unknown move {verb!r}")

    def _begin(self, dealer: Seat) -> HandBuilder:
        for seat, hand in enumerate(self._deal):
            if len(hand) != 13:
                raise ValueError(f"player {seat} is dealt {len(hand)} tiles instead of 13")
        self._build = HandBuilder(RULESET, dealer, self._deal)
        return self._build

    def finish(self, source: str) -> GameRecord:
        if self._build is None:
            raise ValueError(f"match {self.ident} has no moves")
        if not self._over:
            self.notes.append(BREAKS_OFF)
        self._build.notes = self.notes
        if self._fan and len(self._build.wins) == 1:
            self._build.wins = [replace(self._build.wins[0], items=self._fan.items, fan=self._fan.fan)]
        hand = self._build.finish(
            title=f"{WINDS[self.wind]} round, match {self.ident}",
            ending=self._ending,
            round_wind=self.wind,
            deltas=self.deltas,
        )
        return GameRecord(source=f"{source}#{self.ident}", ruleset=RULESET, hands=(hand,))


def _fan(total: int, names: str) -> WinRecord:
    """`全带幺*1+喜相逢*2`, as often as each counts."""
    items = tuple((name, value_of(name)) for name, times in counted(names) for _ in range(times))
    return WinRecord(SEATS[0], items=items, fan=total)


def _seat(word: str) -> Seat:
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"player {word!r} is not in 0..3")
    return SEATS[int(word)]


def _tile(code: str) -> Tile:
    letter, rank = code[:1], code[1:]
    if letter in SUITS and rank in "123456789" and len(rank) == 1:
        return Tile(rank + SUITS[letter])
    if letter == "F" and rank in ("1", "2", "3", "4"):
        return Tile(rank + "z")
    if letter == "J" and rank in DRAGONS:
        return Tile(DRAGONS[rank])
    raise ValueError(f"{code!r} is not a Botzone tile")
