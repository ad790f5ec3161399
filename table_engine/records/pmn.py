"""PMN (Portable Majiang Notation), tags with a `Play` string → game records of Chinese official rules, one hand a game.

    [PWind "E"] [Deal "c25566d579b2269wr2f …"] [Play "T0r3D0z1T1d3…H2"] [Fan "None None 55/4/1 None"] [Result "-8 -17 33 -8"]

Player 0 is east and deals. T take, D discard (`z1`: the tile just taken), C chow (names the middle tile), P pung, A concealed
kong, B added kong, Z kong of a discard, R flower, H win, N nobody won. `Result` is what the hand brought each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from table_engine.records.build import HandBuilder, ImpossibleMoveError
from table_engine.records.fan_words import name_of
from table_engine.records.model import BREAKS_OFF, GameRecord, WinRecord
from table_engine.records.tenhou_words import EXHAUSTIVE
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.tiles import Tile

RULESET = "chinese_official"
SUITS = {"c": "m", "d": "p", "b": "s", "w": "z", "r": "z", "f": "f"}
DRAGONS = {"1": "7z", "2": "6z", "3": "5z"}
PLAYERS = ("East", "South", "West", "North")
PENALTY = "penalty "
_TAG = re.compile(r'^\s*\[(\w+)\s+"([^"]*)"\s*\]\s*$')
_CUT = re.compile(r'^\s*\[(Play|Fan|Result|Penalty)\s+"([^"\]]*)$')
"""A last tag that the file's end has cut."""
_MOVE = re.compile(r"([TDCPABZR])(\d)([a-z])(\d)|([H])(\d)(?:([cdbwrf])(\d))?|(N)(\d)?")
_GROUP = re.compile(r"([cdbwrf])(\d*)")


def recognises(head: str) -> bool:
    return bool(re.search(r'^\s*\[Deal\s+"', head, re.MULTILINE) and "[Play" in head)


def read(text: str, source: str) -> Iterator[GameRecord]:
    """Every game of a file. Raises RecordError naming file, line or place in the play string."""
    sections: list[tuple[int, dict[str, str]]] = []
    tags: dict[str, str] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        found = _TAG.match(line) or (_CUT.match(line) if number == len(lines) and "Deal" in tags else None)
        if found is None:
            if line.strip() and not line.lstrip().startswith(("%", ";")):
                raise RecordError(f"{source}, line {number}: {line.strip()[:60]!r} is no PMN tag")
            continue
        if not tags or found[1] in tags:
            tags = {}
            sections.append((number, tags))
        if found.re is _TAG or found[1] == "Play":
            tags[found[1]] = found[2]
    for n, (line_number, one) in enumerate(sections, start=1):
        where = f"{source}, tags from line {line_number}"
        if missing := [name for name in ("Deal", "Play") if name not in one]:
            raise RecordError(f"{where}: [{missing[0]}] is missing")
        try:
            yield _game(one, source if len(sections) == 1 else f"{source}#{n}")
        except (ImpossibleMoveError, ValueError, IndexError) as error:
            raise RecordError(f"{where}: {error}") from error


def _game(tags: dict[str, str], source: str) -> GameRecord:
    deal = [_hand(text) for text in tags["Deal"].split(" ")]
    if len(deal) != 4:
        raise ValueError(f"the deal has {len(deal)} hands instead of 4")
    for seat, hand in enumerate(deal):
        if len(hand) not in (13, 13 + (seat == 0)):
            raise ValueError(f"player {seat} is dealt {len(hand)} tiles instead of 13")
    build = HandBuilder(RULESET, SEATS[0], deal)
    wins = [_fan(text) for text in tags.get("Fan", "None None None None").split(" ")]
    over = _play(build, tags["Play"], wins)
    if not over:
        build.notes.append(BREAKS_OFF)
    if (penalty := tags.get("Penalty", "0 0 0 0")) != "0 0 0 0":
        build.notes.append(PENALTY + penalty)
    wind = "ESWN".index(tags.get("PWind", "E"))
    board = tags.get("Board", "")
    ending = EXHAUSTIVE if over and not build.won else ""
    played = build.finish(
        title=f"{WINDS[wind]} round" + (f", board {board}" if board else ""),
        ending=ending,
        round_wind=wind,
        scores=_four(tags.get("Starting", "")),
        deltas=_four(tags.get("Result", "")),
    )
    return GameRecord(source, RULESET, (played,), tuple(tags.get(player, "") for player in PLAYERS))


def _play(build: HandBuilder, text: str, wins: list[WinRecord | None]) -> bool:
    """Tells every move. True when the play string says how the hand ended."""
    at = 0
    over = False
    while at < len(text):
        found = _MOVE.match(text, at)
        if found is None:
            if len(text) - at < 4 and text[at] in "TDCPABZR":
                return over
            raise ValueError(f"{text[at : at + 8]!r} at place {at + 1} of the play string is no move")
        try:
            if found[5]:
                _win(build, _seat(found[6]), wins)
                over = True
            elif found[9]:
                over = True
            else:
                _move(build, found[1], _seat(found[2]), found[3], found[4])
        except ValueError as error:
            raise ValueError(f"{found[0]!r} at place {at + 1} of the play string: {error}") from error
        at = found.end()
    return over


def _move(build: HandBuilder, action: str, seat: Seat, suit: str, rank: str) -> None:
    if suit == "z":
        drawn = build.last_drawn
        if action != "D" or drawn is None or drawn[0] != seat:
            raise ImpossibleMoveError(f"player {int(seat)} discards the tile just taken without having taken one")
        build.discard(seat, drawn[1], drawn=True)
        return
    tile = tile_of(suit, rank)
    match action:
        case "T":
            build.draw(seat, tile)
        case "D":
            build.discard(seat, tile, drawn=False)
        case "C":
            build.call(seat, "chow", build.chowed_with(tile))
        case "P" | "Z":
            if build.offer is None or build.offer[1] != tile:
                raise ImpossibleMoveError(f"player {int(seat)} calls {tile}, which does not lie open")
            build.call_alike(seat, "pung" if action == "P" else "kong")
        case "A":
            build.kong(seat, "concealed", tile)
        case "B":
            build.kong(seat, "added", tile)
        case _:
            build.flowers(seat, [tile])


def _win(build: HandBuilder, seat: Seat, wins: list[WinRecord | None]) -> None:
    own = build.last_drawn is not None and build.last_drawn[0] == seat
    source = None if own or build.offer is None else build.offer[0]
    told = wins[seat] if seat < len(wins) else None
    worth = WinRecord(seat, source, items=told.items, fan=told.fan) if told else WinRecord(seat, source)
    build.win(seat, source, worth=worth)


def _fan(text: str) -> WinRecord | None:
    """`55/4/1.59/2/1` → number, value and how often; older files leave the value out."""
    if text in ("None", ""):
        return None
    items: list[tuple[str, int | None]] = []
    for part in text.split("."):
        numbers = [int(n) for n in part.split("/")]
        name, times = name_of(numbers[0]), numbers[-1]
        items += [(name, numbers[1] if len(numbers) == 3 else None)] * times
    values = [value for _, value in items]
    total = sum(value or 0 for value in values) if None not in values else None
    return WinRecord(SEATS[0], items=tuple(items), fan=total)


def _hand(text: str) -> list[Tile]:
    if "".join(f"{suit}{ranks}" for suit, ranks in _GROUP.findall(text)) != text:
        raise ValueError(f"{text!r} is no hand in PMN")
    return [tile_of(suit, rank) for suit, ranks in _GROUP.findall(text) for rank in ranks]


def tile_of(suit: str, rank: str) -> Tile:
    """Raises ValueError for what is no tile of PMN."""
    most = {"w": 4, "r": 3, "f": 8}.get(suit, 9)
    if suit not in SUITS or not 1 <= int(rank) <= most:
        raise ValueError(f"{suit}{rank} is not a tile of PMN")
    return Tile(DRAGONS[rank]) if suit == "r" else Tile(rank + SUITS[suit])


def _seat(digit: str) -> Seat:
    if digit not in "0123":
        raise ValueError(f"player {digit} is not in 0..3")
    return SEATS[int(digit)]


def _four(text: str) -> tuple[int, ...] | None:
    numbers = tuple(int(n) for n in text.split())
    return numbers if len(numbers) == 4 else None
